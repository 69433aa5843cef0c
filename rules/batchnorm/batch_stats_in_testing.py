from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    TEST,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Solver,
    fix,
    remove,
    titles,
)

from ._norms import global_stats, norms


class BatchStatsInTesting(NetRule):
    """A BatchNorm in the TEST phase uses the statistics of the batch.

    ## Why is this bad?
    With `use_global_stats: false` the layer normalises by the current batch in both phases: what the net says about an
    image depends on the other images in the batch, and a batch of one says little. Without the field, Caffe uses the
    batch in TRAIN and the stored statistics in TEST.

    ## Example
    ```
    batch_norm_param { use_global_stats: false }
    ```
    Use instead:
    ```
    batch_norm_param { }
    ```

    ## Known problems
    It is an info where nothing in TEST is a loss, an Accuracy or a layer of an unknown type, and where the batch is
    known to be 1 in training and testing: no score depends on other images then, and the net is tested as it was
    trained. It is silent where the project's own batch_norm_layer.cpp takes the stored statistics in TEST all the same.

    ## Fix safety
    Unsafe: the scores of the TEST phase change to what a deployed net gives.

    ## References
    - batch_norm_layer.cpp, LayerSetUp; BVLC/caffe#5829
    """

    code = "B002"
    name = "batch-stats-in-testing"
    severity = WARNING
    layer_types = ("BatchNorm",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "test" type: "Data" top: "data" top: "label" include { phase: TEST } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"%s }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "bn" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % "",
        _NET % " batch_norm_param { use_global_stats: false } include { phase: TRAIN }",
        _NET % " batch_norm_param { use_global_stats: true }",
        {
            "train.prototxt": _NET % " batch_norm_param { use_global_stats: false }",
            "val.prototxt": _NET % " batch_norm_param { use_global_stats: true }",
        },
        # Another file is tested.
        _NET.replace("phase: TEST", "phase: TRAIN").replace("test", "more")
        % " batch_norm_param { use_global_stats: false }",
    ]
    INVALID = [
        Invalid(
            _NET % " batch_norm_param { use_global_stats: false }",
            span="use_global_stats: false",
            message='BatchNorm "bn": use_global_stats: false normalises by the batch even in TEST, so its'
            " scores for an image depend on its batch; remove it",
            fixed=_NET % "",
        ),
        Invalid(
            'input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8 layer { name: "bn" type: "BatchNorm"'
            ' bottom: "data" top: "bn" batch_norm_param { use_global_stats: false } }',
            span="use_global_stats: false",
            message='BatchNorm "bn": use_global_stats: false normalises by the batch even in TEST, here by each image'
            " alone; remove it",
            fixed='input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8 layer { name: "bn" type:'
            ' "BatchNorm" bottom: "data" top: "bn" }',
        ),
        # A program fills it as well.
        Invalid(
            'layer { name: "data" type: "MemoryData" top: "data" top: "label" memory_data_param { batch_size: 1'
            ' channels: 3 height: 8 width: 8 } } layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"'
            " batch_norm_param { use_global_stats: false } }",
            span="use_global_stats: false",
            message='BatchNorm "bn": use_global_stats: false normalises by the batch even in TEST, here by each image'
            " alone; remove it",
            fixed='layer { name: "data" type: "MemoryData" top: "data" top: "label" memory_data_param { batch_size: 1'
            ' channels: 3 height: 8 width: 8 } } layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found = [layer for layer in norms(net, TEST) if global_stats(layer) is False]
        own = net.bound.caffe
        if (own and own.registered.stores_in_test) or not found or not _is_tested(net):
            return
        alone = _is_of_one(net, found)
        # What nobody looks at may depend on what it likes; it only differs from what the deployed net gives.
        unseen = bool(net.solvers) and not any(one.may_be_scored for one in net.states() if TEST in one.phases)
        so = "here by each image alone" if alone else "so its scores for an image depend on its batch"
        yield self.finding(
            found[0].at("batch_norm_param", "use_global_stats"),
            f"{titles(found)}: use_global_stats: false normalises by the batch even in TEST, {so}; remove it",
            severity=INFO if unseen or alone and not _is_of_larger_batches(net) else None,
            evidence="without the field, Caffe uses the batch in TRAIN and the stored statistics in TEST",
            phases=(TEST,),
            fixes=fix(
                "remove use_global_stats",
                UNSAFE,
                *(remove(layer, "batch_norm_param", "use_global_stats") for layer in found),
            ),
            layers=found,
        )


def _is_tested(net: Net) -> bool:
    """Is the net built for TEST, as far as the text tells?"""
    if net.solvers:
        if all(_tests_after_the_end(solver) for solver in net.solvers):
            return False
        return any(TEST in one.phases for one in net.states())
    if any(map(_tests_with_stored_values, net.deployed)):
        return False
    return _is_deployed(net) or any(layer.phases == (TEST,) for layer in net.conditional)


def _is_deployed(net: Net) -> bool:
    """Does a program put into it what it is to judge, by an Input or by a MemoryData, and read no loss?"""
    return net.role == "deploy" or net.role == "fragment" and "MemoryData" in net.by_type


def _tests_with_stored_values(net: Net) -> bool:
    """Is it a net for tests of the one beside it, which has the statistics that are stored in all its norms?"""
    found = norms(net, TEST)
    measures = any(layer.kind.plain_form is not None for layer in net.in_phase(TEST))
    return measures and bool(found) and all(global_stats(layer) for layer in found)


def _tests_after_the_end(solver: Solver) -> bool:
    """Is the first test of its net due after its last iteration?"""
    message = solver.message
    return 0 < message.max_iter < message.test_interval and not message.test_initialization


def _is_of_larger_batches(net: Net) -> bool:
    """Is a net for deployment not known to be trained on single images, too?"""
    trained = [other for other in net.siblings if other.role == "train" and norms(other, TRAIN)]
    return _is_deployed(net) and not any(_is_of_one(other, norms(other, TRAIN)) for other in trained)


def _is_of_one(net: Net, norms: list[Layer]) -> bool:
    """Whether the batch is known to be 1, in training as in testing."""
    wanted = {layer.index for layer in norms}
    bottoms = [
        built.bottoms[0] for one in net.states() for built in one.layers if built.index in wanted and built.bottoms
    ]
    return bool(bottoms) and all(blob.shape is not None and blob.shape[:1] == (1,) for blob in bottoms)
