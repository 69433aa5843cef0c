"""The search for nets: what is found, what only beside the solver, and what not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from cost import soon

import caffelint
from caffelint.lint.config import Config

NET = 'layer { name: "x" type: "ReLU" bottom: "x" top: "x" }'
TRAINED = NET + ' layer { name: "loss" type: "EuclideanLoss" bottom: "x" bottom: "y" }'


def said(path: str) -> list[tuple[str, str]]:
    config = Config()
    config.cache, config.select = False, ["net-file-not-found"]
    return [(finding.severity, finding.message) for finding in caffelint.check([path], config).findings]


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repo" / "models"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return folder


def test_found_from_the_root_of_the_repository(models: Path) -> None:
    (models / "net.prototxt").write_text(NET)
    (models / "solver.prototxt").write_text('net: "models/net.prototxt" base_lr: 1')
    assert said("repo/models/solver.prototxt") == []


def test_found_beside_the_solver_only(models: Path) -> None:
    (models / "net.prototxt").write_text(NET)
    (models / "solver.prototxt").write_text('net: "elsewhere/net.prototxt" base_lr: 1')
    [(severity, message)] = said("repo/models/solver.prototxt")
    assert severity == "info"
    assert message == (
        'net "elsewhere/net.prototxt" is not found, so "net.prototxt" next to the solver is checked instead;'
        " correct the path, or run Caffe where it exists"
    )


@pytest.mark.parametrize(
    "name",
    [
        r"E:\\caffe-master_\\models\\nets\\net.prototxt",
        r"..\\models\\nets\\net.prototxt",
        "E:/caffe/models/nets/net.prototxt",
        "/home/me/caffe/models/nets/net.prototxt",
        "examples/mine/models/nets/net.prototxt",  # the repository is a folder of a Caffe
    ],
)
def test_the_longest_end_of_a_path_of_another_machine(models: Path, name: str) -> None:
    (models / "nets").mkdir()
    (models / "nets" / "net.prototxt").write_text(NET)
    (models / "net.prototxt").write_text("name: 1")
    (models / "solver.prototxt").write_text(f'train_net: "{name}" base_lr: 1')
    [(severity, message)] = said("repo/models/solver.prototxt")
    assert severity == "info"
    assert ' is not found, so "repo/models/nets/net.prototxt" is checked instead; ' in message


def test_an_end_that_leads_to_a_file_by_its_bare_name(models: Path) -> None:
    (models / "net.prototxt").write_text(NET)
    (models / "solver.prototxt").write_text(r'net: "C:\\work\\net.prototxt" base_lr: 1')
    [(_, message)] = said("repo/models/solver.prototxt")
    assert 'so "net.prototxt" next to the solver is checked instead' in message


@pytest.mark.parametrize(
    ("name", "severity", "end"),
    [
        ("./models/old/a/net.prototxt", "warning", 'so "models/new/a/net.prototxt" is checked instead; name that one'),
        # Where the first folder is cannot be known, nor what several others were called.
        ("nets/new/a/net.prototxt", "info", "correct the path, or run Caffe where it exists"),
        ("models/old/b/net.prototxt", "info", "correct the path, or run Caffe where it exists"),
    ],
)
def test_a_folder_that_was_renamed(models: Path, name: str, severity: str, end: str) -> None:
    folder = models / "new" / "a"
    folder.mkdir(parents=True)
    (folder / "net.prototxt").write_text(NET)
    (folder / "solver.prototxt").write_text(f'net: "{name}" base_lr: 1')
    [(told, message)] = said("repo/models/new/a/solver.prototxt")
    assert told == severity
    assert message.endswith(end)


@pytest.mark.parametrize(
    ("name", "near"), [("models/resnettrain.prototxt", True), ("models/res/net/train.prototxt", False)]
)
def test_a_slash_that_was_left_out(models: Path, name: str, near: bool) -> None:
    folder = models / "resnet"
    folder.mkdir()
    (folder / "train.prototxt").write_text(NET)
    (folder / "test.prototxt").write_text(NET)
    (folder / "solver.prototxt").write_text(f'train_net: "{name}" base_lr: 1')
    [(severity, message)] = said("repo/models/resnet/solver.prototxt")
    assert (severity == "warning") == near
    assert message.endswith('did you mean "models/resnet/train.prototxt"?') == near


def test_found_nowhere(models: Path) -> None:
    (models / "solver.prototxt").write_text('train_net: "nowhere_a.prototxt" test_net: "nowhere_b.prototxt" base_lr: 1')
    assert [severity for severity, _ in said("repo/models/solver.prototxt")] == ["info", "info"]


@pytest.mark.parametrize(
    ("name", "near"),
    [("Train_Val.prototxt", True), ("trainvl.prototxt", True), ("train_val2.prototxt", False), ("vgg.prototxt", False)],
)
@pytest.mark.parametrize("folder", ["", "nets/"])
def test_a_name_that_may_have_been_meant(models: Path, name: str, near: bool, folder: str) -> None:
    (models / "nets").mkdir()
    (models / folder / "trainval.prototxt").write_text(TRAINED)
    (models / "other_solver.prototxt").write_text(f'net: "{folder}trainval.prototxt" base_lr: 1')
    (models / "trainval_solver.prototxt").write_text(f'net: "{folder}{name}" base_lr: 1')
    [(severity, message)] = said("repo/models/trainval_solver.prototxt")
    assert (severity == "warning") == near
    assert message.endswith(f'did you mean "{folder}trainval.prototxt"?') == near


def test_a_net_without_a_loss_is_not_suggested(models: Path) -> None:
    (models / "train_val_deploy.prototxt").write_text(TRAINED)
    (models / "train_vall.prototxt").write_text(NET)
    (models / "train_val_solver.prototxt").write_text('net: "train_val.prototxt" base_lr: 1')
    [(severity, message)] = said("repo/models/train_val_solver.prototxt")
    assert severity == "info"
    assert "did you mean" not in message


def test_a_path_of_another_machine_is_an_info(models: Path) -> None:
    (models / "trainval.prototxt").write_text(TRAINED)
    (models / "trainval_solver.prototxt").write_text('net: "/home/me/train_val.prototxt" base_lr: 1')
    [(severity, message)] = said("repo/models/trainval_solver.prototxt")
    assert severity == "info"
    assert message.endswith('did you mean "trainval.prototxt"?')


def test_nobody_trains_by_a_net_to_deploy(models: Path) -> None:
    (models / "attributes_of_faces_v4_deploy.prototxt").write_text(NET)
    (models / "solver.prototxt").write_text('net: "attributes_of_faces_v4.prototxt" base_lr: 1')
    assert [severity for severity, _ in said("repo/models/solver.prototxt")] == ["info"]
    (models / "attributes_of_faces_v4_train.prototxt").write_text(TRAINED)
    [(severity, message)] = said("repo/models/solver.prototxt")
    assert severity == "warning"
    assert message.endswith('did you mean "attributes_of_faces_v4_train.prototxt"?')


@pytest.mark.parametrize(("name", "severity"), [("models/train.prototxt", "warning"), ("nets/train.prototxt", "info")])
def test_the_only_net_beside_the_only_solver(models: Path, name: str, severity: str) -> None:
    (models / "alexnet.prototxt").write_text('layer { name: "loss" type: "SoftmaxWithLoss" bottom: "a" bottom: "b" }')
    (models / "solver.prototxt").write_text(f'net: "{name}" base_lr: 1')
    assert [severity for severity, _ in said("repo/models/solver.prototxt")] == [severity]


def test_nobody_looked() -> None:
    config = Config()
    config.select = ["net-file-not-found"]
    assert caffelint.check_text('net: "nowhere_a.prototxt" base_lr: 1', config=config).findings == ()


def test_many_names_in_a_deep_folder_take_little_time(models: Path) -> None:
    """Each is looked for in the folders above, of which a few are enough, and a few hundred names."""
    deep = models / "/".join(["d"] * 150)
    deep.mkdir(parents=True)
    (deep / "solver.prototxt").write_text(
        "".join(f'test_net: "a{number}"\n' for number in range(4000)) + "base_lr: 1\n"
    )
    with soon(20):
        assert len(said(str(deep / "solver.prototxt"))) <= 200


@pytest.mark.parametrize(
    ("path", "severity"),
    [
        ("/home/me/caffe/lenet.prototxt", "warning"),
        ("/home/me/caffe/LeNet2.prototxt", "info"),
        # Windows opens it.
        ("C:/caffe/lenet.prototxt", "info"),
    ],
)
def test_a_name_in_other_letters_is_wrong_wherever_the_file_is(models: Path, path: str, severity: str) -> None:
    (models / "LeNet.prototxt").write_text(TRAINED)
    (models / "solver.prototxt").write_text(f'net: "{path}" base_lr: 1')
    [(found, message)] = said("repo/models/solver.prototxt")
    assert found == severity
    assert 'did you mean "LeNet.prototxt"' in message or severity == "info"


@pytest.mark.parametrize(
    ("name", "is_top", "severity"),
    [("examples/mine/lenet.prototxt", True, "warning"), ("a/lenet.prototxt", False, "info"), ("/a/b.p", True, "info")],
)
def test_the_only_net_wherever_the_path_leads(models: Path, name: str, is_top: bool, severity: str) -> None:
    """The top of a project is called as one likes, so that a path may lead there."""
    (models / "scene.prototxt").write_text(TRAINED)
    (models / "solver.prototxt").write_text(f'net: "{name}" base_lr: 1')
    (models / ".git" if is_top else models.parent / ".git").mkdir()
    [(told, message)] = said("repo/models/solver.prototxt")
    assert told == severity
    assert 'did you mean "scene.prototxt"' in message
    (models / Path(name).parts[0]).mkdir(exist_ok=True)
    [(told, _)] = said("repo/models/solver.prototxt")
    assert told == "info", "a folder of that name is there, so the net may only be missing in it"
    (models / "other.prototxt").write_text(TRAINED)
    [(told, message)] = said("repo/models/solver.prototxt")
    assert (told, "did you mean" in message) == ("info", False)


def test_a_placeholder_means_no_net_of_another_folder(models: Path) -> None:
    (models / "scene.prototxt").write_text(TRAINED)
    (models / "solver.prototxt").write_text('net: "${EXP}/config/train_${SET}.prototxt" base_lr: 1')
    [(_, message)] = said("repo/models/solver.prototxt")
    assert "holds a placeholder" in message


@pytest.mark.parametrize(
    ("named", "there", "severity", "guess"),
    [
        ("./nets/train_it.prototxt", "nets/a/train_it.prototxt", "warning", "nets/a/train_it.prototxt"),
        ("nets/train_it.prototxt", "old/nets/train_it.prototxt", "warning", "old/nets/train_it.prototxt"),
        ("/home/me/nets/train_it.prototxt", "nets/a/train_it.prototxt", "info", "nets/a/train_it.prototxt"),
        ("nets/train_it.prototxt", "other/train_it.prototxt", "info", ""),
        ("train_it.prototxt", "nets/a/train_it.prototxt", "info", ""),
    ],
)
def test_the_only_one_of_the_project(models: Path, named: str, there: str, severity: str, guess: str) -> None:
    top = models.parent
    (top / ".git").mkdir()
    (top / ".git" / "HEAD").touch()
    for name in ("first.prototxt", "second.prototxt"):
        (models / name).write_text(TRAINED)
    (top / there).parent.mkdir(parents=True)
    (top / there).write_text(TRAINED)
    (models / "solver.prototxt").write_text(f'net: "{named}" base_lr: 1')
    [(level, message)] = said("repo/models/solver.prototxt")
    assert (level, f'did you mean "{guess}"?' in message) == (severity, bool(guess))
    if guess:  # a second file of that name leaves room for doubt
        (top / "more").mkdir()
        (top / "more" / "train_it.prototxt").write_text(TRAINED)
        assert all("did you mean" not in message for _, message in said("repo/models/solver.prototxt"))


@pytest.mark.parametrize(("fields", "is_likely"), [("train_net", True), ("net", True), ("train_net test_net", False)])
def test_a_net_for_both_phases_is_none_of_two_nets(models: Path, fields: str, is_likely: bool) -> None:
    (models / "lenet.prototxt").write_text(TRAINED + 'layer { name: "a" type: "Accuracy" include { phase: TEST } }')
    named = "".join(f'{field}: "lost/{field}_ssd.prototxt" ' for field in fields.split())
    (models / "solver.prototxt").write_text(f"{named} base_lr: 1")
    assert ('did you mean "lenet.prototxt"' in said("repo/models/solver.prototxt")[0][1]) == is_likely


def test_long_names_are_not_held_letter_by_letter_against_each_other(models: Path) -> None:
    for number in range(80):
        (models / f"{'ab' * 90}{number}.prototxt").write_text(TRAINED)
    named = "".join(f'test_net: "{"ba" * 90}{number}.prototxt" ' for number in range(16))
    for number in range(8):
        (models / f"solver_{number}.prototxt").write_text(f"{named} base_lr: 1")
    with soon(20):
        assert said("repo/models/solver_1.prototxt")


@pytest.mark.parametrize(("start", "severity"), [("~/work/repo/", "warning"), ("/home/me/repo/", "info")])
def test_a_slip_at_the_end_of_a_path_of_another_machine(models: Path, start: str, severity: str) -> None:
    (models / "deep").mkdir()
    (models / "deep" / "rcnn-merge.prototxt").write_text(TRAINED)
    (models / "solver.prototxt").write_text(f'train_net: "{start}models/deep/rcnn_merge.prototxt" base_lr: 1')
    [found] = said("repo/models/solver.prototxt")
    assert found == (severity, found[1])
    assert found[1].endswith('did you mean "deep/rcnn-merge.prototxt"?')


def test_the_path_meant_is_that_from_where_a_script_runs_the_solver(models: Path) -> None:
    (models / "alex_v2.prototxt").write_text(TRAINED)
    (models / "alex_v2_solver.prototxt").write_text('net: "other_v2.prototxt" base_lr: 1')
    (models.parent / ".git").mkdir()
    (models.parent / "train.py").write_text("import caffe\ncaffe.SGDSolver('models/alex_v2_solver.prototxt').solve()\n")
    [(_, message)] = said("repo/models/alex_v2_solver.prototxt")
    assert message == (
        'net "other_v2.prototxt" is not found, so Caffe stops at the start; did you mean "models/alex_v2.prototxt"?'
    )
