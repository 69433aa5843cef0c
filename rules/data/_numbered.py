"""A net that is named after a number, and reads the data of the one that is named after another."""

from __future__ import annotations

import os

from caffelint.lint import NamedTuple, compiled_later
from caffelint.lint.disk import exists

_NUMBERED = compiled_later(r"(?<![a-z0-9.])[a-z]{0,8}?(\d+[a-z]{1,3})(?![a-z0-9])")
"""A number with its unit, at the end of a word: `10k`, `data1k`."""


class Meant(NamedTuple):
    """own: what the net is named after. other: the net beside it that the source is for. source: the one of its own."""

    own: str
    other: str
    source: str


def meant(net: str, source: str) -> Meant | None:
    """`data10k/train_lmdb`, where `train_10k.prototxt` reads `data1k/train_lmdb`, beside `train_1k.prototxt`."""
    folder, name = os.path.split(net)
    mine, its = (set(_NUMBERED.findall(text.lower())) for text in (name, source))
    for word in sorted(its - mine):
        for own in sorted(mine - its):
            if exists(os.path.join(folder, other := name.replace(own, word))) and other != name:
                return Meant(own, other, source.replace(word, own))
    return None
