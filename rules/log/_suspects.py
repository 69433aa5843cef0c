"""The suspects of a run that went wrong, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caffelint.evidence.log.rule import LogEvidence, Logged, Suspect
from caffelint.lint import CauseKind, Known, NamedTuple

from . import _suspect_data, _suspect_net, _suspect_solver

KINDS: dict[str, CauseKind] = {
    "rate": "rate",
    "slow-rate": "rate",
    "momentum": "momentum",
    "decay": "weight-decay",
    "l1": "weight-decay",
    "decay-mult": "weight-decay",
    "clip-gradients": "clip-gradients",
    "schedule": "schedule",
    "loss-weight": "loss-weight",
    "dominates": "loss-weight",
    "summed": "loss",
    "infogain": "data",
    "filler": "fillers",
    "no-weights": "fillers",
    "alike": "fillers",
    "bias": "fillers",
    "vanishes": "fillers",
    "saturates": "depth",
    "no-gradient": "layer",
    "frozen": "lr-mult",
    "lr-mult": "lr-mult",
    "dropout": "layer",
    "input": "input-scale",
    "targets": "target-scale",
    "labels": "labels",
    "records": "data",
    "domain": "layer",
    "eps": "layer",
    "statistics": "statistics",
    "delta": "delta",
    "index": "labels",
    "no-data": "layer",
    "no-scale": "fillers",
    "last-relu": "layer",
    "loaded": "weights",
    "python": "python-layer",
}


_SURE = 1.5


class Explained(NamedTuple):
    """most: the likeliest cause and its remedy, "" where nothing is known. others: what may be instead. kind: of it.

    known: what a check says of it. is_sure: is it that far out of the ordinary that it needs no other sign?
    """

    most: str = ""
    others: str = ""
    kind: CauseKind = "unknown"
    known: tuple[Known, ...] = ()
    is_sure: bool = False


WORDS: dict[str, Callable[[Suspect, str], str]] = _suspect_solver.WORDS | _suspect_net.WORDS | _suspect_data.WORDS


def explained(log: LogEvidence, run: Logged, effects: Sequence[str]) -> Explained:
    found = log.suspects(run, effects)
    if not found:
        return Explained()
    first, *rest = found
    known = tuple(one.known for one in found if one.known is not None)
    others = f"it may be instead: {'; '.join(_told(log, one) for one in rest)}" if rest else ""
    return Explained(
        f"most likely, {_told(log, first)}", others, KINDS.get(first.kind, "unknown"), known, first.score >= _SURE
    )


def unexplained(log: LogEvidence, run: Logged) -> str:
    """What would tell more, where nothing in the texts explains it."""
    if log.recovered(run).built is None:
        cut = any(text.kind == "net" and not text.whole for text in run.texts)
        part = "glog cut the net after 30,000 bytes, so only a check of its file can say more: `caffelint check`"
        return part if cut else ""
    return (
        "nothing in the solver and the net explains it, so look at the data (`caffelint data`: is the input about 1 in"
        " size and in random order, do labels and input belong together?), and at what each layer gives (`caffelint"
        " smoke`)"
    )


def _told(log: LogEvidence, one: Suspect) -> str:
    if one.known is not None:
        line = f" (line {one.known.line})" if one.known.line else ""
        if one.known.file != log.log.path and one.known.line:
            line = f" ({one.known.file}:{one.known.line})"
        return f"{one.known.message}{line} [{one.known.name}]"
    where = f" (line {one.line.number})" if one.line else ""
    return WORDS[one.kind](one, where)
