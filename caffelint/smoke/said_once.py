"""What several findings of a run have in common is said by one of them."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import normpath

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
            if _quotes(one, other):
                told[number] = one = _with(one, other)
    taken = [other for one in measured for other in static if _quotes(one, other)]
    order = sorted(range(len(told)), key=lambda number: -rank(told[number].severity))
    for place, number in enumerate(order):
        leads = [told[other] for other in order[:place]]
        lead = next((one for one in leads if _explains(one, told[number])), None)
        if lead is not None:
            told[number] = _referring(told[number], lead)
    return (*(one for one in static if one not in taken), *told)


def _quotes(measured: ReportedFinding, static: ReportedFinding) -> bool:
    place = normpath(static.file), static.line
    same = (normpath(measured.file), measured.line) == place and rank(measured.severity) >= rank(static.severity)
    known = measured.cause.known if measured.cause is not None else ()
    return same and any((one.name, normpath(one.file), one.line) == (static.name, *place) for one in known)


def _with(measured: ReportedFinding, static: ReportedFinding) -> ReportedFinding:
    where = f"{static.name} at {static.file}:{static.line}"
    said = "" if static.message in f"{measured.message}{measured.evidence}" else f": {static.message}"
    evidence = measured.evidence.replace(f"see {where}", f"see {static.name}{said}" if said else "")
    return measured._replace(evidence=evidence.removesuffix(_APART), fixes=measured.fixes or static.fixes)


def _reasons(finding: ReportedFinding) -> set[str]:
    cause = finding.cause
    return set(cause.why.split(_APART)) if cause is not None and cause.why else set()


def _explains(lead: ReportedFinding, finding: ReportedFinding) -> bool:
    return bool(_reasons(finding)) and _reasons(finding) <= _reasons(lead)


def _referring(finding: ReportedFinding, lead: ReportedFinding) -> ReportedFinding:
    assert finding.cause is not None
    said = {*_reasons(finding), *(f"not {one}" for one in finding.cause.ruled_out)}
    own = [one for one in finding.evidence.split(_APART) if one not in said]
    place = f" at {lead.file}:{lead.line}" if lead.line else ""
    message = finding.message if finding.cause.why not in finding.message else finding.cause.what
    evidence = _APART.join(one for one in (*own, f"{lead.name}{place} says why") if one)
    return finding._replace(message=message, evidence=evidence)
