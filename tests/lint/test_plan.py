"""A deploy net is read together with the training nets beside it, and these are not reported."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cost import follows
from seeds import SEED

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.plan import Siblings, plan


@pytest.mark.parametrize(
    ("file", "beside", "wanted"),
    [
        ("deploy.prototxt", ["deploy.prototxt", "solver.prototxt", "train_val.prototxt"], ["train_val.prototxt"]),
        ("net_test.prototxt", ["net_train.prototxt", "net_train_test.prototxt"], None),
        ("cape_deploy.prototxt", ["cape.prototxt", "cp.prototxt"], ["cape.prototxt"]),
        ("resnet50_deploy.prototxt", ["resnet_train.prototxt", "resnet101_train.prototxt"], ["resnet_train.prototxt"]),
        ("train_val.prototxt", ["deploy.prototxt", "test.prototxt"], []),
        (
            "deploy_a_train_test.prototxt",
            ["a_train_test.prototxt", "deploy_a_train_test.prototxt"],
            ["a_train_test.prototxt"],
        ),
        ("deploy_a_train.prototxt", ["b_train.prototxt"], []),
        ("latest.prototxt", ["train.prototxt"], []),
        ("lenet_deploy.prototxt", ["train_val.prototxt", "lenet_deploy.prototxt"], ["train_val.prototxt"]),
        (
            "lenet_deploy.prototxt",
            ["train_val.prototxt", "deploy.prototxt", "lenet_train.prototxt"],
            ["lenet_train.prototxt"],
        ),
    ],
)
def test_the_training_net_is_reported_by_name(file: str, beside: list[str], wanted: list[str] | None) -> None:
    assert Siblings(beside).of(file) == (beside if wanted is None else wanted)


def test_the_nearest_name_comes_first_and_few_are_taken() -> None:
    beside = [f"model_{number}_train.prototxt" for number in range(9)] + ["model_5.prototxt"]
    found = Siblings(beside).of("model_5_deploy.prototxt")
    assert found == ["model_5_train.prototxt", "model_5.prototxt"]
    assert len(Siblings(beside).of("model_deploy.prototxt")) == 4


_TRAIN = """
layer { name: "data" type: "Data" top: "b" top: "l" }
layer { name: "f1" type: "InnerProduct" bottom: "b" top: "f1" inner_product_param { num_output: 3 } }
layer { name: "f2" type: "InnerProduct" bottom: "f1" top: "f2" inner_product_param { num_output: 3 } }
layer { name: "f3" type: "InnerProduct" bottom: "f2" top: "f3" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "f3" bottom: "l" top: "loss" }
"""


def test_only_what_was_given_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # `nothing_known` is a finding of its own in the training net.
    Path("train_val.prototxt").write_text(_TRAIN + "nothing_known: 1\n")
    deploy = _TRAIN.replace('"Data" top: "b" top: "l"', '"Input" top: "b"').partition('layer { name: "loss"')[0]
    Path("deploy.prototxt").write_text(deploy.replace("num_output: 3 } }", "num_output: 4 } }", 3).replace("4", "3", 2))
    config = Config()
    config.cache = False
    config.select = ["deploy-mismatch", "unknown-field"]
    alone = caffelint.check(["deploy.prototxt"], config)
    assert [(finding.file, finding.name) for finding in alone.findings] == [("deploy.prototxt", "deploy-mismatch")]
    assert alone.files == 1
    train = caffelint.check(["train_val.prototxt"], config)
    assert [(finding.file, finding.name) for finding in train.findings] == [("train_val.prototxt", "unknown-field")]
    both = caffelint.check(["."], config)
    assert sorted(finding.file for finding in both.findings) == ["deploy.prototxt", "train_val.prototxt"]


def test_a_net_that_the_solver_tests_is_no_deploy_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train.prototxt", "test.prototxt"):
        Path(name).write_text(_TRAIN)
    Path("solver.prototxt").write_text('train_net: "train.prototxt" test_net: "test.prototxt"')
    (job,) = plan(["test.prototxt"])
    assert job.siblings == ()


def test_a_changed_training_net_brings_its_deploy_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train_val.prototxt", "deploy.prototxt"):
        Path(name).write_text(_TRAIN)
    changed = {str(tmp_path / "train_val.prototxt")}
    given = ["train_val.prototxt", "deploy.prototxt"]
    (job,) = plan(given, changed=changed)
    assert job.report == {"train_val.prototxt", "deploy.prototxt"}
    (job,) = plan(given, changed={str(tmp_path / "deploy.prototxt")})
    assert job.report == {"deploy.prototxt"}


def test_one_name_holds_all_words_of_the_other() -> None:
    """However the files are looked up: held against a comparison of each with all."""
    chance = random.Random(SEED)
    words = ["a", "b", "c", "d", "deploy", "test", "train", "val", "solver", "7"]
    names = {"_".join(chance.choices(words, k=chance.randint(1, 4))) for _ in range(200)}
    roles = {"deploy", "test", "train", "trainval", "val"}

    def own(name: str) -> set[str]:
        return set(name.split("_"))

    def deploys(name: str) -> bool:
        return bool(own(name) & {"deploy", "test"}) and "train" not in own(name)

    deployed = [own(name) - roles for name in names if "deploy" in own(name) and deploys(name)]
    nets = Siblings(f"{name}.prototxt" for name in names)
    for name in names:
        model = own(name) - roles
        fitting = {
            other
            for other in names
            if other != name and not deploys(other) and "solver" not in own(other)
            if own(other) - roles <= model and (deploys(name) or own(other) - roles) or model <= own(other) - roles
        }
        # One that has a deploy net of its own name is no other's.
        fitting = {other for other in fitting if own(other) - roles == model or own(other) - roles not in deployed}
        found = {path.removesuffix(".prototxt") for path in nets.of(f"{name}.prototxt")}
        assert found <= fitting
        assert len(found) == (0 if "train" in own(name) else min(len(fitting), 4))


def test_many_deploy_nets_cost_no_more_each() -> None:
    def look(size: int) -> None:
        nets = Siblings(f"train_{number}.prototxt" for number in range(size))
        for number in range(size):
            assert nets.of(f"deploy_{number}.prototxt") == [f"train_{number}.prototxt"]

    assert follows(look, 1_000, 16_000)
