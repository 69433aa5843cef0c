from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = 'name: "{}" layer {{ name: "data" type: "Input" top: "data" }}'


@pytest.mark.parametrize(
    ("folder", "net", "told"),
    [
        ("models/b", "models/a/train.prototxt", True),
        ("models/b/deep", "models/a/train.prototxt", True),
        ("models/b", "models/b/train.prototxt", False),
        ("models/b", "models/a/other.prototxt", False),
        ("models/a/old", "models/a/train.prototxt", False),
        # A run that keeps a copy of its net.
        ("results/1", "models/a/train.prototxt", False),
    ],
)
def test_the_net_next_to_a_solver_may_be_meant(tmp_path: Path, folder: str, net: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("models/a/train.prototxt", "models/a/other.prototxt", f"{folder}/train.prototxt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(NET.format(name))
    solver = tmp_path / folder / "solver.prototxt"
    solver.write_text(f'net: "{net}"\nbase_lr: 0.1')
    config = Config()
    config.cache, config.preview = False, True
    found = [one for one in caffelint.check([str(solver)], config).findings if one.name == "solver-of-another-net"]
    assert [(one.file, one.line) for one in found] == ([(str(solver), 1)] if told else [])


@pytest.mark.parametrize(
    ("solver", "net", "told"),
    [
        ("singleFrame_solver_RGB", "train_test_lstm_RGB", True),
        ("lstm_solver_RGB", "train_test_lstm_RGB", False),
        ("other_solver_RGB", "train_test_lstm_RGB", False),
        ("singleFrame_solver", "train_test_lstm_RGB", False),
    ],
)
def test_the_net_with_the_solver_s_word_may_be_meant(tmp_path: Path, solver: str, net: str, told: bool) -> None:
    for name in ("train_test_lstm_RGB", "train_test_singleFrame_RGB"):
        (tmp_path / f"{name}.prototxt").write_text(NET.format(name))
    path = tmp_path / f"{solver}.prototxt"
    config = Config()
    config.cache, config.preview = False, True
    for others in ((), ("lstm_solver_RGB",)):
        for name in (solver, *others):
            (tmp_path / f"{name}.prototxt").write_text(f'net: "{net}.prototxt"\nbase_lr: 0.1')
        found = [one.name for one in caffelint.check([str(path)], config).findings]
        assert ("solver-of-another-net" in found) == (told and bool(others)), "the net may have no solver of its own"


@pytest.mark.parametrize(
    ("solver", "other", "told"),
    [
        ("BN_solver", "BN_train_val", True),
        ("solver-padded", "train_val-padded", True),
        ("BN_solver", "BNtrain_val", False),
        ("solver_test", "train_val_test", False),
        ("solver_2", "train_val_2", False),
        ("train_val_slover", "train_val_slover", False),  # itself
    ],
)
def test_the_net_with_one_more_word_may_be_meant(tmp_path: Path, solver: str, other: str, told: bool) -> None:
    for name in ("train_val", other):
        (tmp_path / f"{name}.prototxt").write_text(NET.format(name))
    path = tmp_path / f"{solver}.prototxt"
    path.write_text('net: "train_val.prototxt"\nbase_lr: 0.1')
    config = Config()
    config.cache, config.preview = False, True
    found = [
        one.message for one in caffelint.check([str(path)], config).findings if one.name == "solver-of-another-net"
    ]
    assert bool(found) == told
    assert not told or f'but "{other}.prototxt" is there too, with the "' in found[0]


@pytest.mark.parametrize(
    ("net", "prefix", "told"),
    [
        ("cut2_train_val", "cut2_mammo", []),
        ("cut5_train_val", "cut2_mammo", ["net"]),
        ("cut2_train_val", "cut1_mammo", ["snapshot_prefix"]),
        ("cut2_train_val", "cut2_after_cut1", []),
        ("cut2_train_val", "cut5_mammo", []),
        ("other_train_val", "other", []),
    ],
)
def test_numbers_tell_the_solvers_of_a_family(tmp_path: Path, net: str, prefix: str, told: list[str]) -> None:
    for name in ("cut1", "cut2", "cut5", "other"):
        (tmp_path / f"{name}_train_val.prototxt").write_text(NET.format(name))
    (tmp_path / "cut1_solver.prototxt").write_text('net: "cut1_train_val.prototxt"\nsnapshot_prefix: "cut1_mammo"')
    if told == ["net"]:
        (tmp_path / "cut5_solver.prototxt").write_text('net: "cut5_train_val.prototxt"\nsnapshot_prefix: "cut5_mammo"')
    path = tmp_path / "cut2_solver.prototxt"
    path.write_text(f'net: "{net}.prototxt"\nbase_lr: 0.1\nsnapshot_prefix: "snapshots/{prefix}"')
    config = Config()
    config.cache, config.preview = False, True
    found = [one for one in caffelint.check([str(path)], config).findings if one.name == "solver-of-another-net"]
    assert [one.field for one in found] == told


def test_bare_numbers_may_count_anything(tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(NET.format("net"))
    for number in (1, 2):
        text = 'net: "net.prototxt"\nbase_lr: 0.1\nsnapshot_prefix: "net_1"'
        (tmp_path / f"solver_{number}.prototxt").write_text(text)
    config = Config()
    config.cache, config.preview = False, True
    found = caffelint.check([str(tmp_path)], config).findings
    assert "solver-of-another-net" not in [one.name for one in found]


@pytest.mark.parametrize(
    ("net", "prefix", "told"),
    [
        ("net3", "result4", ['set it to "out/result3"']),
        ("net3", "result3", []),
        ("net3", "result5", []),
        ("net3", "result", []),
        ("net4", "result4", []),
        ("net", "result4", []),
    ],
)
def test_a_prefix_ends_in_the_number_of_another_solver(tmp_path: Path, net: str, prefix: str, told: list[str]) -> None:
    for name in ("net", "net3", "net4"):
        (tmp_path / f"{name}.prototxt").write_text(NET.format(name))
    (tmp_path / "solver4.prototxt").write_text('net: "net4.prototxt"\nsnapshot_prefix: "out/result4"')
    path = tmp_path / "solver3.prototxt"
    path.write_text(f'net: "{net}.prototxt"\nbase_lr: 0.1\nsnapshot_prefix: "out/{prefix}"')
    config = Config()
    config.cache, config.preview = False, True
    found = [one for one in caffelint.check([str(path)], config).findings if one.field == "snapshot_prefix"]
    assert [one.message.rpartition("; ")[2] for one in found if one.name == "solver-of-another-net"] == told


SAVES = 'net: "{}.prototxt"\nsnapshot: {}\nmax_iter: 4000\nsnapshot_prefix: "{}"\nbase_lr: 0.1 lr_policy: "fixed"'


@pytest.mark.parametrize(
    ("solvers", "told"),
    [
        # In two folders, from the top, and beside each other.
        ({"a/solver": ("a/net", 1000, "out/a"), "b/solver": ("b/net", 500, "./out/a")}, ["b/solver"]),
        ({"solver": ("net", 1000, "net"), "solverv2": ("netv2", 1000, "net")}, ["solverv2"]),
        ({"solver": ("net", 3000, "net"), "solverv2": ("netv2", 4000, "net")}, ["solverv2"]),
        # The same net, other files, each in its own folder, and what a program saves.
        ({"solver": ("net", 1000, "net"), "solverv2": ("net", 1000, "net")}, []),
        ({"solver": ("net", 1000, "net"), "solverv2": ("netv2", 1000, "netv2")}, []),
        ({"a/solver": ("one", 1000, "net"), "b/solver": ("two", 1000, "net")}, []),
        ({"solver": ("net", 0, "net"), "solverv2": ("netv2", 1000, "net")}, []),
    ],
)
def test_nets_whose_weights_are_saved_in_the_same_files(
    tmp_path: Path, solvers: dict[str, tuple[str, int, str]], told: list[str]
) -> None:
    (tmp_path / ".git").mkdir()
    for name, (net, snapshot, prefix) in solvers.items():
        solver = tmp_path / f"{name}.prototxt"
        solver.parent.mkdir(exist_ok=True)
        solver.write_text(SAVES.format(net, snapshot, prefix))
        (tmp_path / f"{net}.prototxt" if "/" in net else solver.parent / f"{net}.prototxt").write_text(NET.format(net))
    found = [one for one in caffelint.check([str(tmp_path)]).findings if "is also that of" in one.message]
    assert [one.file for one in found] == [str(tmp_path / f"{name}.prototxt") for name in told]
    assert all(one.name == "solver-of-another-net" and one.line == 4 for one in found)


@pytest.mark.parametrize(
    ("prefix", "has_own", "told"),
    [
        ("models/cut1_faces", False, True),  # the weights of cut5 go out as those of cut1
        ("models/cut5_faces", False, False),
        ("models/cut1_cut5", False, False),
        ("models/faces", False, False),  # a net without a solver of its own
        ("models/faces", True, True),
    ],
)
def test_a_net_of_another_number_is_saved_as_the_own(tmp_path: Path, prefix: str, has_own: bool, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    for number in (1, 5):
        (tmp_path / f"cut{number}_train.prototxt").write_text(NET.format(number))
    solver = tmp_path / "cut1_solver.prototxt"
    solver.write_text(f'net: "cut5_train.prototxt"\nbase_lr: 0.1\nsnapshot_prefix: "{prefix}"')
    if has_own:
        (tmp_path / "cut5_solver.prototxt").write_text('net: "cut5_train.prototxt"\nbase_lr: 0.1')
    config = Config()
    config.cache, config.preview = False, True
    found = [one for one in caffelint.check([str(solver)], config).findings if one.name == "solver-of-another-net"]
    assert bool(found) == told
