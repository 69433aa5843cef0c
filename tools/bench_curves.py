"""Time against size, for all that a text or a folder can have many of: `bench_curves.py [--page FILE] [NAME ...]`.

Sizes double until one takes long enough to be measured. The exponent is the slope of the logarithm of CPU time between
the largest size and a quarter of it, each the best of three with the garbage collector off: 1 is linear. What the
collector takes grows with the memory (it looks at everything only when that has grown by a quarter), but in steps.

Memory is slower where more of it is used, so the exponent of the calls of functions, which no cache changes, is told as
well, of a smaller size. --page writes both as a page of the documentation. Exits with 1 where both are above 1.1.
"""

from __future__ import annotations

import argparse
import gc
import math
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import caffelint
from caffelint.caffe.learning_rate import schedule
from caffelint.cli.main import main as caffelint_main
from caffelint.deploy.facts import names
from caffelint.evidence.log.reader import Reader
from caffelint.evidence.log.watch import Watch
from caffelint.fix.deploy import DeployError, compare, deploy
from caffelint.fix.finite import insert_checks
from caffelint.fix.run import fix
from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.lint.summary import summarize

Meter = Callable[[Callable[[], object]], float]
"""Seconds, or calls, that something takes."""
Measure = Callable[[int, Meter], float]
"""Of a size, by a meter."""

ENOUGH, LARGEST, MOST = 0.2, 1 << 17, 1.1
_COUNTED = 1024
"""Seconds that the largest size takes at least, or that many of what is counted; the largest exponent."""
PAGE = """# Time against size

How CPU time grows with what a text or a folder may have many of. The exponent is the slope on logarithmic axes between
a quarter of the size and the size: 1 is linear. The last column is the exponent of the number of function calls.
Written by `python tools/bench_curves.py --page docs/time.md` (Python {version}).

| What | Of | Seconds | Exponent | of calls |
| --- | ---: | ---: | ---: | ---: |
"""

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


def joined(count: int, type: str, block: str = "") -> str:
    """Many blobs in one layer, on the way to a loss."""
    product = (
        'layer { name: "@" type: "InnerProduct" bottom: "%s" top: "@" inner_product_param { num_output: 4'
        ' weight_filler { type: "xavier" } } }\n'
    )
    layer = f'layer {{ name: "j" type: "{type}" top: "j" {block}' + many(count, 'bottom: "@" ') + "}\n"
    last = (product % "j").replace("@", "last")
    return INPUT + many(count, product % "x") + layer + last + LOSS.replace('"x"', '"last"') + " }"


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
    "blobs of one Concat": lambda n: joined(n, "Concat"),
    "blobs of one product": lambda n: joined(n, "Eltwise", "eltwise_param { operation: PROD } "),
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
    "crops": lambda n: INPUT + many(n, 'layer { name: "c@" type: "Crop" bottom: "x" bottom: "x" top: "y@" }\n'),
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
    "falling stepvalue of a solver": lambda n: (
        SOLVER.replace("fixed", "multistep") + "".join(f"stepvalue: {n - i} " for i in range(n))
    ),
    "equal stepvalue of a solver": lambda n: SOLVER.replace("fixed", "multistep") + many(n, "stepvalue: 10 "),
    "test_iter of a solver": lambda n: SOLVER + many(n, "test_iter: 1 "),
    "test nets in a solver": lambda n: SOLVER + many(n, "test_net_param { " + INPUT + "} test_iter: 1 "),
    "test_net of a solver": lambda n: SOLVER + many(n, 'test_net: "t@" test_iter: 1 '),
    "test_state of a solver": lambda n: SOLVER + many(n, 'test_state { stage: "s@" } test_iter: 1 '),
    "layers with parameters of another": lambda n: (
        INPUT + many(n, 'layer { name: "r@" type: "ReLU" bottom: "x" top: "y@" lrn_param { local_size: 4 } }\n')
    ),
}

