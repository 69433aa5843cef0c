"""Which names say that targets are positions or directions in an image."""

from __future__ import annotations

from caffelint.lint import compiled_later

_PLACES = compiled_later(
    r"(?<![a-z])(?:land_?marks?|key_?points?|coord(?:inate)?s?|joints|b(?:ounding_?)?box(?:es)?|steering|gaze"
    r"|head_?pose|body_?pose|yaw)$"
)
"""Targets that are positions or directions, by the end of their name; what only counts or joins them is none."""
_WORD = compiled_later(r"[a-z]+|[0-9]+")
_POINTS = frozenset(["point", "points", "pt", "pts", "xy"])
_OF_ANY = frozenset(["gt", "target", "targets", "label", "labels", "x", "y"]) | _POINTS
_MOST_WORDS = 8
"""Of the end of a name: what comes before is of folders, or of other tasks."""


def is_place(name: str) -> bool:
    """Does a target's own name end with what has a position, as `gt_landmarks` or `bbox_target`?"""
    words = _words(name)
    while words and not _PLACES.search("_".join(words)):
        last = words.pop()
        if not last.isdigit() and last not in _OF_ANY:
            return False
    return bool(words)


def has_place(name: str) -> bool:
    """Is there such a word anywhere in the name of a net, a file or a source?"""
    words = _words(name)
    return any(_PLACES.search("_".join(words[: end + 1])) for end in range(len(words)))


def says_only_target(name: str) -> bool:
    """Does a name say no more than that it is a target, or points, as `label` or `pts_2`?"""
    words = [word for word in _words(name) if not word.isdigit()]
    return bool(words) and _OF_ANY.issuperset(words)


def calls_points(name: str) -> bool:
    return not _POINTS.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    return _WORD.findall(name.lower())[-_MOST_WORDS:]
