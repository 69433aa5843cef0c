"""What fixes have written in one run: none takes it away again, and each comes to an end."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from caffelint.fix.pick import Offer
from caffelint.text.edits import Edit

MOST_TIMES = 3
AGAIN = "it was already applied there, without effect"
_BRACKETS = ("}", ">", "]")
"""Where one of these is missing, the next may be missing, too."""


class Piece(NamedTuple):
    """Text that the fix of a rule wrote, by its bytes; `rules` is how often each
    wrote here, and `old` was there before."""

    start: int
    end: int
    rule: str
    rules: Mapping[str, int]
    text: str
    old: bytes


class Objection(NamedTuple):
    """Why a fix is not made; `fault` where no rule should offer it."""

    reason: str
    fault: bool = True


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
            pieces, moved, at = list(self._pieces.get(file, ())), 0, 0
            new: list[Piece] = []
            for edit in sorted(by):
                while at < len(pieces) and pieces[at].end <= edit.start:
                    new.append(_moved(pieces[at], moved))
                    at += 1
                beside = (piece for piece in new[-1:] if piece.end == edit.start + moved == edit.end + moved)
                here = [piece.rules for piece in beside]
                if at < len(pieces) and pieces[at].start == edit.start == edit.end:
                    here.append(pieces[at].rules)
                while at < len(pieces) and pieces[at].start < edit.end:
                    piece = pieces[at]
                    here.append(piece.rules)
                    if piece.start < edit.start:
                        new.append(_moved(piece._replace(end=edit.start, text="", old=b""), moved))
                    if piece.end > edit.end:
                        pieces[at] = piece._replace(start=edit.end, text="", old=b"")
                        break
                    at += 1
                length = len(edit.text.encode("utf-8", "surrogateescape"))
                if length and (edit.start, edit.end) != (0, len(before[file])):
                    start, old = edit.start + moved, before[file][edit.start : edit.end]
                    new.append(Piece(start, start + length, by[edit], _once_more(by[edit], here), edit.text, old))
                moved += length - (edit.end - edit.start)
            self._pieces[file] = new + [_moved(piece, moved) for piece in pieces[at:]]

    def objection(self, offer: Offer) -> Objection | None:
        """Why an offer must not change what fixes of this run wrote; None where it may.

        It may write it anew, but neither take it away nor put back what was there before another rule wrote, and no
        rule writes more than `MOST_TIMES` in one place: so rules that disagree come to an end. A rule may take back
        what it wrote itself, as fixes of others made at the same time may have changed what it went by. It may move
        more there, as what it moves is gone from where it was.
        """
        rule = offer.finding.name
        moves = any(edit.start < edit.end and not edit.text for edits in offer.edits.values() for edit in edits)
        takes_away = not any(edit.text.strip() for edits in offer.edits.values() for edit in edits)
        for file, edits in offer.edits.items():
            pieces = self._pieces.get(file, [])
            for edit in edits:
                at = bisect_left(pieces, edit.start, key=_end)
                while at < len(pieces) and pieces[at].start <= edit.end:
                    piece = pieces[at]
                    at += 1
                    if not (piece.start < edit.end and edit.start < piece.end):
                        beside = edit.start == edit.end and edit.text.strip() not in _BRACKETS and not moves
                        if beside and piece.rules.get(rule, 0) >= MOST_TIMES:
                            return Objection(AGAIN)
                        continue
                    if takes_away:
                        return Objection(f"it would remove what the fix of {piece.rule} has just written", False)
                    if piece.rules.get(rule, 0) >= MOST_TIMES and not moves:
                        return Objection(AGAIN)
                    back = piece[:2] == edit[:2] and edit.text.encode("utf-8", "surrogateescape") == piece.old
                    if back and piece.rule != rule:
                        is_all = sum(map(len, offer.edits.values())) == 1  # else a name may be as before by chance
                        return Objection(f"it undoes the fix of {piece.rule}", is_all)
        return None


def _once_more(rule: str, here: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    """How often each rule wrote in a place where these did, after `rule` has done so again."""
    times: Counter[str] = Counter()
    for own in here:
        times |= Counter(own)
    times[rule] += 1
    return times


def _end(piece: Piece) -> int:
    return piece.end


def _moved(piece: Piece, by: int) -> Piece:
    return piece._replace(start=piece.start + by, end=piece.end + by)