SAID = "I0404 16:55:15.732383 72497 solver.cpp:313] "
LOGS: dict[str, Callable[[int], str]] = {
    "losses that fall": lambda n: "".join(f"{SAID}Iteration {i}, loss = {9 / (9 + i):.9g}\n" for i in range(n)),
    "losses that are stuck": lambda n: many(n, f"{SAID}Iteration @, loss = 2.3\n"),
    "lines of a net": lambda n: f"{SAID}Initializing net from parameters: \n" + many(n, 'name: "a"\n'),
    "nets": lambda n: many(n, f'{SAID}Initializing net from parameters: \nname: "@"\n'),
    "series": lambda n: many(n, f"{SAID}    Train net output #@: loss@ = 1 (* 1 = 1 loss)\n"),
    "runs": lambda n: many(
        n, f"{SAID}Initializing solver from parameters: \nbase_lr: @\n{SAID}Iteration 0, loss = 1\n"
    ),
    "words": lambda n: many(n, f"{SAID}Words\n"),
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


def test_nets(folder: Path, count: int) -> None:
    solver = SOLVER.replace("net:", "train_net:") + many(count, 'test_net: "test@.prototxt" test_iter: 1\n')
    (folder / "solver.prototxt").write_text(solver + "test_interval: 10\n")
    for name in ("net", *(f"test{number}" for number in range(count))):
        (folder / f"{name}.prototxt").write_text(PAIR.format(5))


def states_of_one(folder: Path, count: int) -> None:
    solver = SOLVER + many(count, 'test_state { stage: "s@" } test_iter: 1\n')
    (folder / "solver.prototxt").write_text(solver + "test_interval: 10\n")
    (folder / "net.prototxt").write_text(PAIR.format(5))


def test_net_often(folder: Path, count: int) -> None:
    solver = SOLVER.replace("net:", "train_net:") + many(count, 'test_net: "net.prototxt" test_iter: 1 test_state {}\n')
    (folder / "solver.prototxt").write_text(solver + "test_interval: 10\n")
    (folder / "net.prototxt").write_text(PAIR.format(5))


FOLDERS: dict[str, Callable[[Path, int], None]] = {
    "nets in a folder": nets,
    "solvers with net and deploy in a folder": pairs,
    "solvers of one net": solvers_of_one,
    "folders": folders,
    "test nets of a solver": test_nets,
    "test states of a solver": states_of_one,
    "one test net, named often": test_net_often,
}


def check(text: str) -> None:
    report = caffelint.check_text(text)
    if report.failures:
        sys.exit(report.failures[0].message)


def trained(text: str) -> None:
    """A net beside its solver."""
    config = Config()
    config.cache, config.jobs = False, 1
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "net.prototxt").write_text(text)
        Path(folder, "solver.prototxt").write_text(SOLVER)
        caffelint.check([folder], config)


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


