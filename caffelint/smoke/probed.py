"""What the records of TRAIN tell of their targets, as measured without the net, in words."""

from __future__ import annotations

import math

from caffelint.smoke.alike import Neighbours
from caffelint.smoke.answers import CHANCE, SURE
from caffelint.smoke.run import Run


def probed(run: Run) -> str:
    """How well the nearest other records tell targets; "" where that was not measured, or says no more than chance may.

    As an order of the targets by chance gives it: what is as good says nothing about them, what is far better does.
    """
    for one in run.all(Neighbours):
        if one.net or one.shift or math.isnan(one.beyond) or CHANCE <= one.beyond <= SURE:
            continue
        if one.labels:
            figures = f'the nearest other record has the same "{one.name}" in {one.agree:.0%} of cases, where any order'
            figures += f" gives {one.chance:.0%}"
        else:
            figures = f'"{one.name}" correlates by {one.agree:.2f} with that of the nearest other record, where any'
            figures += f" order gives {one.chance:.2f}"
        told = "the data tells it, so the net or its training is to blame"
        if one.beyond < CHANCE:
            told = "nearness does not tell it, so the labels may be of other records, or the data may say nothing of it"
        return f"of {one.records:,} records, {figures}: {told}"
    return ""
