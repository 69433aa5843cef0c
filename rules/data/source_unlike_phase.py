from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Related,
    compiled_later,
    known_data,
    title,
)
from caffelint.lint.built import Loss, types_that
from caffelint.lint.disk import is_template

from ._layers import is_for_training, is_held_out, is_never_tested, pairs, same_path, source_of
from ._numbered import meant

_OF_CLASSES = ("Accuracy", *types_that(lambda kind: issubclass(kind, Loss) and kind.of_classes))

_DEV = compiled_later(r"(?<![a-z])dev(?![a-z])", re.IGNORECASE)
"""What speakers are trained on has this name, as in VoxCeleb, and elsewhere what is held out."""

_DATA = (
    'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "%s" } include { phase: %s } } '
)
_LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }'


class SourceUnlikePhase(NetRule):
    """Training reads a test set, training and testing two different ones, or a net the data of another one.

    ## Why is this bad?
    A path that was changed for a quick test, or pasted into the wrong layer, stays: the net is then trained on the few
    images of the test set. Where training reads the faces of one data set and testing those of another one, their
    labels are numbers of other people, and accuracy is that of guessing. A `train_10k.prototxt` that reads the data of
    the `train_1k.prototxt` beside it was copied from that.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" data_param { source: "fer_test_lmdb" } include { phase: TRAIN } }
    layer { name: "data" type: "Data" top: "data" data_param { source: "fer_val_lmdb" } include { phase: TEST } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" data_param { source: "fer_train_lmdb" } include { phase: TRAIN } }
    layer { name: "data" type: "Data" top: "data" data_param { source: "fer_val_lmdb" } include { phase: TEST } }
    ```

    ## Known problems
    It goes by the names of files and folders. Two data sets are reported only for classes that are counted, only where
    everybody knows both, and not where both have as many classes or show the same, as MNIST and SVHN, since the labels
    may mean the same. A `dev` set may be either.

    ## References
    - ZhuhuiHe/face-recognition-squeeznet commit f3cbe25, wzbazinga/facial-expression-recognition commit 9f827c4,
      guanlongzhao/single-image-dehazing, src/train_val_l1_10k.prototxt
    """

    code = "D027"
    name = "source-unlike-phase"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _DATA % ("faces_train_lmdb", "TRAIN") + _DATA % ("faces_test_lmdb", "TEST") + _LOSS,
        # Two parts of one set, named by hand.
        _DATA % ("faces_tr.txt", "TRAIN") + _DATA % ("others_te.txt", "TEST") + _LOSS,
        _DATA % ("cifar10_aug_lmdb", "TRAIN") + _DATA % ("cifar10_plain_lmdb", "TEST") + _LOSS,
        # Digits are digits, and most of the ten classes are the same.
        _DATA % ("mnist_train_lmdb", "TRAIN") + _DATA % ("svhn_test_lmdb", "TEST") + _LOSS,
        _DATA % ("stl10_train", "TRAIN") + _DATA % ("cifar10_test", "TEST") + _LOSS,
        # Of VoxCeleb.
        _DATA % ("dev_lmdb", "TRAIN") + _DATA % ("eval_lmdb", "TEST") + _LOSS,
        # Trained on both before the last test.
        _DATA % ("trn+val_lmdb", "TRAIN") + _DATA % ("test_lmdb", "TEST") + _LOSS,
        # No classes are counted.
        _DATA % ("casia_webface.txt", "TRAIN") + _DATA % ("lfw_val.txt", "TEST"),
        # It says the same of both.
        _DATA % ("test_lmdb", "TRAIN") + _DATA % ("test_lmdb", "TEST") + _LOSS,
    ]
    INVALID = [
        Invalid(
            _DATA % ("fer_test_lmdb", "TRAIN") + _DATA % ("fer_validate_lmdb", "TEST") + _LOSS,
            span='source: "fer_test_lmdb"',
            message='Data "data": training reads "fer_test_lmdb", which by its name is a test or validation set; set'
            " source to the training set",
        ),
        Invalid(
            _DATA % ("casia-webface_train.txt", "TRAIN") + _DATA % ("lfw_label.txt", "TEST") + _LOSS,
            span='source: "lfw_label.txt"',
            message='Data "data": testing reads "lfw_label.txt" but training "casia-webface_train.txt"; if these are'
            " two data sets, their labels mean other classes and accuracy says nothing; test on a part of the first"
            " that is held out",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or net.is_only_tested and not net.solvers:
            return
        for pair in pairs(net):
            training = [layer for layer in pair.training if TEST not in layer.phases]
            testing = [layer for layer in pair.testing if TRAIN not in layer.phases]
            if len(training) == len(testing) == 1:
                yield from self._compare(net, training[0], testing[0])
        for layer in net.layers_that(lambda kind: kind.is_data):
            block, path = source_of(layer)
            if path and (found := meant(net.path, path)):
                yield self.finding(
                    layer.at(block, "source"),
                    f'{title(layer)} reads "{path}", but this net is named after {found.own}, and "{found.other}" is'
                    f' there, too; did you mean "{found.source}"?',
                )
                return

    def _compare(self, net: Net, training: Layer, testing: Layer) -> Iterator[Finding]:
        (block, trained), (other_block, tested) = source_of(training), source_of(testing)
        if not trained or not tested or is_template(trained) or is_template(tested):
            return
        if (
            is_held_out(trained)
            and not _DEV.search(trained)
            and not is_for_training(tested)
            and same_path(trained) != same_path(tested)
            and not _only_tests(net)
        ):
            yield self.finding(
                training.at(block, "source"),
                f'{title(training)}: training reads "{trained}", which by its name is a test or validation set; set'
                " source to the training set",
                phases=(TRAIN,),
                related=(Related("testing reads this", testing.at(other_block, "source")),),
            )
        elif _are_two_sets(trained, tested) and _counts_classes(testing) and not is_never_tested(net):
            yield self.finding(
                testing.at(other_block, "source"),
                f'{title(testing)}: testing reads "{tested}" but training "{trained}"; if these are two data sets,'
                " their labels mean other classes and accuracy says nothing; test on a part of the first that is held"
                " out",
                phases=(TEST,),
                related=(Related("training reads this", training.at(block, "source")),),
            )


def _only_tests(net: Net) -> bool:
    """Do all solvers of a net end before their first iteration, as those that measure accuracy do?"""
    return bool(net.solvers) and all(one.has("max_iter") and one.message.max_iter == 0 for one in net.solvers)


def _are_two_sets(trained: str, tested: str) -> bool:
    """Do the paths name two data sets that everybody knows?"""
    first, second = ({one.name: one for one in known_data(path)} for path in (trained, tested))
    if not first or not second or not first.keys().isdisjoint(second):
        return False
    # Who trains on printed digits and tests on those of houses has classes that mean the same.
    alike = (
        one.shows == other.shows != "" or one.classes == other.classes != 0
        for one in first.values()
        for other in second.values()
    )
    return not any(alike)


def _counts_classes(layer: Layer) -> bool:
    """Are the labels of a data layer classes that a loss or Accuracy of the net compares with scores?"""
    labels = set(layer.tops[1:])
    return any(TEST in one.phases and labels.intersection(one.bottoms[1:2]) for one in layer.net.layers_of(_OF_CLASSES))
