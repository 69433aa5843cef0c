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


def evidence(*parts: str, known: Sequence[Known] = ()) -> str:
    """The parts that say something, then what rules of the text say of the same."""
    seen = "; ".join(f"{one.where}: {one.message}" for one in known)
    return "; ".join(part for part in (*parts, seen and f"see {seen}") if part)


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
        evidence=evidence(*notes, known=cause.known),
        severity=severity,
        certainty=certainty,
        fixes=fixes,
        cause=cause._replace(why="; ".join(part for part in (cause.why, *notes) if part)),
    )
