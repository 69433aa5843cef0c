"""Of what has one cause, one finding is loud, and it is the one to mend first."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from weighing import BROKEN, NET, SOLVER, found, write

import caffelint
from caffelint.lint.config import Config


def test_one_cause_is_one_finding(project: Path) -> None:
    write({f"fold{number}.prototxt": BROKEN + f"# {number}\n" for number in range(3)})
    one = found("unknown-field")
    assert [one[name].severity for name in sorted(one)] == ["error", "info", "info"]
    assert one["fold0.prototxt"].evidence.endswith("the same in fold1.prototxt:5 and fold2.prototxt:5")
    assert one["fold2.prototxt"].evidence.endswith("as in fold0.prototxt:5")


def test_heads_of_other_layer_types_are_one_cause(project: Path) -> None:
    head = 'layer {{ name: "{0}" type: "{1}" bottom: "{2}" top: "{0}" {3} {{ num_output: {4} {5} }} }}\n'
    conv, fc = ("Convolution", "convolution_param", "kernel_size: 1"), ("InnerProduct", "inner_product_param", "")

    def net(classes: int) -> str:
        chain = ["data", *"abcxefgh"]
        last = {"g": (conv, classes), "h": (fc, classes)}
        layers = ((name, below, *last.get(name, (conv, 8))) for below, name in pairwise(chain))
        return "".join(head.format(name, kind[0], below, kind[1], size, kind[2]) for name, below, kind, size in layers)

    data = NET.partition("\n")[0].replace("data_param", "include { phase: TRAIN } data_param") + "\n"
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "h" bottom: "label" top: "loss" }\n'
    shape = 'layer { name: "i" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }\n'
    write({"train_val.prototxt": data + net(9) + loss, "deploy.prototxt": shape + net(5)})
    found = [one.severity for one in caffelint.check(".").findings if one.name == "deploy-mismatch"]
    assert sorted(found) == ["info", "warning"]


def test_the_one_that_is_told_is_in_use(project: Path) -> None:
    write({f"fold{number}.prototxt": BROKEN + f"# {number}\n" for number in range(3)})
    write({"solver.prototxt": SOLVER % "fold2.prototxt"})
    assert [one.severity for _, one in sorted(found("unknown-field").items())] == ["info", "info", "error"]


def test_other_words_are_another_error(project: Path) -> None:
    write({"a.prototxt": BROKEN, "b.prototxt": BROKEN.replace("blobs_lr", "weight_decay")})
    assert {one.severity for one in found("unknown-field").values()} == {"error"}


def test_a_severity_that_is_set_stays(project: Path) -> None:
    write({f"fold{number}.prototxt": BROKEN + f"# {number}\n" for number in range(3)})
    assert {one.severity for one in found("unknown-field", **{"unknown-field": "error"}).values()} == {"error"}


def test_what_follows_from_another_finding(project: Path) -> None:
    reads = 'layer { name: "x" type: "ReLU" bottom: "nothing" top: "fc" }\n'
    write({"train.prototxt": NET + reads, "solver.prototxt": SOLVER % "train.prototxt"})
    assert found("unknown-bottom")["train.prototxt"].severity == "error"
    one = found("duplicate-top")["train.prototxt"]
    assert (one.severity, one.evidence.endswith("mend unknown-bottom at line 5 first")) == ("info", True)


def test_a_single_score_is_told_once(project: Path) -> None:
    accuracy = 'layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label" top: "acc" }\n'
    write({"solver.prototxt": SOLVER % "net.prototxt", "net.prototxt": NET.replace("num_output: 9", "num_output: 1")})
    with open("net.prototxt", "a") as file:
        file.write(accuracy)
    assert [one.severity for one in found("single-class-softmax").values()] == ["error"]
    assert [one.severity for one in found("top-k-out-of-range").values()] == ["info"]


def test_a_layer_that_was_pasted_twice_is_one_error(project: Path) -> None:
    write({"train.prototxt": NET + NET.replace("\n", "", 1)})
    config = Config()
    config.cache = False
    tops = [one for one in caffelint.check(".", config).findings if one.name == "duplicate-top" and one.layer == "d"]
    assert sorted(one.severity for one in tops) == ["error", "info"]


def test_an_ellipsis_stands_for_layers(project: Path) -> None:
    loss = 'layer { name: "l" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "l" }\n'
    data = NET.partition("\n")[0] + "\n"
    write({"train.prototxt": data + loss, "pattern.prototxt": data + "# ... your layers\n" + loss})
    one = found("unknown-bottom")
    assert one["train.prototxt"].severity == "error"
    assert one["pattern.prototxt"].evidence.endswith("the comment on line 2 stands for layers that are left out")


def test_what_a_fault_of_its_net_explains_is_an_info_also_where_nothing_shows_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    solver = 'net: "net.prototxt" base_lr: 1%s lr_policy: "fixed" max_iter: 9000 snapshot_prefix: "mine"\n'
    norm = 'layer { name: "n" type: "LRN" bottom: "data" top: "n" lrn_param { k: %s } }\n'
    for folder, k in (("faulty", 0), ("sound", 1)):
        write({f"{folder}/solver.prototxt": solver % k, f"{folder}/net.prototxt": NET + norm % k})
    told = found("first-updates-too-large").values()
    severities = {Path(one.file).parent.name: (one.severity, one.evidence) for one in told}
    assert severities == {
        "faulty": ("info", "mend lrn-out-of-domain at faulty/net.prototxt:5 first"),
        "sound": ("warning", ""),
    }


def test_what_a_loss_does_for_certain_goes_before_a_guess_of_the_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    solver = 'net: "net.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9000 snapshot_prefix: "mine"\n'
    ignores = NET.replace("num_output: 9", "num_output: 2").replace('top: "loss"', 'top: "loss"\n  loss_param { %s }')
    told = []
    for field in ("ignore_label: 0", "normalize: true"):
        write({"solver.prototxt": solver, "net.prototxt": ignores % field})
        told += [(one.severity, one.evidence) for one in found("first-updates-too-large").values()]
    assert told == [("info", "mend ignore-label-in-range at net.prototxt:5 first"), ("warning", "")]


def test_a_reshape_that_undoes_another_one_wrongly_explains_what_caffe_refuses(project: Path) -> None:
    """Where the net has layers of a fork, both are warnings, and only one of them names the value."""
    reshape = 'layer {{ name: "{0}" type: "Reshape" bottom: "{1}" top: "{0}" reshape_param {{ shape {{ {2} }} }} }}\n'
    write(
        {
            "deploy.prototxt": 'layer { name: "i" type: "Input" top: "x" input_param { shape { dim: 1 dim: 2 dim: 14'
            " dim: 14 } } }\n"
            'layer { name: "n" type: "Normalize" bottom: "x" top: "n" }\n'
            + reshape.format("pairs", "x", "dim: 0 dim: 2 dim: -1 dim: 0")
            + 'layer { name: "prob" type: "Softmax" bottom: "pairs" top: "prob" }\n'
            + reshape.format("back", "prob", "dim: 0 dim: 18 dim: -1 dim: 0")
        }
    )
    found = {one.name: one.severity for one in caffelint.check(".").findings}
    assert (found["reshape-not-undone"], found["refused-by-caffe"]) == ("warning", "info")