def predicted(text: str) -> None:
    """What `scales` and `lr --suggest` foresee of a net and its solver."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        Path(folder, "net.prototxt").write_text(text)
        solver = Path(folder, "solver.prototxt")
        solver.write_text(SOLVER)
        caffelint_main(["scales", str(solver)])
        caffelint_main(["lr", "--suggest", str(solver)])


def targets(text: str) -> None:
    config = Config()
    config.target = names()
    if failures := caffelint.check_text(text, config=config).failures:
        sys.exit(failures[0].message)


def deployed(text: str) -> None:
    with suppress(DeployError):
        deploy(text.encode())


def compared(text: str) -> None:
    with suppress(DeployError):
        compare(text.encode(), text.encode())


def followed(text: str) -> None:
    """A line at a time."""
    reader, watch = Reader("train.log"), Watch(["nan", "stuck"])
    for line in text.encode().splitlines(keepends=True):
        reader.feed(line)
        watch.looks_at(reader.log)
    reader.end()


def curves() -> dict[str, Measure]:
    """What to measure by size, for each thing that there may be many of."""
    found = {f"check: {name}": of_text(check, make) for name, make in TEXTS.items()}
    nets = {name: make for name, make in TEXTS.items() if "layer" in make(1)}
    found |= {f"check with a solver: {name}": of_text(trained, make) for name, make in nets.items()}
    found |= {f"check: {name}": of_folder(make) for name, make in FOLDERS.items()}
    for name in ("layers", "layers that read one blob", "tops of one name, in place", "losses", "tops of a layer"):
        found[f"summary: {name}"] = of_text(summary, TEXTS[name])
        found[f"patch: {name}"] = of_text(patch, TEXTS[name])
    found["patch: text on one line"] = of_text(patch, TEXTS["text on one line"])
    faults = ("tops of one name", "unknown fields", "unknown layers", "broken lines", "bottoms that nobody makes")
    faults += ("misspelt fields", "repeated fields", "parameter layers of one name", "equal tops of a layer")
    faults += ("falling stepvalue of a solver", "equal stepvalue of a solver")
    for name in (*faults, "base_lr of a solver", "constant fillers"):
        found[f"fix: {name}"] = of_text(mend, TEXTS[name])
    for name in ("layers", "layers that read one blob", "blobs of one Concat", "blobs of one product", "losses"):
        found[f"scales, lr --suggest: {name}"] = of_text(predicted, TEXTS[name])
    for name in ("old layers", "inputs of a net", "comments", "base_lr of a solver"):
        found[f"upgrade: {name}"] = of_text(upgrade, TEXTS[name])
    for name in ("layers", "losses", "layers that read one blob", "tops of a layer"):
        found[f"check --target: {name}"] = of_text(targets, TEXTS[name])
        found[f"deploy: {name}"] = of_text(deployed, TEXTS[name])
        found[f"deploy --check: {name}"] = of_text(compared, TEXTS[name])
    for name, log in LOGS.items():
        found[f"log --follow: {name}"] = of_text(followed, log)
    found["lr: stepvalue of a solver"] = of_text(rates, TEXTS["stepvalue of a solver"])
    return found


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those in C too."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def of_text(work: Callable[[str], None], make: Callable[[int], str]) -> Measure:
    def measure(size: int, meter: Meter) -> float:
        text = make(size)
        return meter(lambda: work(text))

    return measure


def of_folder(make: Callable[[Path, int], None]) -> Measure:
    def measure(size: int, meter: Meter) -> float:
        config = Config()
        config.cache, config.jobs = False, 1
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), size)
            return meter(lambda: caffelint.check([folder], config))

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


class Curve(NamedTuple):
    """size, seconds: of the largest that was measured. exponent: of the time. of_calls: of the calls of functions."""

    size: int
    seconds: float
    exponent: float
    of_calls: float


def curve(measure: Measure) -> Curve:
    measure(4, cpu_seconds)
    taken: dict[int, float] = {}
    size = 64
    while True:
        taken[size] = measure(size, cpu_seconds)
        if size >= LARGEST or taken[size] > ENOUGH and size > 256:
            break
        size *= 2
    for again in (size // 4, size) * 2:  # others may have run at the same time
        taken[again] = min(taken[again], measure(again, cpu_seconds))
    counted = min(size, _COUNTED)
    more, less = measure(counted, calls), measure(counted // 4, calls)
    return Curve(size, taken[size], _exponent(taken[size], taken[size // 4]), _exponent(more, less))


def _exponent(more: float, less: float) -> float:
    """Of something at a size and at a quarter of it."""
    return math.log(more / less) / math.log(4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="those with this in their names alone")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write them as a page of the documentation")
    options = parser.parse_args()
    over = 0
    rows = []
    print(f"{'':60} {'size':>8} {'seconds':>8} exponent of calls")
    for name, measure in curves().items():
        if options.names and not any(word in name for word in options.names):
            continue
        found = curve(measure)
        is_over = min(found.exponent, found.of_calls) > MOST
        over += is_over
        mark = f"  <- above {MOST}" if is_over else ""
        print(
            f"{name:60} {found.size:8} {found.seconds:8.2f} {found.exponent:8.2f} {found.of_calls:8.2f}{mark}",
            flush=True,
        )
        rows.append(
            f"| {name} | {found.size:,} | {found.seconds:.2f} | {found.exponent:.2f} | {found.of_calls:.2f} |\n"
        )
    if options.page:
        options.page.write_text(PAGE.format(version=platform.python_version()) + "".join(rows), "utf-8")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
