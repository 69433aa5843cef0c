"""What several findings of a run have in common is said by one of them."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import normpath

from caffelint.lint.cause import Known
from caffelint.lint.finding import rank
from caffelint.lint.report import ReportedFinding

_APART = "; "


def said_once(static: Sequence[ReportedFinding], measured: Sequence[ReportedFinding]) -> tuple[ReportedFinding, ...]:
    """Findings of the check, then those of the run, each cause told once.

    A finding of the run takes in one of the check that it quotes at the same place, with its fixes; and of several with
    the same cause, the most severe gives it, to which the others refer.
    """
    told = list(measured)
    for number, one in enumerate(told):
        for other in static:
            if (quoted := _quoted(one, other)) is not None:
                told[number] = one = _with(one, other, quoted)
    taken = [other for one in measured for other in static if _quoted(one, other) is not None]
    order = sorted(range(len(told)), key=lambda number: -rank(told[number].severity))
    for place, number in enumerate(order):
        leads = [told[other] for other in order[:place]]
        lead = next((one for one in leads if _explains(one, told[number])), None)
        if lead is not None:
            told[number] = _referring(told[number], lead)
    left = [one for one in static if one not in taken]
    for number, one in enumerate(told):
        for other in left:
            if _repeats(one, other):
                told[number] = one = _joined(one, other) if _is_at(one, other) else _without(one, other)
                taken += [other] if _is_at(one, other) else []
    left = [one for one in left if one not in taken]
    return (*left, *told)


def _quoted(measured: ReportedFinding, static: ReportedFinding) -> Known | None:
    """What a finding of the run knows of one of the check, if that is at the same place and no louder."""
    place = normpath(static.file), static.line
    known = measured.cause.known if measured.cause is not None else ()
    found = (one for one in known if (one.name, normpath(one.file), one.line) == (static.name, *place))
    return next(found, None) if _is_at(measured, static) else None


def _is_at(measured: ReportedFinding, static: ReportedFinding) -> bool:
    """At the same place, and no louder?"""
    same = (normpath(measured.file), measured.line) == (normpath(static.file), static.line)
    return same and rank(measured.severity) >= rank(static.severity)


def _with(measured: ReportedFinding, static: ReportedFinding, known: Known) -> ReportedFinding:
    seen = f"see {known.where}"
    instead = [] if _repeats(measured, static) else [f"see {static.name}: {static.message}"]
    parts = [part for one in measured.evidence.split(_APART) for part in (instead if one == seen else [one])]
    return measured._replace(evidence=_APART.join(parts), fixes=measured.fixes or static.fixes)


def _reasons(finding: ReportedFinding) -> set[str]:
    cause = finding.cause
    return set(cause.why.split(_APART)) if cause is not None and cause.why else set()


def _explains(lead: ReportedFinding, finding: ReportedFinding) -> bool:
    """Do both have one cause at one place? Two layers may go wrong in the same way."""
    mine, its = finding.cause, lead.cause
    if mine is None or its is None or (mine.file, mine.line) != (its.file, its.line):
        return False
    return bool(_reasons(finding)) and _reasons(finding) <= _reasons(lead)


def _repeats(measured: ReportedFinding, static: ReportedFinding) -> bool:
    return set(static.message.split(_APART)) <= _reasons(measured)


def _joined(measured: ReportedFinding, static: ReportedFinding) -> ReportedFinding:
    return measured._replace(fixes=measured.fixes or static.fixes)


def _without(measured: ReportedFinding, static: ReportedFinding) -> ReportedFinding:
    """What the check says of the cause is said there, and in the verdict once more."""
    assert measured.cause is not None
    notes = measured.evidence.split(_APART)
    said = {*static.message.split(_APART), *notes}
    own = [one for one in measured.cause.why.split(_APART) if one not in said]
    where = f"{static.name} at {static.file}:{static.line}"
    told = f"{where} says why"
    notes = [one for one in notes if one != f"see {where}"]
    message, evidence = (
        _APART.join(one for one in parts if one) for parts in ((measured.cause.what, *own), (*notes, told))
    )
    return measured._replace(message=message, evidence=evidence)


def _referring(finding: ReportedFinding, lead: ReportedFinding) -> ReportedFinding:
    assert finding.cause is not None
    said = {*_reasons(finding), *(f"not {one}" for one in finding.cause.ruled_out)}
    place = f" at {lead.file}:{lead.line}" if lead.line else ""
    said.add(f"see {lead.name}{place}")
    own = [one for one in finding.evidence.split(_APART) if one not in said]
    evidence = _APART.join(one for one in (*own, f"{lead.name}{place} says why") if one)
    return finding._replace(message=finding.cause.what or finding.message, evidence=evidence)
