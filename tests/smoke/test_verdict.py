"""The sentence at the end of a run."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caffelint.caffe.solver import Solver
from caffelint.lint.cause import Known, ReportedCause
from caffelint.lint.file import load
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.rules.smoke.not_learning import NotLearning
from caffelint.rules.smoke.train_test_disagree import TrainTestDisagree
from caffelint.smoke import verdict as verdicts
from caffelint.smoke.alike import Neighbours
from caffelint.smoke.events import Event, Iteration, LossGradient, to_line
from caffelint.smoke.outcome import outcome
from caffelint.smoke.run import Run
from caffelint.smoke.trunk import outweighed
from caffelint.smoke.verdict import verdict


def finding(
    code: str, name: str, certainty: str, what: str, why: str = "", sure: str = "certain", known: tuple[Known, ...] = ()
) -> ReportedFinding:
    values: dict[str, Any] = dict.fromkeys(ReportedFinding._fields, ())
    values |= {"code": code, "name": name, "severity": "error", "certainty": certainty, "file": "n.prototxt", "line": 7}
    cause = ReportedCause("unknown", what, why, sure, "n.prototxt", 7, known)
    words = {"message": "may be worded in any way: or so", "evidence": "it may, too. see softmax-twice at n.prototxt:3"}
    return ReportedFinding(**values | words | {"cause": cause})


def run(*losses: float) -> Run:
    solver = load(b'net: "n.prototxt" base_lr: 1', "s.prototxt").solver
    assert isinstance(solver, Solver)
    events = [Iteration(at, 1, loss, {}) for at, loss in enumerate(losses)]
    return Run(solver, [], [], events, synthetic=False, asked=len(losses))


@pytest.mark.parametrize(
    ("losses", "text"),
    [
        ((6.905,), "it runs: 1 iteration, every value finite, loss 6.905; too few to tell whether it learns"),
        ((2.3, 2.2, 2.0), "it runs: 3 iterations, every value finite, loss 2.3 to 2; too few to tell"),
        (
            (2.3,) * 10,
            "the loss has hardly moved so far; too few iterations to tell whether the net learns slowly,"
            " or whether labels do not belong to their records",
        ),
        ((1.2, 1.5) * 5, "the loss goes up and down; too few iterations to tell whether the net learns"),
        ((2.3, 2.2, 2.1, 2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4), "it trains: 10 iterations, every value finite"),
    ],
)
def test_a_run_without_findings(losses: tuple[float, ...], text: str) -> None:
    assert text in verdict(run(*losses), [])


@pytest.mark.parametrize(
    ("agree", "beyond", "labels", "text"),
    [
        (0.9, 30.0, True, 'has the same "label" in 90% of cases, where any order gives 10%: the data tells it, so the'),
        (0.11, 0.4, True, "in 11% of cases, where any order gives 10%: nearness does not tell it"),
        (0.6, 30.0, False, '"label" correlates by 0.60 with that of the nearest other record, where any order gives'),
        (0.2, 5.0, True, "too few iterations to tell whether the net learns slowly, or whether labels do not belong"),
    ],
)
def test_whether_the_data_tells_the_labels(agree: float, beyond: float, labels: bool, text: str) -> None:
    flat = run(*(2.3,) * 10)
    flat.events = [*flat.events, Neighbours("label", 600, 1, 1, agree, 0.1, beyond, labels=labels)]
    assert text in verdict(flat, [])


def test_more_of_records_that_were_read_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "outcome", lambda run: outcome(run)._replace(seen=12.0, records=40))
    text = verdict(run(*(2.3,) * 10), [])
    assert "each of the 40 records was seen 12 times; the loss has hardly moved all the same" in text
    assert "too few" not in text


def test_a_run_that_a_check_objects_to() -> None:
    found = [finding("S004", "test-settings-mismatch", "certain", "1 test_iter, but no test net")]
    ending = (
        "; but the check reports a certain error: test-settings-mismatch at n.prototxt:7 (may be worded in any way: or"
    )
    assert ending in verdict(run(2.3, 2.0), found)


def test_a_certain_error_that_a_forced_run_did_not_meet_is_told_once() -> None:
    found = [finding("S202", "momentum-out-of-range", "certain", "momentum 1.05 is not below 1")]
    text = verdict(run(*(2.3 - at / 10 for at in range(10))), found)
    assert text.startswith("it trains so far: ")
    assert text.count("momentum-out-of-range") == 1


def test_a_loss_that_hardly_moves_for_a_reason_in_the_text() -> None:
    found = [
        finding("O002", "softmax-twice", "certain", "no loss below 1.46 can be reached")._replace(severity="warning")
    ]
    ending = "softmax-twice at n.prototxt:7 (may be worded in any way: or so)"
    assert verdict(run(*(2.3,) * 10), found).endswith(f"A check of the files reports what may be the reason: {ending}")
    falls = run(*(2.3 - at / 10 for at in range(10)))
    assert verdict(falls, found).endswith(f"A check of the files reports what keeps it from learning well: {ending}")


@pytest.mark.parametrize(
    ("code", "name", "phases"),
    [
        ("O020", "rectified-scores", ()),
        ("G003", "unused-blob", ("TRAIN",)),
        ("D009", "train-test-transform", ("TEST",)),
    ],
)
def test_a_net_that_trains_carries_what_a_check_objects_to(code: str, name: str, phases: tuple[str, ...]) -> None:
    """The loss falls all the same, so that a bare "it trains" would hide what is wrong."""
    found = [finding(code, name, "likely", "")._replace(severity="warning", phases=phases)]
    falls = run(*(2.3 - at / 10 for at in range(10)))
    said = verdict(falls, found)
    assert said.startswith("it trains, but the check objects: 10 iterations")
    assert said.endswith(f". A check of the files reports {name} at n.prototxt:7 (may be worded in any way: or so)")
    assert verdict(falls, [found[0]._replace(severity="info")]).startswith("it trains: ")


@pytest.mark.parametrize(("code", "name"), [("S201", "high-base-lr"), ("N101", "first-updates-too-large")])
def test_a_run_refutes_what_is_only_guessed_of_its_rate(code: str, name: str) -> None:
    found = [finding(code, name, "likely", "")._replace(severity="warning")]
    assert name not in verdict(run(*(2.3 - at / 10 for at in range(10))), found)


def test_what_and_why_come_of_the_cause_alone() -> None:
    found = [finding("X107", "refused-at-load", "certain", 'Log "a": Caffe aborts', "two values")]
    assert (
        verdict(run(), found)
        == 'it does not run: Log "a": Caffe aborts (n.prototxt:7). Why: two values. This is certain.'
    )
    found = [finding("X104", "diverging", "likely", "the loss rises", "base_lr 10 is too high")]
    assert verdict(run(), found).startswith("it diverges: the loss rises (n.prototxt:7). Why: base_lr 10 is too high.")


def test_a_finding_without_a_cause() -> None:
    found = finding("X107", "refused-at-load", "certain", "")._replace(cause=None, message="it ends: so it does")
    assert verdict(run(), [found]) == "it does not run: it ends: so it does (n.prototxt:7). This is certain."


def test_the_gravest_leads_and_the_rest_is_joined() -> None:
    rate = Known("high-base-lr", "s.prototxt", 2, "base_lr 10 is high")
    found = [
        finding("X104", "diverging", "likely", "the loss rises", known=(rate,)),
        finding("X101", "non-finite-forward", "certain", 'InnerProduct "fc": inf', "base_lr 10 is too high", "likely"),
    ]
    assert verdict(run(2.3, 9), found) == (
        'it breaks: InnerProduct "fc": inf (n.prototxt:7). Why: base_lr 10 is too high. What happened is certain; the'
        ' cause given is the most likely one. The finding "diverging" probably has the same cause. A check of the files'
        " also reports high-base-lr at s.prototxt:2."
    )
    assert "This is likely, but not proved." in verdict(run(2.3, 9), found[:1])


def test_every_rule_of_a_run_has_a_place_in_it() -> None:
    from caffelint.smoke import verdict as module

    rules = Path(__file__).parents[2] / "rules" / "smoke"
    names = {
        line.split('"')[1]
        for path in rules.glob("*.py")
        for line in path.read_text().splitlines()
        if line.startswith('    name = "')
    }
    assert names - set(module._HEADS) - set(module._CAVEATS) == {"base-lr-breaks", "runs-part", "bad-batch"}


def test_codes_of_other_packs_are_of_no_family_by_chance() -> None:
    """`OUR1` begins as the codes of losses do, `XYZ1` as those of runs."""
    slows = [finding("OUR1", "our-names", "certain", "a name")._replace(severity="warning")]
    assert "the reason" not in verdict(run(*(2.3,) * 10), slows)
    objects = [finding("XYZ1", "our-layers", "certain", "a layer that is not there")]
    assert verdict(run(2.3, 2.0), objects).endswith(
        "; but the check reports a certain error: our-layers at n.prototxt:7 (may be worded in any way: or so)"
    )


def test_data_that_cannot_be_read_goes_before_what_is_refused_of_a_guess() -> None:
    guess = finding("X107", "refused-at-load", "likely", "Caffe aborts")._replace(severity="warning")
    missing = finding("E107", "record-not-readable", "certain", "a file is missing")
    assert verdict(run(), [guess, missing]).startswith("it will stop: a file is missing")
    assert verdict(run(), [guess]).startswith("it was not run: Caffe aborts")


def test_what_only_testing_does_keeps_nothing_from_learning() -> None:
    mirrored = finding("D010", "augmentation-in-testing", "certain", "testing mirrors its images")
    found = [mirrored._replace(severity="warning", phases=("TEST",))]
    assert "augmentation" not in verdict(run(*(2.3,) * 10), found)


def test_an_error_of_the_data_goes_before_a_loss_that_falls() -> None:
    """Also of a rule that no sentence is written for."""
    losses = (2.3, 2.2, 2.1, 2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4)
    of_shapes = finding("E108", "record-shapes-differ", "certain", "records of two shapes", "resize them")
    assert find_rule(of_shapes.code)
    text = verdict(run(*losses), [of_shapes])
    assert text.startswith("it learns from wrong data: records of two shapes (n.prototxt:7). Remedy: resize them."), (
        text
    )


def test_a_caveat_of_the_data() -> None:
    losses = (2.3, 2.2, 2.1, 2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4)
    absent = finding("E103", "classes-unbalanced", "certain", "class 1 does not occur")._replace(severity="warning")
    text = verdict(run(*losses), [absent])
    assert text.startswith("it trains, but not all classes: 10 iterations"), text
    assert text.endswith(". The data: may be worded in any way: or so (n.prototxt:7)"), text


_BOTH = (
    'layer { name: "data" type: "DummyData" top: "data" top: "label"\n'
    "  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }\n"
    'layer { name: "code" type: "InnerProduct" bottom: "data" top: "code" inner_product_param { num_output: 6 } }\n'
    'layer { name: "back" type: "InnerProduct" bottom: "code" top: "back" inner_product_param { num_output: 4 } }\n'
    'layer { name: "score" type: "InnerProduct" bottom: "code" top: "score" inner_product_param { num_output: 10 } }\n'
    'layer { name: "recon" type: "EuclideanLoss" bottom: "back" bottom: "data" top: "recon" }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }\n'
)


@pytest.mark.parametrize(("last", "pull", "told"), [(2.0, 40.0, True), (1.2, 40.0, False), (2.0, 5.0, False)])
def test_a_loss_that_another_outweighs(last: float, pull: float, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = [LossGradient("recon", {"code": pull}), LossGradient("loss", {"code": 1.0})]
    for at in range(60):
        each = {"recon": 300 / (1 + at), "loss": 2.4 - (2.4 - last) * at / 59}
        events.append(Iteration(at, 0.1, sum(each.values()), each))
    files = {"s.prototxt": 'net: "n.prototxt" base_lr: 0.1', "n.prototxt": _BOTH}
    run = NotLearning.subject({**files, "events": "\n".join(map(to_line, events))})
    found = outweighed(run)
    assert (found is not None) == told
    with monkeypatch.context() as unknown:
        unknown.setattr("caffelint.smoke.trunk.constant_of", lambda *_: math.nan)
        assert outweighed(run) is None  # nothing can be said of the best constant answer then
    monkeypatch.setattr(verdicts, "outcome", lambda run: outcome(run)._replace(seen=6.0, records=40))
    text = 'the gradient of EuclideanLoss "recon" is 40 times as large; try loss_weight: 0.2 at EuclideanLoss "recon"'
    assert (text in verdict(run, [])) == told


def test_a_stage_that_only_testing_has_comes_before_what_a_trial_cures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower rate makes the loss fall, and the net is tested on other values all the same."""
    tried = finding("X105", "not-learning", "certain", "every output is 0", "base_lr is too high")
    read = finding("G060", "stage-only-in-testing", "likely", "only the TEST net has it", sure="likely")
    monkeypatch.setattr(verdicts, "cure", lambda run: SimpleNamespace(hypothesis=SimpleNamespace(kind="unknown")))
    text = verdict(run(*(2.3,) * 10), [tried, read._replace(severity="warning")])
    assert text.startswith("it is tested on other values than it is trained on: only the TEST net has it")


