"""What the rules on domains share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.lint.built import BuiltLayer, Values


def gives_zeros(maker: BuiltLayer, values: Values) -> bool:
    """Are zeros sure to come (`values.zeros`), or likely, as from a ReLU that a bias may lift above 0?"""
    return values.zeros or (values.low == 0 and bool(maker.rectifies))
