"""Hypotheses on the data that a net reads, in words."""

from __future__ import annotations

from caffelint.lint import listed, python_classes, quoted, title
from caffelint.smoke.rule import Hypothesis, Run

from ._records import of_batch
from ._suspect_losses import Words


def of_data(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    to = f"; set {better}" if better else ""
    if one.entry:
        fact = f'what is asked does not go with the data that {name} brings with "{one.entry}" in its param_str'
        return fact + _changed(run, one), to, False
    if one.field == "sorted":
        fact = f"the records of {name} are sorted by label, so a batch holds one class"
        return fact, to or "; write them in random order", True
    if one.field == "crop":
        loss_of = one.layers[1]
        fact = f"crop_size {one.value:g} of {name} cuts each record at a place that is drawn anew, and"
        return f'{fact} "{loss_of.bottoms[1].original.name}" of {title(loss_of)} does not follow', "; remove it", False
    if one.field == "mirror":
        return f"{name} mirrors half of its images, and what is asked of them differs in its sides", to, False
    if one.field == "batch":
        count = "a single record" if one.value == 1 else f"{one.value:g} records"
        fact = f"batch_size {one.value:g} of {name} makes each update of {count}, so they go to and fro"
        return fact, to, False
    return *of_batch(run, one.layers[0]), False


def _changed(run: Run, one: Hypothesis) -> str:
    """What its code does with that value of the param_str, and where."""
    layer = one.layers[0]
    for python in python_classes(run.nets[0].layers[layer.index]) if layer.index is not None else ():
        if found := python.switched_on(one.entry):
            alone = " alone" if len(found.names) == 1 < len(layer.tops) else ""
            names = listed([quoted(each) for each in found.names])
            return f", which changes {names}{alone} ({python.module.file}:{found.line})"
    return ""
