"""Time against size, for everything that a text or a folder can have many of: `bench_curves.py [NAME ...]`.

Sizes double until one takes long enough to be measured. The exponent is the slope of the logarithm of CPU time between
the largest size and a quarter of it, each the best of three with the garbage collector off: 1 is linear. What the
collector takes grows with the memory (it looks at everything only when that has grown by a quarter), but in steps.
Exits with 1 where one is above 1.1.
"""

from __future__ import annotations

import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import caffelint
from caffelint.caffe.learning_rate import schedule
from caffelint.fix.finite import insert_checks
from caffelint.fix.run import fix
from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.lint.summary import summarize

ENOUGH, LARGEST, MOST = 0.5, 1 << 17, 1.1
"""Seconds that the largest size takes at least, or that many of what is counted; the largest exponent."""

INPUT = 'layer { name: "in" type: "Input" top: "x" top: "l" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100\n'
LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "x" bottom: "l" top: "loss"'


def many(count: int, one: str) -> str:
    return "".join(one.replace("@", str(number)) for number in range(count))


def chain(count: int, more: str = "") -> str:
    layers = [
        f'layer {{ name: "c{i}" type: "Convolution" bottom: "{f"c{i - 1}" if i else "x"}" top: "c{i}"'
        f" convolution_param {{ num_output: 4 kernel_size: 1 }} {more}}}\n"
        for i in range(count)
    ]
    return INPUT + "".join(layers)


