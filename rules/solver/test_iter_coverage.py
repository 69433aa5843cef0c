from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TEST,
    TRAIN,
    UNSAFE,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    ProjectRule,
    Solver,
    compiled_later,
    fix,
    write,
)

_NAMED = compiled_later(
    r"(?<!\d)(\d[\d,]{2,15})\s+(?:test|testing|validation|val)\s+(?:images|samples|examples|instances)"
)
_FEW = 1000
"""Images of a test pass that takes no time worth speaking of."""
_TOLERATED = 0.1
"""By which share a pass may be off: testing need not come out even."""
_COPIED = compiled_later(r"(?i)in the case of (?:mnist|cifar)")
"""Caffe's own comment, which many solvers for other data still have."""
_OF_VOC, _CLASSES_OF_VOC = 4952, frozenset((20, 21))
"""Images of its test set, and classes, with the background as one or without."""
_KNOWN = (
    (compiled_later(r"(?:ilsvrc|imagenet)[^/]{0,100}val"), 50000, "ImageNet's validation set"),
    (compiled_later(r"mnist[^/]{0,100}test"), 10000, "MNIST's test set"),
    (compiled_later(r"cifar[^/]{0,100}test"), 10000, "CIFAR's test set"),
    (compiled_later(r"voc0712[^/]{0,100}test"), _OF_VOC, "VOC 2007's test set"),
)
_TRAIN = 'layer {{ name: "data" type: "Data" top: "data" include {{ phase: TRAIN }} data_param {{ batch_size: {} }} }} '


def _net(source: str, batch: int) -> str:
    return (
        f'layer {{ name: "data" type: "Data" top: "data" include {{ phase: TEST }}'
        f' data_param {{ source: "{source}" batch_size: {batch} }} }}'
    )


def _found(classes: int) -> str:
    return f' layer {{ type: "DetectionOutput" detection_output_param {{ num_classes: {classes} }} }}'


