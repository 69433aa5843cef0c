"""Texts and folders that have many of one thing each, by name: what `bench_curves.py` and the tests of work measure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
    "bottoms that only layers below make": lambda n: (
        INPUT
        + many(n, 'layer { name: "r@" type: "ReLU" bottom: "u@" top: "y@" }\n')
        + many(n, 'layer { name: "m@" type: "ReLU" bottom: "x" top: "u@" }\n')
    ),
    "blobs of one Concat": lambda n: joined(n, "Concat"),
    "blobs of one product": lambda n: joined(n, "Eltwise", "eltwise_param { operation: PROD } "),
    "losses": lambda n: (
        INPUT + many(n, 'layer { name: "l@" type: "EuclideanLoss" bottom: "x" bottom: "l" top: "l@" }\n')
    ),
    "losses of a blob and itself": lambda n: (
        INPUT + many(n, 'layer { name: "l@" type: "EuclideanLoss" bottom: "x" bottom: "x" top: "l@" }\n')
    ),
    "softmax of one blob, in place": lambda n: (
        INPUT + many(n, 'layer { name: "s@" type: "Softmax" bottom: "x" top: "x" }\n')
    ),
    "losses below a chain in place": lambda n: (
        INPUT
        + many(n, 'layer { name: "f@" type: "Split" bottom: "x" top: "x" }\n')
        + many(n, 'layer { name: "l@" type: "SoftmaxWithLoss" bottom: "x" bottom: "l" top: "l@" }\n')
    ),
    "recurrent layers below a chain": lambda n: (
        INPUT
        + "".join(
            f'layer {{ name: "r{i}" type: "ReLU" bottom: "{f"r{i - 1}" if i else "x"}" top: "r{i}" }}\n'
            for i in range(n)
        )
        + many(n, f'layer {{ name: "n@" type: "RNN" bottom: "r{n - 1}" bottom: "l" top: "n@" }}\n')
    ),
    "answers that nothing reads, and losses": lambda n: (
        INPUT
        + many(n, 'layer { name: "s@" type: "Sigmoid" bottom: "x" top: "s@" }\n')
        + many(n, 'layer { name: "l@" type: "SigmoidCrossEntropyLoss" bottom: "x" bottom: "l" top: "l@" }\n')
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
    "blobs made twice, and bottoms that nobody makes": lambda n: (
        many(n, 'layer { type: "ReLU" top: "abcdefgh@" } layer { type: "ReLU" top: "abcdefgh@" }\n')
        + 'layer { type: "Concat" '
        + many(5 * n, 'bottom: "abcdefghx@" ')
        + 'top: "y" }'
    ),
    "poolings of one blob, two by two, behind a BatchNorm": lambda n: (
        'layer { type: "Data" top: "c" top: "l" } layer { name: "n" type: "BatchNorm" bottom: "c" top: "c" }\n'
        + many(
            n,
            'layer { type: "Pooling" bottom: "c" top: "a" pooling_param { kernel_size: 1 } }'
            ' layer { type: "Pooling" bottom: "c" top: "b" pooling_param { kernel_size: 1 } }'
            ' layer { type: "Concat" bottom: "a" bottom: "b" top: "c" }\n',
        )
        + 'layer { type: "InnerProduct" bottom: "c" top: "f" inner_product_param { num_output: 2 } }'
        ' layer { type: "SoftmaxWithLoss" bottom: "f" bottom: "l" top: "loss" }'
    ),
    "data layers of three tops": lambda n: many(n, 'layer { type: "Data" top: "a" top: "b" top: "c" }\n'),
    "words behind a text": lambda n: f'source: "a.txt" {many(n, "w ")}: 3',
    "losses and accuracies of one label": lambda n: (
        INPUT
        + many(
            n, 'layer { name: "f@" type: "InnerProduct" bottom: "x" top: "f@" inner_product_param { num_output: 9 } }\n'
        )
        + many(n, 'layer { name: "l@" type: "SoftmaxWithLoss" bottom: "f@" bottom: "l" top: "l@" }\n')
        + many(n, 'layer { name: "a@" type: "Accuracy" bottom: "f@" bottom: "l" top: "a@" }\n')
    ),
    "strides beyond their kernels": lambda n: (
        INPUT
        + many(
            n,
            'layer { name: "c@" type: "Convolution" bottom: "x" top: "c@"'
            " convolution_param { num_output: 1 kernel_size: 2 stride: 3 } }\n",
        )
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
    "crops one after the other": lambda n: (
        INPUT
        + "".join(
            f'layer {{ name: "p{i}" type: "Crop" bottom: "{f"p{i - 1}" if i else "x"}" bottom: "x" top: "p{i}"'
            " crop_param { offset: 5 } }\n"
            for i in range(n)
        )
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
    "layers with a long comment each": lambda n: chain(n).replace("}\n", "} # " + "x" * 1000 + "\n"),
    "comments": lambda n: INPUT + many(n, "# words\n"),
    "blanks": lambda n: INPUT + "a" + many(n, " ") + "b",
    "backslashes": lambda n: INPUT + 'name: "' + many(n, '\\"'),
    "quotes": lambda n: INPUT + "name: " + many(n, "\"'"),
    "misspelt fields": lambda n: INPUT + many(n, 'layer { name: "r@" typ: ReLU botom: "x" topp: "y@" }\n'),
    "misspelt fields of a name each": lambda n: (
        INPUT + many(n, 'layer { name: "r@" type: "ReLU" botom: "x" tpo@: "y@" }\n')
    ),
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
