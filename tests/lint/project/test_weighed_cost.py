"""To weigh findings by their project takes time with the size of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bench_curves
import pytest
from weighing import BROKEN, NET, SOLVER, write

import caffelint
from caffelint.lint import role
from caffelint.lint.project import trained, used, weighed
from caffelint.lint.project.texts import Texts
from caffelint.lint.read import read


def test_drafts_take_time_with_their_number(project: Path) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "README.md": "other.prototxt"})

    def work(number: int) -> int:
        names = (chr(ord("a") + one // 26) + chr(ord("a") + one % 26) for one in range(number))
        write({f"nets/{name}.prototxt": BROKEN + f"# {name}\n" for name in names})
        return bench_curves.calls(lambda: caffelint.check("."))

    work(10)
    assert work(120) < 6 * work(30)


def test_launches_of_a_series_take_time_with_their_number(project: Path) -> None:
    """Each line of such a script may mean each of the solvers: their names differ in digits alone."""

    def work(number: int) -> int:
        solvers = [f"s{one}.prototxt" for one in range(number)]
        write({"run.sh": "".join(f"caffe train --solver {name}\n" for name in solvers * 4)})
        write({name: SOLVER % name.replace("s", "n", 1) for name in solvers})
        return bench_curves.calls(lambda: caffelint.check("."))

    work(10)
    assert work(160) < 5.5 * work(40)


def test_solvers_of_one_net_take_time_with_their_number(project: Path) -> None:
    def work(number: int) -> int:
        write({"train.prototxt": NET})
        solver = 'net: "train.prototxt"\nbase_lr: 1\nlr_policy: "fixed"\nmax_iter: 1000\n'
        write({f"s{one}.prototxt": f"{solver}# {one}" for one in range(number)})
        return bench_curves.calls(lambda: caffelint.check("."))

    work(10)
    assert work(640) < 4.4 * work(160)


def test_what_a_script_says_again_and_again_is_asked_once(project: Path) -> None:
    """Launches and snapshots, of which each is held against each solver."""

    def work(number: int) -> int:
        names = [chr(ord("a") + one) for one in range(20)]
        said = "caffe train --solver s_a.prototxt\na/q_iter_10.caffemodel\n"
        write({"run.sh": said * number, "train.prototxt": NET})
        prefix = 'snapshot_prefix: "%s_net"\n'
        write({f"s_{name}.prototxt": SOLVER % "train.prototxt" + prefix % name for name in names})
        return bench_curves.calls(lambda: caffelint.check("."))

    work(1)
    assert work(2000) - work(1000) < 160 * 1000


def test_a_page_is_searched_for_results_once(project: Path, monkeypatch: Any) -> None:
    """To search it takes long, and every net asks."""
    searched: list[str] = []

    class Results:
        def search(self, text: str) -> None:
            searched.append(text)

    monkeypatch.setattr(trained, "_RESULTS", Results())
    names = [chr(ord("a") + one) for one in range(20)]
    write({"README.md": "all of them\n"})
    write({f"{name}.prototxt": NET for name in names})
    write({f"solver_{name}.prototxt": SOLVER % f"{name}.prototxt" for name in names})
    caffelint.check(".")
    assert len(searched) == 1


def test_pages_are_asked_of_a_folder_by_its_name(project: Path) -> None:
    files = [str(project / f"o{one}" / "x.prototxt") for one in range(50)]

    def work(number: int) -> int:
        write({f"r{one}/README.md": "x" for one in range(number)})
        found = trained.Trained(Texts(str(project), files), 1)
        found.of(files[0], ())
        return bench_curves.calls(lambda: [found.of(file, ()) for file in files])

    work(5)
    few = work(20)  # before there are more pages
    assert work(100) - few < 50 * 80 * 3


def test_a_file_is_read_once_for_all_its_findings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_: list[str] = []
    real = read

    def counted(path: str, *more: Any) -> bytes:
        read_.append(path)
        return real(path, *more)

    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET})
    write({"draft.prototxt": NET + "".join(f'layer{one} {{ name: "a" }}\n' for one in range(60))})
    for module in (role, used, weighed):
        monkeypatch.setattr(module, "read", counted)
    report = caffelint.check(".")
    assert sum(one.name == "unknown-field" for one in report.findings) >= 60
    assert len(read_) < 60
