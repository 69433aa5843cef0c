"""How a problem of a text is reported: one mistake is one problem, and the same one in many places as well."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from caffelint.schema.bound import BVLC, Bound
from caffelint.schema.provenance import provenance
from caffelint.schema.tables import MessageType
from caffelint.schema.wording import subject
from caffelint.text import tree
from caffelint.text.edits import Edit
from caffelint.text.tree import Field, Problem

Repairs = tuple[Edit, ...]


class Reporting:
    """What was reported of a document. `parents` are the types of the blocks around the one that is read."""

    def __init__(self, bound: Bound, parents: list[MessageType]):
        self.bound = bound
        self.dialect = bound.dialect
        self.caffe = bound.caffe
        self.is_sure = bound.knows_caffe
        self.parents = parents
        self._most = bound.document.most_problems
        self._reported = sorted(problem.start for problem in bound.document.problems if problem.certain)
        self._alike: dict[str, tuple[int, list[Problem]]] = {}

    def _count_alike(self) -> None:
        """Keep the first of several problems with the same words, with their number."""
        for index, others in self._alike.values():
            if others:
                first = self.bound.problems[index]
                repairs = first.repairs + tuple(repair for other in others for repair in other.repairs)
                if any(one.end > other.start for one, other in pairwise(sorted(repairs))):
                    repairs = first.repairs
                message = f"{first.message} ({len(others) + 1} times)"
                self.bound.problems[index] = first._replace(message=message, repairs=repairs)

    def _has(self, forks: frozenset[str]) -> bool:
        """Has the dialect what these forks have?"""
        dialect = self.dialect
        return dialect in forks or bool(dialect and "bvlc" in forks and provenance().adds_to_bvlc(dialect))

    def _whose(self) -> str:
        if self.caffe:
            return "this project's Caffe"
        return "BVLC's Caffe" if self.dialect in BVLC else f"dialect {self.dialect}"

    def _subject(self, type_: MessageType, name: str, item: Field) -> str:
        return subject(type_, name, self.bound.document.root, item.start)

    def _was_reported(self, field: Field) -> bool:
        """Whether the text's own grammar objects to a field already: one mistake is one finding."""
        start = bisect_left(self._reported, field.start)
        end = field.value_start + 1 if field.kind == tree.MESSAGE else field.end
        return start < len(self._reported) and self._reported[start] < max(end, field.start + 1)

    def _add(
        self,
        kind: str,
        start: int,
        end: int,
        message: str,
        evidence: str = "",
        *,
        field: str,
        certain: bool = True,
        repairs: Repairs = (),
        safe: bool = False,
        own: bool = False,
    ) -> None:
        if len(self.bound.problems) >= self._most:
            return
        problem = Problem(kind, start, end, message, certain, evidence, repairs, safe, field, own)
        if kind in ("unknown-field", "unknown-enum-value", "fork-field"):
            if message in self._alike:
                self._alike[message][1].append(problem)
                return
            self._alike[message] = (len(self.bound.problems), [])
        self.bound.problems.append(problem)
