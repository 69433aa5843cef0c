"""The records of the batch that broke, in words."""

from __future__ import annotations

from caffelint.lint import title
from caffelint.smoke.rule import LABEL, NOT_FINITE, BadRecord, Batch, BuiltLayer, NonFinite, Run

from ._numbers import extent, number

_NAMED = 3
_FEW = 0.2


def batch_of(run: Run, net: int) -> Batch | None:
    """The batch that a net read, if its records were looked at: the one that holds a bad record first."""
    found = [one for one in run.all(Batch) if one.net == net]
    return max(found, key=lambda one: len(one.bad), default=None)


def bad_records(batch: Batch) -> str:
    """`record 181 of train.h5 holds 1 value that is not finite in "data"; the other 7 records of its batch ...`."""
    shown = [BadRecord(*one) for one in batch.bad[:_NAMED]]
    more, alike = len(batch.bad) - len(shown), {_held(one) for one in shown}
    text = ", ".join(f"{one.name} holds {_held(one)}" for one in shown) + (f", and {more} more" if more else "")
    if len(shown) > 1 and len(alike) == 1:
        names = [one.name for one in shown] + ([f"{more} more"] if more else [])
        text = f"{', '.join(names[:-1])} and {names[-1]} hold {alike.pop()}"
    if batch.number < 0:
        return f"of the {batch.read} records read, {text}"
    others = len(batch.names) - sum(one[0] in batch.names for one in batch.bad)
    if others and any(one[0] in batch.names for one in batch.bad):
        text += f"; the other {others} of its batch {'are' if others > 1 else 'is'} normal"
    if any(BadRecord(*one).below for one in batch.bad[:_NAMED]):
        text += "; a log of 0 gives -inf"
    if batch.later:
        text += f"; {batch.later} more of the {batch.read} records read are like it"
    return f"{text}; caffe train reads it in iteration {batch.iteration}"


def of_batch(run: Run, layer: BuiltLayer) -> tuple[str, str]:
    """What the batch holds without which a run went well, and advice: the records that are not as the others are, or,
    where none is, all of them."""
    batch = next((event for event in run.all(Batch) if not event.net and event.layer == layer.name), None)
    bad = [one for one in batch.bad if one[1] != LABEL] if batch is not None else []
    if batch is not None and bad:
        advice = "correct or remove it" if len(bad) + batch.later == 1 else "correct or remove them"
        return f"{bad_records(batch._replace(bad=bad))}; {advice}", ""
    if batch is not None and batch.names:
        return f"{title(layer)} reads {batch.names[0]} to {batch.names[-1]} in iteration {batch.iteration}", ""
    return "the batch", ""


def _held(one: BadRecord) -> str:
    if one.kind == NOT_FINITE:
        values = f"{one.nan + one.inf} values of " if one.nan + one.inf > 1 else ""
        kind = "nan" if one.nan else "-inf" if one.below == one.inf else "inf"
        return f'{kind} in {values}"{one.top}"'
    largest = max(abs(one.min), abs(one.max))
    if one.kind == LABEL:
        held = extent(one.min, one.max) if one.min != one.max else number(one.max)
        return f'{held} as "{one.top}"'
    worst = f"down to {number(one.min)}" if -one.min == largest else f"up to {number(largest)}"
    return f'{worst} in "{one.top}", but most hold up to {number(one.usual)}'


def row(run: Run, event: NonFinite) -> list[str]:
    """The record in whose row a layer gives what is not finite, where that is one of a batch in order."""
    batch = batch_of(run, event.net)
    layer = run.layer(event.layer, event.net)
    shape = next((top.shape for top in layer.tops if top.name == event.name), None) if layer is not None else None
    if batch is None or len(event.rows) != 1 or not shape or shape[0] != len(batch.names) or shape[0] < 2:
        return []
    return [f"it happens with {batch.names[event.rows[0]]}"]


def bad_labels(run: Run, top: str) -> str:
    """The records that hold labels outside of the classes, where they are few."""
    for batch in run.all(Batch):
        bad = [one for one in batch.bad if (one[1], one[2]) == (LABEL, top)]
        if bad and not batch.net and len(bad) + batch.later <= _FEW * batch.read:
            return bad_records(batch._replace(bad=bad))
    return ""
