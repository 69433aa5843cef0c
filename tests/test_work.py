"""What is done grows no faster than the text: counted in calls, which no other process slows down.

One call may look through a whole text, as a regular expression does, so the growth of CPU time is compared as well.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bench_curves
import bench_texts
import pytest
from cost import follows

import caffelint
from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.suppress import suppressions
from caffelint.numerics import start
from caffelint.text.parser import parse

SIZE, MOST = 96, 4.6
"""The smaller of two sizes, and by how much the work of one four times as large may be more."""
MAKE = {**bench_texts.TEXTS, **bench_texts.LOGS}


def calls(work: Callable[[str], None], text: str) -> int:
    return bench_curves.calls(lambda: work(text))


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (bench_curves.check, "layers"),
        (bench_curves.check, "layers that read one blob"),
        (bench_curves.check, "tops of one name, in place"),
        (bench_curves.check, "losses"),
        (bench_curves.check, "losses of a blob and itself"),
        (bench_curves.check, "softmax of one blob, in place"),
        (bench_curves.check, "losses below a chain in place"),
        (bench_curves.check, "recurrent layers below a chain"),
        (bench_curves.check, "answers that nothing reads, and losses"),
        (bench_curves.check, "loss weights of a layer"),
        (bench_curves.check, "params of a layer"),
        (bench_curves.check, "bottoms that nobody makes"),
        (bench_curves.check, "bottoms of a layer that nobody makes"),
        (bench_curves.check, "bottoms of a layer that nobody makes, and an unknown field"),
        (bench_curves.check, "bottoms that only layers below make"),
        (bench_curves.check, "suppressions in vain"),
        (bench_curves.check, "suppressions"),
        (bench_curves.check, "suppressions of the file"),
        (bench_curves.check, "constant fillers"),
        (bench_curves.check, "top_k too large"),
        (bench_curves.check, "losses and accuracies of one label"),
        (bench_curves.check, "blobs made twice, and bottoms that nobody makes"),
        (bench_curves.check, "poolings of one blob, two by two, behind a BatchNorm"),
        (bench_curves.check, "data layers of three tops"),
        (bench_curves.check, "strides beyond their kernels"),
        (bench_curves.check, "lists of images"),
        (bench_curves.check, "layers of one name each two"),
        (bench_curves.check, "unknown fields of one name"),
        (bench_curves.check, "crops"),
        (bench_curves.check, "crops one after the other"),
        (bench_curves.check, "base_lr of a solver"),
        (bench_curves.check, "test nets in a solver"),
        (bench_curves.summary, "losses"),
        (bench_curves.patch, "tops of a layer"),
        (bench_curves.mend, "equal tops of a layer"),
        (bench_curves.upgrade, "inputs of a net"),
        (bench_curves.mend, "unknown layers"),
        (bench_curves.mend, "separators in a row"),
        (bench_curves.mend, "falling stepvalue of a solver"),
        (bench_curves.mend, "equal stepvalue of a solver"),
        (bench_curves.targets, "layers"),
        (bench_curves.deployed, "losses"),
        (bench_curves.compared, "layers"),
        (bench_curves.predicted, "layers"),
        (bench_curves.predicted, "blobs of one Concat"),
        (bench_curves.predicted, "blobs of one product"),
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


@pytest.mark.parametrize("name", ["test nets of a solver", "test states of a solver", "one test net, named often"])
def test_work_grows_no_faster_than_a_folder(name: str) -> None:
    measure = bench_curves.of_folder(bench_texts.FOLDERS[name])
    for size in (SIZE, 4 * SIZE):
        measure(size, bench_curves.calls)
    assert measure(4 * SIZE, bench_curves.calls) < MOST * measure(SIZE, bench_curves.calls)


@pytest.mark.parametrize(
    "name",
    [
        *("layers", "layers that read one blob", "layers of one name", "layers of each phase", "old layers"),
        *("layers with parameters of another", "tops of one name, in place", "losses", "crops", "constant fillers"),
        *("params of one name", "includes", "lists of images", "bottoms that nobody makes", "unknown layers"),
    ],
)
def test_work_grows_no_faster_than_the_text_of_a_net_beside_its_solver(name: str) -> None:
    test_work_grows_no_faster_than_the_text(bench_curves.trained, name)


def comments(text: str) -> None:
    suppressions(parse(text.encode()))


@pytest.mark.parametrize(
    ("work", "name", "size"),
    [
        (bench_curves.check, "layers with a long comment each", 256),
        (bench_curves.check, "constant fillers", 96),
        (bench_curves.check, "lists of images", 48),
        (bench_curves.check, "bottoms of a layer that nobody makes", 1024),
        (bench_curves.check, "equal tops in a list", 512),
        (bench_curves.check, "losses of a blob and itself", 256),
        (bench_curves.check, "layers of one name each two", 192),
        (bench_curves.compared, "layers that read one blob", 256),
        (bench_curves.followed, "losses that fall", 1024),
        (bench_curves.followed, "losses that are stuck", 1024),
        (comments, "suppressions of one field", 512),
        (comments, "suppressions on one line", 512),
        (comments, "suppressions above a brace", 512),
    ],
)
def test_time_grows_no_faster_than_the_text(work: Callable[[str], None], name: str, size: int) -> None:
    make = MAKE[name]
    work(make(4))
    assert follows(work, make(size), make(16 * size))


HOSTILE: dict[str, tuple[list[str], Callable[[int], str], int]] = {
    "unknown layer types": (
        ["check", "-v"],
        lambda n: "".join(f'layer{{type:"Convoluton{number}"}}' for number in range(n)),
        3600,
    ),
    "unknown rules": (
        ["check"],
        lambda n: "".join(f"# caffelint: ignore[missing-loss{number}] x\n" for number in range(n)),
        2200,
    ),
    "open braces": (["patch", "--check-finite", "all", "--diff"], lambda n: "{" * n, 95_000),
    "equal tops": (["check"], lambda n: 'layer{name:"s"type:"Split"bottom:"x"' + 'top:"x""y"' * n + "}", 9_700),
    "test nets in a solver": (
        ["summary", "--jobs", "1"],
        lambda n: 'base_lr: 0.1 lr_policy: "fixed"\n' + 'test_net_param{layer{name:"a" type:"ReLU"}}\n' * n,
        700,
    ),
    "rates of an old layer": (
        ["upgrade", "--diff"],
        lambda n: (
            'layers{name:"a" type:CONVOLUTION bottom:"data" top:"t" '
            + 'blobs_lr:1 weight_decay:1 param:"x" blob_share_mode:STRICT ' * n
            + "}"
        ),
        800,
    ),
    "names in a comment": (["check"], lambda n: f"# caffelint: ignore[{'a,' * n}]\n", 49_000),
    "closed braces": (["patch", "--check-finite", "all", "--diff"], lambda n: "}" * n, 95_000),
    "one mistake very often": (["check", "--add-ignores", "-v", "--diff"], lambda n: "a:" * n, 48_000),
    "weights of what is no loss": (
        ["check"],
        lambda n: (
            'layer{name:"d" type:"Data" top:"d"}layer{name:"r" type:"ReLU" bottom:"d" top:"r" '
            + "loss_weight:1 " * n
            + "}"
        ),
        6_800,
    ),
    "data layers of other sources": (
        ["data"],
        lambda n: "".join(f'layer{{type:"Data"top:"d"data_param{{source:"{number}"}}}}' for number in range(n)),
        1_600,
    ),
    "empty layers": (["patch", "--check-finite", "all", "--diff"], lambda n: "layer{}" * n, 14_000),
    "bare layers on a page": (["report"], lambda n: "layer{}\n" * n, 4_000),
    "layers that nobody closes on a page": (["report"], lambda n: "layer {\n" * n, 12_000),
    "nets of a solver on a page": (
        ["report"],
        lambda n: "base_lr: 1\n" + 'test_net_param{layer{name:"a"type:"ReLU"bottom:"x"top:"y"}}\n' * n,
        1_600,
    ),
    "checks of one blob": (
        ["patch", "--check-finite", "all", "--diff"],
        lambda n: 'layer{type:"Data"top:"a"}' * n,
        4_000,
    ),
}
"""Commands, and texts of which one of that size has less than 100 KB."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_command_takes_time_with_its_text(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, make, size = HOSTILE[name]
    monkeypatch.chdir(tmp_path)
    Path("simple.prototxt").write_text('layer { name: "a" type: "Nothing" } # caffelint: ignore[nothing] x')
    main([*words, "simple.prototxt"])
    no_cache = ["--no-cache"] if words[0] == "check" else []

    def work(size: int) -> None:
        Path("net.prototxt").write_text(make(size))
        main([*words, *no_cache, "net.prototxt"])

    before, after = (bench_curves.calls(lambda: work(size)) for size in (size // 16, size // 4))  # noqa: B023
    assert after < MOST * before
    assert follows(work, size // 16, size)


def test_suppressions_of_the_curves_silence_something() -> None:
    for name in ("suppressions", "suppressions of the file"):
        assert caffelint.check_text(bench_texts.TEXTS[name](9)).suppressed >= 9


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
    states = bench_texts.many(SIZE, 'test_state { stage: "s@" } test_iter: 1 ')
    (tmp_path / "solver.prototxt").write_text(bench_texts.SOLVER + "test_interval: 10 " + states)
    layer = 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" include { stage: "s@" } }\n'
    (tmp_path / "net.prototxt").write_text(bench_texts.INPUT + bench_texts.many(SIZE, layer))
    caffelint.check([tmp_path], config)
    assert calls(lambda path: caffelint.check([path], config), str(tmp_path)) < 15 * SIZE**2
