"""Put one mistake at a time into sound projects, and count which of them a check tells.

    python tools/slips.py DIR [--projects N] [--places N] [--seed S] [--only SLIP] [--show]

A project is a folder with a net that trains, in which a check has nothing to warn of. Each slip is what a hand does in
an editor: a layer left out, a digit too many, a name that was copied. `told` counts those after which an error or a
warning appears that was not there, `info` those with an info only. `--show` prints what is said of each.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import scratch, settings

import caffelint
from caffelint.lint.report import ReportedFinding
from caffelint.text.edits import Edit, apply_edits
from caffelint.text.parser import parse
from caffelint.text.tree import Field

_MOST_FILES, _MOST_BYTES = 12, 150_000
_DATA = {"Data", "ImageData", "HDF5Data", "MemoryData", "WindowData", "Input", "Python", "AnnotatedData"}
_LEARNT = {"Convolution", "InnerProduct", "Deconvolution"}

Slip = Callable[[list[Field], random.Random], "list[Edit] | None"]


def _layers(fields: list[Field]) -> list[Field]:
    return [field for field in fields if field.name == "layer"]


def _word(layer: Field, name: str) -> str:
    found = layer.first(name)
    return found.text.strip("\"'") if found else ""


def _of_types(fields: list[Field], *types: str) -> list[Field]:
    return [layer for layer in _layers(fields) if _word(layer, "type") in types]


def _inner(layers: list[Field], *path: str) -> list[Field]:
    """The fields at a path below the layers; a name that ends in `*` is any that begins so."""
    found = layers
    for name in path:
        found = [
            field
            for above in found
            for field in above.fields
            if field.name == name or name.endswith("*") and field.name.startswith(name[:-1])
        ]
    return found


def _cut(field: Field) -> list[Edit]:
    return [Edit(field.start, field.end, "")]


def _set(field: Field, text: str) -> list[Edit] | None:
    return [Edit(field.value_start, field.end, text)] if text != field.text else None


def _without(*types: str) -> Slip:
    """A layer in place is left out."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        places = [one for one in _of_types(fields, *types) if _word(one, "top") == _word(one, "bottom")]
        return _cut(chance.choice(places)) if places else None

    return slip


def _drop(types: set[str], *path: str) -> Slip:
    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        places = _inner(_of_types(fields, *types), *path)
        return _cut(chance.choice(places)) if places else None

    return slip


def _times(types: set[str], factor: float, *path: str) -> Slip:
    """A number is `factor` times what it was: a digit or a point too many."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        above = _of_types(fields, *types) if types else fields
        places = _inner(above, *path) if types else [one for one in fields if one.name == path[0]]
        place = chance.choice(places) if places else None
        try:
            old = float(place.text) if place else 0.0
        except ValueError:
            return None
        if place is None or not old:
            return None
        is_whole = re.fullmatch(r"\d+", place.text)
        return _set(place, str(max(1, round(old * factor))) if is_whole else f"{old * factor:g}")

    return slip


def _to(types: set[str], text: str, *path: str) -> Slip:
    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        above = _of_types(fields, *types) if types else fields
        places = _inner(above, *path) if types else [one for one in fields if one.name == path[0]]
        return _set(chance.choice(places), text) if places else None

    return slip


def _add(types: set[str], text: str, last: bool = False) -> Slip:
    """A field is added at the end of a layer, or of the solver if there are no types."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        if not types:
            end = fields[-1].end
            return [Edit(end, end, f"\n{text}\n")]
        places = _of_types(fields, *types)
        if not places:
            return None
        place = places[-1] if last else chance.choice(places)
        return [Edit(place.end - 1, place.end - 1, f" {text} ")]

    return slip


def _wrong_bottom(fields: list[Field], chance: random.Random) -> list[Edit] | None:
    """A layer reads what the layer before its maker made."""
    tops: list[str] = []
    places = []
    for layer in _layers(fields):
        bottoms = layer.all("bottom")
        if len(bottoms) == 1 and _word(layer, "type") in _LEARNT and len(tops) > 3:
            name = bottoms[0].text.strip("\"'")
            earlier = [top for top in tops if top != name]
            if earlier:
                places.append((bottoms[0], earlier[-1]))
        tops += [top.text.strip("\"'") for top in layer.all("top")]
    if not places:
        return None
    place, name = chance.choice(places)
    return _set(place, f'"{name}"')