TEXTS: dict[str, Callable[[int], str]] = {
    "layers": chain,
    "layers one after the other, all wrong": lambda n: chain(n).replace("kernel_size: 1", "kernel_size: 1 stride: 5"),
    "tops of one name, in place": lambda n: INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "x" }\n'),
    "tops of one name": lambda n: INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "l" top: "y" }\n'),
    "layers of one name": lambda n: INPUT + many(n, 'layer { name: "r" type: "ReLU" bottom: "x" top: "y@" }\n'),
    "layers that read one blob": lambda n: INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" }\n'),
    "equal tops of a layer": lambda n: (
        INPUT + 'layer { name: "s" type: "Split" bottom: "x" ' + many(n, 'top: "y" ') + "}"
    ),
    "equal tops in a list": lambda n: (
        'layer { name: "s" type: "Split" bottom: "x" top: [' + many(n, '"y", ') + '"z"] }'
    ),
    "tops of a layer": lambda n: 'layer { name: "in" type: "Input" ' + many(n, 'top: "x@" ') + " }",
    "bottoms of a layer": lambda n: (
        INPUT + 'layer { name: "c" type: "Concat" top: "y" ' + many(n, 'bottom: "x" ') + "}"
    ),
    "bottoms that nobody makes": lambda n: (
        INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "u@" top: "y@" }\n')
    ),
    "bottoms of a layer that nobody makes": lambda n: (
        INPUT + 'layer { name: "c" type: "Concat" top: "y" ' + many(n, 'bottom: "u@" ') + "}"
    ),
    "bottoms of a layer that nobody makes, and an unknown field": lambda n: (
        INPUT + 'foo: 1 layer { name: "c" type: "Concat" top: "y" ' + many(n, 'bottom: "u@" ') + "}"
    ),
    "losses": lambda n: (
        INPUT + many(n, 'layer { name: "l@" type: "EuclideanLoss" bottom: "x" bottom: "l" top: "l@" }\n')
    ),
    "loss weights of a layer": lambda n: INPUT + LOSS + many(n, " loss_weight: 1") + " }",
    "infinite loss weights of a layer": lambda n: INPUT + LOSS + many(n, " loss_weight: inf") + " }",
    "params of a layer": lambda n: (
        INPUT
        + 'layer { name: "c" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 2 }'
        + many(n, " param { lr_mult: 1 }")
        + " }"
    ),
    "params of one name": lambda n: chain(n, 'param { name: "w" }'),
    "params of a name each": lambda n: chain(n, 'param { name: "w@" lr_mult: 0 }'),
    "includes of a layer": lambda n: (
        INPUT
        + 'layer { name: "r" type: "ReLU" bottom: "x" top: "y"'
        + many(n, ' include { phase: TRAIN stage: "s@" }')
        + "}"
    ),
    "includes": lambda n: (
        INPUT
        + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" include { phase: TRAIN stage: "s@" } }\n')
    ),
    "layers of each phase": lambda n: (
        INPUT
        + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" include { phase: TRAIN } }\n')
        + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" include { phase: TEST } }\n')
    ),
    "constant fillers": lambda n: (
        chain(n).replace("kernel_size: 1", "kernel_size: 1 weight_filler { value: 0.1 }") + LOSS + " }"
    ),
    "top_k too large": lambda n: (
        INPUT.replace("} } }", "} shape { dim: 1 dim: 1 dim: 8 dim: 8 } } }")
        + many(
            n, 'layer { name: "a@" type: "Accuracy" bottom: "x" bottom: "l" top: "a@" accuracy_param { top_k: 1@ } }\n'
        )
    ),
    "lists of images": lambda n: (
        many(
            n,
            'layer { name: "d@" type: "ImageData" top: "d@" top: "l@" image_data_param { source: "train.txt" }'
            " include { phase: TRAIN } }\n",
        )
        + LOSS.replace('"x"', '"d0"').replace('"l"', '"l0"')
        + " }"
    ),
    "layers of one name each two": lambda n: (
        chain(n) + chain(n).removeprefix(INPUT).replace('bottom: "c', 'bottom: "d').replace('top: "c', 'top: "d')
    ),
    "suppressions": lambda n: (
        chain(n)
        .replace("kernel_size: 1", "kernel_size: 1 weight_filler { value: 0.1 }")
        .replace("}\n", "} # caffelint: ignore why\n")
        + LOSS
        + " }"
    ),
    "suppressions of the file": lambda n: (
        chain(n)
        .replace("kernel_size: 1", "kernel_size: 1 weight_filler { value: 0.1 }")
        .replace("}\n", "} # caffelint: ignore-file why\n")
        + LOSS
        + " }"
    ),
    "suppressions of one field": lambda n: many(n, "# caffelint: ignore[dead-units]\n") + INPUT,
    "suppressions on one line": lambda n: "#" + many(n, " # caffelint: ignore[dead-units]") + "\n" + INPUT,
    "suppressions above a brace": lambda n: "layer {\n" + many(n, "# caffelint: ignore[dead-units]\n") + "}\n" + INPUT,
    "suppressions in vain": lambda n: INPUT + many(n, "# caffelint: ignore[dead-units]\n"),
    "unknown fields": lambda n: INPUT + many(n, "foo@: 1\n"),
    "unknown fields of one name": lambda n: INPUT + many(n, "foo: 1\n"),
    "unknown layers": lambda n: INPUT + many(n, 'layer { name: "r@" type: "Foo" bottom: "x" top: "y@" }\n'),
    "broken lines": lambda n: INPUT + many(n, 'layer { name: "r@ type: "ReLU" }\n'),
    "open blocks": lambda n: INPUT + many(n, "layer {\n"),
    "closed blocks too many": lambda n: INPUT + many(n, "}\n"),
    "comments": lambda n: INPUT + many(n, "# words\n"),
    "blanks": lambda n: INPUT + "a" + many(n, " ") + "b",
    "backslashes": lambda n: INPUT + 'name: "' + many(n, '\\"'),
    "quotes": lambda n: INPUT + "name: " + many(n, "\"'"),
    "misspelt fields": lambda n: INPUT + many(n, 'layer { name: "r@" typ: ReLU botom: "x" topp: "y@" }\n'),
    "repeated fields": lambda n: INPUT + "layer {" + many(n, ' name: "r"\n') + " }",
    "parameter layers of one name": lambda n: chain(n).replace('name: "l', 'name: "l" top: "m'),
    "text on one line": lambda n: chain(n).replace("\n", " "),
    "text on one line, not ASCII": lambda n: 'name: "é" ' + chain(n).replace("\n", " "),
    "misspelt fields on one line, not ASCII": lambda n: 'name: "é" ' + many(n, 'layer { name: "é@" typ: ReLU } '),
    "numbers in a list": lambda n: "input_dim: [" + many(n, "1, ") + "1]",
    "numbers without a list": lambda n: "input_dim: " + many(n, "1, ") + "1",
    "digits": lambda n: INPUT + "debug_info: " + many(n, "9"),
    "old layers": lambda n: (
        'input: "x" input_dim: 1 input_dim: 1 input_dim: 1 input_dim: 1 '
        + many(n, 'layers { name: "r@" type: RELU bottom: "x" top: "y@" }\n')
    ),
    "inputs of a net": lambda n: many(n, 'input: "x@" input_shape { dim: 1 }\n'),
    "separators in a row": lambda n: 'name: "a"' + "," * n,
    "base_lr of a solver": lambda n: SOLVER + many(n, "base_lr: 0.01\n"),
    "stepvalue of a solver": lambda n: SOLVER.replace("fixed", "multistep") + many(n, "stepvalue: @ "),
    "test_iter of a solver": lambda n: SOLVER + many(n, "test_iter: 1 "),
    "test nets in a solver": lambda n: SOLVER + many(n, "test_net_param { " + INPUT + "} test_iter: 1 "),
    "test_net of a solver": lambda n: SOLVER + many(n, 'test_net: "t@" test_iter: 1 '),
    "test_state of a solver": lambda n: SOLVER + many(n, 'test_state { stage: "s@" } test_iter: 1 '),
    "layers with parameters of another": lambda n: (
        INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" lrn_param { local_size: 4 } }\n')
    ),
}

PAIR = (
    'layer {{ name: "d" type: "Data" top: "x" top: "l" data_param {{ source: "s" batch_size: 2 }} }}\n'
    'layer {{ name: "c" type: "InnerProduct" bottom: "x" top: "c" inner_product_param {{ num_output: {} }} }}\n'
    'layer {{ name: "s" type: "SoftmaxWithLoss" bottom: "c" bottom: "l" }}\n'
)
DEPLOY = (
    'layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
    'layer { name: "c" type: "InnerProduct" bottom: "x" top: "c" inner_product_param { num_output: 5 } }\n'
)


