"""Findings in the words of their causes."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import Cause, Finding, Fix, Known, Place, listed, title
from caffelint.lint.built import shape_text as text
from caffelint.smoke.rule import Run, SmokeRule


def subject(run: Run, layer: str, net: int = 0) -> str:
    """A layer that an event names, as the subject of a message."""
    found = run.layer(layer, net)
    return title(found) if found is not None else f'layer "{layer}"'


def evidence(*parts: str, known: Sequence[Known] = (), ruled_out: Sequence[str] = ()) -> str:
    """The parts that say something, then what it is not, and which rules of the text say something of the same."""
    others = [f"not {one}" for one in ruled_out]
    return "; ".join(part for part in (*parts, *others, *(f"see {one.where}" for one in known)) if part)


def guessed(run: Run) -> str:
    """Which shapes of data were assumed, if any; then what Caffe refuses may be the guess."""
    if not run.fed.assumed:
        return ""
    shown = listed([f'"{one.top}" {text(one.shape)}' for one in run.fed.assumed[:3]])
    top = run.fed.assumed[0].top
    return f"the data is synthetic, and its shape was guessed ({shown}); if it is not so, give --input-shape {top}=..."


def worded(
    rule: SmokeRule,
    place: Place,
    cause: Cause,
    *notes: str,
    severity: str | None = None,
    certainty: str | None = None,
    fixes: tuple[Fix, ...] = (),
) -> Finding:
    """A finding that says `what: why`. notes: what else there is to say of why, as its evidence."""
    return rule.finding(
        place,
        f"{cause.what}: {cause.why}" if cause.why else cause.what,
        evidence=evidence(*notes, known=cause.known, ruled_out=cause.ruled_out),
        severity=severity,
        certainty=certainty,
        fixes=fixes,
        cause=cause._replace(why="; ".join(part for part in (cause.why, *notes) if part)),
    )