def _typo(name: str) -> Slip:
    """A letter is lost in a name that stands in a layer."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        places = [one for layer in _layers(fields) for one in layer.all(name) if len(one.text) > 4]
        place = chance.choice(places) if places else None
        return _set(place, place.text[:-2] + place.text[-1]) if place else None

    return slip


def _copied(name: str) -> Slip:
    """A layer has the name or the top of the one before: copied and not altered."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        learnt = [one for one in _of_types(fields, *_LEARNT) if one.first(name)]
        if len(learnt) < 2:
            return None
        place = chance.randrange(1, len(learnt))
        before, one = learnt[place - 1].first(name), learnt[place].first(name)
        return _set(one, before.text) if before and one else None

    return slip


def _phase(fields: list[Field], chance: random.Random) -> list[Edit] | None:
    places = _inner(_layers(fields), "include", "phase")
    place = chance.choice(places) if places else None
    return _set(place, "TEST" if place.text == "TRAIN" else "TRAIN") if place else None


def _one_phase(*path: str) -> Slip:
    """A field of the data is lost in one of two data layers."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        layers = _of_types(fields, *_DATA)
        places = _inner(layers, *path)
        return _cut(chance.choice(places)) if len(layers) > 1 and len(places) > 1 else None

    return slip


def _swapped(fields: list[Field], chance: random.Random) -> list[Edit] | None:
    """The two bottoms of a loss change places."""
    places = [one for one in _of_types(fields, "SoftmaxWithLoss", "EuclideanLoss") if len(one.all("bottom")) == 2]
    if not places:
        return None
    first, second = chance.choice(places).all("bottom")
    return [Edit(first.value_start, first.end, second.text), Edit(second.value_start, second.end, first.text)]


def _softmax_before(fields: list[Field], chance: random.Random) -> list[Edit] | None:
    losses = _of_types(fields, "SoftmaxWithLoss")
    if not losses or not (bottom := losses[-1].first("bottom")):
        return None
    layer = f'layer {{ name: "sm" type: "Softmax" bottom: {bottom.text} top: "sm" }}\n'
    return [Edit(losses[-1].start, losses[-1].start, layer), Edit(bottom.value_start, bottom.end, '"sm"')]


def _same_source(fields: list[Field], chance: random.Random) -> list[Edit] | None:
    sources = _inner(_of_types(fields, *_DATA), "*_param", "source") or _inner(_of_types(fields, *_DATA), "*", "source")
    return _set(sources[1], sources[0].text) if len(sources) > 1 else None


def _last(field_name: str, change: Callable[[int], int]) -> Slip:
    """The last learnt layer has another number."""

    def slip(fields: list[Field], chance: random.Random) -> list[Edit] | None:
        places = _inner(_of_types(fields, *_LEARNT), "*", field_name)
        return _set(places[-1], str(change(int(places[-1].text)))) if places and places[-1].text.isdigit() else None

    return slip


def _forgotten(name: str) -> Slip:
    return lambda fields, _: next((_cut(one) for one in fields if one.name == name), None)


def _cut_short(name: str) -> Slip:
    return lambda fields, _: next((_set(one, one.text[:-3] + one.text[-1]) for one in fields if one.name == name), None)


_CONV = {"Convolution"}
_ALL = {*_LEARNT}
NETS: dict[str, Slip] = {
    "a ReLU left out": _without("ReLU", "PReLU"),
    "a BatchNorm left out": _without("BatchNorm"),
    "a Scale left out": _without("Scale"),
    "weight_filler left out": _drop(_ALL, "*", "weight_filler"),
    "std x 10": _times(_ALL, 10, "*", "weight_filler", "std"),
    "std x 100": _times(_ALL, 100, "*", "weight_filler", "std"),
    "std / 100": _times(_ALL, 0.01, "*", "weight_filler", "std"),
    "bias value x 100": _times(_ALL, 100, "*", "bias_filler", "value"),
    "constant for a filler": _to(_ALL, '"constant"', "*", "weight_filler", "type"),
    "filler of no such name": _to(_ALL, '"xaver"', "*", "weight_filler", "type"),
    "num_output x 10": _times(_ALL, 10, "*", "num_output"),
    "num_output / 10": _times(_ALL, 0.1, "*", "num_output"),
    "num_output 1 of the last": _last("num_output", lambda _: 1),
    "num_output one less of the last": _last("num_output", lambda old: max(1, old - 1)),
    "pad left out": _drop(_CONV, "*", "pad"),
    "pad + 1 digit": _times(_CONV, 10, "*", "pad"),
    "kernel_size x 10": _times(_CONV, 10, "*", "kernel_size"),
    "kernel_size 3 to 5": _to(_CONV, "5", "*", "kernel_size"),
    "stride left out": _drop({"Convolution", "Pooling"}, "*", "stride"),
    "stride added": _add(_CONV, "convolution_param { stride: 2 }"),
    "group left out": _drop(_CONV, "*", "group"),
    "dilation left out": _drop(_CONV, "*", "dilation"),
    "pooling stride x 2": _times({"Pooling"}, 2, "pooling_param", "stride"),
    "pooling kernel x 10": _times({"Pooling"}, 10, "pooling_param", "kernel_size"),
    "AVE for MAX": _to({"Pooling"}, "AVE", "pooling_param", "pool"),
    "bottom of the one before": _wrong_bottom,
    "typo in a bottom": _typo("bottom"),
    "typo in a top": _typo("top"),
    "typo in a type": _typo("type"),
    "name of the one before": _copied("name"),
    "top of the one before": _copied("top"),
    "phase turned": _phase,
    "include left out": _drop(_DATA, "include"),
    "scale lost in a phase": _one_phase("transform_param", "scale"),
    "mean_value lost in a phase": _one_phase("transform_param", "mean_value"),
    "mean_file lost in a phase": _one_phase("transform_param", "mean_file"),
    "crop_size lost in a phase": _one_phase("transform_param", "crop_size"),
    "transform lost in a phase": _one_phase("transform_param"),
    "crop_size larger in a phase": _times(_DATA, 1.15, "transform_param", "crop_size"),
    "scale x 100": _times(_DATA, 100, "transform_param", "scale"),
    "one source for both": _same_source,
    "batch_size left out": _drop(_DATA, "*", "batch_size"),
    "label and scores swapped": _swapped,
    "Softmax before the loss": _softmax_before,
    "Softmax for the loss": _to({"SoftmaxWithLoss"}, '"Softmax"', "type"),
    "EuclideanLoss for the loss": _to({"SoftmaxWithLoss"}, '"EuclideanLoss"', "type"),
    "SigmoidCrossEntropyLoss for it": _to({"SoftmaxWithLoss"}, '"SigmoidCrossEntropyLoss"', "type"),
    "loss_weight 0": _add({"SoftmaxWithLoss", "EuclideanLoss"}, "loss_weight: 0", last=True),
    "loss_weight 100": _add({"SoftmaxWithLoss", "EuclideanLoss"}, "loss_weight: 100", last=True),
    "ignore_label 0": _add({"SoftmaxWithLoss"}, "loss_param { ignore_label: 0 }", last=True),
    "top_k 50": _add({"Accuracy"}, "accuracy_param { top_k: 50 }"),
    "lr_mult 0 of one": _to(_ALL, "0", "param", "lr_mult"),
    "lr_mult x 100": _times(_ALL, 100, "param", "lr_mult"),
    "decay_mult x 100": _times(_ALL, 100, "param", "decay_mult"),
    "dropout_ratio 0.95": _to({"Dropout"}, "0.95", "dropout_param", "dropout_ratio"),
    "use_global_stats true": _add({"BatchNorm"}, "batch_norm_param { use_global_stats: true }"),
    "bias_term false of one": _add(_CONV, "convolution_param { bias_term: false }"),
    "eltwise PROD": _to({"Eltwise"}, "PROD", "eltwise_param", "operation"),
    "a bottom of Concat lost": _drop({"Concat"}, "bottom"),
    "concat axis 2": _add({"Concat"}, "concat_param { axis: 2 }"),
    "propagate_down false": _add(_ALL, "propagate_down: false"),
    "negative_slope 10": _add({"ReLU"}, "relu_param { negative_slope: 10 }"),
}
SOLVERS: dict[str, Slip] = {
    "base_lr x 100": _times(set(), 100, "base_lr"),
    "base_lr / 1000": _times(set(), 0.001, "base_lr"),
    "momentum 0.09": _to(set(), "0.09", "momentum"),
    "momentum 9": _to(set(), "9", "momentum"),
    "momentum 0.999": _to(set(), "0.999", "momentum"),
    "weight_decay x 1000": _times(set(), 1000, "weight_decay"),
    "gamma 10": _to(set(), "10", "gamma"),
    "gamma left out": _forgotten("gamma"),
    "power left out": _forgotten("power"),
    "max_iter left out": _forgotten("max_iter"),
    "max_iter / 1000": _times(set(), 0.001, "max_iter"),
    "stepsize left out": _forgotten("stepsize"),
    "stepsize / 1000": _times(set(), 0.001, "stepsize"),
    "stepsize x 100": _times(set(), 100, "stepsize"),
    "test_iter left out": _forgotten("test_iter"),
    "test_interval 1": _to(set(), "1", "test_interval"),
    "typo in lr_policy": _to(set(), '"setp"', "lr_policy"),
    "solver_mode GPu": _to(set(), "GPu", "solver_mode"),
    "typo in net": _cut_short("net"),
    "base_lr negative": _to(set(), "-0.01", "base_lr"),
    "clip_gradients 0.001": _add(set(), "clip_gradients: 0.001"),
    "iter_size 0": _add(set(), "iter_size: 0"),
    "type Adam": _add(set(), 'type: "Adam"'),
}


def fields_of(data: bytes) -> list[Field]:
    return parse(data).root.fields


def projects(top: Path, chance: random.Random) -> Iterator[Path]:
    folders = sorted({path.parent for path in top.rglob("*.prototxt")})
    chance.shuffle(folders)
    for folder in folders:
        files = list(folder.glob("*.prototxt"))
        if len(files) <= _MOST_FILES and sum(file.stat().st_size for file in files) <= _MOST_BYTES:
            yield folder


def told(path: str = ".") -> list[ReportedFinding]:
    return caffelint.check([path], settings()).findings


def said(before: Counter[tuple[str, str]], now: list[ReportedFinding]) -> list[ReportedFinding]:
    """What was not said before, loudest first."""
    left = before.copy()
    fresh = []
    for one in now:
        key = one.code, one.severity
        if left[key]:
            left[key] -= 1
        else:
            fresh.append(one)
    return sorted(fresh, key=lambda one: ("error", "warning", "info").index(one.severity))


def main() -> int:
    asked = argparse.ArgumentParser()
    asked.add_argument("dir", type=Path)
    asked.add_argument("--projects", type=int, default=12)
    asked.add_argument("--places", type=int, default=1)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--only", default="")
    asked.add_argument("--show", action="store_true")
    wanted = asked.parse_args()
    chance = random.Random(wanted.seed)
    counts: dict[str, Counter[str]] = {}
    used = 0
    for folder in projects(wanted.dir.resolve(), chance):
        texts = {file.name: file.read_bytes() for file in folder.glob("*.prototxt")}
        parsed = {}
        for name, data in texts.items():
            try:
                parsed[name] = fields_of(data)
            except Exception:  # such a text is no sound one
                break
        nets = [name for name, fields in parsed.items() if _of_types(fields, "SoftmaxWithLoss", "EuclideanLoss")]
        solvers = [name for name, fields in parsed.items() if any(one.name == "base_lr" for one in fields)]
        if not nets or len(parsed) < len(texts):
            continue
        net, solver = max(nets, key=lambda name: len(texts[name])), solvers[0] if solvers else None
        with scratch():
            for name, data in texts.items():
                Path(name).write_bytes(data)
            sound = told()
            if any(one.severity != "info" for one in sound):
                continue
            before = Counter((one.code, one.severity) for one in sound)
            for slips, name in ((NETS, net), (SOLVERS, solver)):
                for slip, change in slips.items() if name else ():
                    if wanted.only and wanted.only not in slip:
                        continue
                    for _ in range(wanted.places if slips is NETS else 1):
                        edits = change(parsed[name], chance)
                        if not edits:
                            continue
                        Path(name).write_bytes(apply_edits(texts[name], edits))
                        new = said(before, told())
                        loud = new[0].severity if new else "silent"
                        counts.setdefault(slip, Counter())["told" if loud in ("error", "warning") else loud] += 1
                        if wanted.show:
                            line = texts[name][: edits[0].start].count(b"\n") + 1
                            print(
                                f"{slip} | {folder}/{name}:{line} | {loud} | "
                                + " / ".join(f"{one.code} {one.file}:{one.line} {one.message[:150]}" for one in new[:2])
                            )
                        Path(name).write_bytes(texts[name])
        used += 1
        if used >= wanted.projects:
            break
    for slip, one in counts.items():
        print(f"{slip:34} told {one['told']:3}  info {one['info']:3}  silent {one['silent']:3}")
    total = sum(counts.values(), Counter())
    print(f"{used} projects: told {total['told']}, info {total['info']}, silent {total['silent']}")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    sys.exit(main())
