"""What scripts tell of solvers takes time with the number of both, and with the folders of a checkout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bench_curves
import pytest
from weighing import NET, write

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.project import bases, conversions, launched, memory, scripts, unsolved
from caffelint.project.mentions import Words
from caffelint.project.scripts import Script

SOLVER = 'train_net: "t.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 1000\n'


def check() -> None:
    config = Config()
    config.cache, config.jobs = False, 1
    assert not caffelint.check(".", config).failures


def test_a_checkout_is_gone_through_once_for_all_missing_nets(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    real = scripts.walk

    def counted(top: str) -> Any:
        walked.append(top)
        return real(top)

    monkeypatch.setattr(scripts, "walk", counted)
    for number in range(6):
        nets = "".join(f'test_net: "x/q{number}_{one}.prototxt"\n' for one in range(8))
        write({f"s{number}solver.prototxt": nets + SOLVER})
    check()
    assert len(walked) <= 2  # for the scripts, and for all files


def test_nets_that_solvers_name_are_looked_up(project: Path) -> None:
    def work(number: int) -> int:
        memory.forget()
        names = [f"q{one}.prototxt" for one in range(number)]
        write({"solver.prototxt": "".join(f'test_net: "x/{name}"\n' for name in names) + SOLVER})
        return bench_curves.calls(lambda: [unsolved.named_beside(name, str(project)) for name in names])

    work(5)
    assert work(400) < 4.6 * work(100)


RUN = {
    "beside": "caffe train -solver solver.prototxt\n./x.sh f{0}/solver.prototxt\n",
    "from above": "caffe train -solver f{0}/solver.prototxt -weights a.caffemodel\n",
    "of one folder": "caffe train -solver g/solver.prototxt\n",
    "sets gradients": "net.blobs['a'].diff[...] = 1  # caffe\n",
    "writes": "cat > g/t.prototxt  # caffe\n",
    "of a net": "net = caffe.Net('f{0}/net.prototxt')\n",
}


@pytest.mark.parametrize("kind", RUN)
def test_scripts_are_asked_of_the_solvers_that_they_name(
    project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*given: Any) -> Any:
            asked.append(real.__name__)
            return real(*given)

        return ask

    for owner, name in ((Script, "is_about"), (Script, "reaches"), (Script, "writes"), (launched, "_launched_from")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    monkeypatch.setattr(scripts, "is_below", counted(scripts.is_below))
    for one in range(60):  # more than are held against each script
        write({f"r{one}.sh": RUN[kind].format(one), f"f{one}/solver.prototxt": SOLVER})
        if kind == "of a net":
            write({f"f{one}/net.prototxt": NET})
    check()
    assert len(asked) < 12 * 60


def test_few_scripts_are_asked_whether_they_write_the_net_of_a_solver_that_another_one_runs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = Script.writes

    def counted(script: Script, net: str, *where: Any) -> Any:
        asked.append(net)
        return real(script, net, *where)

    monkeypatch.setattr(Script, "writes", counted)
    for one in range(30):
        write({f"f{one}/solver.prototxt": SOLVER, f"f{one}/t.prototxt": NET})
        write({f"r{one}.sh": f"caffe train -solver f{one}/solver.prototxt  # trains f{one}/t.prototxt\n"})
    check()
    assert len(asked) < 10 * 30


def test_words_are_the_same_in_every_process(project: Path) -> None:
    """The key of a stored result is made of how they are written."""
    one, two = (Words(words) for words in (["a", "b", "c"], ["c", "b", "a", "b"]))
    assert one == two == {"a", "b", "c"}
    assert repr(one) == repr(two) == repr(Words("abc"))
    assert repr(one) != repr(Words("ab"))
    assert len(repr(Words(map(str, range(10_000))))) < 100


def test_launches_are_kept_for_the_solvers_of_their_name(project: Path) -> None:
    """And what a script says is kept once for all of them."""

    def work(number: int) -> int:
        memory.forget()
        write({"run.sh": "".join(f"caffe train --solver=s{one}.prototxt\n" for one in range(number))})
        names = [f"s{one}.prototxt" for one in range(number)]
        calls = bench_curves.calls(lambda: [scripts._launching(str(project), name) for name in names])
        said = {id(some) for name in names for some in scripts._words(str(project), name)}
        assert len(said) == 1
        return calls

    work(5)
    small = work(100)
    assert work(400) < 4.6 * small


@pytest.mark.parametrize("prefix", ["same", "a{0}"])
def test_solvers_of_one_net_that_a_script_runs_are_not_all_held_against_each_other(project: Path, prefix: str) -> None:
    def work(number: int) -> int:
        memory.forget()
        run = "".join(f"caffe train --solver=s{one}.prototxt\n" for one in reversed(range(number)))
        write({"t.prototxt": NET, "run.sh": run})
        saved = f'{SOLVER}snapshot_prefix: "{prefix}"\n'
        write({f"s{one}.prototxt": saved.format(one) for one in range(number)})
        return bench_curves.calls(check)

    work(5)
    small = work(75)
    assert work(300) < 5 * small


def _asked(work: Callable[[], object]) -> int:
    memory.forget()
    return bench_curves.calls(work)


def test_lists_of_databases_are_looked_up(project: Path) -> None:
    def work(number: int) -> int:
        made = "".join(f"convert_imageset a l{one} db{one}\n" for one in range(number))
        write({"make.sh": made + ">\n" * (30 * number), "l1": "a.png 1\n"})
        return _asked(lambda: conversions.made_in(str(project)))

    work(5)
    assert work(400) < 4.6 * work(100)


@pytest.mark.parametrize("path", ["x", "'q/1solver.prototxt'"])
def test_solvers_that_scripts_judge_are_looked_up(project: Path, path: str) -> None:
    """Of each place, by the path that the script gives or, where that is not known, by the only solver."""

    def work(number: int) -> int:
        write({f"s{one}/{name}solver.prototxt": SOLVER for one in range(number) for name in (1, one)})
        judging = "".join(f"def f{one}(): s.net.forward(); s.net.blobs['a'].data\n" for one in range(number))
        write({"judge.py": f"import caffe\ns = caffe.SGDSolver({path})\n{judging}"})
        return _asked(lambda: scripts._judging(str(project)))

    work(5)
    small = work(100)  # before there are more solvers
    assert work(400) < 4.6 * small


@pytest.mark.parametrize("what", ["launched", "bases"])
def test_launches_below_many_solvers_of_one_path(project: Path, what: str) -> None:
    """Each may be of any of them, until the nearest is found, for all scripts in a folder at once."""

    def work(number: int) -> int:
        below = "/".join("x" * 20)
        write({f"{below[: 2 * one]}a/solver.prototxt": SOLVER for one in range(20)})
        said = "caffe train -solver a/solver.prototxt -weights x_iter_1.caffemodel\n"
        write({f"{below}/r{one}.sh": said for one in range(number)})
        paths = [str(project / below[: 2 * one] / "a" / "solver.prototxt") for one in range(20)]
        if what == "bases":
            assert bases.base_of(str(project), paths[0]) is None  # reads the scripts
            return bench_curves.calls(lambda: [bases.base_of(str(project), path) for path in paths])
        launching = scripts._launching(str(project), "solver.prototxt")
        return bench_curves.calls(lambda: [launched.launched_of(launching, str(project), path) for path in paths])

    work(2)
    memory.forget()
    few = work(50)
    memory.forget()
    assert work(100) - few < 20 * 50 * 60
