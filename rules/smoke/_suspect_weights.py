"""What weights that were loaded may be blamed for, in words."""

from __future__ import annotations

import math

from caffelint.smoke.rule import Hypothesis

from ._numbers import number
from ._suspect_losses import Words


def weights(one: Hypothesis, name: str) -> Words:
    if one.field == "stored":
        fact = f"the weights that were loaded give {name} a factor of {number(one.value)}, by which its means and"
        fact += " variances are divided; Caffe saves 1 / (1 - moving_average_fraction), mostly 1000, at most"
        return fact, "; check that file", True
    size = "not finite" if math.isnan(one.figure) else f"{number(one.figure)} times as large as is usual"
    return f"the weights that were loaded into {name} are {size}", "; check that file", False
