"""What is done grows no faster than the text: counted in calls, which no other process slows down.

One call may look through a whole text, as a regular expression does, so CPU time is compared as well.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bench_curves
import pytest

import caffelint
from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.suppress import suppressions
from caffelint.numerics import start
from caffelint.text.parser import parse

SIZE, MOST = 96, 4.6
"""The smaller of two sizes, and by how much the work of one four times as large may be more."""
MAKE = {**bench_curves.TEXTS, **bench_curves.LOGS}
MOST_TIME = 8
"""By how much the CPU time of a text four times as large may be more: 4 is linear, and 16 grows with the square."""


def calls(work: Callable[[str], None], text: str) -> int:
    return bench_curves.calls(lambda: work(text))


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (bench_curves.check, "layers"),
        (bench_curves.check, "layers that read one blob"),
        (bench_curves.check, "tops of one name, in place"),
        (bench_curves.check, "losses"),
        (bench_curves.check, "loss weights of a layer"),
        (bench_curves.check, "params of a layer"),
        (bench_curves.check, "bottoms that nobody makes"),
        (bench_curves.check, "bottoms of a layer that nobody makes"),
        (bench_curves.check, "bottoms of a layer that nobody makes, and an unknown field"),
        (bench_curves.check, "suppressions in vain"),
        (bench_curves.check, "suppressions"),
        (bench_curves.check, "suppressions of the file"),
        (bench_curves.check, "constant fillers"),
        (bench_curves.check, "top_k too large"),
        (bench_curves.check, "lists of images"),
        (bench_curves.check, "layers of one name each two"),
        (bench_curves.check, "unknown fields of one name"),
        (bench_curves.check, "crops"),
        (bench_curves.check, "base_lr of a solver"),
        (bench_curves.check, "test nets in a solver"),
        (bench_curves.summary, "losses"),
        (bench_curves.patch, "tops of a layer"),
        (bench_curves.mend, "equal tops of a layer"),
        (bench_curves.upgrade, "inputs of a net"),
        (bench_curves.mend, "unknown layers"),
        (bench_curves.mend, "separators in a row"),
        (bench_curves.targets, "layers"),
        (bench_curves.deployed, "losses"),
        (bench_curves.compared, "layers"),
        (bench_curves.followed, "series"),
        (bench_curves.followed, "runs"),
    ],
)
def test_work_grows_no_faster_than_the_text(work: Callable[[str], None], name: str) -> None:
    make = MAKE[name]
    small, large = make(SIZE), make(4 * SIZE)
    for text in (large, large):  # imports, and what is remembered
        work(text)
    before, after = calls(work, small), calls(work, large)
    assert after < MOST * before


def seconds(work: Callable[[str], None], text: str) -> float:
    """CPU time, the least of three."""
    return min(bench_curves.cpu_seconds(lambda: work(text)) for _ in range(3))


def comments(text: str) -> None:
    suppressions(parse(text.encode()))


@pytest.mark.parametrize(
    ("work", "name", "size"),
    [
        (bench_curves.check, "constant fillers", 192),
        (bench_curves.check, "lists of images", 96),
        (bench_curves.check, "bottoms of a layer that nobody makes", 2048),
        (bench_curves.check, "equal tops in a list", 1024),
        (bench_curves.check, "layers of one name each two", 384),
        (bench_curves.followed, "losses that fall", 2048),
        (bench_curves.followed, "losses that are stuck", 2048),
        (comments, "suppressions of one field", 1024),
        (comments, "suppressions on one line", 1024),
        (comments, "suppressions above a brace", 1024),
    ],
)
def test_time_grows_no_faster_than_the_text(work: Callable[[str], None], name: str, size: int) -> None:
    make = MAKE[name]
    work(make(4))
    small, large = seconds(work, make(size)), seconds(work, make(4 * size))
    assert large < MOST_TIME * small


HOSTILE = {
    "unknown layer types": (["check", "-v"], "".join(f'layer{{type:"Convoluton{number}"}}' for number in range(3600))),
    "unknown rules": (["check"], "".join(f"# caffelint: ignore[missing-loss{number}] x\n" for number in range(2200))),
    "open braces": (["patch", "--check-finite", "all", "--diff"], "{" * 95_000),
    "equal tops": (["check"], 'layer{name:"s"type:"Split"bottom:"x"' + 'top:"x""y"' * 9_700 + "}"),
    "test nets in a solver": (
        ["summary", "--jobs", "1"],
        'base_lr: 0.1 lr_policy: "fixed"\n' + 'test_net_param{layer{name:"a" type:"ReLU"}}\n' * 700,
    ),
    "rates of an old layer": (
        ["upgrade", "--diff"],
        'layers{name:"a" type:CONVOLUTION bottom:"data" top:"t" '
        + 'blobs_lr:1 weight_decay:1 param:"x" blob_share_mode:STRICT ' * 800
        + "}",
    ),
    "names in a comment": (["check"], f"# caffelint: ignore[{'a,' * 49_000}]\n"),
    "closed braces": (["patch", "--check-finite", "all", "--diff"], "}" * 95_000),
    "one mistake very often": (["check", "--add-ignores", "-v", "--diff"], "a:" * 48_000),
    "weights of what is no loss": (
        ["check"],
        'layer{name:"d" type:"Data" top:"d"}layer{name:"r" type:"ReLU" bottom:"d" top:"r" '
        + "loss_weight:1 " * 6_800
        + "}",
    ),
    "empty layers": (["patch", "--check-finite", "all", "--diff"], "layer{}" * 14_000),
    "bare layers on a page": (["report"], "layer{}\n" * 4_000),
    "checks of one blob": (["patch", "--check-finite", "all", "--diff"], 'layer{type:"Data"top:"a"}' * 4_000),
}
"""Commands and texts of less than 100 KB."""
MOST_SECONDS = 1.0
LOOP_SECONDS = 0.035
"""What `_loop` takes on the machine that `MOST_SECONDS` is meant for, with nothing beside it."""


def _loop() -> None:
    found = {}
    for number in range(400_000):
        found[number % 5000] = str(number)


def _slowness() -> float:
    """How many times slower this machine is at the moment, at least 1."""
    return max(1.0, min(bench_curves.cpu_seconds(_loop) for _ in range(3)) / LOOP_SECONDS)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_text_takes_little_time(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, text = HOSTILE[name]
    monkeypatch.chdir(tmp_path)
    Path("simple.prototxt").write_text('layer { name: "a" type: "Nothing" } # caffelint: ignore[nothing] x')
    Path("net.prototxt").write_text(text)
    main([*words, "simple.prototxt"])
    no_cache = ["--no-cache"] if words[0] == "check" else []
    before = _slowness()
    taken = bench_curves.cpu_seconds(lambda: main([*words, *no_cache, "net.prototxt"]))
    assert taken < MOST_SECONDS * max(before, _slowness()) * 1.2


def test_suppressions_of_the_curves_silence_something() -> None:
    for name in ("suppressions", "suppressions of the file"):
        assert caffelint.check_text(bench_curves.TEXTS[name](9)).suppressed >= 9


def test_counts_what_grows_faster() -> None:
    def pairs(text: str) -> None:
        for _ in text:
            for _ in text:
                text.isascii()

    assert calls(pairs, "x" * 40) > 15 * calls(pairs, "x" * 10)


_INPUT = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
_RELU = 'layer {{ name: "l{0}" type: "ReLU" bottom: "data" top: "data" }}\n'
_FC = (
    'layer {{ name: "fc{0}" type: "InnerProduct" bottom: "data" top: "fc{0}" inner_product_param {{ num_output: 3'
    ' weight_filler {{ type: "xavier" }} }} }}\n'
)


@pytest.mark.parametrize("names", ['net: "n.prototxt"', 'train_net: "n.prototxt" test_net: "m.prototxt"'])
@pytest.mark.parametrize("layer", [_RELU, _FC], ids=["relu", "fc"])
def test_work_grows_no_faster_than_solvers_and_their_net(
    names: str, layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many solvers may name one net."""
    config = Config()
    config.cache = False

    def folder(size: int) -> str:
        made = tmp_path / str(size)
        made.mkdir()
        for net in "nm":
            text = _INPUT + "".join(layer.format(number) for number in range(size))
            (made / f"{net}.prototxt").write_text(text)
        for number in range(1, size):
            rest = f'base_lr: 0.{number} lr_policy: "fixed" max_iter: 100 test_iter: 1 test_interval: 10'
            (made / f"s{number}.prototxt").write_text(f"{names} {rest}\n")
        return str(made)

    small, large = folder(SIZE // 4), folder(SIZE)
    for path in (small, large):
        caffelint.check([path], config)
    before, after = (calls(lambda path: caffelint.check([path], config), path) for path in (small, large))
    assert after < MOST * before


def test_the_start_of_a_net_is_found_once_for_all_its_solvers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[object] = []
    run = start.run
    monkeypatch.setattr(start, "run", lambda *given: runs.append(given) or run(*given))
    config = Config()
    config.cache = False
    (tmp_path / "n.prototxt").write_text(_INPUT + _FC.format(1))
    for number in range(1, 9):
        rate = f'net: "n.prototxt" base_lr: 0.00{number} lr_policy: "fixed" max_iter: 100'
        (tmp_path / f"s{number}.prototxt").write_text(rate)
    caffelint.check([str(tmp_path)], config)
    assert 1 <= len(runs) <= 2


def test_many_states_of_a_net_with_as_many_layers_cost_little_each(tmp_path: Path) -> None:
    """Each layer is to be looked at in each state, but no more than that."""
    config = Config()
    config.cache = False
    states = bench_curves.many(SIZE, 'test_state { stage: "s@" } test_iter: 1 ')
    (tmp_path / "solver.prototxt").write_text(bench_curves.SOLVER + "test_interval: 10 " + states)
    layer = 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" include { stage: "s@" } }\n'
    (tmp_path / "net.prototxt").write_text(bench_curves.INPUT + bench_curves.many(SIZE, layer))
    caffelint.check([tmp_path], config)
    assert calls(lambda path: caffelint.check([path], config), str(tmp_path)) < 15 * SIZE**2
