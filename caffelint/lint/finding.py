"""What a rule says: a finding, its evidence, and the fixes it offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.caffe.place import Place
from caffelint.text.edits import Edit
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.cause import Cause
    from caffelint.lint.rule import Rule

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)
CERTAIN, LIKELY = "certain", "likely"
SAFE, UNSAFE, DISPLAY = "safe", "unsafe", "display"


def rank(severity: str) -> int:
    """3 for an error, 2 for a warning, 1 for an info, 0 for anything else."""
    return {ERROR: 3, WARNING: 2, INFO: 1}.get(severity, 0)


class Fix(NamedTuple):
    """A change that mends a finding.

    `safe`: training cannot change for the worse. `unsafe`: it may change what is trained. `display`: a suggestion to
    show, never applied. Each edit comes after the path of its file.
    """

    title: str
    safety: str
    edits: tuple[tuple[str, Edit], ...]

    def by_file(self) -> dict[str, tuple[Edit, ...]]:
        found: dict[str, list[Edit]] = {}
        for path, edit in self.edits:
            found.setdefault(path, []).append(edit)
        return {path: tuple(edits) for path, edits in found.items()}


class Related(NamedTuple):
    """Another place that belongs to the finding."""

    message: str
    place: Place


class Finding:
    """One thing that is wrong, at one place; of several layers at once it names, `others` are the places in the rest.

    dialects: those for which nothing would be wrong, where a file is for a fork and nobody has said so.
    """

    __slots__ = (
        "cause",
        "certainty",
        "code",
        "dialects",
        "evidence",
        "fixes",
        "holds_in_templates",
        "message",
        "name",
        "others",
        "phases",
        "place",
        "related",
        "severity",
    )

    def __init__(
        self,
        rule: type[Rule] | Rule,
        place: Place,
        message: str,
        *,
        evidence: str = "",
        severity: str | None = None,
        certainty: str | None = None,
        phases: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        cause: Cause | None = None,
        others: tuple[Place, ...] = (),
        dialects: tuple[str, ...] = (),
    ):
        self.code = rule.code
        self.name = rule.name
        self.holds_in_templates = rule.holds_in_templates
        self.place = place
        self.message = message
        self.evidence = evidence
        self.severity = severity or rule.severity
        self.certainty = certainty or rule.certainty
        self.phases = phases
        self.related = related
        self.fixes = fixes
        self.cause = cause
        self.others = others
        self.dialects = dialects

    @property
    def key(self) -> str:
        """Stays the same when lines move: the rule, the layer and the field."""
        return self._key(self.place)

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Those of the rest of its layers."""
        return tuple(map(self._key, self.others))

    def _key(self, place: Place) -> str:
        return f"{self.name}:{place.layer}:{place.field}"

    def __repr__(self) -> str:
        return f"Finding({self.code} {self.name} at {self.place.document.path}:{self.place.line}: {self.message})"


def replace(place: Place, text: str) -> tuple[str, Edit]:
    """Put `text` where `place` is."""
    return place.document.path, Edit(place.start, place.end, text)


def insert_behind(place: Place, text: str) -> tuple[str, Edit]:
    return place.document.path, Edit(place.end, place.end, text)


def insert_before(place: Place, text: str) -> tuple[str, Edit]:
    return place.document.path, Edit(place.start, place.start, text)