class TestIterCoverage(ProjectRule):
    """A test pass reads more or fewer images than the test set has, or more than training reads between two tests.

    ## Why is this bad?
    A test pass reads test_iter * batch_size images. If that is less than the set, the score is that of a part, and the
    next pass continues where this one stopped, so the scores of two passes cannot be compared. If it is more, some
    images count more than once. If it is more than training reads from one test to the next, most of the time goes into
    testing; usually the batch size of one net was mistaken for that of the other.

    ## Example
    ```
    test_iter: 1000  # batch_size 25 of 50,000 images
    ```
    Use instead:
    ```
    test_iter: 2000
    ```

    ## Known problems
    The size of the set is taken from the name of a known set in the data layer's source, or from a comment such as
    `10,000 testing images`. Either may refer to something else, and who tests on a part of a large set means to. Where
    several machines share the training, each of them runs the whole test.

    ## Fix safety
    Unsafe: a test pass reads a different number of images.

    ## References
    - solver.cpp, Test
    """

    code = "S306"
    name = "test-iter-coverage"
    severity = INFO
    certainty = LIKELY
    _VOC = _net("VOC0712_test_lmdb", 8) + _found(21)
    VALID = [
        {"s.prototxt": 'net: "n.prototxt" test_iter: 100', "n.prototxt": _net("mnist_test_lmdb", 100)},
        {"s.prototxt": 'net: "n.prototxt" test_iter: 5', "n.prototxt": _net("my_lmdb", 100)},
        {"s.prototxt": 'net: "n.prototxt" test_iter: 156', "n.prototxt": _net("mnist_test_lmdb", 64)},
        {
            "s.prototxt": '# In the case of MNIST, the 10,000 testing images\nnet: "n.prototxt" test_iter: 3',
            "n.prototxt": _net("faces", 100),
        },
        {"s.prototxt": 'net: "n.prototxt" test_iter: 157', "n.prototxt": _net("mnist_test_lmdb", 64)},
        # As much as training.
        {
            "s.prototxt": 'net: "n.prototxt" test_iter: 300 test_interval: 300',
            "n.prototxt": _TRAIN.format(64) + _net("my_lmdb", 64),
        },
        # Other images under the names of an example.
        {"s.prototxt": 'net: "n.prototxt" test_iter: 831', "n.prototxt": _net("VOC0712_test_lmdb", 1) + _found(4)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\ntest_iter: 9', "n.prototxt": _VOC},
            span="test_iter: 9",
            message="a test pass reads 9 * 8 = 72 of the 4952 images of VOC 2007's test set; to read all, set"
            " test_iter: 619",
            fixed={"s.prototxt": 'net: "n.prototxt"\ntest_iter: 619', "n.prototxt": _VOC},
        ),
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\ntest_iter: 1000', "n.prototxt": _net("ilsvrc12_val_lmdb", 25)},
            span="test_iter: 1000",
            message="a test pass reads 1000 * 25 = 25000 of the 50000 images of ImageNet's validation set; to read"
            " all, set test_iter: 2000",
            fixed={"s.prototxt": 'net: "n.prototxt"\ntest_iter: 2000', "n.prototxt": _net("ilsvrc12_val_lmdb", 25)},
        ),
        Invalid(
            {
                "s.prototxt": '# all 3,000 testing images\nnet: "n.prototxt"\ntest_iter: 100',
                "n.prototxt": _net("my_lmdb", 100),
            },
            span="test_iter: 100",
            message="a test pass reads 100 * 100 = 10000 images, more than the 3000 that a comment mentions, so some"
            " count more than once; to read each once, set test_iter: 30",
            fixed={
                "s.prototxt": '# all 3,000 testing images\nnet: "n.prototxt"\ntest_iter: 30',
                "n.prototxt": _net("my_lmdb", 100),
            },
        ),
        Invalid(
            {
                "s.prototxt": 'net: "n.prototxt" test_iter: 300 test_interval: 1000',
                "n.prototxt": _TRAIN.format(64) + _net("my_lmdb", 1024),
            },
            span="batch_size: 1024",
            message="each test pass reads 300 * 1024 = 307200 images, but training reads only 1000 * 64 = 64000"
            " between two tests, so testing takes longer; lower this batch_size or test_iter",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        yield from self._coverage(solver)
        yield from self._share(solver)

    def _share(self, solver: Solver) -> Iterator[Finding]:
        """Testing that reads more images than training."""
        message = solver.message
        nets = [use.net for use in solver.nets if use.tests]
        if len(message.test_iter) != 1 or len(nets) != 1 or solver.train_net is None or message.test_interval <= 0:
            return
        tested, trained = _data(nets[0], TEST), _data(solver.train_net, TRAIN)
        if tested is None or trained is None:
            return
        test, train = tested.kind.batch_size, trained.kind.batch_size
        iters, steps = message.test_iter[0], message.test_interval * max(1, message.iter_size)
        if train > 0 and iters * test > max(_FEW, (1 + _TOLERATED) * steps * train):
            yield self.finding(
                tested.at(tested.kind.data_block, "batch_size"),
                f"each test pass reads {iters} * {test} = {iters * test} images, but training reads only"
                f" {steps} * {train} = {steps * train} between two tests, so testing takes longer; lower this"
                " batch_size or test_iter",
            )

    def _coverage(self, solver: Solver) -> Iterator[Finding]:
        nets = [use.net for use in solver.nets if use.tests]
        iters = solver.message.test_iter
        if len(iters) != 1 or len(nets) != 1 or iters[0] <= 0:
            return
        tested = _data(nets[0], TEST)
        size, whose = _size(solver, nets[0], tested.kind.data_source if tested else "")
        batch = tested.kind.batch_size if tested else 0
        if not batch or not size:
            return
        read, enough = iters[0] * batch, -(-size // batch)
        off = max(batch, _TOLERATED * size)
        if read <= size - off:
            text = f"a test pass reads {iters[0]} * {batch} = {read} of the {size} images"
            text += f" of {whose}" if whose else " that a comment mentions"
            yield self.finding(
                solver.at("test_iter"),
                f"{text}; to read all, set test_iter: {enough}",
                fixes=_enough(solver, enough),
            )
        elif read >= size + off:
            text = f"a test pass reads {iters[0]} * {batch} = {read} images, more than the {size}"
            text += f" of {whose}" if whose else " that a comment mentions"
            yield self.finding(
                solver.at("test_iter"),
                f"{text}, so some count more than once; to read each once, set test_iter: {enough}",
                fixes=_enough(solver, enough),
            )


def _numbers_of_classes(net: Net) -> set[int]:
    """What its layers give as num_classes."""
    blocks = (block for layer in net.layers for _, block in layer.message.ListFields() if hasattr(block, "DESCRIPTOR"))
    named = (block for block in blocks if "num_classes" in block.DESCRIPTOR.fields_by_name)
    return {block.num_classes for block in named if block.HasField("num_classes")}


def _enough(solver: Solver, count: int) -> tuple[Fix, ...]:
    return fix(f"set test_iter: {count}", UNSAFE, write(solver, "test_iter", 0, value=str(count)))


def _data(net: Net, phase: str) -> Layer | None:
    """The only layer of a phase that has a batch size; None if there is not exactly one."""
    found = [layer for layer in net.once(_with_batches) if phase in layer.phases]
    return found[0] if len(found) == 1 else None


def _with_batches(net: Net) -> list[Layer]:
    return [layer for layer in net.layers if layer.kind.batch_size]


def _size(solver: Solver, net: Net, source: str) -> tuple[int, str]:
    for pattern, size, whose in _KNOWN:
        if pattern.search(source.lower()):
            # Lists of other images are called as those of SSD's example, which has the classes of VOC.
            is_other = size == _OF_VOC and not net.once(_numbers_of_classes) <= _CLASSES_OF_VOC
            return (0, "") if is_other else (size, whose)
    text = solver.document.source.text
    if _COPIED.search(text):
        return 0, ""
    for start, end in solver.document.comments():
        if found := _NAMED.search(text, start, end):
            return int(found[1].replace(",", "")), ""
    return 0, ""
