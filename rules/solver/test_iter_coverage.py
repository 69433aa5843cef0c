from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, TEST, UNSAFE, Finding, Fix, Invalid, Net, ProjectRule, Solver, fix, write

_NAMED = re.compile(r"(\d[\d,]{2,})\s+(?:test|testing|validation|val)\s+(?:images|samples|examples|instances)")
_COPIED = re.compile(r"(?i)in the case of (?:mnist|cifar)")
"""Caffe's own comment, which many solvers of other data still carry."""
_KNOWN = (
    (re.compile(r"(?:ilsvrc|imagenet)[^/]*val"), 50000, "ImageNet's validation set"),
    (re.compile(r"mnist[^/]*test"), 10000, "MNIST's test set"),
    (re.compile(r"cifar[^/]*test"), 10000, "CIFAR's test set"),
    (re.compile(r"voc0712[^/]*test"), 4952, "VOC 2007's test set"),
)
_BLOCKS = ("data_param", "image_data_param", "hdf5_data_param", "window_data_param")


def _net(source: str, batch: int) -> str:
    return (
        f'layer {{ name: "data" type: "Data" top: "data" include {{ phase: TEST }}'
        f' data_param {{ source: "{source}" batch_size: {batch} }} }}'
    )


class TestIterCoverage(ProjectRule):
    """A test pass reads another number of images than the test set has.

    ## Why is this bad?
    A test pass reads test_iter * batch_size images. If that is less than the set, the score is that of a part, and the
    next pass goes on where this one stopped, so that scores of two passes do not compare; if it is more, some images
    count twice.

    ## Example
    ```
    test_iter: 1000  # batch_size 25 of 50,000 images
    ```
    Use instead:
    ```
    test_iter: 2000
    ```

    ## Known problems
    The size of the set is taken from the name of a known one in the data layer's source, or from a comment such as
    `10,000 testing images`. Either may speak of something else.

    ## Fix safety
    Unsafe: a test pass reads another number of images.

    ## References
    - solver.cpp, Test
    """

    code = "S306"
    name = "test-iter-coverage"
    severity = INFO
    certainty = LIKELY
    preview = True
    VALID = [
        {"s.prototxt": 'net: "n.prototxt" test_iter: 100', "n.prototxt": _net("mnist_test_lmdb", 100)},
        {"s.prototxt": 'net: "n.prototxt" test_iter: 5', "n.prototxt": _net("my_lmdb", 100)},
        {"s.prototxt": 'net: "n.prototxt" test_iter: 156', "n.prototxt": _net("mnist_test_lmdb", 64)},
        {
            "s.prototxt": '# In the case of MNIST, the 10,000 testing images\nnet: "n.prototxt" test_iter: 3',
            "n.prototxt": _net("faces", 100),
        },
        {"s.prototxt": 'net: "n.prototxt" test_iter: 157', "n.prototxt": _net("mnist_test_lmdb", 64)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\ntest_iter: 1000', "n.prototxt": _net("ilsvrc12_val_lmdb", 25)},
            span="test_iter: 1000",
            message="a test pass reads 1000 * 25 = 25000 of the 50000 images of ImageNet's validation set:"
            " test_iter: 2000 reads all",
            fixed={"s.prototxt": 'net: "n.prototxt"\ntest_iter: 2000', "n.prototxt": _net("ilsvrc12_val_lmdb", 25)},
        ),
        Invalid(
            {
                "s.prototxt": '# all 3,000 testing images\nnet: "n.prototxt"\ntest_iter: 100',
                "n.prototxt": _net("my_lmdb", 100),
            },
            span="test_iter: 100",
            message="a test pass reads 100 * 100 = 10000 images, of the 3000 that a comment speaks of some more than"
            " once: test_iter: 30 reads each once",
            fixed={
                "s.prototxt": '# all 3,000 testing images\nnet: "n.prototxt"\ntest_iter: 30',
                "n.prototxt": _net("my_lmdb", 100),
            },
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        nets = [use.net for use in solver.nets if use.tests]
        iters = solver.message.test_iter
        if len(iters) != 1 or len(nets) != 1 or iters[0] <= 0:
            return
        batch, source = _test_data(nets[0])
        size, whose = _size(solver, source)
        if not batch or not size:
            return
        read, enough = iters[0] * batch, -(-size // batch)
        if read <= size - batch:
            text = f"a test pass reads {iters[0]} * {batch} = {read} of the {size} images"
            text += f" of {whose}" if whose else " that a comment speaks of"
            yield self.finding(
                solver.at("test_iter"), f"{text}: test_iter: {enough} reads all", fixes=_enough(solver, enough)
            )
        elif read >= size + batch:
            text = f"a test pass reads {iters[0]} * {batch} = {read} images, of the {size}"
            text += f" of {whose}" if whose else " that a comment speaks of"
            yield self.finding(
                solver.at("test_iter"),
                f"{text} some more than once: test_iter: {enough} reads each once",
                fixes=_enough(solver, enough),
            )


def _enough(solver: Solver, count: int) -> tuple[Fix, ...]:
    return fix(f"write test_iter: {count}", UNSAFE, write(solver, "test_iter", 0, value=str(count)))


def _test_data(net: Net) -> tuple[int, str]:
    """Batch size and source of the one data layer for TEST; 0 where there is not just one."""
    found = [
        layer.param(block)
        for layer in net.layers
        for block in _BLOCKS
        if layer.has(block, "batch_size") and TEST in layer.phases
    ]
    return (found[0].batch_size, found[0].source) if len(found) == 1 else (0, "")


def _size(solver: Solver, source: str) -> tuple[int, str]:
    for pattern, size, whose in _KNOWN:
        if pattern.search(source.lower()):
            return size, whose
    text = solver.document.source.text
    if _COPIED.search(text):
        return 0, ""
    for start, end in solver.document.comments():
        if found := _NAMED.search(text, start, end):
            return int(found[1].replace(",", "")), ""
    return 0, ""
