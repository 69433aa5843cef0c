"""What a check of the text says of a net that does not learn, with the change that it advises."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from caffelint.caffe.place import Place
from caffelint.caffe.states import TRAIN
from caffelint.lint.finding import CERTAIN, ERROR, INFO, Fix
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.run import Run

_OF_LEARNING = ("B", "D", "G", "I", "L", "N", "O", "S1", "S2", "W")
"""How the codes begin of rules on what a net computes and how it learns."""
_COMPUTED = "N"
"""Of those, the ones whose infos are worth a trial: they are computed from this net."""
_OF_RATES = ("base_lr", "lr_mult")
"""A lower rate hides much: the rate has a hypothesis of its own."""
_SURE, _LIKELY = 3.0, 2.0
_MOST = 4


def told(run: Run, known: Collection[Hypothesis]) -> Iterator[Hypothesis]:
    """What a check would change of the TRAIN net or its solver. field: `told`. known: what is tried, of other kinds."""
    changed = {edit for one in known for change in one.changes for edit in change.edits}
    kinds = {one.kind for one in known}
    number = 0
    for found in run.static:
        fix = _fix(found)
        if fix is None or changed.issuperset(fix.edits) or number == _MOST:
            continue
        if found.cause is not None and found.cause.kind in kinds and found.code.startswith(_COMPUTED):
            continue  # which a run has measured
        place = _place(run, found, fix)
        if place is None:
            continue
        number += 1
        sure = found.severity == ERROR or found.certainty == CERTAIN
        score = STRONG if found.severity == INFO else _SURE if sure else _LIKELY
        text = fix.title[4:] if fix.title.startswith(("set ", "add ")) else f"the fix of {found.name}"
        change = Change(text, fix.edits)
        yield Hypothesis("layer", place, score, (change,), "told", told=found)


def _fix(found: ReportedFinding) -> Fix | None:
    """Its only way to mend what may keep a net from learning."""
    rule = find_rule(found.code)
    of_learning = found.code.startswith(_COMPUTED if found.severity == INFO else _OF_LEARNING)
    if rule is None or not rule.is_built_in or not of_learning or (found.phases and TRAIN not in found.phases):
        return None
    able = [fix for fix in found.fixes if fix.edits]
    return able[0] if len(able) == 1 and not _changes_rates(able[0]) else None


def _changes_rates(fix: Fix) -> bool:
    return any(name in text for name in _OF_RATES for text in (fix.title, *(edit.text for _, edit in fix.edits)))


def _place(run: Run, found: ReportedFinding, fix: Fix) -> Place | None:
    """Where it is, in the solver or the TRAIN net."""
    for number, document in ((-1, run.solver.document), (0, run.nets[0].document)):
        if found.line is not None and found.file == document.path == fix.edits[0][0]:
            return run.line(found.line, number)._replace(layer=found.layer)
    return None
