"""Makes what runs out of the files that a job names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.upgrade import upgrade_net, upgrade_solver
from caffelint.lint.read import ReadError, read
from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.bind import bind
from caffelint.smoke.job import REAL, Job
from caffelint.smoke.torch.fillers import fill
from caffelint.smoke.torch.forks import in_caffes_words
from caffelint.smoke.torch.net import LayerError, TorchNet, not_runnable
from caffelint.smoke.torch.python import BuiltPython, NotHere
from caffelint.smoke.torch.sources import NotInstalled, Source, Unreadable, open_source
from caffelint.text.parser import parse


class Refusal(Exception):
    """Why a job does not run: the values of an event `refused`."""

    def __init__(self, net: int, layer: str, message: str) -> None:
        super().__init__(message)
        self.net = net
        self.layer = layer
        self.message = message


class Lacking(Refusal):
    """Of a layer that this engine cannot run; Caffe may."""


def message_of(path: str, message: Any, net: int) -> Any:
    """The message in a prototxt file, as it is written."""
    try:
        return bind(parse(read(path), path), message).message
    except (ReadError, OSError) as reason:
        raise Refusal(net, "", str(reason)) from None


def load_solver(job: Job) -> Any:
    return upgrade_solver(message_of(job.solver, SolverParameter(), -1))


def load_net(job: Job, number: int, creating: Callable[[str], None]) -> tuple[BuiltNet, list[Source]]:
    """One of a job's nets, built, and what reads its real data; raises Refusal where it cannot run.

    creating: told the name of each layer before it opens its data.
    """
    wanted = job.nets[number]
    message = in_caffes_words(upgrade_net(message_of(wanted.path, NetParameter(), number)))

    def built_with(shapes: dict[str, tuple[int, ...]], python: type[BuiltPython] | None = None) -> BuiltNet:
        built = build(message, wanted.phase, wanted.stages, wanted.level, input_shapes=shapes, python=python)
        if built.refusals:
            first = built.refusals[0]
            raise Refusal(number, first.layer or "", str(first))
        return built

    planned = [item for item in job.inputs if item.net == number]
    shapes = {item.top: item.shape for item in planned if item.shape}
    real = {item.layer for item in planned if item.source == REAL}
    sources: list[Source] = []
    for layer in built_with(shapes).layers if real else ():
        if layer.name in real:
            creating(layer.name)  # a damaged file may end the process
            try:
                sources.append(open_source(layer, job.seed + len(sources)))
            except NotInstalled as reason:
                raise Lacking(-1, "", str(reason)) from None
            except Unreadable as reason:
                raise Refusal(number, layer.name, str(reason)) from None
    for source in sources:
        shapes.update(source.shapes)
    # The code of Python layers is set up once.
    try:
        built = built_with(shapes, BuiltPython)
    except NotHere as reason:
        raise lacking_for_python(reason, number) from None
    for layer, why in not_runnable(built):
        raise Lacking(number, layer.name, f"the torch engine does not run this {layer.type} layer: {why}")
    return built, sources


def lacking_for_python(reason: NotHere, number: int) -> Lacking:
    words = f"it uses {reason.wanted}, which this engine does not have; give --caffe-python"
    return Lacking(number, reason.layer, f"the torch engine does not run this Python layer: {words}")


def make_net(built: BuiltNet, number: int, device: torch.device, seed: int, trained: TorchNet | None) -> TorchNet:
    """The net in torch; trained: the TRAIN net whose parameters a TEST net reads. Others are not even filled."""
    waiting: list[tuple[Tensor, Any, Generator]] = []

    def fill_later(tensor: Tensor, filler: Any, generator: Generator) -> None:
        waiting.append((tensor, filler, generator))

    try:
        if trained is None:
            return TorchNet(built, device, seed, gradients=True)
        net = TorchNet(built, device, seed, fill=fill_later, gradients=False)
        check_shared(net, trained, number)
        net.share_trained_layers(trained)
    except LayerError as error:
        raise Refusal(number, error.layer, error.message) from None
    own = {id(data) for datas in net.layer_params.values() for data in datas}
    for tensor, filler, generator in waiting:
        if id(tensor) in own:
            fill(tensor, filler, generator)
    for layer in net.layers:
        layer.fill = fill
    return net


def check_shared(net: TorchNet, trained: TorchNet, number: int) -> None:
    """Raise Refusal where a TEST net cannot take a layer's parameters from the TRAIN net (ShareTrainedLayersWith)."""
    for name, datas in net.layer_params.items():
        theirs = trained.layer_params.get(name)
        if theirs is not None and [data.shape for data in datas] != [data.shape for data in theirs]:
            test, train = (
                " and ".join("x".join(map(str, data.shape)) or "one number" for data in side)
                for side in (datas, theirs)
            )
            raise Refusal(number, name, f"its parameters are {test} here and {train} in the TRAIN net")
