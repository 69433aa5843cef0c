"""Where the folder of snapshots is looked for: where data is, and where scripts run the solver."""

from __future__ import annotations

from pathlib import Path

import bench_curves
import pytest

import caffelint
from caffelint.lint.config import Config


@pytest.mark.parametrize(("data", "told"), [("train.txt", True), ("elsewhere.txt", False)])
def test_folder(tmp_path: Path, data: str, told: bool) -> None:
    (tmp_path / "README.md").write_text("a net\n")
    (tmp_path / "train.txt").write_text("train.h5\n")
    (tmp_path / "net.prototxt").write_text(
        f'layer {{ name: "data" type: "HDF5Data" top: "data" hdf5_data_param {{ source: "{data}" batch_size: 8 }} }}'
    )
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" snapshot: 100 snapshot_prefix: "models/net"')
    config = Config()
    config.cache, config.rules = False, {"snapshot-prefix-unusable": {"check-folder": True}}
    names = {finding.name for finding in caffelint.check(tmp_path, config).findings}
    assert ("snapshot-prefix-unusable" in names) is told


_RUN = "caffe train --solver=a/solver.prototxt\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (_RUN, True),
        ("mkdir -p models\n" + _RUN, False),
        ("dir=models\nif [ ! -e $dir ]; then\n  mkdir $dir\nfi\n" + _RUN, False),
        ("dir=logs\nmkdir -p ${dir}\n" + _RUN, True),
        ("for d in models logs; do mkdir -p $d; done\n" + _RUN, False),
        ("D=${1:-models}; mkdir -p $D\n" + _RUN, False),
        ("D=$PWD/models\n" + _RUN, False),
        ("ln -s /data/nets models\n" + _RUN, False),
        ("echo models/net_iter_100.caffemodel\n" + _RUN, True),
        ("cd $1\n" + _RUN, False),
        (_RUN.replace("a/", ""), False),
        ("echo a/solver.prototxt", False),
    ],
)
def test_folder_where_a_script_runs_the_solver(tmp_path: Path, script: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    (tmp_path / "train.sh").write_text(script)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "net.prototxt").write_text('layer { name: "data" type: "Data" top: "data" top: "label" }')
    solver = tmp_path / "a" / "solver.prototxt"
    solver.write_text('net: "a/net.prototxt" snapshot: 100 snapshot_prefix: "models/net"')
    config = Config()
    config.cache = False
    found = [one for one in caffelint.check(tmp_path, config).findings if one.code == "S302"]
    assert [one.severity for one in found if "is not there where" in one.message] == ["info"] * told
    (tmp_path / "models").mkdir()
    assert "S302" not in {one.code for one in caffelint.check(tmp_path, config).findings}


def test_the_folder_of_the_data_is_no_prefix(tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(
        'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "/data/toys/train_lmdb" } }'
    )
    for prefix, told in (("/data/toys", True), ("/data/toys/net", False), ("/data/toy", False), ("", False)):
        (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" base_lr: 1 snapshot_prefix: "{prefix}"\n')
        config = Config()
        config.cache = False
        messages = [one.message for one in caffelint.check(tmp_path, config).findings if one.code == "S302"]
        assert (
            any(one.endswith('add a name, for example snapshot_prefix: "/data/toys/net"') for one in messages) == told
        )


DATA = 'layer {{ type: "Data" top: "d{0}" data_param {{ source: "q{0}" batch_size: 1 backend: LMDB }} }}\n'
OF_ITS_NETS = 'base_lr: 0.001 lr_policy: "fixed" max_iter: 100 snapshot: 10 snapshot_prefix: "a/b"\n'


@pytest.mark.parametrize(("solvers", "tests"), [(40, 1), (1, 40)])
def test_sources_of_a_net_are_looked_for_once(solvers: int, tests: int, tmp_path: Path) -> None:
    def work(solvers: int, tests: int) -> int:
        folder = tmp_path / f"{solvers} {tests}"
        folder.mkdir()
        (folder / "net.prototxt").write_text("".join(map(DATA.format, range(60))))
        nets = 'train_net: "net.prototxt"\n' + 'test_net: "net.prototxt" test_iter: 1\n' * tests + "test_interval: 5\n"
        for number in range(solvers):
            (folder / f"{number}solver.prototxt").write_text(nets + OF_ITS_NETS)
        config = Config()
        config.cache, config.jobs, config.select = False, 1, ["snapshot-prefix-unusable"]
        return bench_curves.calls(lambda: caffelint.check(folder, config))

    work(2, 2)
    few = work(1, 1)
    assert work(solvers, tests) < few + 40 * 2500
