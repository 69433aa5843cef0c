"""The dialect that files are for where nobody has said so, by the names in them that BVLC's Caffe lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from os.path import dirname
from typing import TYPE_CHECKING

from caffelint.lint.unknown_caffe import own_names
from caffelint.schema.provenance import provenance
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.file import File
    from caffelint.lint.report import ReportedFinding


_OF_FORKS = frozenset(["unknown-field", "fork-field", "unknown-layer-type"])


class SuggestedDialect(NamedTuple):
    """A dialect that would silence so many `findings` in so many `files`. `title`: that of its Caffe, for people."""

    dialect: str
    title: str
    files: int
    findings: int


def dialects_of(file: File) -> tuple[str, ...]:
    """The Caffes that have all fields, values and layer types of a file, best known first; empty if one is given.

    Converters and inference engines, which train nothing, are left out.
    """
    if file.bound is None or file.knows_caffe or own_names(file):
        return ()
    known = provenance()
    forks = known.infer(use.forks for use in file.bound.fork_uses)
    types = {type_ for net in file.nets for type_ in net.by_type if type_}
    return tuple(
        fork
        for fork in known.forks
        if fork in forks and known.is_caffe(fork) and all(known.may_have_type(fork, type_) for type_ in types)
    )


def suggested(findings: Iterable[ReportedFinding]) -> tuple[SuggestedDialect, ...]:
    """The dialects that would silence these findings: the one that suits most files, then one for those left.

    None for a folder in which a file is for a Caffe that nobody knows: a dialect would make errors of what that adds.
    """
    findings = list(findings)
    strange = {dirname(one.file) for one in findings if one.name in _OF_FORKS and not one.dialects}
    left = Counter((one.file, one.dialects) for one in findings if one.dialects and dirname(one.file) not in strange)
    found = []
    while left:
        files = Counter(dialect for _, dialects in left for dialect in dialects)
        best = min(files, key=lambda dialect: (-files[dialect], provenance().forks.index(dialect)))
        silenced = sum(number for (_, dialects), number in left.items() if best in dialects)
        found.append(SuggestedDialect(best, provenance().describe([best]), files[best], silenced))
        left = Counter({one: number for one, number in left.items() if best not in one[1]})
    return tuple(found)
