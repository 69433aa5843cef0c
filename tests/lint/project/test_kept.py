"""What pages, copies and folders of a project explain, so that its authors know it."""

from __future__ import annotations

from pathlib import Path

import pytest
from weighing import LOG, NET, SOLVER, found, write


@pytest.mark.parametrize(("script", "severity"), [("mkdir -p snap", "info"), ("mkdir snap/more data", "error")])
def test_a_script_makes_the_folder(project: Path, script: str, severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "a/lock.mdb": "", "get.sh": script})
    one = found("snapshot-prefix-unusable")["solver.prototxt"]
    assert (one.severity, "get.sh:1 makes the folder" in one.evidence) == (severity, severity == "info")


@pytest.mark.parametrize(("more", "severity"), [("", "info"), ("# another\n", "warning")], ids=["copy", "other"])
def test_the_net_of_another_folder_is_the_one_here(project: Path, more: str, severity: str) -> None:
    write({"a/b/solver.prototxt": SOLVER % "a/c/train.prototxt", "a/c/train.prototxt": NET})
    write({"a/b/train.prototxt": NET + more})
    assert found("solver-of-another-net")["a/b/solver.prototxt"].severity == severity


@pytest.mark.parametrize(
    ("page", "severity"), [("put them in `snap/`", "info"), ("see big-snap/", "error"), ("a snap", "error")]
)
def test_a_page_has_the_folder(project: Path, page: str, severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "a/lock.mdb": "", "README.md": page})
    one = found("snapshot-prefix-unusable")["solver.prototxt"]
    assert (one.severity, "README.md:1 has the folder" in one.evidence) == (severity, severity == "info")


def test_a_solver_in_a_folder_of_backups_names_a_net_outside(project: Path) -> None:
    """That one is used, and the solver is not."""
    write(
        {"a/solver.prototxt": SOLVER % "train.prototxt", "a/train.prototxt": NET, "run.sh": "caffe a/solver.prototxt"}
    )
    write({"a-bak/solver.prototxt": SOLVER % "../a/train.prototxt"})
    one = found("weight-decay-out-of-range")["a-bak/solver.prototxt"]
    assert (one.severity, "which is in" in one.evidence) == ("info", True)


@pytest.mark.parametrize(("more", "severity"), [("", "warning"), ("layer { botom: 1 }\n", "info")])
def test_a_training_net_that_is_refused_is_no_norm(project: Path, more: str, severity: str) -> None:
    fc = 'layer { name: "f%d" type: "InnerProduct" bottom: "%s" top: "f%d" inner_product_param { num_output: %d } }\n'
    relu = 'layer { name: "r%d" type: "ReLU" bottom: "f%d" top: "f%d" }\n'
    names = ["data", *(f"f{number}" for number in range(8))]
    body = "".join(fc % (number, name, number, 4) + relu % ((number,) * 3) for number, name in enumerate(names))
    data, loss = NET.splitlines(keepends=True)[0], NET.splitlines(keepends=True)[-1].replace('"fc"', '"f9"')
    write({"solver.prototxt": SOLVER % "train.prototxt"})
    write({"train.prototxt": data + body + fc % (9, "f8", 9, 4) + loss + more})
    write({"deploy.prototxt": 'layer { name: "d" type: "Input" top: "data" }\n' + body + fc % (9, "f8", 9, 8)})
    one = found("deploy-mismatch")["deploy.prototxt"]
    assert (one.severity, 'Caffe refuses "train.prototxt"' in one.evidence) == (severity, bool(more)), one.evidence
    write({"README.md": "accuracy: 95.1 %"})
    assert found("deploy-mismatch")["deploy.prototxt"].severity == severity
    write({"log.txt": LOG.format(0.1)})  # so the Caffe that trained it takes it
    assert found("deploy-mismatch")["deploy.prototxt"].severity == "warning"


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({}, "error"),
        ({"grid.sh": "sed -i 's/LOSS_WEIGHT/1/' a/train.prototxt"}, "info"),
        ({"b/grid.sh": "sed -i 's/LOSS_WEIGHT/1/' other.prototxt"}, "error"),  # of another folder
        ({"b/grid.sh": "sed -i 's/LOSS_WEIGHT/1/' ../a/train.prototxt"}, "info"),
    ],
)
@pytest.mark.parametrize("rate", ["0.01", "GRID_RATE"])
def test_a_script_fills_in_what_a_net_lacks(project: Path, files: dict[str, str], severity: str, rate: str) -> None:
    """One that fills in the solver and leaves out the net has forgotten it."""
    loss = NET.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_weight: LOSS_WEIGHT')
    write({"a/train.prototxt": loss, "a/solver.prototxt": (SOLVER % "train.prototxt").replace("0.01", rate)})
    write({"a/run.sh": "sed -i 's/GRID_RATE/0.01/' solver.prototxt", **files})
    assert found("unfilled-template")["a/train.prototxt"].severity == severity
    write({"a/run.sh": "caffe train --solver solver.prototxt"})
    either = "info" if rate == "GRID_RATE" else severity
    assert found("unfilled-template")["a/train.prototxt"].severity == either


@pytest.mark.parametrize(("page", "severity"), [("with use_global_stats: false", "info"), ("see below", "warning")])
def test_a_page_speaks_of_the_statistics(project: Path, page: str, severity: str) -> None:
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "fc" top: "n" batch_norm_param { use_global_stats: false } }\n'
    net = NET.replace('layer { name: "loss"', norm + 'layer { name: "loss"').replace(
        'bottom: "fc" bottom', 'bottom: "n" bottom'
    )
    write({"train.prototxt": net, "solver.prototxt": f"test_iter: 9 test_interval: 9 {SOLVER % 'train.prototxt'}"})
    write({"README.md": page})
    assert found("batch-stats-in-testing")["train.prototxt"].severity == severity
