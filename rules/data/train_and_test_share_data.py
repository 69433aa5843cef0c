from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    PHASES,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    Related,
    file_name,
    fix,
    quoted,
    title,
    write,
)
from caffelint.lint.disk import is_template

from ._layers import (
    Pair,
    chooses_records,
    is_for_training,
    is_held_out,
    is_never_tested,
    is_tested,
    pairs,
    same_path,
    score,
    source_of,
    trained_beside,
)
from ._shared import are_a_pair, is_judged, is_named_for_both, tested_by, tested_paths, trained_layers

_DATA = 'layer { name: "data" type: "Data" top: "data" data_param { source: "%s" } include { phase: %s %s} }'
_OWN = (
    'layer { name: "data" type: "PointData" top: "data" top: "label"'
    ' point_data_param { source: "points.csv" batch_size: 8 } include { phase: %s } }'
)


class TrainAndTestShareData(NetRule):
    """Testing reads the data that training reads, or the two sets are swapped.

    ## Why is this bad?
    Accuracy on the training data says nothing about new data: it looks excellent, and overfitting does not show. Most
    often a path was copied from one data layer to the other, or is left from a local experiment.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" data_param { source: "train_lmdb" } include { phase: TRAIN } }
    layer { name: "data" type: "Data" top: "data" data_param { source: "train_lmdb" } include { phase: TEST } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" data_param { source: "train_lmdb" } include { phase: TRAIN } }
    layer { name: "data" type: "Data" top: "data" data_param { source: "val_lmdb" } include { phase: TEST } }
    ```

    ## Known problems
    It compares paths, not what they hold: two sets may be swapped whose names differ only in `train`, `val` or `test`.
    Where no solver names them, `lenet_train.prototxt` and `lenet_val.prototxt` are taken for a net and its test net.
    A layer with fields of a fork's own, of which one differs between the phases, is taken to split the data itself. It
    does not report data that is also tested against other data, in another stage. One layer for both phases is an info
    where a solver names the net as its train_net and as its test_net.

    ## References
    - BVLC/caffe commit a857001 (its own fine-tuning example)
    """

    code = "D013"
    name = "train-and-test-share-data"
    severity = WARNING
    certainty = LIKELY
    _PART = 'layer { name: "d" type: "Data" top: "d" top: "l" data_param { source: "a_val" } } '
    _LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "d" bottom: "l" }'
    VALID = [
        # Another model.
        {"lenet_train.prototxt": _PART + _LOSS, "vgg_val.prototxt": _PART + _LOSS},
        # Answers are taken from the training set.
        {"lenet_train.prototxt": _PART + _LOSS, "lenet_test.prototxt": _PART},
        _DATA % ("train_lmdb", "TRAIN", "") + _DATA % ("val_lmdb", "TEST", ""),
        # What another field of a project's own Caffe tells apart.
        _OWN.replace("batch_size", 'split: "train" batch_size') % "TRAIN"
        + _OWN.replace("batch_size", 'split: "val" batch_size') % "TEST"
        + ' layer { type: "EuclideanLoss" bottom: "data" bottom: "label" }',
        # Tested on both sets, one after the other.
        _DATA % ("train_lmdb", "TRAIN", "")
        + _DATA % ("train_lmdb", "TEST", 'stage: "on-train" ')
        + _DATA % ("val_lmdb", "TEST", 'stage: "on-val" '),
        _DATA % ("voc_trainval_lmdb", "TRAIN", "") + _DATA % ("voc_test_lmdb", "TEST", ""),
        # Testing gives the answers alone.
        _DATA % ("train_lmdb", "TRAIN", "")
        + _DATA % ("train_lmdb", "TEST", "")
        + 'layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "data" include { phase: TRAIN } }',
        # A second test reads other data.
        {
            "solver.prototxt": 'train_net: "a.prototxt" test_net: "a.prototxt" test_net: "b.prototxt"',
            "a.prototxt": 'layer { name: "d" type: "Data" top: "d" data_param { source: "a" } }',
            "b.prototxt": 'layer { name: "d" type: "Data" top: "d" data_param { source: "b" } }',
        },
        # Of several sets, this one was chosen.
        _DATA % ("test_old_lmdb", "TRAIN", "") + _DATA % ("train2_lmdb", "TEST", ""),
        # The layers of a fork choose their records themselves.
        _OWN.replace("batch_size", "fold: 1 batch_size") % "TRAIN"
        + _OWN.replace("batch_size", "fold: 2 batch_size") % "TEST"
        + ' layer { type: "EuclideanLoss" bottom: "data" bottom: "label" }',
        # One layer for both phases, but no solver tests.
        'layer { name: "data" type: "Data" top: "data" data_param { source: "train_lmdb" } }',
    ]
    INVALID = [
        Invalid(
            _DATA % ("train.txt", "TRAIN", "") + _DATA % ("./train.txt", "TEST", ""),
            span='source: "./train.txt"',
            message='Data "data": testing reads "./train.txt", which training also reads, so accuracy is that of the'
            " training set; test on other data",
        ),
        # Of a project's own Caffe.
        Invalid(
            _OWN % "TRAIN" + _OWN % "TEST" + ' layer { type: "EuclideanLoss" bottom: "data" bottom: "label" }',
            span='source: "points.csv"',
            message='PointData "data": testing reads "points.csv", which training also reads, so the test loss is'
            " that of the training set; test on other data",
        ),
        Invalid(
            _DATA % ("val_lmdb", "TRAIN", "") + _DATA % ("train_lmdb", "TEST", ""),
            span='source: "train_lmdb"',
            message='Data "data": testing reads "train_lmdb" and training reads "val_lmdb"; check whether the two are'
            " swapped",
        ),
        Invalid(
            {
                "solver.prototxt": 'train_net: "train.prototxt" test_net: "test.prototxt" test_iter: 9',
                "train.prototxt": 'layer { name: "d" type: "Data" top: "d" data_param { source: "a" } }',
                "test.prototxt": 'layer { name: "d" type: "Data" top: "d" data_param { source: "a" } }',
            },
            span='source: "a"',
            message='Data "d": testing reads "a", which training also reads, so accuracy is that of the training set;'
            " test on other data",
        ),
        # No solver names them, but their names say what they are for.
        Invalid(
            {
                "lenet_train.prototxt": _PART + _LOSS,
                "lenet_val.prototxt": _PART + 'layer { name: "a" type: "Accuracy" bottom: "d" bottom: "l" top: "a" }',
            },
            span='source: "a_val"',
            message='Data "d": testing reads "a_val", which training also reads, so accuracy is that of the training'
            ' set; set the source of "lenet_train.prototxt" to the training set',
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" test_iter: 9 test_interval: 100',
                "net.prototxt": 'layer { name: "d" type: "Data" top: "d" data_param { source: "a" } }',
            },
            span='source: "a"',
            message='Data "d" is part of both phases, so training and testing both read "a"; give each phase a data'
            " layer with include { phase: ... }",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        beside = not net.solvers and trained_beside(net)
        if not beside and (net.role != "train" or is_never_tested(net) or net.is_only_tested and not net.solvers):
            return
        if is_judged(beside or net, TRAIN) and not is_judged(net, TEST):
            return  # testing only looks at what the net answers
        found = list(pairs(net, own=True))
        apart = any(not trained_layers(pair).keys() >= tested_paths(pair) for pair in found)
        for pair in found:
            # What is read beside the images, such as the weights of classes, is often the same on purpose.
            if (
                not apart
                or any(map(is_for_training, tested_paths(pair)))
                or not trained_layers(pair).keys() >= tested_paths(pair)
            ):
                yield from self._shared(net, pair)

    def _shared(self, net: Net, pair: Pair) -> Iterator[Finding]:
        trained = trained_layers(pair)
        tested = [(layer, *source_of(layer)) for layer in pair.testing]
        if not trained or not all(path and (is_for_training(path) or not is_template(path)) for _, _, path in tested):
            return
        if all(same_path(path) in trained for _, _, path in tested):
            if any(chooses_records(layer, trained[same_path(path)]) for layer, _, path in tested):
                return  # each takes its own part of the file
            if not all(tested_by(solver, pair.blob) <= trained.keys() for solver in net.solvers):
                return  # another net tests with data that is not used for training
            for layer, block, path in tested:
                other = trained[same_path(path)]
                if other is not layer:
                    remedy = "test on other data"
                    if is_held_out(path):
                        where = quoted(file_name(other.net.path)) if other.net is not net else "the TRAIN layer"
                        remedy = f"set the source of {where} to the training set"
                    message = (
                        f'{title(layer)}: testing reads "{path}", which training also reads, so {score(layer.net)} is'
                        f" that of the training set; {remedy}"
                    )
                    yield self._finding(layer, block, message, other)
                elif is_tested(net) and layer.phases == PHASES:
                    yield self.finding(
                        layer.at(block, "source"),
                        f'{title(layer)} is part of both phases, so training and testing both read "{path}"; give each'
                        " phase a data layer with include { phase: ... }",
                        severity=INFO if is_named_for_both(net) else None,
                    )
            return
        others = [layer for layer in pair.training if TEST not in layer.phases]
        sources = [source_of(layer)[1] for layer in others]
        if sources and all(map(is_held_out, sources)):
            for layer, block, path in tested:
                if TRAIN not in layer.phases and is_for_training(path) and are_a_pair(path, sources):
                    message = (
                        f'{title(layer)}: testing reads "{path}" and training reads "{sources[0]}";'
                        " check whether the two are swapped"
                    )
                    yield self._finding(layer, block, message, others[0], self._swapped(layer, others))

    def _swapped(self, layer: Layer, others: list[Layer]) -> tuple[Fix, ...]:
        if len(others) != 1:
            return ()
        (block, path), (other_block, other_path) = source_of(layer), source_of(others[0])
        mine = write(layer, block, "source", value=quoted(other_path))
        return fix("swap the two sources", DISPLAY, mine, write(others[0], other_block, "source", value=quoted(path)))

    def _finding(self, layer: Layer, block: str, message: str, training: Layer, fixes: tuple[Fix, ...] = ()) -> Finding:
        other_block, _ = source_of(training)
        related = (Related("training reads this", training.at(other_block, "source")),)
        solvers = layer.net.solvers  # of which a run that never gets to a test but the first one is a trial
        by_heart = any("train" in stage.lower() for rule in layer.message.include for stage in rule.stage)
        unseen = INFO if by_heart or solvers and all(solver.is_cut_short for solver in solvers) else None
        place = layer.at(block, "source")
        return self.finding(place, message, severity=unseen, phases=(TEST,), related=related, fixes=fixes)