def test_blank_records_come_before_what_follows_from_them() -> None:
    """A few of them, which have no cause, keep nothing from being learned."""
    same = finding("X121", "same-scores", "certain", "the scores are the same", "conv1 reads the same for all")
    blank = finding("E106", "record-constant", "certain", "all 400 records are blank", "look at what made them")
    assert verdict(run(*(2.3,) * 10), [same, blank]).startswith("its data shows nothing: all 400 records are blank")
    inf = finding("X101", "non-finite-forward", "certain", "conv2 gives inf", "base_lr 0.01 is most likely too high")
    assert verdict(run(*(2.3,) * 10), [inf, blank]).startswith("its data shows nothing: all 400 records are blank")
    few = blank._replace(cause=None)
    assert verdict(run(*(2.3,) * 10), [same, few]).startswith("it learns nothing useful: the scores are the same")


def test_what_the_check_knows_of_testing_is_no_coding_of_its_records() -> None:
    rule = TrainTestDisagree()
    text = TrainTestDisagree.INVALID[-1].text
    assert isinstance(text, dict)
    seen = rule.subject(text)
    assert len([*rule.check(seen)]) == 1
    read = finding("G060", "stage-only-in-testing", "likely", "only the TEST net has it")
    seen.static = [read._replace(severity="warning")]
    assert not any("coded" in one.message or "vocabulary" in one.message for one in rule.check(seen))
