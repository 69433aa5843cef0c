"""Sequences that lie one after the other for a recurrent layer that reads steps x items, in words."""

from __future__ import annotations

from caffelint.lint import listed, title
from caffelint.lint.built import BuiltLayer
from caffelint.smoke.rule import Run, written_across


def across(run: Run, layer: BuiltLayer) -> tuple[str, str]:
    """How it is seen, and what to do; empty where it is not."""
    found = written_across(run, layer)
    if found is None:
        return "", ""
    one = found.marked
    fact = f'the zeros of "{one.name}", {one.steps} steps x {one.items} items for {title(layer)}, are {one.gap} values'
    fact += f" apart in memory, as where sequences lie one after the other, so each of its {one.items} streams is made"
    fact += " of pieces of several"
    tops = listed([f'"{top.name}"' for top in found.tops])
    whose = f"{tops} of {title(found.maker)}" if tops else "the data"
    return fact, f"write {whose} step by step, all items of a step together: transposed to steps x items"
