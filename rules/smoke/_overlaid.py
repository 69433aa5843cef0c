"""Maps of targets that lie on the data in another way, in words."""

from __future__ import annotations

from caffelint.lint import listed
from caffelint.lint.built import BuiltLayer
from caffelint.smoke.rule import Run, Turned, turned

_TURNED = {
    "mirrored": "mirrored",
    "upside down": "upside down",
    "turned round": "turned by half a turn",
    "transposed": "transposed (width x height)",
    "turned to the left": "turned to the left",
    "turned to the right": "turned to the right",
}


def in_words(one: Turned) -> tuple[str, str, str]:
    """What is wrong, how that is known, and what to do."""
    maps = one.overlaid
    what = f'the maps of "{maps.name}" are {_TURNED[maps.how]} against their data'
    why = f"of {maps.records} records, a map explains {_share(maps.fits)} of the variance of its data as it is, and"
    alike = listed([f'"{top.name}"' for top in one.alike])
    if maps.turns:
        what += f" in {_share(maps.turns)} of records"
        why += f" {_share(maps.with_it)} if each is turned as it fits"
        return what, why, f'where chance turns a record, turn its "{maps.name}" with it'
    remedy = f"write {alike} with rows and columns as those of the data"
    if maps.how == "transposed":
        remedy += ": indexed by y, then x"
    return what, f"{why} {_share(maps.with_it)} turned back", remedy


def of_maps(run: Run, maker: BuiltLayer) -> tuple[str, str]:
    """The same of those that a layer brings, as a fact and what to do about it."""
    found = next((one for one in turned(run) if one.maker is maker), None)
    if found is None:
        return "", ""
    what, why, remedy = in_words(found)
    return f"{what}: {why}", f"; {remedy}"


def _share(share: float) -> str:
    return f"{100 * share:.2g}%"
