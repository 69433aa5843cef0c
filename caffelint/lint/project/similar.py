"""The file that a path may have meant which leads to none: one of nearly the same name in its folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice

from caffelint.text.patterns import compiled_later

_WORDS = compiled_later(r"[a-z]+|\d+")
_ALIKE, _SHORT = 0.75, 3
"""As a share of two words, and letters that a word has at least in which a slip is known for one."""
_LONG, _LONGEST, _MOST = 24, 200, 200
"""A word, a name, and names in a folder, that are compared."""


def near_in(path: str, by_words: bool = False) -> str:
    """The name of the one file beside a path with its suffix and nearly its name; empty if there is none or several.

    by_words: also one that has all words of the name, or all of whose words the name has, as `labelmap` and
    `labelmap_voc`. Of two names that are the same but for signs between words, none other is near.
    """
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, _MOST) if entry.is_file())
    except OSError:
        return ""
    return nearest_of(name, names, by_words)


def nearest_of(name: str, names: Iterable[str], by_words: bool = False) -> str:
    """The same for the names of files in a folder."""
    stem, suffix = os.path.splitext(name.lower())
    stems = {other: os.path.splitext(other.lower())[0] for other in names if other.lower().endswith(suffix)}
    if len(stem) > _LONGEST or name in stems:
        return ""
    same = [other for other, found in stems.items() if _plain(found) == _plain(stem)]
    alike = [other for other, found in stems.items() if _are_alike(stem, found)]
    if not alike and by_words:
        alike = [other for other, found in stems.items() if _share_words(stem, found)]
    found = same or alike
    return found[0] if len(found) == 1 else ""


def _plain(stem: str) -> str:
    return "".join(filter(str.isalnum, stem))


def _are_alike(stem: str, other: str) -> bool:
    """A slip is within a word. Names that differ in a number, or in a word such as `train`, are of other files."""
    if len(other) > _LONGEST:
        return False
    one, two = _WORDS.findall(stem), _WORDS.findall(other)
    odd = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    return len(one) == len(two) and len(odd) == 1 and _is_slip(*odd[0])


def _is_slip(word: str, other: str) -> bool:
    shorter, longer = sorted([len(word), len(other)])
    if word.isdigit() or other.isdigit() or shorter < _SHORT or longer > min(_LONG, shorter + _SHORT):
        return False
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, word, other)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _share_words(stem: str, other: str) -> bool:
    one, two = (set(_WORDS.findall(text[:_LONGEST])) for text in (stem, other))
    return bool(one and two) and (one <= two or two <= one)
