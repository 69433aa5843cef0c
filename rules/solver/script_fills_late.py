from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, quoted

_NET = 'net: "net.prototxt"'
_LOOP = """import caffe
solver = caffe.SGDSolver("solver.prototxt")
for start in range(0, 5000, 50):
    rows = order[start:start + 50]
    solver.net.blobs["data"].data[...] = images[rows]
%s"""
_FILL, _STEP = '    solver.net.blobs["label"].data[...] = labels[rows]\n', "    solver.step(1)\n"


class ScriptFillsLate(SolverRule):
    """A Python script fills a blob only after the step that is to train on it, and another one before.

    ## Why is this bad?
    `step` runs the net with what its blobs hold then: the data of this batch, with the labels of the batch before. No
    label belongs to its record, and nothing is learned.

    ## Example
    ```python
    solver.net.blobs["data"].data[...] = images[rows]
    solver.step(1)
    solver.net.blobs["label"].data[...] = labels[rows]
    ```
    Use instead:
    ```python
    solver.net.blobs["data"].data[...] = images[rows]
    solver.net.blobs["label"].data[...] = labels[rows]
    solver.step(1)
    ```

    ## Known problems
    Only what is in the loop itself is read, and of the same rows.

    ## References
    - _caffe.cpp, Solver.step; solver.cpp, Step
    """

    code = "S314"
    name = "script-fills-late"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": _NET + ' base_lr: 0.01 lr_policy: "fixed" max_iter: 500'}
    VALID = [
        _FILES | {"train.py": _LOOP % (_FILL + _STEP)},
        # Rows of the next batch, and another net.
        _FILES | {"train.py": _LOOP % (_STEP + "    rows = order[start + 50:]\n" + _FILL)},
        _FILES | {"train.py": _LOOP % (_STEP + _FILL.replace("solver.net", "solver.test_nets[0]"))},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.py": _LOOP % (_STEP + _FILL)},
            span=_NET,
            message='"train.py" (line 7) fills "label" after the step in line 6, and "data" of the same rows before it,'
            " so each step trains on those of the batch before; fill it before the step",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for place, one in solver.runs.late if solver.runs else ():
            yield self.finding(
                solver.at(),
                f"{quoted(place.path)} (line {place.line}) fills {quoted(one.blob)} after the step in line {one.step},"
                f" and {quoted(one.other)} of the same rows before it, so each step trains on those of the batch"
                " before; fill it before the step",
            )
