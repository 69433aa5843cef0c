"""Comments that silence findings.

`# caffelint: ignore[name, CODE] reason` after a field silences findings on that field, after `layer {` on the whole
block; on a line of its own, on the field or block that follows, which must be in the same block as the comment.
`# caffelint: ignore-file[name] reason` silences the file. Without brackets the rules that it begins with are meant
(`ignore CODE, name reason`), all where it begins with none. It may follow other words in a comment, and another
one may follow it. A finding on several layers needs a comment in each, or one for the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from caffelint.caffe.place import Place
from caffelint.lint.finding import Finding
from caffelint.lint.registry import all_rules, find_rule
from caffelint.lint.select import FAMILIES, matches
from caffelint.lint.words import listed
from caffelint.text.parser import Document
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.tree import Field

_MARK = compiled_later(r"#\s*caffelint:\s*((?:(?!#\s*caffelint:).)*)")
# A slip (`ignore-line`, a bracket that is not closed) must not silence more than was meant: it is no directive.
_DIRECTIVE = compiled_later(r"(ignore-file|ignore)(?:\s*\[([^\]]*)\]|(?![\w-]|\s*[\[(]))(.*)")
_UNBRACKETED = compiled_later(r"[\s:=,]*([\w-]+)")
_CODE = compiled_later(r"[A-Z]+[0-9]{3}")
_PREFIX = compiled_later(r"[A-Za-z]+[0-9]{0,2}")
_ALL = frozenset({"all"})
_NOTHING = compiled_later(r"(?:[\s,;]|#[^\n]*(?:\n|\Z))*")


class Suppression(NamedTuple):
    """One comment: the names of its rules (`all` for all), the characters it covers, and the reason it gives.

    A comment to caffelint that is no directive has no rules, and covers nothing; nor does one on a line of its own
    that no field follows in its block.
    """

    rules: frozenset[str]
    start: int
    end: int
    comment_start: int
    comment_end: int
    reason: str

    @property
    def in_vain(self) -> bool:
        """Whether there is nothing where it reaches."""
        return bool(self.rules) and self.start == self.end


def suppressions(document: Document) -> list[Suppression]:
    """The suppressing comments of a document."""
    if "caffelint:" not in document.source.text:
        return []
    covers = _Covers(document)
    found: list[Suppression] = []
    for start, end in reversed(document.comments()):
        of_line: list[Suppression] = []
        covered: tuple[int, int] | None = None
        for mark in _MARK.finditer(document.source.text, start, end):
            last = mark.start() + len(mark[0].rstrip())
            directive = _DIRECTIVE.match(mark[1].rstrip())
            if directive is None:
                of_line.append(Suppression(frozenset(), start, start, mark.start(), last, ""))
                continue
            names, reason = _meant(directive[2], directive[3])
            if directive[1] == "ignore-file":
                reach = (0, len(document.source.text) + 1)
            else:
                reach = covered = covered or covers.of(start)
            of_line.append(Suppression(names, *reach, mark.start(), last, reason.strip()))
        found += reversed(of_line)
    return found[::-1]


def _meant(bracketed: str | None, rest: str) -> tuple[frozenset[str], str]:
    """The rules that a directive names, in brackets or, if these were forgotten, in what follows."""
    if bracketed is not None:
        names = [name.strip() for name in bracketed.split(",") if name.strip()]
    else:
        names = []
        while (word := _UNBRACKETED.match(rest)) and (find_rule(word[1]) or _CODE.fullmatch(word[1])):
            names.append(word[1])
            rest = rest[word.end() :]
    return frozenset(rule for name in names for rule in _rule_names(name)) or _ALL, rest


@lru_cache(maxsize=1024)
def _rule_names(written: str) -> tuple[str, ...]:
    """The names of the rules with that code, prefix of one, name, alias or family; the given name if there is none."""
    if rule := find_rule(written):
        return (rule.name,)
    several: tuple[str, ...] = ()
    if written.lower() in FAMILIES or _PREFIX.fullmatch(written):
        several = tuple(info.name for info in all_rules() if matches(info, written))
    return several or (written.lower(),)


class _Covers:
    """What comments cover; they are asked for from the last to the first, so that nothing is looked through twice."""

    def __init__(self, document: Document):
        self.source = document.source
        self.fields = [field for field in document.root.walk() if field.name]
        """All that have a name, by where they start."""
        self.nothing_from: dict[int, int | None] = {}
        """By a field's number from where on nothing but comments is above it; None where something else is."""

    def of(self, comment: int) -> tuple[int, int]:
        source, fields = self.source, self.fields
        line = source.position(comment).line
        starts = source.line_starts
        line_start = starts[line - 1]
        line_end = starts[line] if line < len(starts) else len(source.text)
        if not source.text[line_start:comment].strip():
            following = bisect_right(fields, comment, key=_start)
            if following == len(fields) or not self._leads_to(following, comment):
                return comment, comment  # a brace closes before the next field: that one was not meant
            return fields[following].start, fields[following].end
        on_line = fields[bisect_left(fields, line_start, key=_start) : bisect_left(fields, comment, key=_start)]
        return line_start, max([line_end, *(field.end for field in on_line)])

    def _leads_to(self, number: int, comment: int) -> bool:
        """Is there nothing but comments between one and a field?"""
        known = self.nothing_from.get(number, self.fields[number].start)
        if known is not None and not _NOTHING.fullmatch(self.source.text, comment, known):
            known = None
        self.nothing_from[number] = None if known is None else comment
        return known is not None


