"""The weights with which scripts train a solver, and where they leave a doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.project.memory import forget
from caffelint.lint.project.pretrained import pretrained

TRAIN = "caffe train --solver=a/solver.prototxt --weights=m/w.caffemodel\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in (".git", "a", "m", "sub/a"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "m/w.caffemodel").write_bytes(b"\n\1n")
    (tmp_path / "a/solver.prototxt").write_text('net: "net.prototxt"\n')
    (tmp_path / "train.sh").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    forget()
    return tmp_path


def found() -> str | None:
    forget()
    one = pretrained("a/solver.prototxt")
    return f"{Path(one.path).name} {one.place}" if one is not None else None


def test_the_one_file_of_all_trainings(repository: Path) -> None:
    assert found() == "w.caffemodel train.sh:1"
    (repository / "again.py").write_text(
        "s = caffe.get_solver('a/solver.prototxt')\ns.net.copy_from('m/w.caffemodel')\ns.solve()\n"
    )
    (repository / "on.sh").write_text("caffe train --solver=a/solver.prototxt --snapshot=x.solverstate\n")
    assert found() is not None


@pytest.mark.parametrize(
    "text",
    [
        "caffe train --solver=a/solver.prototxt\n",
        "caffe train --solver=a/solver.prototxt --weights=m/v.caffemodel\n",
        "$CAFFE train --solver=a/solver.prototxt\n",
        "caffe train --solver=$D/a/solver.prototxt\n",
        "caffe train --solver=/data/a/solver.prototxt\n",
        "cd a && caffe train --solver=solver.prototxt\n",
        "s = caffe.SGDSolver('a/solver.prototxt')\ns.net.copy_from('m/w.caffemodel')\ns.net.copy_from(other)\n",
        "s = caffe.SGDSolver(os.path.join('a', 'solver.prototxt'))\n",
        "add_argument('--solver', default='a/solver.prototxt')\ns = caffe.SGDSolver(args.solver)\n",
    ],
)
def test_a_script_that_leaves_a_doubt(repository: Path, text: str) -> None:
    (repository / ("other.py" if "= caffe" in text else "other.sh")).write_text(f"# caffe\n{text}")
    assert found() is None


@pytest.mark.parametrize("data", [b"", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", None])
def test_no_file_of_weights(repository: Path, data: bytes | None) -> None:
    path = repository / "m/w.caffemodel"
    path.unlink() if data is None else path.write_bytes(data)
    assert found() is None


def test_a_solver_of_the_same_path_is_nearer(repository: Path) -> None:
    (repository / "sub/a/solver.prototxt").write_text('net: "net.prototxt"\n')
    (repository / "train.sh").rename(repository / "sub/train.sh")
    assert found() is None
