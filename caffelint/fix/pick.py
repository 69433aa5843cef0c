"""Which of the fixes on offer go together."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from caffelint.lint.report import Applied, ReportedFinding
from caffelint.text.comments import find_comments
from caffelint.text.edits import Edit, apply_edits


class Offer(NamedTuple):
    """A finding and the change that would mend it: edits by file."""

    finding: ReportedFinding
    title: str
    safety: str
    edits: dict[str, tuple[Edit, ...]]

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from others, even when lines have moved."""
        return *self.finding.identity, self.title

    @property
    def applied(self) -> Applied:
        finding = self.finding
        return Applied(finding.file, finding.code, finding.name, finding.message, self.title, self.safety, finding.line)

    def changes(self, texts: dict[str, bytes]) -> bool:
        """Whether it makes a difference."""
        return any(
            texts[file][edit.start : edit.end] != edit.text.encode("utf-8", "surrogateescape")
            for file, edits in self.edits.items()
            for edit in edits
        )

    def broken(self, texts: dict[str, bytes]) -> str:
        """Why its own edits cannot be made; empty where they can."""
        for file, edits in self.edits.items():
            done = 0
            for edit in sorted(edits):
                if edit.start < done:
                    return f"two edits overlap at byte {edit.start}"
                if not edit.start <= edit.end <= len(texts[file]):
                    return f"no bytes {edit.start} to {edit.end} in a text of {len(texts[file])}"
                done = edit.end
        return ""

    def comment_lost(self, texts: dict[str, bytes]) -> str:
        """A comment that it would remove, as in `"one" # comment` before `"half"`; empty if there is none."""
        old = [(texts[file][edit.start : edit.end], edit.text) for file, edits in self.edits.items() for edit in edits]
        if not any(b"#" in gone for gone, _ in old):
            return ""
        lost = Counter(comment for gone, _ in old for comment in _comments(gone.decode("utf-8", "surrogateescape")))
        lost -= Counter(comment for _, new in old for comment in _comments(new))
        return min(lost, default="")

    def renames(self, texts: dict[str, bytes]) -> dict[tuple[str, str], bytes]:
        """The quoted values that it replaces: the old value by file and new value, both without quotes."""
        return {
            (file, edit.text[1:-1]): texts[file][edit.start : edit.end].strip(b"\"'")
            for file, edits in self.edits.items()
            for edit in edits
            if edit.text.startswith(('"', "'"))
        }


def _comments(text: str) -> list[str]:
    return [text[start:end] for start, end in find_comments(text)]


def pick(offers: Iterable[Offer], texts: dict[str, bytes], agreed: Callable[[Offer], bool]) -> list[Offer]:
    """The offers that do not touch each other, by place in the text; where two do, the first.

    Each is taken with all its edits or not at all. An edit that two offers share is made once. What is left has to be
    offered anew by rules that see the new text: after a change, even one right beside it, nobody knows what it
    would do. The same holds where two names would become one: each was free when it was chosen. `agreed` is asked
    about what can be taken, in order.
    """
    taken: list[Offer] = []
    made: dict[str, list[Edit]] = {}
    renamed: dict[tuple[str, str], bytes] = {}
    for offer in sorted(offers, key=place):
        wanted = [(made.setdefault(file, []), edit) for file, edits in offer.edits.items() for edit in edits]
        renames = offer.renames(texts)
        if any(_touches(edit, others) for others, edit in wanted):
            continue
        if any(renamed.get(new, old) != old for new, old in renames.items()) or not agreed(offer):
            continue
        renamed |= renames
        for file, edits in offer.edits.items():
            for edit in edits:
                at = bisect_left(made[file], edit)
                if made[file][at : at + 1] != [edit]:
                    made[file].insert(at, edit)
        taken.append(offer)
    return taken


def place(offer: Offer) -> tuple[str, int, int, str, str]:
    """Offers are sorted by that."""
    file = min(offer.edits)
    first = min(offer.edits[file])
    return file, first.start, first.end, offer.finding.code, offer.finding.message


def _touches(edit: Edit, others: list[Edit]) -> bool:
    """Whether an edit meets another than itself; the others, sorted, do not meet each other."""
    at = bisect_left(others, edit)
    near = others[max(0, at - 1) : at + 2]
    return any(edit != other and _meet(edit, other) for other in near)


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or touch; two that only take away may touch, as each leaves what is beside it."""
    if one.end == other.start or other.end == one.start:
        return bool(one.text or other.text or one.start == one.end or other.start == other.end)
    return one.start < other.end and other.start < one.end


def apply(texts: dict[str, bytes], offers: Iterable[Offer]) -> dict[str, bytes]:
    """The texts with these offers made."""
    edits: dict[str, dict[Edit, None]] = {}
    for offer in offers:
        for file, own in offer.edits.items():
            edits.setdefault(file, {}).update(dict.fromkeys(own))
    return texts | {file: apply_edits(texts[file], own) for file, own in edits.items()}
