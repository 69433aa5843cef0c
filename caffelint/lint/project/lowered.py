"""What is explained by the file that it is in: one that is shipped, a backup, a template, notes, of another Caffe."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from caffelint.caffe.net import Net
from caffelint.caffe.place import Place
from caffelint.caffe.states import TEST, TRAIN
from caffelint.lint import disk
from caffelint.lint.file import File
from caffelint.lint.finding import CERTAIN, ERROR, INFO, LIKELY, SAFE, UNSAFE, WARNING, Finding, Fix
from caffelint.lint.project.border import top_of
from caffelint.lint.project.caffes import Taken
from caffelint.lint.project.shipped import is_of_shipped_folder, mended_since, shipped_by
from caffelint.lint.report import Failure, own_failure
from caffelint.lint.words import listed
from caffelint.text.near import near
from caffelint.text.patterns import compiled_later
from caffelint.text.tree import MESSAGE

_TEMPLATE = compiled_later(
    r"(?:^|[/_.-])(?:templates?|tmpl|skeleton)(?=[/_.-]|$)|(?:^|/)original\.prototxt$", re.IGNORECASE
)
"""A file by that name, or in a folder of that name; DIGITS calls the net that it completes `original.prototxt`."""
_OF_THE_SCHEMA = "P"
"""How codes begin of rules on what the text says, which no script mends that fills in values."""
_SUFFIX = ".prototxt"
_FOREIGN = frozenset(["fork-field", "unknown-field", "unknown-layer-type", "unknown-enum-value"])
_OF_A_FORK = _FOREIGN | {"unknown-filler-type", "unknown-lr-policy", "unknown-solver-type"}
_OF_BVLC_CODE = frozenset(["integer-labels-for-regression"])
"""Rules that take layers for BVLC's, which a fork may have changed."""
_IN_PLACE = "in-place-not-supported"
"""Until its commit ca402f6d1 of November 2015, BVLC's Caffe let Flatten and Reshape work so."""
_STRANGE = frozenset(["unreadable-character"])
_OF_THE_GRAMMAR = frozenset(["syntax-error", *_STRANGE])
_OF_A_BLOCK = frozenset(["in-place-after-branch", "refused-by-caffe"])
_MISSING, _UNREAD = "unknown-bottom", "unused-blob"
_OF_MISSING_DATA = frozenset(["source-not-found"])
_OF_MISSING_NETS = "S003"
"""Where a whole folder is of templates, each with a solver and its net, the one names the other as it is there."""
_REPEATED = 3
"""From so many layers more on that are refused alike, they are a block's that is repeated."""
_TO_BE_ADDED = compiled_later(
    r"^[ \t]*(?:#|//)[ \t#/]*(?:TO-?DO|FIXME|EXERCISE)\b[^\n]{0,20}\b(?:add|write|insert|define|create|put)\b"
    r"[^\n]{0,99}\blayers?\b"
    r"|^[ \t]*#[ \t#]*(?:paste|insert|put|add)\b[^\n]{0,40}\b(?:net|layers?|copy)\b[^\n]{0,40}\bhere\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A remark that an exercise has in place of layers."""
_COMMENTED_READER = compiled_later(r"^[ \t]*#[^\n\"']{0,99}\bbottom[ \t]*:[ \t]*[\"']([^\"'\n]{1,200})", re.MULTILINE)
_COPIED = compiled_later(r"(?: - \S[^-]{0,40}| \([^()]{1,40}\)| copy(?: \d{1,4})?)\Z", re.IGNORECASE)
"""How a name ends that a file manager gave a copy."""
_MIXED, _OF_THE_GRAPH, _NOT_MADE = "mixed-layer-formats", "G", "unknown-bottom"
_MANY = 10
_LONGEST = 40
"""Letters of a name or value that is quoted."""
_BRIEF, _EXPLAINED, _FAULTS = 20, 0.5, 3
"""Lines of code, the share of them with a remark of its own, and rules with errors, from which on a net is notes."""


def lower(
    found: Iterable[Finding],
    files: Mapping[str, File],
    taken: Mapping[str, Taken],
    solved: frozenset[str],
    pages: Mapping[str, str],
    failures: list[Failure],
) -> list[Finding]:
    """Make infos of what is explained by the file that it is in.

    `taken`: which Caffe is to read each file. `solved`: the nets that solvers name. `pages`: what `page_by_file` found.
    What is found in a file that this fails for is left out: it may be wrong.
    """
    roots = {path: one.root for path, one in taken.items()}

    def shipped(path: str) -> str:
        file = files.get(path)
        return shipped_by(roots.get(path, ""), path, file.document.source.data) if file else ""

    by_file: dict[str, list[Finding]] = {}
    for finding in found:
        by_file.setdefault(finding.place.document.path, []).append(finding)

    def lower_one(path: str, file: File, findings: Sequence[Finding]) -> None:
        if path in taken and (other := taken[path].other):
            _make_infos(findings, other)
        elif whose := shipped(path):
            _lower_shipped(file, findings, whose, shipped)
        elif path not in solved and file.solver is None and _is_an_example(roots.get(path, ""), path):
            _make_infos(findings, "the file is among the examples of a copy of Caffe, and no solver names it")
        elif path in pages and path not in solved and file.solver is None:
            _make_infos(findings, f'no solver names the file, which is among those of "{pages[path]}"')
        elif path not in solved and _is_backup(path):
            _make_infos(findings, f'the file is a backup of "{os.path.basename(_backed_up(path))}" by its name')
        elif path not in solved and _is_of_notes(file, findings):
            _tell_first_of_notes(findings)
        elif is_named_template(path):
            is_one = _TEMPLATE.search(os.path.basename(path)) is not None
            kept = (_OF_THE_SCHEMA,) if is_one else (_OF_THE_SCHEMA, _OF_MISSING_NETS)
            values = [finding for finding in findings if not finding.code.startswith(kept)]
            _make_infos(values, "the file is a template by its name, so a script may complete it")
        if any(one.name in _OF_MISSING_DATA for one in findings) and _is_an_example(roots.get(path, ""), path):
            missing = (one for one in findings if one.name in _OF_MISSING_DATA)
            _make_infos(missing, "the file is among the examples of a copy of Caffe, which make their data there")
        if path in taken and (fork := taken[path].unknown):
            doubtful = [one for one in findings if one.name in _OF_A_FORK | _OF_BVLC_CODE and not one.fixes]
            kinds = {layer.name: layer.kind for net in file.nets for layer in net.layers}
            in_place = ((one, kinds.get(one.place.layer or "")) for one in findings if one.name == _IN_PLACE)
            doubtful += (one for one, kind in in_place if kind and kind.shares_memory and not kind.keeps_pixels)
            _make_infos(doubtful, f"{fork.where} names the fork {fork.repository}, which may differ")
        if file.caffe and not roots.get(path):
            foreign = (one for one in findings if one.name in _FOREIGN and one.severity == ERROR and not one.fixes)
            _make_infos(foreign, "the sources of that Caffe are not here, so it may be another one")
        elif file.caffe:
            _tell_once(findings)
        _lower_consequences(file, findings)
        _lower_where_readers_are_comments(file, findings)
        if path not in solved:
            _lower_where_left_out(file, findings)
        _tell_first_of_alike(file, findings)
        if file.net:
            _lower_where_never_built(file.net, findings)
        _calm(findings)

    kept: list[Finding] = []
    for path, findings in by_file.items():
        try:
            if file := files.get(path):
                lower_one(path, file, findings)
        except Exception as error:
            failures.append(own_failure(path, error))
        else:
            kept += findings
    return kept


def _lower_shipped(file: File, findings: Sequence[Finding], whose: str, shipped: Callable[[str], str]) -> None:
    """But for what they have mended since, and where another file is meant as well that is the project's own."""
    commit, rules = mended_since(file.document.source.data)
    own = [one for one in findings if any(not shipped(also.place.document.path) for also in one.related)]
    mended = [one for one in findings if one.name in rules]
    _make_infos((one for one in findings if one not in mended and one not in own), f"the file is as {whose} ships it")
    for one in mended:
        one.severity = WARNING if one.severity == INFO else one.severity
        why = f"the file is as {whose} shipped it once; in its commit {commit} this is mended"
        one.evidence = "; ".join(filter(None, [one.evidence, why]))


def _lower_consequences(file: File, findings: Iterable[Finding]) -> None:
    """What a fault explains that makes Caffe refuse the text: mending it mends this too, or shows it anew."""
    document = file.document
    line_of = document.source.line_number
    if block := document.breaks_off:
        why = f"the text breaks off in the block that starts on line {line_of(block.start)}"
        inner = block.fields[-1] if block.kind == MESSAGE and block.fields else None
        is_deep = inner is not None and inner.kind == MESSAGE and inner.end == block.end
        later = [one for one in findings if one.place.start > block.start]
        lost = [one for one in findings if is_deep and not one.code.startswith(_OF_THE_SCHEMA)]
        _make_infos(dict.fromkeys([*later, *lost]), why)
    if mixed := min((one for one in findings if one.name == _MIXED), key=lambda one: one.place.start, default=None):
        types = (one for one in findings if one.name == "unknown-enum-value" and one.place.field == "type")
        why = f"the net mixes two formats, see line {line_of(mixed.place.start)}"
        _make_infos(types, why)
        if {"layer", "layers"} <= {field.name for field in document.root.fields}:
            # Protobuf keeps two lists, so which layer stands above which is lost: a bottom that no layer makes stays.
            graph = (one for one in findings if one.code.startswith(_OF_THE_GRAPH) and one.name != _NOT_MADE)
            _make_infos(graph, why)


def _lower_where_readers_are_comments(file: File, findings: Iterable[Finding]) -> None:
    """Who made comments of the layers that read a blob knows that nothing reads it now."""
    if not (unread := [one for one in findings if one.name == _UNREAD]):
        return
    source = file.document.source
    readers = {match[1]: match.start(1) for match in _COMMENTED_READER.finditer(source.text)}
    tops = {layer.name: layer.tops for net in file.nets for layer in net.layers}
    for one in unread:
        read = next((top for top in tops.get(one.place.layer or "", ()) if top in readers), None)
        if read is not None:
            _make_infos([one], f"the layer that reads it is a comment, see line {source.line_number(readers[read])}")


def _is_prose(text: str) -> bool:
    return text.endswith("...") and not ('"' in text or "'" in text)


def _lower_where_left_out(file: File, findings: Sequence[Finding]) -> None:
    """Where an ellipsis stands in a comment between two layers, or for layers, the file is a pattern, not a net.

    So is one with a remark that layers are to be added, as exercises have.
    """
    if not any(one.name == _MISSING or one.name in _OF_THE_GRAMMAR for one in findings):
        return
    text, fields = file.document.source.text, file.document.root.fields
    if remarks := [match.start() for match in _TO_BE_ADDED.finditer(text)]:
        lines = [file.document.source.line_number(start) for start in remarks]
        lacking = (one for one in findings if one.name == _MISSING and one.place.start > remarks[0] and not _slip(one))
        _make_infos(lacking, f"layers are to be added, see line {lines[0]}")
        inside = (one for one in findings if one.name in _OF_THE_GRAMMAR and _line(one) in set(lines))
        _make_infos(inside, "the line stands for layers that are to be added")
    broken = (one for one in findings if one.name in _OF_THE_GRAMMAR)
    ending = (one for one in broken if _is_prose(text[one.place.start : one.place.end]))
    _make_infos(ending, "the line stands for something that is left out")
    for before, after in pairwise(fields):
        if "..." in (between := text[before.end : after.start]) and "#" in between:
            line = file.document.source.line_number(before.end + between.index("..."))
            wrong = (one for one in findings if one.name == _MISSING and one.place.start > before.end)
            _make_infos(wrong, f"the comment on line {line} stands for layers that are left out")
            return


def _slip(finding: Finding) -> bool:
    """Does its fix change letters of a name, so that no layer is lacking? One of another number is another layer."""
    named = [re.sub(r"^\w+\s*:|[\s\"'\d]", "", text) for text in (finding.place.text, _written(finding))]
    return named[0] != named[1] and bool(near(named[0], [named[1]]))


def _written(finding: Finding) -> str:
    return next((edit.text for one in finding.fixes for _, edit in one.edits), "")


def _tell_first_of_alike(file: File, findings: Iterable[Finding]) -> None:
    """Layers of a block that is repeated are refused for the same reason, each with its own blobs and shapes."""
    layers = {layer.name: layer for net in file.nets for layer in net.layers}
    readers: dict[tuple[str, ...], Finding] = {}
    alike: dict[tuple[str, str | None, str], list[Finding]] = {}
    for one in sorted(findings, key=lambda one: one.place.start):
        if one.name in _OF_A_BLOCK and one.severity == ERROR:
            layer = layers.get(one.place.layer or "")
            # A loss and an Accuracy that are refused read the same scores and labels, which do not go together.
            read = (one.name, *layer.bottoms) if layer and len(layer.bottoms) > 1 else ()
            if read and (first := readers.setdefault(read, one)) is not one:
                _make_infos([one], f"its bottoms are those of line {_line(first)}")
                continue
            alike.setdefault((one.name, layer.type if layer else None, one.place.field), []).append(one)
    for first, *others in alike.values():
        if len(others) >= _REPEATED:
            _make_infos(others, f"see line {_line(first)}")
            _count(first, len(others))


def _gets_data_in_test_only(net: Net) -> bool:
    fed = {one.phase for one in net.states() if any(layer.tops and not layer.bottoms for layer in one.layers)}
    return fed == {TEST}


def _lower_where_never_built(net: Net, findings: Iterable[Finding]) -> None:
    """What is wrong in a phase that nobody builds, as far as solvers, scripts and the net's name and data tell."""
    if not net.solvers and net.role != "deploy" and not net.is_only_tested:
        _doubt(one for one in findings if one.phases == (TEST,))
    if net.is_only_tested:
        whose = "its solvers only test with the net" if net.solvers else "the net is there to be run, by its name"
        _make_infos(_of_training(net, findings), f"the layer is for TRAIN only, and {whose}")
    elif net.solvers:
        return
    elif net.runs and (use := net.runs.uses):
        _doubt(_of_training(net, findings), f"{use} builds the net, and no solver names it")
    elif _gets_data_in_test_only(net):
        _doubt(_of_training(net, findings), "the net has data for TEST alone, and no solver names it")


def _of_training(net: Net, findings: Iterable[Finding]) -> list[Finding]:
    """What TEST does not have: by the phases of the finding or, where it has none, of the layers that it is in.

    What is wrong with the text itself, Caffe refuses in any phase.
    """
    nodes = [layer.node for layer in net.conditional if layer.phases == (TRAIN,)]
    spans = sorted((node.start, node.end) for node in nodes if node)
    starts = [start for start, _ in spans]

    def is_inside(place: Place) -> bool:
        number = bisect_right(starts, place.start)
        return number > 0 and place.start < spans[number - 1][1]

    return [
        one
        for one in findings
        if not one.code.startswith(_OF_THE_SCHEMA)
        and (one.phases == (TRAIN,) or not one.phases and all(map(is_inside, (one.place, *one.others))))
    ]


def _doubt(findings: Iterable[Finding], why: str = "") -> None:
    """Nobody builds that phase of a net that no solver names, as far as is known; `why` one may be sure of it."""
    for finding in findings:
        if finding.severity == ERROR:
            finding.severity, finding.certainty = WARNING, LIKELY
        elif why:
            _make_infos([finding], why)


def _calm(findings: Iterable[Finding]) -> None:
    """Where the grammar is broken in many places, as by numbers of lines that were copied along, keep the first.

    Of characters that a word processor put in, one tells enough.
    """
    last = -1
    for one in _errors(findings, _OF_THE_GRAMMAR - _STRANGE):
        if _line(one) == last:
            _make_infos([one], "see the one before it on this line")
        last = _line(one)
    broken, strange = _errors(findings, _OF_THE_GRAMMAR), _errors(findings, _STRANGE)
    if len(broken) > _MANY:
        why = f"the text breaks off on line {_line(broken[0])}"
        later = [one for one in findings if one is not broken[0] and one.place.start >= broken[0].place.start]
        _make_infos((one for one in later if one.severity != INFO), why)
        _count(broken[0], len(broken) - 1)
    elif len(strange) > 1:
        _make_infos(strange[1:], f"see line {_line(strange[0])}")
        _count(strange[0], len(strange) - 1)
    if len(strange) > 1:
        strange[0].fixes = _joined([one.fixes[0] for one in strange if one.fixes])


def _errors(findings: Iterable[Finding], names: frozenset[str]) -> list[Finding]:
    """In the order of the text."""
    found = [one for one in findings if one.name in names and one.severity == ERROR]
    return sorted(found, key=lambda one: one.place.start)


def _joined(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """One fix for all places."""
    if not fixes:
        return ()
    safety = SAFE if all(fix.safety == SAFE for fix in fixes) else UNSAFE
    return (Fix(fixes[0].title, safety, tuple(edit for fix in fixes for edit in fix.edits)),)


def _line(finding: Finding) -> int:
    return finding.place.document.source.line_number(finding.place.start)


def _count(finding: Finding, others: int) -> None:
    more = f"{others} more such error{'s follow' if others > 1 else ' follows'}"
    finding.evidence = "; ".join(filter(None, [finding.evidence, more]))


def _is_an_example(root: str, path: str) -> bool:
    """Whether a file of a Caffe that is only a part of its repository is in a folder that BVLC ships."""
    return bool(root) and top_of(os.path.dirname(root)) is not None and is_of_shipped_folder(root, path)


def _backed_up(path: str) -> str:
    """`net.prototxt` of `net.prototxt.txt`, `net.prototxt_old` and `net.prototxt~`, and of what file managers call a
    copy, as `net - Copy.prototxt`, `net (1).prototxt` and `net copy.prototxt`.
    """
    folder, name = os.path.split(path)
    whole = name.partition(_SUFFIX)[0]
    copied = _COPIED.search(whole)
    first = os.path.join(folder, whole[: copied.start()] + _SUFFIX) if copied else ""
    return first if first and disk.exists(first) else os.path.join(folder, whole + _SUFFIX)


def _is_backup(path: str) -> bool:
    kept = _backed_up(path)
    return kept != path and _SUFFIX in os.path.basename(path) and disk.exists(kept)


def _make_infos(findings: Iterable[Finding], why: str) -> None:
    for finding in findings:
        finding.severity = INFO
        finding.evidence = "; ".join(filter(None, [finding.evidence, why]))


def is_named_template(path: str) -> bool:
    """Of folders, only those below the top of a project count."""
    path = os.path.abspath(path)
    top = top_of(os.path.dirname(path))
    relative = os.path.relpath(path, top) if top else os.path.basename(path)
    if relative.startswith(os.pardir + os.sep):
        relative = os.path.basename(path)
    return _TEMPLATE.search(relative.replace(os.sep, "/")) is not None


def _is_of_notes(file: File, findings: Iterable[Finding]) -> bool:
    """Whether a net that no solver names explains line by line what nets are, with errors that nobody has met.

    Comments alone tell nothing, however many there are: they may be a licence, or code that is left out.
    """
    if len({finding.name for finding in findings if finding.severity == ERROR}) < _FAULTS or file.net is None:
        return False
    lines = [line.partition("#") for line in file.document.source.text.splitlines()]
    of_code = [number for number, (code, _, _) in enumerate(lines) if code.strip(" \t}")]
    remarks = {lines[number][2] or (lines[number - 1][2] if number else "") for number in of_code}
    return len(of_code) > _BRIEF and len(remarks - {""}) >= _EXPLAINED * len(of_code)


def _tell_first_of_notes(findings: Iterable[Finding]) -> None:
    """No text makes all its errors infos by what it says of itself."""
    first, *others = sorted((one for one in findings if one.severity == ERROR), key=lambda one: one.place.start)
    _make_infos((one for one in findings if one is not first), f"the file seems to be notes, see line {_line(first)}")
    seems = "the file seems to be notes, which nobody has loaded"
    first.evidence = "; ".join(filter(None, [first.evidence, seems]))
    _count(first, len(others))


def _tell_once(findings: Iterable[Finding]) -> None:
    """A file with several names that its project's Caffe lacks was made for another one: that is one error.

    A policy, a filler or a solver that is unknown may be that Caffe's, too, if a field of the file is.
    """
    foreign = [one for one in findings if one.name in _OF_A_FORK and one.severity == ERROR and one.certainty == CERTAIN]
    foreign = sorted((one for one in foreign if not one.fixes), key=lambda one: one.place.start)
    first = next((one for one in foreign if one.name in _FOREIGN), None)
    if first is None or len(foreign) < 2:
        return
    others = [one for one in foreign if one is not first]
    names = listed(list(dict.fromkeys(_as_written(one.place) for one in others)))
    lacks = f"the file seems to be for another Caffe: this one lacks {names}, too"
    first.evidence = "; ".join(filter(None, [first.evidence, lacks]))
    line = first.place.document.source.line_number(first.place.start)
    _make_infos(others, f"the file seems to be for another Caffe, see line {line}")


def _as_written(place: Place) -> str:
    """A field by its name, a value with that of its field."""
    text = place.text.strip()
    return text if len(text) <= _LONGEST and "\n" not in text else text[:_LONGEST].split()[0]
