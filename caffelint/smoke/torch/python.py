"""Python layers: the user's own code, run on numpy blobs as pycaffe runs it (python_layer.hpp, layer.hpp Forward)."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from caffelint.caffe.layers import UnknownLayer
from caffelint.smoke.torch.base import TorchLayer, apply, register
from caffelint.smoke.torch.pycaffe import TEST, TRAIN, Blob, Blobs, Missing, Phase, install, let_yaml_load

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import Shape


class Raised(Exception):
    """A Python layer raised: its name, what it said, and where that is in the code."""

    def __init__(self, layer: str, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.layer = layer
        self.message = message
        self.file = file
        self.line = line


class NotHere(Exception):
    """A Python layer needs more of pycaffe than there is: its name, and what it asked for."""

    def __init__(self, layer: str, wanted: str) -> None:
        super().__init__(wanted)
        self.layer = layer
        self.wanted = wanted


class Folders:
    """Where Python layers are looked for, while their code runs: torch, which imports late, looks elsewhere."""

    def __init__(self) -> None:
        self.path: list[str] = []

    def look_in(self, folders: Sequence[str]) -> None:
        """After the standard library and before what is installed, as with the caffe engine."""
        library = os.path.dirname(os.path.abspath(os.__file__))
        own = [path for path in sys.path if path == library or path.startswith(library + os.sep)]
        own = [path for path in own if not path.endswith("-packages")]
        at = 1 + max([sys.path.index(path) for path in own] or [-1])
        self.path = [*sys.path[:at], *folders, *sys.path[at:]]
        sys.dont_write_bytecode = True
        install()

    @contextmanager
    def searched(self) -> Iterator[None]:
        """The code may add folders: they are kept for the next time."""
        engine = sys.path[:]
        sys.path[:] = self.path
        try:
            yield
        finally:
            self.path = sys.path[:]
            sys.path[:] = engine


FOLDERS = Folders()


class BuiltPython(UnknownLayer):
    """A Python layer that is imported and set up while its net is built. code: the user's object."""

    known = True
    code: Any
    bottom_blobs: Sequence[Blob]
    top_blobs: Sequence[Blob]

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.bottom_blobs = [Blob(*shape) for shape in bottoms]
        in_place = {id(blob): self.bottom_blobs[number] for number, blob in enumerate(self.bottoms)}
        self.top_blobs = [in_place.get(id(top.previous)) or Blob() for top in self.tops]
        self.call(self._make)
        self.call(lambda: self.code.setup(self.bottom_blobs, self.top_blobs))
        self.call(lambda: self.code.reshape(self.bottom_blobs, self.top_blobs))
        self.param_shapes = [blob.shape for blob in self.blobs]
        return [blob.shape for blob in self.top_blobs]

    @property
    def blobs(self) -> Blobs:
        blobs: Blobs = self.code.blobs
        return blobs

    def _make(self) -> None:
        p = self.message.python_param
        self.code = getattr(importlib.import_module(p.module), p.layer)(self.message)
        let_yaml_load()
        if "blobs" not in vars(self.code):
            self.code.blobs = Blobs()
        self.code.param_str = self.code.param_str_ = p.param_str
        self.code.phase = Phase(TRAIN if self.phase == "TRAIN" else TEST)

    def call(self, function: Callable[[], None]) -> None:
        """Run the user's code; raises Raised or NotHere instead of whatever that raises."""
        try:
            with FOLDERS.searched():
                function()
        except BaseException as error:
            name = getattr(error, "name", None)
            if isinstance(error, Missing):
                raise NotHere(self.name, str(error)) from error
            if isinstance(error, ImportError) and str(name).partition(".")[0] == "caffe":
                wanted = str(error).partition("import name ")[2].partition("'")[2].partition("'")[0]
                raise NotHere(self.name, f"{name}.{wanted}" if wanted else str(name)) from error
            traceback.print_exc()
            file, line = _place(error)
            said = "called exit" if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
            raise Raised(self.name, said[:2000], file, line) from error

    def numpy_says(self, backward: bool) -> tuple[str, str, int]:
        """What numpy says of the computation that gives a value that is not finite, and the place of that in the code:
        run again, numpy raises there. Nothing for a layer in place, whose input is gone."""
        if any(top in self.bottom_blobs for top in self.top_blobs):
            return "", "", 0
        blobs = [*self.top_blobs, *self.bottom_blobs]
        kept = [(blob.data.copy(), blob.diff.copy()) for blob in blobs]
        try:
            raising = np.errstate(divide="raise", invalid="raise", over="raise")
            with FOLDERS.searched(), warnings.catch_warnings(), raising:
                warnings.simplefilter("error", RuntimeWarning)
                if backward:
                    self.code.backward(self.top_blobs, list(self.propagate_down), self.bottom_blobs)
                else:
                    self.code.forward(self.bottom_blobs, self.top_blobs)
        except (ArithmeticError, RuntimeWarning) as error:
            return (str(error)[:200], *_place(error, installed=False))
        except Exception:  # with numpy as strict as that, the user's code may raise anything
            return "", "", 0
        finally:
            for blob, (data, diff) in zip(blobs, kept, strict=True):
                blob.data[...], blob.diff[...] = data, diff
        return "", "", 0


