"""The data plan: what each top of a data layer holds, real or synthetic, in which shape and range.

A synthetic batch has to suit its readers: whole labels below the number of classes for a loss, pixels in the range
that transform_param makes for a net of images.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.likely import brings_data, readers, with_likely_shapes
from caffelint.caffe.net import Net
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.shapes import Shape, text
from caffelint.lint.disk import found_from, starts
from caffelint.lint.read import beginning
from caffelint.lint.words import title
from caffelint.smoke.fed import Assumed, Fed, MadeUp
from caffelint.smoke.job import BOXES, LABELS, REAL, SYNTHETIC, UNIFORM, Input, JobNet
from caffelint.smoke.torch.forks import in_caffes_words

_PIXEL, _PLAIN = 255, 1


class Unplanned(Exception):
    """Why there is no plan: one line."""


class Plan(NamedTuple):
    """Inputs of one net, the net built with their shapes, and notes to show about them."""

    inputs: list[Input]
    built: BuiltNet
    notes: list[str]
    fed: Fed


def plan_inputs(
    number: int, job_net: JobNet, net: Net, data: str, roots: Sequence[str] = (), unread: Sequence[str] = ()
) -> Plan:
    """The inputs of net `number` of a job. data: auto, real or synthetic. unread: types that the engine does not read.

    Sources are looked for in the working directory, as Caffe does. Raises Unplanned if data is `real` and a source
    does not exist, or if the shape of a synthetic input is unknown.
    """
    known: dict[str, Shape] = dict(net.input_shapes)
    message = in_caffes_words(net.message)
    built = _build(message, job_net, known)
    layers = [layer for layer in built.layers if brings_data(layer)]
    folders = tuple(starts(net.path, roots))
    missing = [(layer, reason) for layer in layers for reason in _missing(layer, unread, folders)]
    if data == REAL and missing:
        raise Unplanned(f"--data real: {missing[0][1]}")
    reads = [layer for layer in layers if layer.type != "Input"]
    real = data != SYNTHETIC and not missing and bool(reads)
    notes: list[str] = []
    records: Mapping[str, int] = {}
    guessed: list[tuple[str, Shape]] = []
    if data == "auto" and missing and any(layer.data_source for layer in reads):
        notes.append(f"{job_net.phase} data is synthetic, because {missing[0][1]}")
    if layers:
        from caffelint.lint.source_shapes import source_shapes

        given = {top.name: known.pop(top.name) for layer in reads for top in layer.tops if real and top.name in known}
        bare = _build(message, job_net, known) if given else built
        found = source_shapes(bare, net.path, roots)
        recorded, records = dict(found.shapes), found.records if real else {}
        for name, shape in given.items():
            if name in recorded and recorded[name] != shape:
                notes.append(
                    f'"{name}" is {text(recorded[name])} in the real {job_net.phase} data; --input-shape is ignored'
                )
        known = given | recorded | known
        if recorded:
            built = _build(message, job_net, known)
    inputs = []
    for layer in [layer for layer in built.layers if brings_data(layer)]:
        own = real and layer.type != "Input"
        if not own:
            before = set(known)
            built = with_likely_shapes(partial(_build, message, job_net), built, layer, known)
            guessed += [(name, shape) for name, shape in known.items() if name not in before]
    for layer in [layer for layer in built.layers if brings_data(layer)]:
        own = real and layer.type != "Input"
        for top, blob in enumerate(layer.tops):
            if not own and blob.shape is None:
                raise Unplanned(f'the shape of "{blob.name}" is unknown; give --input-shape {blob.name}=NxCxHxW')
            inputs.append(_input(number, layer, top, blob, REAL if own else SYNTHETIC))
    assumed = tuple(Assumed(number, name, shape) for name, shape in guessed)
    notes += [
        f'{job_net.phase} "{one.top}" is assumed to be {text(one.shape)}; set it with --input-shape {one.top}=...'
        for one in assumed
    ]
    made_up: tuple[MadeUp, ...] = ()
    if not real and layers:
        layer, why = missing[0] if missing else (layers[0], "nothing tells what it holds")
        made_up = (
            MadeUp(number, job_net.phase, layer.name, why, not missing)
            if data != SYNTHETIC
            else MadeUp(number, job_net.phase, layer.name, "--data synthetic asks for it"),
        )
    return Plan(inputs, built, notes, Fed(made_up, assumed, {number: records}))


def _build(message: Any, job_net: JobNet, shapes: Mapping[str, Shape]) -> BuiltNet:
    return build(message, job_net.phase, job_net.stages, job_net.level, input_shapes=shapes, assume_inputs=True)


def _missing(layer: BuiltLayer, unread: Sequence[str], folders: Sequence[str]) -> Iterator[str]:
    """Why a layer cannot read its own data: lines that name what is missing. folders: where it may be instead."""
    if layer.type in unread:
        yield f"this engine does not read the files of {title(layer)}"
    if layer.type == "Input":
        return
    source = layer.data_source
    if not layer.cannot_open:
        yield f"{title(layer)} gets its data from a program"
        return
    for name in (source, layer.message.transform_param.mean_file):
        if name and not os.path.exists(name):
            yield f'"{name}" does not exist{_elsewhere(name, folders)}'
    if not source:
        yield f"{title(layer)} has no source"
    elif layer.type == "HDF5Data" and os.path.isfile(source):
        yield from _missing_names(_first_words(source), "", source, folders)
    elif layer.type == "WindowData" and os.path.isfile(source):
        # Caffe logs that an image does not exist, and goes on with zeros.
        yield from _missing_names(_first_words(source, 1), layer.message.window_data_param.root_folder, source, folders)
    elif layer.type == "ImageData" and os.path.isfile(source):
        yield from _missing_names(_first_words(source), layer.message.image_data_param.root_folder, source, folders)


def _elsewhere(name: str, folders: Sequence[str]) -> str:
    """Where there is such a path, if smoke were started in another folder: in one above the net, as a rule."""
    there = next(iter(found_from(name, folders)), "") if not os.path.isabs(name) else ""
    return f' here, but in "{os.path.relpath(there)}": start smoke there' if there else ""


def _missing_names(names: Iterable[str], root: str, source: str, folders: Sequence[str]) -> Iterator[str]:
    """Of what a list names. Where that file is beside the list, the data is here and the list wrong: Caffe says so."""
    for name in names:
        beside = os.path.join(os.path.dirname(source), os.path.basename(name))
        if not os.path.exists(root + name) and not os.path.exists(beside):
            yield f'"{root + name}" does not exist{_elsewhere(root + name, folders)}'


def _first_words(path: str, skipped: int = 0) -> list[str]:
    """The file name in the first line after those that are skipped."""
    lines = os.fsdecode(beginning(path, 1 << 17)).split("\n")
    return lines[skipped].split()[:1] if skipped < len(lines) else []


def _input(number: int, layer: BuiltLayer, top: int, blob: Blob, source: str) -> Input:
    shape = blob.shape or ()
    made = Input(number, layer.name, blob.name, layer.type, source, shape)
    wanted = _wanted(blob)
    if wanted:
        values = BOXES if wanted.boxes else LABELS if wanted.whole else UNIFORM
        return made._replace(values=values, low=wanted.low, high=wanted.high, ignore=wanted.ignored)
    if top > 0 and layer.transforms:
        return made._replace(values=LABELS, low=0, high=1)
    if layer.transforms:
        transform = layer.message.transform_param
        mean = tuple(transform.mean_value) or ((120.0,) if transform.mean_file else ())
        return made._replace(values=UNIFORM, low=0, high=_PIXEL, whole=True, mean=mean, scale=transform.scale)
    return made._replace(values=UNIFORM, low=0, high=_PLAIN)


def _wanted(blob: Blob) -> Expected | None:
    """What the readers of a blob expect, directly or after layers that only rearrange values; None for any values."""
    found = [wanted for layer, bottom in readers(blob) if (wanted := layer.expects(bottom))]
    if not found:
        return None
    first = min(found, key=lambda wanted: wanted.high)
    ignored = next((wanted.ignored for wanted in found if wanted.ignored is not None), None)
    return first._replace(ignored=ignored)
