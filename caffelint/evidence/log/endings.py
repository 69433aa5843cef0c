"""How a run ended that did not end well: failed checks, errors of CUDA and of databases, signals, exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.caffe.refusal import Refusal
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import Ended, Line, Logged
from caffelint.schema import messages
from caffelint.schema.provenance import provenance
from caffelint.schema.spelling import suggest
from caffelint.schema.tables import message_type

_FATAL = re.compile(
    rb"(?:\[[\d,]{1,9}\] ?)?F\d{4,8} [\d:.]{1,20} +\d{1,12} ([^\s\]]{1,200}:\d{1,9})\] ?([^\n]{0,2000})"
)
_PARSING = re.compile(rb"\[libprotobuf ERROR [^\]\n]{1,200}\] ([^\n]{0,2000})")
_SIGNAL = re.compile(
    rb"(?:\*\*\* (?:Aborted at|SIG[A-Z]{2,8} \()|Killed\b|Segmentation fault|Bus error|Floating point exception"
    rb"|slurmd\[|slurmstepd: error|terminate called after|Fatal Python error|Aborted \(core|Out of memory: Kill)"
)
_NAMED = re.compile(rb"\*\*\* Aborted at [^\n]{0,200}\n(?:[^\n]{0,400}\n){0,2}?\*\*\* (SIG[^;\n]{0,200})")
"""The signal, two lines after what glog prints first."""
_FROM_OUTSIDE = re.compile(rb"SIG(?:TERM|HUP|INT|QUIT|XCPU)\b|KILL", re.IGNORECASE)
"""The signals by which a person, a queue or the system ends a program, which none raises itself."""
_SAYS = re.compile(rb"  what\(\): +([^\n]*)")
_RAISES = re.compile(rb"\n([^ \t\n][^\n]{0,600})")
"""The first line after a traceback that is not one of its own."""
_RAISED = re.compile(rb"([A-Za-z_][\w.]{0,80}(?:Error|Exception|Interrupt)\b[^\n]{0,400})")
_BEGINS = re.compile(
    rb"\n(?!I\d{4})(?=(?:\[[\d,]{1,9}\] ?)?F\d{4,8} |\[libprotobuf ERROR|\*\*\* |Killed|Segmentation fault|Bus error"
    rb"|Floating point ex|slurm|terminate called|Fatal Python|Aborted \(core|Traceback \(most recent|Out of memory)"
)
_KINDS = {
    "state": re.compile(rb"history_size\(\)|ncorrect length of history"),
    "weights": re.compile(rb"annot copy param|Incompatible number of blobs|number of blobs for layer"),
    "disk": re.compile(rb"SerializeToOstream|No space left|Cannot write to snapshot|H5Fcreate"),
    "at exit": re.compile(rb"driver shutting down"),
    "memory": re.compile(rb"out of memory|CUDNN_STATUS_ALLOC_FAILED|bad_alloc|cudaSuccess \(2 vs"),
    "gpu": re.compile(
        rb"CPU-only Caffe|unknown engine|no CUDA-capable|invalid device ordinal|driver version is insufficient"
        rb"|invalid device function|no kernel image"
    ),
    "cuda": re.compile(rb"cudaSuccess|CUDNN_STATUS|CUBLAS_STATUS|CURAND_STATUS|ncclSuccess"),
    "data": re.compile(
        rb"MDB_SUCCESS|mdb_status|leveldb|lmdb|Failed to open|Could not (?:open|find)|Failed to load HDF5|HDF5"
        rb"|No such file|Could not load|infile|can't open|file_id"
    ),
}
_NO_FIELD = re.compile(r'Message type "caffe\.(\w{1,100})" has no field named "(\w{1,100})"')
_TYPES = b" (known types: "
"""Of the factory of layers: the names of all that there are, HDF5Data among them, follow."""
_MOST = 600


class UnknownField(NamedTuple):
    """meant: the field that it was surely meant to be, "" where none is near. forks: those whose message has it."""

    name: str
    meant: str
    forks: tuple[str, ...]


def is_end(chunk: bytes) -> Iterator[int]:
    """Where lines begin that may tell of an end."""
    if _BEGINS.match(b"\n" + chunk[:200]):
        yield 0
    for found in _BEGINS.finditer(chunk):
        yield found.end()


def ending(chunk: bytes, start: int, run: Logged, line: Line) -> Ended | None:
    """What the line that begins there tells of an end; None where it tells of none."""
    if found := _FATAL.match(chunk, start):
        message = b" ".join([found[2], *_more(chunk, found.end())])
        said = message.removeprefix(b"Check failed: ").partition(b"*** Check failure")[0].partition(_TYPES)[0]
        return Ended(_kind(said), _text(said), _text(found[1]), run.creating, line)
    if parsing := _PARSING.match(chunk, start):
        return Ended("text", _text(parsing[1]), "", "", line)
    if chunk.startswith(b"Traceback (most recent", start):
        return _raised(chunk, start, run, line)
    if signal := _SIGNAL.match(chunk, start):
        message = chunk[start : start + 2000].partition(b"\n")[0]
        if named := _NAMED.match(chunk, start):
            message = named[1]
        if told := _SAYS.search(chunk, signal.end(), signal.end() + _MOST):
            message = told[1]
        kind = "memory" if _KINDS["memory"].search(message) else "signal"
        kind = "raised" if b"boost::python" in message or b"Fatal Python" in message else kind
        kind = "killed" if _FROM_OUTSIDE.search(message) else kind
        return Ended(kind, _text(message), "", run.creating, line)
    return None


def refusal_of(ended: Ended, recovered: Recovered) -> Refusal | None:
    """Why Caffe refused the net, by our model of it: what it says of the layer, or with the words of the check."""
    found = recovered.refusals
    named = [one for one in found if one.layer and one.layer == ended.layer]
    said = [one for one in found if one.caffe and one.caffe.lower() in ended.message.lower()]
    return next((one for one in (*(one for one in named if one in said), *said, *named)), None)


def unknown_field(ended: Ended) -> UnknownField | None:
    """None where protobuf stopped at something else."""
    found = _NO_FIELD.search(ended.message)
    message = getattr(messages, found[1], None) if found else None
    if found is None or message is None:
        return None
    facts = provenance().field(found[1], found[2])
    if facts is not None:
        return UnknownField(found[2], "", tuple(facts.forks))
    of_bvlc = [name for name, one in message_type(message.DESCRIPTOR).fields.items() if not one.fork_only]
    return UnknownField(found[2], suggest(found[2], of_bvlc) or "", ())


def _more(chunk: bytes, end: int) -> list[bytes]:
    """The lines of a message after its first one."""
    more: list[bytes] = []
    if not chunk.startswith(b"\n", end):
        return more
    for raw in chunk[end + 1 : end + _MOST].split(b"\n")[:2]:
        if not raw.strip() or re.match(rb"\*\*\*|    @|[IWEF]\d{4}|\[", raw):
            break
        more.append(raw.strip())
    return more


def _raised(chunk: bytes, start: int, run: Logged, line: Line) -> Ended:
    found = _RAISES.search(chunk, start, start + 20_000)
    return Ended("raised", _text(found[1]) if found else "", "", run.creating, line)


def _kind(message: bytes) -> str:
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(message)), "check")


def _text(raw: bytes) -> str:
    return " ".join(raw[:_MOST].decode("utf-8", "replace").split())