def _place(error: BaseException, installed: bool = True) -> tuple[str, int]:
    """The file and line that raised, or that could not be read. installed: may it be of a library?"""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    others = {os.path.dirname(__file__), os.path.dirname(importlib.__file__)}
    own = [frame for frame in frames if os.path.dirname(frame.filename) not in others]
    if not installed:
        own = [frame for frame in own if f"-packages{os.sep}" not in frame.filename]
    return (own[-1].filename, own[-1].lineno or 0) if own else ("", 0)


@register
class Python(TorchLayer):
    """Forward and backward of the user's layer, on the CPU."""

    changes_params = True
    spec: Any

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return (
            None
            if isinstance(spec, BuiltPython) and hasattr(spec, "code")
            else "its code is imported only where it runs"
        )

    def fillers(self) -> Sequence[Any]:
        return [torch.from_numpy(blob.data.copy()) for blob in self.spec.blobs]

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        if not self.spec.tops:
            self.run_forward(bottoms)
            return []
        tops: Sequence[Tensor] = apply(_Run, self, *bottoms, *self.params)
        return tops

    def run_forward(self, bottoms: Sequence[Tensor]) -> list[Tensor]:
        spec = self.spec
        for blob, values in zip(spec.bottom_blobs, bottoms, strict=True):
            blob.reshape(*values.shape)
            blob.data[...] = _array(values)
        self._read_params()
        spec.call(lambda: spec.code.reshape(spec.bottom_blobs, spec.top_blobs))
        spec.call(lambda: spec.code.forward(spec.bottom_blobs, spec.top_blobs))
        self._write_params()
        # What it sets in a bottom is set for all that read the blob: Caffe's splits share its memory.
        for blob, values in zip(spec.bottom_blobs, bottoms, strict=True):
            if blob.data.shape == values.shape and not np.array_equal(blob.data, _array(values), equal_nan=True):
                values.data.copy_(torch.from_numpy(blob.data))
        return [torch.from_numpy(blob.data.copy()).to(self.device) for blob in spec.top_blobs]

    def run_backward(self, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Of all bottoms, then of all parameters: what the code has left in their diffs."""
        spec = self.spec
        for blob, values in zip(spec.top_blobs, gradients, strict=True):
            blob.diff[...] = _array(values).reshape(blob.shape)
        self._read_params()
        before = []
        for param, blob in zip(self.params, spec.blobs, strict=True):
            # With iter_size the diffs add up: a layer that sets its diff drops those of earlier passes.
            blob.diff[...] = 0 if param.grad is None else _array(param.grad)
            before.append(blob.diff.copy())
        down = list(spec.propagate_down)
        spec.call(lambda: spec.code.backward(spec.top_blobs, down, spec.bottom_blobs))
        self._write_params()
        found = [blob.diff.copy() for blob in spec.bottom_blobs]
        found += [blob.diff - was for blob, was in zip(spec.blobs, before, strict=True)]
        return [torch.from_numpy(values).to(self.device) for values in found]

    def fill_diffs(self, value: float) -> None:
        """What the diffs of the bottoms hold before a backward pass."""
        for blob in self.spec.bottom_blobs:
            blob.diff[...] = value

    def fill_bottoms(self, values: Sequence[Any]) -> None:
        """What the bottoms hold before a backward pass."""
        for blob, data in zip(self.spec.bottom_blobs, values, strict=True):
            blob.data[...] = data

    def _read_params(self) -> None:
        for param, blob in zip(self.params, self.spec.blobs, strict=True):
            blob.data[...] = _array(param)

    def _write_params(self) -> None:
        """The code may count in its parameters, too."""
        for param, blob in zip(self.params, self.spec.blobs, strict=True):
            written = torch.from_numpy(blob.data)
            if not torch.equal(written, param.detach().cpu()):
                param.data.copy_(written)


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, layer: Python, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.layer = layer
        return tuple(layer.run_forward(tensors[: len(layer.spec.bottoms)]))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        found = ctx.layer.run_backward(gradients)
        wanted = ctx.needs_input_grad[1:]
        return (None, *(values if want else None for values, want in zip(found, wanted, strict=True)))


def _array(values: Tensor) -> Any:
    return values.detach().float().cpu().numpy()
