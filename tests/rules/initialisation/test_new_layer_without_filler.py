"""Layers that the snapshot of another net of the project lacks, which a training starts from."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.project.bases import _layers_in
from caffelint.lint.project.prefixes import saved_as

DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 8 } }'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "%s" bottom: "label" top: "loss" }'
SOLVER = 'net: "%s.prototxt" snapshot: 100 max_iter: 900 snapshot_prefix: "out/%s" base_lr: 0.01 lr_policy: "fixed"'
FILLED = 'weight_filler { type: "xavier" } '
TRAIN = "caffe train -solver tuned_solver.prototxt -weights out/%s_iter_900.caffemodel\n"


def layer(name: str, bottom: str, filler: str) -> str:
    param = f"inner_product_param {{ num_output: 9 {filler}}}"
    text = f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}" {param} }}\n'
    return text + f'layer {{ name: "relu_{name}" type: "ReLU" bottom: "{name}" top: "{name}" }}\n'


@pytest.mark.parametrize(
    ("script", "name", "told"),
    [
        (TRAIN % "base", "new", True),
        (TRAIN % "base", "b", False),
        # Of a net that nobody knows, of several, or without weights.
        (TRAIN % "vgg", "new", False),
        (TRAIN % "base" + TRAIN % "vgg", "new", False),
        (TRAIN % "base" + "caffe train -solver tuned_solver.prototxt\n", "new", False),
    ],
)
def test_what_a_snapshot_of_the_project_lacks(tmp_path: Path, script: str, name: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.sh").write_text("caffe train -solver base_solver.prototxt\n" + script)
    for net in ("base", "tuned"):
        (tmp_path / f"{net}_solver.prototxt").write_text(SOLVER % (net, net))
    base = layer("a", "data", FILLED) + layer("b", "a", FILLED) + layer("c", "b", FILLED)
    (tmp_path / "base.prototxt").write_text(DATA + base + LOSS % "c")
    tuned = layer("a", "data", FILLED) + layer(name, "a", "") + layer("c", name, FILLED)
    (tmp_path / "tuned.prototxt").write_text(DATA + tuned + LOSS % "c")
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "new-layer-without-filler"]
    assert ['train.sh:2) is of "base.prototxt", which has no layer of that name' in one.message for one in found] == [
        True
    ] * told


@pytest.mark.parametrize(("net", "told"), [("inside.prototxt", True), ("../secret.prototxt", False)])
@pytest.mark.parametrize("linked", [False, True])
def test_no_net_outside_the_checkout_is_read(tmp_path: Path, net: str, told: bool, linked: bool) -> None:
    top = tmp_path / "top"
    (top / ".git").mkdir(parents=True)
    (top / "train.sh").write_text("caffe train -solver base_solver.prototxt\n" + TRAIN % "base")
    (top / net).write_text(DATA + layer("a", "data", FILLED) + layer("secret", "a", FILLED) + LOSS % "secret")
    if linked:
        (top / "base.prototxt").symlink_to(net)
    named = "base" if linked else net.removesuffix(".prototxt")
    (top / "base_solver.prototxt").write_text(SOLVER % (named, "base"))
    (top / "tuned_solver.prototxt").write_text(SOLVER % ("tuned", "tuned"))
    (top / "tuned.prototxt").write_text(DATA + layer("a", "data", FILLED) + layer("new", "a", "") + LOSS % "new")
    found = [one for one in caffelint.check([str(top)]).findings if one.name == "new-layer-without-filler"]
    assert ["inside.prototxt" in one.message for one in found] == [True] * told
    if not told:
        assert saved_as("base", str(top)) == frozenset()
        assert _layers_in(str(top / net), str(top)) == ()
