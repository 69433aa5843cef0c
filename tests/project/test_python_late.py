"""Blobs that a loop fills after its step."""

from __future__ import annotations

import bench_curves
import pytest
from cost import soon

from caffelint.project.python_late import late

DATA = "    solver.net.blobs['data'].data[:, 0] = x[rows]\n"
LABEL = "    solver.net.blobs['label'].data[...] = y[rows]\n"
STEP = "    solver.step(1)\n"
ROWS = "    rows = order[:5]\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (ROWS + DATA + STEP + LABEL, True),
        (ROWS + "    out = np.zeros(5)\n" + DATA + STEP + "    print(out)\n" + LABEL, True),
        (ROWS + (DATA + STEP + LABEL).replace("solver.net.", "net."), True),
        (ROWS + DATA + LABEL + STEP, False),
        (STEP + ROWS + DATA + LABEL, False),  # for the next step
        (ROWS + DATA + STEP + ROWS + LABEL, False),
        (ROWS + DATA + LABEL + STEP + LABEL, False),
        (DATA + STEP + LABEL, False),  # rows of nobody knows what
        (ROWS + DATA + STEP + LABEL.replace("solver.net", "solver.test_nets[0]"), False),
        (ROWS + DATA + STEP.replace("solver", "other") + LABEL, False),
        (ROWS + DATA + STEP + LABEL.replace("rows", "others"), False),
    ],
)
def test_rows_of_one_batch(body: str, told: bool) -> None:
    found = late(f"net = solver.net\nfor start in range(9):\n{body}")
    assert [(one.blob, one.other) for one in found] == [("label", "data")] * told


@pytest.mark.parametrize("more", [(ROWS + DATA) * 3000, LABEL * 3000, "    if a:\n        pass\n" * 5000])
def test_a_loop_takes_time_with_its_size(more: str) -> None:
    with soon(2):
        late(f"for start in range(9):\n{ROWS}{DATA}{more}{STEP}{LABEL}")


def test_loops_in_loops_are_gone_through_once() -> None:
    def look(depth: int) -> int:
        loops = "".join(f"{' ' * level}for a{level} in b:\n" for level in range(depth))
        text = loops + "".join(f"{' ' * depth}{line}\n" for line in ["s.step(1)", "s.net.blobs['a'].data[...] = 1"])
        return bench_curves.calls(lambda: late(text))

    look(2)
    assert look(80) < 4.6 * look(20)
