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
    Solver,
    fix,
    quoted,
    title,
    write,
)
from caffelint.lint.disk import is_template

from ._layers import (
    Pair,
    beside_its_role,
    chooses_records,
    is_for_training,
    is_held_out,
    is_never_tested,
    is_tested,
    pairs,
    same_path,
    score,
    source_of,
    tested_sources,
)

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
    VALID = [
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
        if net.role != "train" or is_never_tested(net) or net.is_only_tested and not net.solvers:
            return
        if _is_judged(net, TRAIN) and not _is_judged(net, TEST):
            return  # testing only looks at what the net answers
        found = list(pairs(net, own=True))
        apart = any(not _trained(pair).keys() >= _tested(pair) for pair in found)
        for pair in found:
            # What is read beside the images, such as the weights of classes, is often the same on purpose.
            if not apart or any(map(is_for_training, _tested(pair))) or not _trained(pair).keys() >= _tested(pair):
                yield from self._shared(net, pair)

    def _shared(self, net: Net, pair: Pair) -> Iterator[Finding]:
        trained = _trained(pair)
        tested = [(layer, *source_of(layer)) for layer in pair.testing]
        if not trained or not all(path and (is_for_training(path) or not is_template(path)) for _, _, path in tested):
            return
        if all(same_path(path) in trained for _, _, path in tested):
            if any(chooses_records(layer, trained[same_path(path)]) for layer, _, path in tested):
                return  # each takes its own part of the file
            if not all(_tested_by(solver, pair.blob) <= trained.keys() for solver in net.solvers):
                return  # another net tests with data that is not used for training
            for layer, block, path in tested:
                other = trained[same_path(path)]
                if other is not layer:
                    message = (
                        f'{title(layer)}: testing reads "{path}", which training also reads, so {score(layer.net)} is'
                        f" that of the training set; {'train' if is_held_out(path) else 'test'} on other data"
                    )
                    yield self._finding(layer, block, message, other)
                elif is_tested(net) and layer.phases == PHASES:
                    yield self.finding(
                        layer.at(block, "source"),
                        f'{title(layer)} is part of both phases, so training and testing both read "{path}"; give each'
                        " phase a data layer with include { phase: ... }",
                        severity=INFO if _is_named_for_both(net) else None,
                    )
            return
        others = [layer for layer in pair.training if TEST not in layer.phases]
        sources = [source_of(layer)[1] for layer in others]
        if sources and all(map(is_held_out, sources)):
            for layer, block, path in tested:
                if TRAIN not in layer.phases and is_for_training(path) and _are_a_pair(path, sources):
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


def _are_a_pair(path: str, others: list[str]) -> bool:
    """Do sources differ only in what they are for? Of several sets, one was chosen on purpose."""
    return all(beside_its_role(path) == beside_its_role(other) for other in others)


def _is_named_for_both(net: Net) -> bool:
    """Whether a solver names the net as its test net as well as its train_net, which nobody writes by mistake."""
    fields = ({use.field for use in solver.uses_of(net)} for solver in net.solvers)
    return any({"train_net", "test_net"} <= named for named in fields)


def _is_judged(net: Net, phase: str) -> bool:
    """Whether a layer of the phase may hold the answers of the net against labels."""
    kinds = {type_: layers[0].kind for type_, layers in net.by_type.items()}
    judging = [
        type_ for type_, kind in kinds.items() if kind.looks_like_a_loss or "Accuracy" in type_ or not kind.known
    ]
    return any(phase in layer.phases for type_ in judging for layer in net.by_type[type_])


def _trained(pair: Pair) -> dict[str, Layer]:
    """The layers that training reads, by their sources."""
    return {same_path(path): layer for layer in pair.training if (path := source_of(layer)[1])}


def _tested(pair: Pair) -> set[str]:
    """The sources that testing reads."""
    return {same_path(source_of(layer)[1]) for layer in pair.testing}


def _tested_by(solver: Solver, blob: str) -> set[str]:
    return solver.once(tested_sources).get(blob, set())
