"""The result of a run in a few sentences, from the causes of its findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os.path import normpath

from caffelint.caffe.states import TEST, TRAIN
from caffelint.lint.cause import Known, ReportedCause
from caffelint.lint.finding import CERTAIN, ERROR, INFO
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.lint.words import title
from caffelint.smoke.diagnosis.hypotheses import ADAPTIVE, CLIPPED
from caffelint.smoke.diagnosis.tried import cure, refuted
from caffelint.smoke.diagnosis.trouble import clipped, pull_of_decay
from caffelint.smoke.estimates import before_momentum, told_of_momentum
from caffelint.smoke.events import Crashed, NonFinite
from caffelint.smoke.looked import OF_FILES
from caffelint.smoke.loss import TAIL, constant_of, falls, goes_on, slowest
from caffelint.smoke.outcome import ABOVE, FALLS, FLAT, PART, UNSTEADY, outcome, tests_well
from caffelint.smoke.probed import probed
from caffelint.smoke.run import Run
from caffelint.smoke.trunk import outweighed
from caffelint.smoke.worse import below_chance, below_frequent

_WRONG_DATA = "it learns from wrong data"
_HEADS = {
    "refused-at-load": "it does not run",
    "python-layer-failed": "it does not run",
    "out-of-memory": "it does not fit",
    "paired-sources-differ": _WRONG_DATA,
    "label-not-whole": _WRONG_DATA,
    "label-outside-classes": "it learns from wrong labels",
    "targets-broadcast": "it learns something else",
    "label-out-of-range": "it learns from wrong labels",
    "maps-turned": "it learns from wrong labels",
    "drifting-data": "its data drifts away",
    "record-constant": "its data shows nothing",
    "non-finite-rate": "it breaks",
    "non-finite-forward": "it breaks",
    "non-finite-backward": "it breaks",
    "stage-only-in-testing": "it is tested on other values than it is trained on",
    "steps-mixed-up": "it learns nothing of the order of steps",
    "one-target-outweighs": "it learns one of its targets alone",
    "loss-leads-astray": "it follows another loss",
    "easiest-kept": "it learns from its easiest records alone",
    "answers-below-chance": "it learns to answer wrongly",
    "information-lost": "it learns nothing",
    "not-learning": "it learns nothing",
    "diverging": "it diverges",
    "numpy-warns": "its own code goes wrong",
    "dead-units": "part of it is dead",
    "wrong-gradient": "it follows a wrong gradient",
    "python-layer-waits": "it trains slowly",
    "timed-out": "it did not end",
    "constant-labels": "it learns nothing useful",
    "same-batch": "it learns a single batch",
    "cont-always-zero": "it learns nothing of the order of steps",
    "sequences-across-items": "it learns nothing of the order of steps",
    "cont-same-at-each-step": "it learns nothing of the order of steps",
    "same-scores": "it learns nothing useful",
    "records-repeated": "it learns nothing useful",
    "records-alike": "its data holds next to nothing",
    "labels-of-other-records": "it learns nothing so far",
    "values-vanish": "it may not learn",
    "update-out-of-scale": "it may not learn",
    "image-axes-mixed-up": "its images are scrambled",
    "channels-in-other-order": "it trains, but is tested on other colours",
    "train-test-disagree": "it trains, but tests badly",
    "tested-in-other-units": "it trains, but is tested on other values",
    "test-takes-long": "it seems to hang",
    "record-not-readable": "it will stop",
    "value-not-finite": "it will break",
    "sorted-by-label": "it learns one class at a time",
    "frequent-classes-weigh-more": "it learns the frequent classes alone",
}
"""By the rule of the finding, the most severe and certain first."""
_WHATEVER_IS_TRIED = ("record-constant", "stage-only-in-testing")
"""What no trial can cure."""
_FIRST_OF_DATA = "label-not-whole"
"""Before which an error of the data comes that has no head of its own."""
_CAVEATS = {
    "classes-unbalanced": "but not all classes",
    "class-ignored": "but not all classes",
    "files-left-out": "but from a part of its files",
    "value-far-from-others": "but a record of its data is far from all others",
    "mirrored-sides": "but not to tell left from right",
    "mirrored-answers": "but not to tell left from right",
    "decay-outweighs-loss": "but its decay outweighs its loss",
    "records-unlike-iterations": "but its test says little",
    "schedule-in-epochs": "but its rate drops too early",
}
"""What data keep from a net that trains, by the rule of the finding."""
_OF_SOLVER = ("weight-decay", "schedule")
"""Causes of such findings that the solver has."""
_BY_SIZE = ("SGD", "Nesterov")
"""Solvers whose updates are as large as their gradients."""
_LITTLE_DECAY = 0.0001
"""What is proposed where a larger weight_decay outweighs the loss."""
_LONGER = 6
"""Times as many iterations as it ran, that are proposed where these are too few."""
_LATER = ("learning-rate-grows", "moving-average-fraction-out-of-range")
"""What goes wrong after so many iterations."""
_OF_THE_DATA = frozenset(["non-finite-forward", "non-finite-backward", "diverging", "update-out-of-scale"])
_BY_DATA = {"rate": "the rate", "momentum": "the momentum", "schedule": "the schedule", "input-scale": "the scale"}
"""What is right follows from the data that is read, by the kind of cause."""
_GUESSED = ("refused-at-load", "python-layer-failed")
_TOLD = 3
_SEVERAL, _OFTEN = 3, 10
"""Times that each record was seen, after which a sound net has begun to learn, and has learned if it can."""
_OF_BATCHES = "batch-stats-in-testing"
"""What says that TEST depends on its batches, which these may stand."""
_SCHEDULE, _FALLEN = "learning-rate-vanishes", 0.1
"""A reason only once so little is left of the rate."""
_RANDOM = "frozen-without-weights"
"""An info, since weights are mostly loaded; where none are, a reason why a loss hardly moves."""
_OF_LEARNING = ("D", "I", "O", "S2", "W")
"""How the codes begin of those built-in rules that are on data, fillers, losses, what multiplies updates, and weights
that are loaded."""
_OF_RESULTS = ("B", "D", "G", "L", "O", "Y")
"""The same of what a net that trains learns all the same otherwise than was meant. Rates and fillers, which the run has
shown to do, are not among them."""
_OBJECTIONS = (*_OF_RESULTS, "E", "S", "W")
"""The same of all that a net which learns so far may still fail by: decay shows late, and no run follows a script."""
_NOT_MET = (*_LATER, "high-base-lr", "recurrent-without-clip-gradients")
"""What shows soon or is told apart, and what only may come."""


def verdict(run: Run, findings: Sequence[ReportedFinding]) -> str:
    """In one line. findings: of the whole report, those of the check among them."""
    return " ".join(sentences(run, findings))


def sentences(run: Run, findings: Sequence[ReportedFinding]) -> list[str]:
    """What happened, then why, what it is not, and how sure that is; none where nothing can be said."""
    heads = _heads(findings)
    order = list(heads)
    shown = [one for one in findings if one.name in heads and (one.severity != INFO or _is_of_the_run(one))]
    shown = [one for one in shown if not _of_gpu(one) and not _is_beside(one)]
    if not shown:
        text = _sound(run, findings)
        return [text + _ends_all_the_same(findings) + _elsewhere(findings)] if text else []
    # What Caffe refuses of data that was made up may be the guess.
    lead = min(shown, key=lambda one: (one.name in _GUESSED and one.severity != ERROR, order.index(one.name)))
    best = cure(run)
    if best is not None and not _is_of_the_run(lead) and lead.name not in _WHATEVER_IS_TRIED:
        # What was tried, and cured, says more than what was read.
        same = [one for one in shown if _is_of_the_run(one) and _kind(one) == best.hypothesis.kind]
        lead = min(same, key=lambda finding: order.index(finding.name), default=lead)
    where = f" ({lead.file}:{lead.line})" if lead.line else ""
    head = heads[lead.name]
    if lead.name in _GUESSED and lead.severity != ERROR:
        head = "it was not run"
    if lead.name == "not-learning" and lead.severity != ERROR:
        head = "it hardly learns"
    if lead.name == "information-lost" and outcome(run).learns:
        head = "it learns its records by heart"
    if lead.name == "labels-of-other-records" and outcome(run).learns:
        head = heads["label-out-of-range"]
    cause = lead.cause or ReportedCause("unknown", lead.message, "", lead.certainty, lead.file, lead.line)
    said = [f"{head}: {cause.what}{where}."]
    if cause.why:
        elsewhere = cause.line is not None and (cause.file, cause.line) != (lead.file, lead.line)
        # What the data tells is its own reason.
        what = "Why" if _is_of_the_run(lead) else "Remedy"
        said.append(f"{what}{f' ({cause.file}:{cause.line})' if elsewhere else ''}: {cause.why}.")
    if cause.ruled_out:
        said.append(f"It is not {'; not '.join(cause.ruled_out)}.")
    said.append(_how_sure(run, lead, cause))
    tested = best is not None and best.hypothesis.kind == cause.kind
    if run.synthetic and (tested or lead.name in _OF_THE_DATA or lead.certainty != CERTAIN):
        why = f", because {run.fed.made_up[0].why}" if run.fed.made_up else ""
        other = "real data may behave differently"
        if cause.kind in _BY_DATA:
            other = f"{_BY_DATA[cause.kind]} for real data may be another one, so run again with that before you set it"
        said.append(f"The data is synthetic{why}; {other}.")
    if lead.name == "timed-out" and run.iterations:
        first, last = run.iterations[0].loss, run.iterations[-1].loss
        if run.finite:
            said.append(f"Every value was finite until then, loss {first:.4g} to {last:.4g}.")
        if told := _told([one for one in findings if _is_of_learning(one) and one.severity != INFO]):
            said.append(f"A check of the files reports what may keep it from learning: {told}.")
    if lead.name != "timed-out" and run.first(Crashed) is not None:
        said.append("The process crashed then, as it may after such values.")
    known = {one.name for finding in shown if finding.cause for one in finding.cause.known}
    known |= {lead.name, "timed-out"}
    others = list(dict.fromkeys(finding.name for finding in shown if finding.name not in known))
    if others:
        quoted = _listed([f'"{name}"' for name in others])
        whose = f"The finding {quoted} probably has" if len(others) == 1 else f"The findings {quoted} probably have"
        said.append(f"{whose} the same cause.")
    known_to_check = [one for finding in shown if finding.cause for one in finding.cause.known]
    seen = list(dict.fromkeys(one.where for one in known_to_check if not _is_at(one, lead)))
    if seen:
        said.append(f"A check of the files also reports {_listed(seen)}.")
    return [one for one in said if one]


def _heads(findings: Sequence[ReportedFinding]) -> dict[str, str]:
    """With those of other rules whose findings are errors of the data: a run that learns from these proves nothing."""
    faults = [one.name for one in findings if one.severity == ERROR and _is_of(one, "dataset")]
    known, at = list(_HEADS.items()), list(_HEADS).index(_FIRST_OF_DATA)
    return dict([*known[:at], *((name, _WRONG_DATA) for name in faults if name not in _HEADS), *known[at:]])


def _sound(run: Run, findings: Sequence[ReportedFinding]) -> str:
    if not run.iterations or len(run.iterations) < run.asked or run.first(NonFinite) is not None:
        return ""
    how = outcome(run)
    first, last = run.iterations[0].loss, run.iterations[-1].loss
    count = f"{how.iterations} iteration{'s' if how.iterations > 1 else ''}, every value finite"
    loss = f"loss {first:.4g} to {last:.4g}" if how.iterations > 1 else f"loss {first:.4g}"
    sure = _sure(findings)
    built_up = [one for one in findings if told_of_momentum(one) and one.severity != INFO and before_momentum(run)]
    head = ("it trains so far" if sure or built_up else "it trains") if how.learns else "it runs"
    part = slowest(run) if how.moves == PART else None
    slowly = part is not None and goes_on(run, part[0])
    if slowly:
        head = "it trains so far"
    objects = [one for one in findings if how.learns and one not in sure[:1] and _is_objection(one)]
    if tests_well(run):
        objects = [one for one in objects if one.name != _OF_BATCHES]
    if how.tests_badly:
        head += ", but TEST is worse than guessing"
    if (below := below_chance(run)) is not None:
        head = "it runs, but answers worse than by chance"
    if any(one.net == 0 for one in how.made_up):
        head = "it learns from synthetic data" if how.learns else "it runs on synthetic data"
    beside = [one for one in findings if one.name in _CAVEATS and one.cause is not None and one.severity != INFO]
    if not how.learns:
        beside += [one for one in findings if one not in beside and one.severity != INFO and _is_of(one, "dataset")]
    if how.tests_badly:
        beside += [one for one in findings if one.name == OF_FILES]
    objects = [one for one in objects if one not in beside]
    if not how.tests_badly:
        if how.hardly and head == "it trains":
            head = "it hardly trains so far"
        elif how.learns and beside:
            head += f", {_CAVEATS[beside[0].name]}"
        elif objects and not sure:
            head += ", but the check objects"
            if (seldom := below_frequent(run)) is not None:
                head = f"it trains, but {seldom.accuracy:.2g} of its answers in TEST are right, where always to answer"
                head += f" {seldom.label} gives {seldom.share:.2g}"
    under = outweighed(run) if how.moves == FALLS and how.seen >= _SEVERAL and not how.tests_badly else None
    if under is not None and head == "it trains":
        head = "it trains for one loss, not for another"
    parts = [f"{head}: {count}, {loss}"]
    if how.seen:
        parts.append(_share(how.seen, how.records))
    if below is not None:
        text = (
            f'"{below.layer.tops[0].name}" is {below.accuracy:.2g} of {below.records:,} records of TEST, and an answer'
        )
        parts.append(f"{text} that is always the same gives {below.least:.2g} at least")
    if how.iterations < 2 * TAIL:
        parts.append("too few to tell whether it learns")
    elif how.tests_badly:
        text = (
            f"the TEST loss is {how.tested:.4g}, worse than the {how.tested_constant:.4g} of an answer that is always"
            " the same"
        )
        of_test = any(one.phases == (TEST,) for one in objects)
        if not of_test and not any(one.name == "classes-unbalanced" for one in beside):
            figures = probed(run)
            unknown = ", so what it learned may be its records by heart, or labels that are not theirs"
            text += f"; {figures}" if figures else unknown
        parts.append(text)
    elif how.hardly:
        tested = not math.isnan(how.tested)
        last, constant = (how.tested, how.tested_constant) if tested else (how.last, how.constant)
        text = f"the {'TEST ' if tested else ''}loss is {last:.4g}, and an answer that is always the same gives"
        parts.append(f"{text} {constant:.4g}")
    elif how.by_test:
        weighted = any(one not in (0, 1) for layer in run.loss_layers for one in layer.loss_weights)
        text = f"the TRAIN loss goes up and down, but the TEST loss is {how.tested:.4g}"
        parts.append(text + " with its loss_weight" * weighted)
    elif how.moves == ABOVE:
        parts.append(
            f"the loss falls, but the best constant prediction gives {how.constant:.4g}, so the loss does not yet show"
            " whether the net learns from its input"
        )
    elif part is not None:
        layer, began, ended = part
        text = f"the loss falls, but that of {title(layer)} does not so far: {began:.4g} to {ended:.4g}"
        drowned = outweighed(run)
        if drowned is not None and drowned.loss is layer and not (slowly and falls(began, ended)):
            text += f"; at what both train the gradient of {title(drowned.other)} is {_times(drowned.times)} times as"
            text += f" large, so if that stays so, try loss_weight: {drowned.heavier:g} at {title(layer)}"
        elif falls(began, ended):
            near = constant_of(run, layer)
            text = f"the loss falls, but that of {title(layer)} only to {ended:.4g}; an answer that is always the same"
            text += f" gives {near:.4g}"
            if slowly:
                text = (
                    f"the loss of {title(layer)} still falls, {began:.4g} to {ended:.4g}, and shows that the net learns"
                )
                text += f" once it is below the {near:.4g} of an answer that is always the same"
        parts.append(text)
    elif under is not None:
        text = f"but the loss of {title(under.loss)} only to {under.last:.4g}; an answer that is always the same gives"
        text += f" {under.near:.4g}, and at what both train the gradient of {title(under.other)} is"
        text += f" {_times(under.times)}"
        parts.append(f"{text} times as large; try loss_weight: {under.weight:g} at {title(under.other)}")
    elif how.moves == UNSTEADY:
        parts.append(f"the loss goes up and down; too few iterations to tell whether the net learns{_longer(run)}")
    elif how.moves == FLAT:
        stays = (
            f"the loss has hardly moved so far; too few iterations to tell{_longer(run)} whether the net learns slowly"
        )
        if how.seen >= _OFTEN:
            stays = "the loss has hardly moved all the same, and nothing that was measured tells whether the net only"
            stays += " learns slowly"
        if figures := "" if run.synthetic else probed(run):
            stays += f"; {figures}"
        elif not run.synthetic:
            stays += ", or whether labels do not belong to their records"
        times, limit = clipped(run), run.solver.message.clip_gradients
        if times > CLIPPED and run.solver.type in _BY_SIZE:
            stays += (
                f"; clip_gradients: {limit:g} makes its gradient {times:.2g} times shorter, as a lower base_lr would,"
            )
            stays += f" so if it stays so, try clip_gradients: {float(f'{limit * times:.1g}'):g}"
        decay, value = pull_of_decay(run), run.solver.message.weight_decay
        if decay > 1 and value > _LITTLE_DECAY and run.solver.type in ADAPTIVE:
            stays += f"; weight_decay: {value:g} adds {decay:.2g} times as much to the gradients as the loss does, and"
            stays += (
                f" {run.solver.type} takes steps of one size, so weights go to 0; try weight_decay: {_LITTLE_DECAY:g}"
            )
        parts.append(stays)
    best, vain = cure(run), set[ReportedFinding | None]()
    if best is not None and best.hypothesis.is_warned and how.learns:
        vain = {one.hypothesis.told for one in refuted(run.tried)}
        objects = [one for one in objects if one not in vain]
        parts.append(f"tried: with {best.change.text} it ends at {best.last:.4g} after {best.iterations} iterations")
    text = "; ".join(parts)
    later = (one for one in findings if one.name in _LATER and one.severity != INFO or one in built_up)
    if rising := next(later, None):
        text += f". The run does not get to it, but {rising.message} ({rising.file}:{rising.line})"
    if how.iterations >= 2 * TAIL:
        slows = [one for one in findings if _is_of_learning(one) and one.severity != INFO and one not in sure[:1]]
        slows = [one for one in slows if one not in vain]
        if how.moves in (FLAT, UNSTEADY) and not run.loaded:
            slows += [one for one in findings if one.name == _RANDOM]
        if how.moves in (FLAT, UNSTEADY) and run.iterations[-1].rate < _FALLEN * run.iterations[0].rate:
            slows += [one for one in findings if one.name == _SCHEDULE]
        if how.moves == FALLS:
            slows = [one for one in slows if one.certainty == CERTAIN]
        else:
            slows += [one for one in findings if one not in slows and _is_of_results(one) and _is_of_training(one)]
        told = _told(slows)
        what = "keeps it from learning well" if how.moves == FALLS else "may be the reason"
        text += f". A check of the files reports what {what}: {told}" if told else ""
        said = [(one.file, one.line) for one in beside]
        if told := _told([one for one in objects if one not in slows and (one.file, one.line) not in said]):
            text += f". A check of the files reports {told}"
    for found in beside:
        whose = "solver" if found.cause is not None and found.cause.kind in _OF_SOLVER else "data"
        text += f". The {whose}: {found.message} ({found.file}:{found.line})"
    for one in how.made_up[:1]:
        place = run.place(one.layer, one.net)
        text += (
            f". The {one.phase} data is synthetic ({place.document.path}:{place.line}), because {one.why}; real data"
        )
        text += " may behave differently"
    return text


def _longer(run: Run) -> str:
    """How to let it run on; empty where the solver itself ends here."""
    number = min(run.solver.message.max_iter, _LONGER * run.asked)
    return f" (--iterations {number} may)" if number > run.asked else ""


def _share(seen: float, records: int) -> str:
    """How much of the data of TRAIN was seen. seen: how often each record was, on average."""
    if seen >= 1:
        return (
            f"each of the {records:,} records was seen {_times(seen)} times" if seen >= 2 else "all records were seen"
        )
    return f"{100 * seen:.2g}% of the {records:,} records were seen"


def _times(count: float) -> str:
    """At two digits, without an exponent."""
    return f"{float(f'{count:.2g}'):,.10g}"


def _sure(findings: Sequence[ReportedFinding]) -> list[ReportedFinding]:
    """The certain errors of the check that a forced run did not meet."""
    return [one for one in findings if (one.severity, one.certainty) == (ERROR, CERTAIN) and not _is_of_evidence(one)]


def _ends_all_the_same(findings: Sequence[ReportedFinding]) -> str:
    told = _told(_sure(findings)[:1])
    return f"; but the check reports a certain error: {told}" if told else ""


def _of_gpu(finding: ReportedFinding) -> bool:
    return finding.cause is not None and finding.cause.kind == "gpu"


def _is_beside(finding: ReportedFinding) -> bool:
    """Copies keep nothing from being learned, but where many have another label; nor do a few blank records."""
    return finding.name in ("records-repeated", "record-constant") and finding.cause is None


def _elsewhere(findings: Sequence[ReportedFinding]) -> str:
    """What this run did not meet, and training will."""
    return "".join(
        f". This run was on the CPU: {one.message} ({one.file}:{one.line})" for one in findings if _of_gpu(one)
    )


def _told(findings: Sequence[ReportedFinding]) -> str:
    """Each once; of one rule in several places, what it says of the first."""
    places: dict[str, list[ReportedFinding]] = {}
    for one in findings:
        places.setdefault(one.name, []).append(one)
    return ", ".join(
        f"{name} at {found[0].file}:{found[0].line} ({found[0].message}){_and_there(found[1:])}"
        for name, found in [*places.items()][:_TOLD]
    )


def _and_there(findings: Sequence[ReportedFinding]) -> str:
    if len(findings) > 1:
        return f" and in {len(findings)} more places"
    return "".join(f" and at {one.file}:{one.line}" for one in findings)


def _is_at(known: Known, lead: ReportedFinding) -> bool:
    return (normpath(known.file), known.line) == (normpath(lead.file), lead.line)


def _kind(finding: ReportedFinding) -> str:
    return finding.cause.kind if finding.cause is not None else ""


def _is_of_learning(finding: ReportedFinding) -> bool:
    rule = find_rule(finding.code)
    return rule is not None and _is_of_training(finding) and rule.is_built_in and rule.code.startswith(_OF_LEARNING)


def _is_of_training(finding: ReportedFinding) -> bool:
    return not finding.phases or TRAIN in finding.phases


def _is_of_results(finding: ReportedFinding) -> bool:
    rule = find_rule(finding.code)
    wrong = finding.severity != INFO and not _is_of_evidence(finding) and not _of_gpu(finding)
    return wrong and rule is not None and rule.is_built_in and rule.code.startswith(_OF_RESULTS)


def _is_objection(finding: ReportedFinding) -> bool:
    """Is it of what a run of a few iterations does not refute?"""
    rule = find_rule(finding.code)
    if finding.severity == INFO or finding.name in _NOT_MET or _of_gpu(finding):
        return False
    return rule is not None and rule.is_built_in and rule.code.startswith(_OBJECTIONS)


def _is_of_the_run(finding: ReportedFinding) -> bool:
    return _is_of(finding, "smoke")


def _is_of_evidence(finding: ReportedFinding) -> bool:
    """Is it of a run, or of weights or data, which this run has met already if they end it?"""
    return _is_of(finding, "smoke", "weights", "dataset")


def _is_of(finding: ReportedFinding, *kinds: str) -> bool:
    rule = find_rule(finding.code)
    return rule is not None and rule.kind in kinds


def _how_sure(run: Run, lead: ReportedFinding, cause: ReportedCause) -> str:
    best = cure(run)
    if best is not None and best.hypothesis.kind == cause.kind:
        return f"The cause was found by experiment{', with synthetic data' if run.synthetic else ''}."
    if run.tried and cause.kind == "unknown":
        return "What happened is certain; its cause was not found." if lead.certainty == CERTAIN else ""
    if cause.kind == "python-layer" and cause.why and cause.certainty == CERTAIN:
        return "This is certain."  # its own code was measured
    if lead.certainty != CERTAIN:
        return "This is likely, but not proved."
    if cause.why and cause.certainty != CERTAIN:
        return "What happened is certain; the cause given is the most likely one."
    return "This is certain."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