def _start(field: Field) -> int:
    return field.start


class Silenced(NamedTuple):
    """What is left of the findings, how many were silenced, and the comments that silenced none."""

    findings: list[Finding]
    silenced: int
    unused: list[Suppression]


def silence(findings: Iterable[Finding], document: Document) -> Silenced:
    """Apply the comments of a document to the findings in it."""
    comments = suppressions(document)
    if not comments:
        return Silenced(list(findings), 0, [])
    findings = list(findings)
    starts: dict[str, list[int]] = {}
    for finding in findings:
        starts.setdefault(finding.name, []).extend(place.start for place in (finding.place, *finding.others))
    starts["all"] = [start for of_rule in starts.values() for start in of_rule]
    for places in starts.values():
        places.sort()
    spans: dict[str, list[tuple[int, int]]] = {}
    unused = []
    for comment in comments:
        used = False
        for rule in comment.rules:
            spans.setdefault(rule, []).append((comment.start, comment.end))
            places = starts.get(rule, [])
            used = used or bisect_left(places, comment.start) < bisect_left(places, comment.end)
        if not used:
            unused.append(comment)
    covered = {rule: _Union(of_rule) for rule, of_rule in spans.items()}
    nothing = _Union([])
    left = []
    for finding in findings:
        by_name, by_all = covered.get(finding.name, nothing), covered.get("all", nothing)
        of_layers = [finding.place, *finding.others]
        open_ = [place for place in of_layers if place.start not in by_name and place.start not in by_all]
        if open_:
            left.append(finding if len(open_) == len(of_layers) else _narrowed(finding, open_))
    return Silenced(left, len(findings) - len(left), unused)


def _narrowed(finding: Finding, left: list[Place]) -> Finding:
    """A finding of which a part is silenced; its fixes would mend that part, too."""
    names = listed([f'"{place.layer}"' for place in left])
    how = f"# caffelint: ignore-file[{finding.name}] silences all"
    finding.evidence = "; ".join(filter(None, [finding.evidence, f"not silenced in {names}; {how}"]))
    finding.place, *others = left
    finding.others, finding.fixes = tuple(others), ()
    return finding


class _Union:
    """The places that lie in one of many spans."""

    def __init__(self, spans: list[tuple[int, int]]):
        self._starts = sorted(start for start, _ in spans)
        self._ends = list(accumulate((end for _, end in sorted(spans)), max))
        """The furthest end of a span and of all that start before it."""

    def __contains__(self, place: int) -> bool:
        before = bisect_right(self._starts, place)
        return before > 0 and place < self._ends[before - 1]
