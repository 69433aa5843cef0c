"""What the rules on domains of Log and Power share."""

from __future__ import annotations

from typing import ClassVar

from caffelint.lint import (
    CERTAIN,
    ERROR,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Layer,
    NamedTuple,
    NetRule,
    Place,
    fix,
    write,
)
from caffelint.lint.built import BuiltLayer, Values


class Fault(NamedTuple):
    """What is wrong, whether it happens in every run, whether a small shift mends it; does only training mind?"""

    message: str
    certain: bool
    needs_shift: bool = False
    in_training: bool = False


class DomainRule(NetRule):
    """Reports faults; `shift` is how small a shift mends them."""

    severity = ERROR
    risks_nan = True
    shift: ClassVar[str] = "1e-5"

    def fault(self, place: Place, layer: Layer, found: Fault, phases: tuple[str, ...] = ()) -> Finding:
        block = layer.block
        has_shift = layer.param(block).shift != 0
        return self.finding(
            place,
            found.message,
            severity=ERROR if found.certain else WARNING,
            certainty=CERTAIN if found.certain else LIKELY,
            fixes=fix(f"set shift: {self.shift}", UNSAFE, write(layer, block, "shift", value=self.shift))
            if found.needs_shift and not has_shift
            else (),
            phases=phases,
        )


def gives_zeros(maker: BuiltLayer, values: Values) -> bool:
    """Are zeros sure to come (`values.zeros`), or likely, as from a ReLU that a bias may lift above 0?"""
    return values.zeros or (values.low == 0 and bool(maker.rectifies))
