"""What a Python layer makes zeros of."""

from __future__ import annotations

from caffelint.lint import listed, python_classes
from caffelint.smoke.rule import BuiltLayer, Run

from ._numbers import extent

_SHOWN = 3
_SHORT = 60
"""Of what a layer is given, that much is told."""


def made_whole(run: Run, layer: BuiltLayer) -> str:
    """Where the code of a Python layer makes whole numbers; values from 0 to 1 are 0 then, all but 1 itself."""
    if layer.type != "Python" or layer.index is None:
        return ""
    for python in python_classes(run.nets[0].layers[layer.index]):
        if lines := python.whole_numbers:
            places = listed([f"{python.module.file}:{line}" for line in lines[:_SHOWN]])
            return f"values below 1 become 0 where they are made whole numbers, as at {places}"
    return ""


def zeros_of(run: Run, layer: BuiltLayer) -> str:
    """What a Python layer reads that gives only 0, and with which param_str."""
    if layer.type != "Python" or not layer.bottoms:
        return ""
    seen = run.values_of(layer.bottoms[0].original.name)
    p = layer.message.python_param
    given = f' with param_str "{p.param_str}"' if 0 < len(p.param_str) <= _SHORT else ""
    if not seen:
        return made_whole(run, layer)
    low, high = min(one.min for one in seen), max(one.max for one in seen)
    text = f'{p.module}.{p.layer}{given} makes 0 of "{layer.bottoms[0].name}", whose values are {extent(low, high)}'
    return "; ".join(part for part in (text, made_whole(run, layer)) if part)
