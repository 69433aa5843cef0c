"""Maps of targets that lie on the data in another way, in words."""

from __future__ import annotations

from caffelint.smoke.rule import Overlaid

_TURNED = {
    "mirrored": "mirrored",
    "upside down": "upside down",
    "turned round": "turned by half a turn",
    "transposed": "transposed (width x height)",
    "turned to the left": "turned to the left",
    "turned to the right": "turned to the right",
}


def turned(one: Overlaid) -> tuple[str, str, str]:
    """What is wrong, how that is known, and what to do."""
    what = f'the maps of "{one.name}" are {_TURNED[one.how]} against their data'
    why = f"of {one.records} records, a map explains {_share(one.fits)} of the variance of its data as it is, and"
    remedy = f'write "{one.name}" with its rows and columns as those of the data'
    return what, f"{why} {_share(one.with_it)} turned back", remedy


def _share(share: float) -> str:
    return f"{100 * share:.2g}%"
