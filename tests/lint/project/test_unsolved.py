"""Which net is offered for one that a solver names and that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.discover import named_nets

NET = 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "b" }'
DEPLOY = 'layer { name: "a" type: "ReLU" bottom: "b" top: "b" }'


@pytest.mark.parametrize(
    ("named", "nets", "other", "near"),
    [
        ("audio", ["net"], "", "net.prototxt"),
        ("audio", ["net"], "net", ""),  # another solver's
        ("audio", ["net"], "else", ""),  # there are two solvers, so it may be of neither
        ("trainnet", ["trainval", "test"], "", "trainval.prototxt"),
        ("trainnet", ["trainval", "test"], "trainval", ""),
        ("audio", ["one", "two"], "", ""),
        ("models/audio", ["net"], "", "net.prototxt"),
        ("models/audio", ["one", "two"], "", ""),  # of another folder, which may be elsewhere
    ],
)
def test_only_a_net_that_no_solver_names_is_offered(
    tmp_path: Path, named: str, nets: list[str], other: str, near: str
) -> None:
    (tmp_path / ".git").mkdir()
    solver = tmp_path / "solver.prototxt"
    solver.write_text(f'net: "{named}.prototxt"\nbase_lr: 0.1\n')
    (tmp_path / "deploy.prototxt").write_text(DEPLOY)
    for net in nets:
        (tmp_path / f"{net}.prototxt").write_text(NET)
    if other:
        (tmp_path / "other_solver.prototxt").write_text(f'net: "{other}.prototxt"\nbase_lr: 0.1\n')
    assert [net.near for net in named_nets(str(solver))] == [near]


INPUT = 'input: "b"\n'
PHASES = 'layer { name: "b" type: "Data" top: "b" include { phase: TEST } }\n'


@pytest.mark.parametrize(
    ("net", "near"),
    [
        (INPUT + NET, ["", ""]),  # nothing feeds it
        (INPUT + PHASES + NET, ["car_train.prototxt"] * 2),
        (NET, ["car_train.prototxt", ""]),  # nothing of it is for testing
        (PHASES + NET, ["car_train.prototxt"] * 2),
    ],
)
def test_a_net_is_offered_for_what_it_can_be_run_as(tmp_path: Path, net: str, near: list[str]) -> None:
    (tmp_path / ".git").mkdir()
    solver = tmp_path / "solver.prototxt"
    solver.write_text('train_net: "cnn_train.prototxt"\ntest_net: "cnn_test.prototxt"\nbase_lr: 0.1\n')
    (tmp_path / "car_train.prototxt").write_text(net)
    assert [net.near for net in named_nets(str(solver))] == near


@pytest.mark.parametrize(
    ("folder", "other", "near"),
    [
        ("nets", "Work/nets/net", "Work/nets/net.prototxt"),
        ("nets", "nets/net", "nets/net.prototxt"),
        ("else", "Work/nets/net", ""),  # it is not where the other leads to
        ("nets", "Work/nets/other", ""),
    ],
)
def test_a_solver_beside_it_knows_the_path(tmp_path: Path, folder: str, other: str, near: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text('net: "Work/net.prototxt"\n')
    (tmp_path / "solver_b.prototxt").write_text(f'net: "{other}.prototxt"\n')
    assert [net.near for net in named_nets(str(tmp_path / "solver.prototxt"))] == [near]
