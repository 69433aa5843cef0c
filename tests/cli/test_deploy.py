"""`caffelint deploy`, `caffelint targets` and `check --target`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caffelint.deploy.facts import names

NET = """\
layer { name: "data" type: "ImageData" top: "data" top: "label"
  image_data_param { source: "list" batch_size: 8 new_height: 32 new_width: 32 } transform_param { scale: 0.5 } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 axis: -3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""


def test_writes_the_net_and_the_card(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    status, out, err = caffelint("deploy", "net.prototxt", "-o", "deploy.prototxt", "--card", "card.json")
    assert (status, out) == (0, "")
    assert "deploy.prototxt is written" in err
    assert json.loads((project / "card.json").read_text())[0]["scale"] == 0.5
    status, out, _ = caffelint("deploy", "net.prototxt")
    assert out == (project / "deploy.prototxt").read_text()
    assert caffelint("deploy", "net.prototxt", "--check", "deploy.prototxt")[0] == 0


def test_takes_the_net_that_a_solver_trains(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    (project / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1')
    run = caffelint("deploy", "solver.prototxt", "-o", "deploy.prototxt")
    assert run.status == 0
    assert "solver.prototxt: a solver; its net is net.prototxt" in run.err
    run = caffelint("deploy", "solver.prototxt", "--check", "deploy.prototxt")
    assert (run.status, run.out.split(": ")[0]) == (0, "deploy.prototxt fits")
    assert "Python" in caffelint("patch", "solver.prototxt", "--check-finite").out
    run = caffelint("patch", "solver.prototxt", "--check-finite", "--in-place")
    assert run.status == 2
    assert "solver.prototxt: this is a solver; give the file of its net" in run.err
    (project / "solver.prototxt").write_text('train_net: "a.prototxt" base_lr: 0.1')
    assert "this is a solver" in caffelint("deploy", "solver.prototxt").err


def test_leaves_other_files_alone(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    (project / "mine.prototxt").write_text("mine")
    status, _, err = caffelint("deploy", "net.prototxt", "-o", "mine.prototxt")
    assert status == 2
    assert "mine.prototxt: this file exists; remove it first" in err
    assert (project / "mine.prototxt").read_text() == "mine"
    assert caffelint("deploy", "net.prototxt", "-o", "net.prototxt")[0] == 2
    assert (project / "net.prototxt").read_text() == NET


@pytest.mark.parametrize("name", ["setup.py", "caffelint.toml", "setup.cfg", "deploy.caffemodel", ".gitignore"])
@pytest.mark.parametrize(
    "command", ["deploy net.prototxt -o", "deploy net.prototxt --card", "patch net.prototxt --check-finite -o"]
)
def test_writes_neither_settings_nor_code(project: Path, caffelint: Any, name: str, command: str) -> None:
    (project / "net.prototxt").write_text(NET)
    status, _, err = caffelint(*command.split(), name)
    assert status == 2
    assert f"{name}: " in err
    assert "give another name" in err
    assert not (project / name).exists()


def test_checks_one_that_is_there(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    _, out, _ = caffelint("deploy", "net.prototxt")
    (project / "deploy.prototxt").write_text(out.replace("num_output: 3", "num_output: 4"))
    status, out, _ = caffelint("deploy", "net.prototxt", "--check", "deploy.prototxt")
    assert status == 1
    assert 'InnerProduct "ip": weights of 4x3072 and 4 here, of 3x3072 and 3 in the training net' in out


def test_says_what_is_missing(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET.replace("new_height: 32 new_width: 32 ", ""))
    status, _, err = caffelint("deploy", "net.prototxt")
    assert status == 2
    assert 'net.prototxt: the shape of "data" is not in the text; give --input-shape data=1x3xHxW' in err
    assert caffelint("deploy", "net.prototxt", "--input-shape", "data=1x3x8x8")[0] == 0
    assert caffelint("deploy", "nothing.prototxt")[0] == 2


def test_checks_for_targets(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    _, out, _ = caffelint("deploy", "net.prototxt", "-o", "deploy.prototxt")
    assert caffelint("check", "deploy.prototxt")[0] == 0
    status, out, _ = caffelint("check", "--target", "mnn,openvino", "deploy.prototxt")
    assert status == 1
    assert 'InnerProduct "ip": mnn dies of a negative axis; count the axis from the front [C101 target-refuses]' in out
    (project / "caffelint.toml").write_text('target = ["mnn"]\n')
    assert caffelint("check", "deploy.prototxt")[0] == 1
    assert caffelint("check", "--fix", "--unsafe-fixes", "deploy.prototxt")[0] == 0
    assert "axis: 1" in (project / "deploy.prototxt").read_text()


def test_names_a_target_that_is_near(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(NET)
    status, _, err = caffelint("check", "--target", "opencl", "net.prototxt")
    assert status == 2
    assert 'no target "opencl"; did you mean opencv?' in err
    status, _, err = caffelint("targets", "tflite")
    assert status == 2
    assert "the targets are" in err


def test_lists_targets(caffelint: Any) -> None:
    status, out, _ = caffelint("targets")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:] if line and line[0].islower() and "  " in line] == names()
    told = json.loads(caffelint("targets", "ncnn", "--format", "json")[1])["targets"][0]
    assert told["facts"][0]["source"]
    assert "misread" in caffelint("targets", "mnn")[1]


def test_names_what_holds_no_net_for_the_target(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text("")
    (project / "filled.prototxt").write_text('layer { name: "s" type: "SPP" bottom: "data" top: "s" {{more}} }')
    err = caffelint("check", "--target", "ncnn", "net.prototxt", "filled.prototxt")[2]
    assert "net.prototxt: not checked for ncnn" in err
    assert "filled.prototxt: not checked for ncnn" in err
    assert "not checked" not in caffelint("check", "net.prototxt")[2]


def test_says_of_several_targets_what_is_the_same(project: Path, caffelint: Any) -> None:
    (project / "net.prototxt").write_text(
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
        'layer { name: "s" type: "SPP" bottom: "data" top: "s" spp_param { pyramid_height: 2 } }'
    )
    out = caffelint("check", "--target", "ncnn,mnn,opencv", "net.prototxt")[1]
    assert out.count('SPP "s"') == 1
    assert 'SPP "s": each of ncnn, mnn and opencv has no layer of type SPP' in out


def test_an_empty_target_is_a_mistake(project: Path, caffelint: Any) -> None:
    """As where a variable of a CI script is not set."""
    (project / "net.prototxt").write_text(NET)
    for empty in ("--target=", "--target= , "):
        status, _, err = caffelint("check", empty, "net.prototxt")
        assert status == 2
        assert "names no target" in err


def test_a_finding_on_the_whole_net_points_at_what_it_is_about(project: Path, caffelint: Any) -> None:
    net = """name: "x" input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8
layer { name: "a" type: "ReLU" bottom: "data" top: "a" }
layer { name: "b" type: "ReLU" bottom: "a" top: "a"
  include { phase: TRAIN } }
"""
    (project / "net.prototxt").write_text(net)
    _, out, _ = caffelint("check", "--target", "opencv", "--format", "concise", "net.prototxt")
    assert "net.prototxt:4:3: error: the net: opencv" in out
    (project / "net.prototxt").write_text('name: "x"\nlayers { name: "a" type: RELU bottom: "data" top: "a" }\n')
    _, out, _ = caffelint("check", "--target", "ncnn", "--format", "concise", "net.prototxt")
    assert "net.prototxt:2:1: error: the net: ncnn" in out
