"""A stand-in for the module `caffe`: what Python layers take from it, in numpy (_caffe.cpp, pycaffe.py, io.py).

It runs no net: whatever else a module asks it for raises `Missing`, or an ImportError of a name that starts with caffe.
"""

from __future__ import annotations

import inspect
import operator
import sys
from functools import partial
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from caffelint.schema import message_class

TRAIN, TEST = 0, 1
_REMOVED = {"bool": bool, "float": float, "int": int, "object": object}


class Phase(int):
    """A number, as in Caffe 1.0; as text its name, as in the Caffe of R-CNN."""

    def __str__(self) -> str:
        return "TEST" if self else "TRAIN"


class Missing(AttributeError):
    """The stand-in lacks a name that pycaffe has."""


class Blob:
    """float32 data and diff of one shape. As in Caffe, a blob that shrinks keeps its memory; one that grows is 0."""

    def __init__(self, *shape: int) -> None:
        self._shape: tuple[int, ...] = ()
        self._data = self._diff = np.zeros(0, np.float32)
        self.reshape(*shape)

    def reshape(self, *shape: int) -> None:
        """Raises TypeError as Boost does for what is no whole number; numpy's whole numbers pass, as on Python 2."""
        dims = []
        for dim in shape:
            try:
                dims.append(operator.index(dim))
            except TypeError:
                raise TypeError(
                    "No registered converter was able to produce a C++ rvalue of type int from this Python object of"
                    f" type {type(dim).__name__}"
                ) from None
            if dims[-1] < 0:
                raise ValueError(f"Check failed: shape[i] >= 0 ({dim} vs. 0)")
        self._shape = tuple(dims)
        if self.count > self._data.size:
            self._data = np.zeros(self.count, np.float32)
            self._diff = np.zeros(self.count, np.float32)

    @property
    def data(self) -> Any:
        return self._data[: self.count].reshape(self._shape)

    @property
    def diff(self) -> Any:
        return self._diff[: self.count].reshape(self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def count(self) -> int:
        return prod(self._shape)

    num = property(lambda self: self._legacy(0))
    channels = property(lambda self: self._legacy(1))
    height = property(lambda self: self._legacy(2))
    width = property(lambda self: self._legacy(3))

    def _legacy(self, axis: int) -> int:
        """Blob::LegacyShape."""
        if len(self._shape) > 4:
            raise ValueError("Check failed: num_axes() <= 4 Cannot use legacy accessors on Blobs with > 4 axes.")
        return self._shape[axis] if axis < len(self._shape) else 1


class Blobs(list[Blob]):
    """A layer's parameters."""

    def add_blob(self, *shape: int) -> None:
        self.append(Blob(*shape))


class Layer:
    """The base of Python layers. param_str, phase: set before `setup`; param_str_ is its name in Caffe of 2015."""

    type = "Python"

    def __init__(self, parameter: Any = None) -> None:
        self.blobs = Blobs()


def install() -> ModuleType:
    """Let `import caffe` give the stand-in; and names that libraries of Caffe's time had be there."""
    found = sys.modules.get("caffe")
    if isinstance(found, _StandIn):
        return found
    caffe = _StandIn("caffe")
    proto = _StandIn("caffe.proto")
    pb2 = _Messages("caffe.proto.caffe_pb2")
    io = _StandIn("caffe.io")
    inside = _StandIn("caffe._caffe")
    vars(inside).update(Blob=Blob, BlobVec=Blobs, Layer=Layer, RawBlobVec=list)
    nothing = lambda *values: None  # noqa: E731
    calls = ("init_log", "set_device", "set_mode_cpu", "set_mode_gpu", "set_random_seed")
    vars(caffe).update(dict.fromkeys(calls, nothing), Layer=Layer, TRAIN=TRAIN, TEST=TEST, io=io, proto=proto)
    # Modules that also write nets import these; of a layer of a net that is written, `Missing` tells.
    vars(caffe).update({name: _StandIn(f"caffe.{name}") for name in ("layers", "params")})
    vars(caffe)["__version__"] = "1.0.0"
    vars(proto)["caffe_pb2"] = pb2
    from caffelint.smoke.torch import pycaffe_io

    vars(io).update({name: getattr(pycaffe_io, name) for name in pycaffe_io.__all__}, caffe_pb2=pb2)
    sys.modules.update({module.__name__: module for module in (caffe, proto, pb2, io, inside)})
    for name, kind in _REMOVED.items():
        if name not in vars(np):
            setattr(np, name, kind)
    return caffe


def let_yaml_load() -> None:
    """PyYAML 6 wants a Loader, which layers of Caffe's time do not give."""
    yaml: Any = sys.modules.get("yaml")
    load = getattr(yaml, "load", None)
    if inspect.isfunction(load) and inspect.signature(load).parameters["Loader"].default is inspect.Parameter.empty:
        yaml.load = partial(load, Loader=yaml.FullLoader)


class _StandIn(ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Missing(f"{self.__name__}.{name}", name=name, obj=self)


class _Messages(_StandIn):
    """Messages and enums of caffe.proto, from the merged schema."""

    def __getattr__(self, name: str) -> Any:
        if name in ("TRAIN", "TEST"):
            return TRAIN if name == "TRAIN" else TEST
        try:
            return message_class(name)
        except KeyError:
            return super().__getattr__(name)