def nets(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"net{number}.prototxt").write_text(DEPLOY)


def pairs(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"solver_{number}.prototxt").write_text(SOLVER.replace("net.proto", f"train_{number}.proto"))
        (folder / f"train_{number}.prototxt").write_text(PAIR.format(number % 7 + 1))
        (folder / f"deploy_{number}.prototxt").write_text(DEPLOY)


def solvers_of_one(folder: Path, count: int) -> None:
    (folder / "net.prototxt").write_text(PAIR.format(5))
    for number in range(count):
        (folder / f"solver_{number}.prototxt").write_text(SOLVER)


def folders(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / str(number)).mkdir()
        (folder / str(number) / "solver.prototxt").write_text(SOLVER)
        (folder / str(number) / "net.prototxt").write_text(PAIR.format(5))


FOLDERS: dict[str, Callable[[Path, int], None]] = {
    "nets in a folder": nets,
    "solvers with net and deploy in a folder": pairs,
    "solvers of one net": solvers_of_one,
    "folders": folders,
}


def check(text: str) -> None:
    report = caffelint.check_text(text)
    if report.failures:
        sys.exit(report.failures[0].message)


def summary(text: str) -> None:
    for _ in summarize(text.encode(), "net.prototxt"):
        pass


def patch(text: str) -> None:
    insert_checks(text.encode(), "all")


def upgrade(text: str) -> None:
    upgrade_text(text.encode(), "net.prototxt")


def mend(text: str) -> None:
    fix([], Config(), unsafe=True, write=False, texts={"net.prototxt": text.encode()}, alone=True)


def rates(text: str) -> None:
    solver = load(text.encode()).solver
    assert solver is not None
    schedule(solver.message).rate(10**6)


def curves() -> dict[str, Callable[[int], float]]:
    """CPU seconds by size, for each thing that there may be many of."""
    found = {f"check: {name}": of_text(check, make) for name, make in TEXTS.items()}
    found |= {f"check: {name}": of_folder(make) for name, make in FOLDERS.items()}
    for name in ("layers", "layers that read one blob", "tops of one name, in place", "losses", "tops of a layer"):
        found[f"summary: {name}"] = of_text(summary, TEXTS[name])
        found[f"patch: {name}"] = of_text(patch, TEXTS[name])
    found["patch: text on one line"] = of_text(patch, TEXTS["text on one line"])
    faults = ("tops of one name", "unknown fields", "unknown layers", "broken lines", "bottoms that nobody makes")
    faults += ("misspelt fields", "repeated fields", "parameter layers of one name", "equal tops of a layer")
    for name in (*faults, "base_lr of a solver", "constant fillers"):
        found[f"fix: {name}"] = of_text(mend, TEXTS[name])
    for name in ("old layers", "inputs of a net", "comments", "base_lr of a solver"):
        found[f"upgrade: {name}"] = of_text(upgrade, TEXTS[name])
    found["lr: stepvalue of a solver"] = of_text(rates, TEXTS["stepvalue of a solver"])
    return found


def of_text(work: Callable[[str], None], make: Callable[[int], str]) -> Callable[[int], float]:
    def measure(size: int) -> float:
        text = make(size)
        return cpu_seconds(lambda: work(text))

    return measure


def of_folder(make: Callable[[Path, int], None]) -> Callable[[int], float]:
    def measure(size: int) -> float:
        config = Config()
        config.cache, config.jobs = False, 1
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), size)
            return cpu_seconds(lambda: caffelint.check([folder], config))

    return measure


def cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    try:
        work()
    finally:
        taken = time.process_time() - start
        gc.enable()
    return taken


def curve(measure: Callable[[int], float]) -> tuple[int, float, float]:
    """The largest size measured, its seconds, and the exponent."""
    measure(4)
    taken: dict[int, float] = {}
    size = 64
    while True:
        taken[size] = measure(size)
        if size >= LARGEST or taken[size] > ENOUGH and size > 256:
            break
        size *= 2
    for again in (size // 4, size) * 2:  # others may have run at the same time
        taken[again] = min(taken[again], measure(again))
    return size, taken[size], exponent(taken, size)


def exponent(taken: dict[int, float], size: int) -> float:
    return math.log(taken[size] / taken[size // 4]) / math.log(4)


def main() -> int:
    wanted = sys.argv[1:]
    over = 0
    print(f"{'':60} {'size':>8} {'seconds':>8} exponent")
    for name, measure in curves().items():
        if wanted and not any(word in name for word in wanted):
            continue
        size, seconds, slope = curve(measure)
        over += slope > MOST
        mark = f"  <- above {MOST}" if slope > MOST else ""
        print(f"{name:60} {size:8} {seconds:8.2f} {slope:8.2f}{mark}", flush=True)
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
