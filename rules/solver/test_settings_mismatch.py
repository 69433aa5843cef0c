from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, WARNING, Finding, Given, Invalid, Kind, Solver, SolverRule, plural

from ._test_nets import counts_test_nets, is_of_a_fork

_NET = 'net: "n.prototxt" '
_MOST = 100
"""Batches of a test pass for each iteration of the training: more are a slip."""
_NOTHING = "nothing is ever tested"
_SETS_INTERVAL = "caffeonspark"


class TestSettingsMismatch(SolverRule):
    """`test_iter`, `test_interval`, `test_state` and the test nets do not match.

    ## Why is this bad?
    Each test net takes one `test_iter`: first the `test_net_param`s, then the `test_net`s. Each further `test_iter`
    makes another test net of `net` or `net_param`. `test_state` is set once for each test net, or not at all. If the
    counts differ, or there are test nets but no `test_interval`, Caffe aborts at the start. The first test pass runs
    before the first iteration, and a pass of millions of batches looks like a hang. Without any `test_iter` nothing is
    tested, whatever `test_interval` says; with a `test_iter` of 0, a test pass prints no score.

    ## Example
    ```
    net: "train_val.prototxt" test_iter: 100
    ```
    Use instead:
    ```
    net: "train_val.prototxt" test_iter: 100 test_interval: 1000
    ```

    ## Known problems
    Where the nets use fields of a fork, `test_iter` without a test net or without `test_interval` is reported as likely
    wrong. So is `test_iter` without `test_interval` with the dialect caffeonspark, which sets `test_interval` itself.
    Caffes from before July 2014, in which a solver has no field `net`, do not compare the counts: there `test_iter`
    without a test net is reported as likely wrong, too.

    ## References
    - solver.cpp, InitTestNets and Test; before July 2014, Solve and TestAll
    - CaffeOnSpark sets test_interval itself: caffe-distri/src/main/cpp/CaffeNet.cpp
    """

    code = "S004"
    name = "test-settings-mismatch"
    severity = ERROR
    claims = (
        Kind.TEST_ITER_COUNT,
        Kind.TEST_STATE_COUNT,
        Kind.TEST_INTERVAL,
    )
    VALID = [
        _NET + "test_iter: 100 test_interval: 1000",
        _NET + "test_interval: 0 base_lr: 1",
        _NET + "test_iter: 5 test_iter: 6 test_state { stage: 'a' } test_state { stage: 'b' } test_interval: 10",
        'train_net: "a" test_net: "b" test_net: "c" test_iter: 1 test_iter: 2 test_interval: 10',
        'net: "a" test_net: "b" test_iter: 1 test_iter: 2 test_interval: 10',
        'train_net: "a" base_lr: 1',
    ]
    INVALID = [
        Invalid(
            'train_net: "a"\ntest_net: "b"\ntest_net: "c"\ntest_iter: 1\ntest_interval: 10',
            span="test_iter: 1",
            message="test_iter is set 1 time for 2 test nets, so Caffe stops at the start; set one for each",
        ),
        Invalid(
            'train_net: "a"\ntest_net: "b"\nbase_lr: 1',
            span='test_net: "b"',
            message="test_iter is missing for 1 test net, so Caffe stops at the start; set one for each",
        ),
        Invalid(
            'train_net: "a"\ntest_iter: 10\ntest_interval: 10',
            span="test_iter: 10",
            message="test_iter is set but there is no test net, so Caffe stops at the start; set test_net, or use net"
            " instead of train_net",
        ),
        # A fork's own way cannot be known.
        Invalid(
            {
                "solver.prototxt": 'train_net: "net.prototxt" test_iter: 10 test_interval: 10',
                "net.prototxt": 'layer { name: "a" type: "AnnotatedData" top: "a" annotated_data_param { } }',
            },
            span="test_iter: 10",
            message="test_iter is set but there is no test net, so Caffe may stop at the start; set test_net, or use"
            " net instead of train_net",
        ),
        Invalid(
            _NET + "test_iter: 1 test_state { } test_state { } test_interval: 1",
            span="test_state",
            message="test_state is set 2 times for 1 test net, so Caffe stops at the start; set one for each, or none",
        ),
        Invalid(
            _NET + "test_iter: 100",
            span="test_iter: 100",
            message="test_iter is set but test_interval is missing, so Caffe stops at the start; set it to the number"
            " of iterations between two tests",
        ),
        Invalid(
            _NET + "test_iter: 100 test_interval: 0",
            span="test_interval: 0",
            message="test_iter is set but test_interval is 0, so Caffe stops at the start; set it to the number of"
            " iterations between two tests",
        ),
        Invalid(
            _NET + "test_iter: 0 test_interval: 0",
            span="test_interval: 0",
            message="test_iter is set but test_interval is 0, so Caffe stops at the start; remove test_iter to skip"
            " testing",
        ),
        Invalid(
            _NET + "test_iter: 100 test_interval: 0",
            span="test_interval: 0",
            message="test_iter is set but test_interval is 0, so Caffe may stop at the start; set it to the number of"
            " iterations between two tests",
            options={"dialect": "caffeonspark"},
        ),
        Invalid(
            'train_net: "a"\ntest_iter: 10\ntest_interval: 10',
            span="test_iter: 10",
            message="test_iter is set but there is no test net, so Caffe stops at its first test; set test_net",
            options={"dialect": "bvlc-v0.1"},
        ),
        Invalid(
            _NET + "test_iter: 10000000 test_interval: 500 max_iter: 5000",
            span="test_iter: 10000000",
            message="test_iter is 10000000, 2000 times max_iter, so Caffe seems to hang before the first iteration;"
            " set it to the number of test images / batch_size",
        ),
        Invalid(
            _NET + "test_interval: 500",
            span="test_interval: 500",
            message="test_interval is 500 but test_iter is missing, so nothing is ever tested; set it to the number"
            " of batches of a test pass",
        ),
        Invalid(
            _NET + "test_interval: 500 test_iter: 0",
            span="test_iter: 0",
            message="test_iter is 0, so a test pass reads no batch and prints no score; set it to the number of"
            " batches",
        ),
        Invalid(
            _NET + "test_interval: 500 test_iter: 0 test_compute_loss: true",
            span="test_iter: 0",
            message="test_iter is 0, so a test pass reads no batch, and the test loss, divided by 0, is nan; set it to"
            " the number of batches",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        iters = len(message.test_iter)
        generic = _gives(solver, "net", "net_param")
        if (
            any(solver.given(field) is Given.UNREADABLE for field in ("net", "test_net", "test_iter"))
            or not generic
            and not _gives(solver, "train_net", "train_net_param")
        ):
            return
        if refusal := solver.refusal(Kind.TEST_ITER_COUNT):
            if refusal.values["wanted"] or counts_test_nets(solver):
                yield self._wrong_count(solver, iters, refusal.values["wanted"])
            elif message.test_interval > 0:
                yield self._without_net(solver)
            return
        if refusal := solver.refusal(Kind.TEST_STATE_COUNT):
            yield self.finding(
                solver.at(*refusal.field),
                f"test_state is set {plural(len(message.test_state), 'time')} for {plural(iters, 'test net')}, so Caffe"
                " stops at the start; set one for each, or none",
                evidence="Caffe stops at the start: test_state must be unspecified or specified once per test net",
            )
        if solver.refusal(Kind.TEST_INTERVAL):
            yield self._without_interval(solver)
        elif not iters and message.test_interval > 0 and generic and not _has_own_tests(solver):
            yield self.finding(
                solver.at("test_interval"),
                f"test_interval is {message.test_interval} but test_iter is missing, so nothing is ever tested;"
                " set it to the number of batches of a test pass",
                evidence="each test_iter makes one test net; without any, Caffe builds none",
                severity=INFO if solver.is_commented_out("test_iter") else WARNING,
            )
        for index, count in enumerate(message.test_iter):
            if solver.tests and count > _MOST * max(message.max_iter, 1) > _MOST:
                first = message.test_initialization
                hangs = "Caffe seems to hang before the first iteration" if first else "tests hold it up"
                text = f"test_iter is {count}, {count // message.max_iter} times max_iter, so {hangs}"
                text += "; set it to the number of test images / batch_size"
                yield self.finding(solver.at("test_iter", index), text, severity=WARNING)
            if count <= 0 and not solver.refusal(Kind.TEST_INTERVAL):
                # Many write 0 to test nothing.
                what, severity = " and prints no score", INFO
                if message.test_compute_loss:
                    what, severity = f", and the test loss, divided by {count}, is nan", WARNING
                text = f"test_iter is {count}, so a test pass reads no batch{what}; set it to the number of batches"
                yield self.finding(solver.at("test_iter", index), text, severity=severity)

    def _without_interval(self, solver: Solver) -> Finding:
        """CaffeOnSpark sets test_interval itself before it makes the solver (CaffeNet.cpp)."""
        how = f"is {solver.message.test_interval}" if solver.has("test_interval") else "is missing"
        place = solver.at_first("test_interval", "test_iter")
        remedy = "set it to the number of iterations between two tests"
        if not any(solver.message.test_iter):
            remedy = "remove test_iter to skip testing"
        if is_of_a_fork(solver) or solver.dialect == _SETS_INTERVAL:
            message = f"test_iter is set but test_interval {how}, so Caffe may stop at the start; {remedy}"
            return self.finding(place, message, severity=WARNING, certainty=LIKELY)
        message = f"test_iter is set but test_interval {how}, so Caffe stops at the start; {remedy}"
        evidence = "Caffe stops at the start: Check failed: param_.test_interval() > 0"
        return self.finding(place, message, evidence=evidence)

    def _without_net(self, solver: Solver) -> Finding:
        """A Caffe from before there was `net` builds no test net then; one that knows only one tests all the same."""
        caffe = solver.bound.caffe
        stops = caffe.has_one_test_net if caffe else True
        return self.finding(
            solver.at("test_iter"),
            f"test_iter is set but there is no test net, so {'Caffe stops at its first test' if stops else _NOTHING};"
            " set test_net",
            evidence="Caffe stops with: Check failed: 'test_net_.get()' Must be non NULL" if stops else "",
            severity=WARNING,
            certainty=LIKELY,
        )

    def _wrong_count(self, solver: Solver, iters: int, files: int) -> Finding:
        place = solver.at_first("test_iter", "test_net", "test_net_param")
        if files:
            how = f"is set {plural(iters, 'time')}" if iters else "is missing"
            message = f"test_iter {how} for {plural(files, 'test net')}, so Caffe stops at the start; set one for each"
        else:
            may = "may stop" if is_of_a_fork(solver) else "stops"
            message = (
                f"test_iter is set but there is no test net, so Caffe {may} at the start; set test_net, or use net"
                " instead of train_net"
            )
            if may != "stops":
                return self.finding(place, message, severity=WARNING, certainty=LIKELY)
        evidence = "Caffe stops at the start: test_iter must be specified for each test network"
        return self.finding(place, message, evidence=evidence)


def _gives(solver: Solver, *fields: str) -> bool:
    return any(solver.given(field) is not Given.NOTHING for field in fields)


def _has_own_tests(solver: Solver) -> bool:
    """Has it fields that no known Caffe has, by which a fork may test?"""
    return any(problem.kind == "unknown-field" for problem in solver.bound.problems)
