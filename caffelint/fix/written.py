"""What fixes have written in one run: no other fix of that run takes it away again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from caffelint.fix.pick import Offer
from caffelint.text.edits import Edit


class Piece(NamedTuple):
    """Text that the fix of a rule wrote, by its bytes."""

    start: int
    end: int
    rule: str


class Written:
    """The pieces of some texts that fixes wrote, which move as the texts change."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Piece]] = {}

    def add(self, made: Iterable[Offer], before: Mapping[str, bytes]) -> None:
        """Fixes were made in the texts `before`. One that writes a whole text anew keeps what is in it."""
        rules: dict[str, dict[Edit, str]] = {}
        for offer in made:
            for file, edits in offer.edits.items():
                rules.setdefault(file, {}).update(dict.fromkeys(edits, offer.finding.name))
        for file, by in rules.items():
            pieces, moved = self._pieces.get(file, []), 0
            new: list[Piece] = []
            for edit in sorted(by):
                new += (_moved(piece, moved) for piece in pieces if piece.end <= edit.start)
                pieces = [piece for piece in pieces if piece.start >= edit.end]
                length = len(edit.text.encode("utf-8", "surrogateescape"))
                if length and (edit.start, edit.end) != (0, len(before[file])):
                    new.append(Piece(edit.start + moved, edit.start + moved + length, by[edit]))
                moved += length - (edit.end - edit.start)
            self._pieces[file] = new + [_moved(piece, moved) for piece in pieces]

    def taken_by(self, offer: Offer) -> str:
        """The rule whose fix wrote what an offer would only take away; empty where there is none."""
        if any(edit.text.strip() for edits in offer.edits.values() for edit in edits):
            return ""
        return next(
            (
                piece.rule
                for file, edits in offer.edits.items()
                for edit in edits
                for piece in self._pieces.get(file, ())
                if piece.start < edit.end and edit.start < piece.end
            ),
            "",
        )


def _moved(piece: Piece, by: int) -> Piece:
    return piece._replace(start=piece.start + by, end=piece.end + by)
