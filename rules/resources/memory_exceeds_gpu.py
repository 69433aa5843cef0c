from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, Option, Place, ProjectRule, Solver, Valid

from ._memory import Memory, memory

_GIB = 1 << 30


class MemoryExceedsGpu(ProjectRule):
    """Training needs more memory than the GPU has.

    ## Why is this bad?
    Caffe aborts with "out of memory" at the first pass, or only at the first test, since every test net takes memory in
    addition to the training net: after minutes of loading data, not at once.

    ## Example
    ```
    data_param { source: "train_lmdb" batch_size: 256 }  # on a GPU with 6 GiB
    ```
    Use instead:
    ```
    data_param { source: "train_lmdb" batch_size: 64 }
    ```
    and `iter_size: 4` in the solver, which adds up four batches before each update.

    ## Known problems
    It reports nothing unless `gpu-memory` is set. It counts data, gradients, parameters, the solver's history, column
    buffers and prefetched batches of the training net and of every test net; cuDNN's workspaces and what the driver
    takes (up to half a GiB) come on top. If only the data give the size of the images, it assumes three channels and
    the size of the crop; without a crop it reports nothing.

    ## Options
    - `gpu-memory`: the memory of the GPU in GiB; 0 switches the rule off

    ## References
    - syncedmem.cpp, base_conv_layer.cpp, sgd_solver.cpp; BVLC/caffe#6289
    """

    code = "R001"
    name = "memory-exceeds-gpu"
    severity = WARNING
    certainty = LIKELY
    OPTIONS = {"gpu-memory": Option(0.0, "The memory of the GPU in GiB; 0 switches the rule off.")}
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" data_param {{ source: "a" batch_size: {} }}'
        " transform_param {{ crop_size: 256 }} }}"
        ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param {{ num_output: 64 kernel_size: 3 }} }}"
        ' layer {{ name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" inner_product_param {{ num_output: 9 }} }}'
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}'
    )
    VALID = [
        {"s.prototxt": 'net: "n.prototxt"', "n.prototxt": _NET.format(512)},
        Valid({"s.prototxt": 'net: "n.prototxt"', "n.prototxt": _NET.format(64)}, {"gpu-memory": 8}),
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": 'net: "n.prototxt" test_iter: 1 test_interval: 9', "n.prototxt": _NET.format(64)},
            span="batch_size: 64",
            message="training needs 3.9 GiB (1.2 GiB of it for the test net), but the GPU has only 3 GiB; batch_size:"
            " 39 fits",
            options={"gpu-memory": 3},
        ),
        Invalid(
            {"s.prototxt": 'net: "n.prototxt" type: "Adam"', "n.prototxt": _NET.format(64)},
            span="batch_size: 64",
            message="training needs 2.8 GiB, but the GPU has only 0.1 GiB; not even batch_size: 1 fits",
            options={"gpu-memory": 0.1},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        card = self.options["gpu-memory"] * _GIB
        trained = solver.train_net
        if card <= 0 or trained is None or not trained.is_plain:
            return
        training: list[Memory] = []
        tests: list[Memory] = []
        for one, net, state in solver.builds:
            built = net.likely(state)
            found = None if built.refusals else memory(built)
            if found is None:
                return
            (training if one.test is None else tests).append(found)
        if len(training) != 1:
            return
        (train,) = training
        tested = sum(found.images + found.columns for found in tests)
        fixed = tested + train.columns + train.parameters * (2 + solver.histories)
        total = fixed + train.images
        if total > card:
            yield self._finding(trained, total, tested, fixed, train, card, len(tests))

    def _finding(
        self, net: Net, total: int, tested: int, fixed: int, train: Memory, card: float, tests: int
    ) -> Finding:
        place, batch = _batch(net)
        text = f"training needs {total / _GIB:.1f} GiB"
        if tests:
            text += f" ({tested / _GIB:.1f} GiB of it for the test net{'s' if tests > 1 else ''})"
        text += f", but the GPU has only {card / _GIB:g} GiB"
        fits = int((card - fixed) * batch / train.images) if batch else 0
        if fits > 0:
            text += f"; batch_size: {fits} fits"
        elif batch:
            text += "; not even batch_size: 1 fits"
        return self.finding(
            place,
            text,
            evidence=f"the training net's data and gradients take {train.images / _GIB:.2f} GiB, its column buffers"
            f" {train.columns / _GIB:.2f}, parameters with gradients and history"
            f" {(fixed - tested - train.columns) / _GIB:.2f}",
        )


def _batch(net: Net) -> tuple[Place, int]:
    """The place of the batch size for training, and the batch size; 0 if there is not exactly one."""
    found = [layer for layer in net.layers if "TRAIN" in layer.phases and not layer.bottoms and layer.kind.batch_size]
    if len(found) != 1:
        return net.at("layer"), 0
    return found[0].at(found[0].kind.data_block, "batch_size"), found[0].kind.batch_size
