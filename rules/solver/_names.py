"""What the names of a solver's files say by their words."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import compiled_later

_WORD = compiled_later(r"[^\W_]+")
_NUMBER = compiled_later(r"\d+")


def words(name: str) -> set[str]:
    """`lenet_solver_2.prototxt`: lenet, solver, 2."""
    return set(_WORD.findall(name.partition(".prototxt")[0]))


def swapped(name: str, word: str, meant: str, other: str) -> str:
    """The name with another word in the place of one, in the letters in which the other name has it."""
    start, at = name.lower().find(word), other.lower().find(meant)
    return name[:start] + other[at : at + len(meant)] + name[start + len(word) :]


def with_word(name: str, word: str, other: str) -> Iterator[str]:
    """The name with one more word, before or after the rest of it, in the letters in which the other name has it."""
    stem, dot, suffix = name.partition(".")
    at = other.lower().find(word)
    spelled = other[at : at + len(word)]
    for between in ("_", "-"):
        yield f"{spelled}{between}{name}"
        yield f"{stem}{between}{spelled}{dot}{suffix}"


def is_numbered_alike(one: str, other: str) -> bool:
    """Whether two words differ in their numbers only: `cut1` and `cut5`; bare numbers may count anything."""
    stems = [_NUMBER.sub("#", word) for word in (one, other)]
    return one != other and stems[0] == stems[1] and any(letter.isalpha() for letter in stems[0])
