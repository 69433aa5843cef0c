"""What a script gives a net that has no such input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.lint import Layer, Net, listed, quoted, title

if TYPE_CHECKING:
    from caffelint.lint import Supplied

_BLOBS = "blobs"
"""By what a script gives values that it writes into a blob itself."""


def no_input(net: Net, given: Supplied, phase: str) -> tuple[Layer, str] | None:
    """What is said of what a script gives the net in a phase, and of which layer; None where that is not certain."""
    layers = net.in_phase(phase)
    data = [layer for layer in layers if not layer.bottoms and layer.tops]
    if any(layer.depends_on_stage or layer.kind.is_data is None for layer in data):
        return None
    if given.by == _BLOBS:
        return _overwritten(data, given)
    inputs = [top for layer in data if layer.type == "Input" for top in layer.tops]
    if not data or not given.names and inputs:
        return None
    instead = f"give it a net with an Input in place of {title(data[0])}"
    if not given.names:
        end = "so it ends with an IndexError"
        return data[0], f"makes a {given.by} of this net, which has no input, {end}; {instead}"
    if set(given.names) == set(inputs):
        return None
    call = f"calls {_call(given.by, given.names)}"
    if not inputs:
        return data[0], f"{call}, but this net has no input, so it ends with an exception; {instead}"
    are = "input of this net is" if len(inputs) == 1 else "inputs of this net are"
    text = f"{call}, but the {are} {listed([quoted(one) for one in inputs])}, so it ends with an exception"
    return next(one for one in data if one.type == "Input"), f"{text}; call {_call(given.by, inputs)}"


def _overwritten(data: Sequence[Layer], given: Supplied) -> tuple[Layer, str] | None:
    blob = given.names[0]
    layer = next((one for one in data if blob in one.tops), None)
    if layer is None or not layer.kind.is_data or not layer.kind.data_source:
        return None
    source = quoted(layer.kind.data_source)
    return layer, (
        f"fills {quoted(blob)} and runs the net, but {title(layer)} overwrites it with records of {source}, so the"
        f" answer is for these; give the script a net with an Input in place of {title(layer)}"
    )


def _call(function: str, names: Sequence[str]) -> str:
    return f"{function}({', '.join(f'{one}=...' for one in names)})"
