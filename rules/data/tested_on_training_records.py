from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from caffelint.lint import (
    LIKELY,
    TEST,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    title,
)
from caffelint.lint.built import types_that

from ._layers import is_never_tested, pairs, score, source_of
from ._records import same_records

_MOST = 4
"""Pairs of layers of a net whose lists, of up to 4 MB each, are held against each other."""
_LIST = (
    'layer {{ name: "{0}" type: "HDF5Data" top: "d" hdf5_data_param {{ source: "{0}.txt" }} include {{ phase: {1} }} }}'
)
_NET = (
    _LIST.format("train", "TRAIN")
    + _LIST.format("test", "TEST")
    + ' layer { name: "loss" type: "EuclideanLoss" bottom: "d" bottom: "d" }'
)


class TestedOnTrainingRecords(NetRule):
    """Two lists of the project, or of which its scripts make data, have the same records for training and testing.

    ## Why is this bad?
    Accuracy on the training data says nothing about new data: it looks excellent, and overfitting does not show. Most
    often a line was copied from one list or command to the other, and its path was left.

    ## Example
    ```
    convert_imageset data/ train.txt train_lmdb
    convert_imageset data/ train.txt val_lmdb
    ```
    Use instead:
    ```
    convert_imageset data/ train.txt train_lmdb
    convert_imageset data/ val.txt val_lmdb
    ```

    ## Known problems
    Only lists of up to 4 MB in the project are read, and commands in shell scripts: `caffelint data` reads all data.

    ## References
    - hdf5_data_layer.cpp, image_data_layer.cpp; convert_imageset.cpp
    """

    code = "D031"
    name = "tested-on-training-records"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.is_data and kind.has_setting("source"))
    VALID = [{"net.prototxt": _NET, "train.txt": "a.h5\nb.h5\n", "test.txt": "c.h5\n"}]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "train.txt": "a.h5\nb.h5\n", "test.txt": "c.h5\nb.h5\n"},
            span='source: "test.txt"',
            message='HDF5Data "test": 1 of 2 lines of "test.txt" ("b.h5") is also in "train.txt", which training reads,'
            " so the test loss is that of the training set; test on other records",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or is_never_tested(net):
            return
        both = ((mine, other) for pair in pairs(net) for mine in pair.testing for other in pair.training)
        for layer, other in islice(both, _MOST):
            if why := same_records(layer, other):
                so = f"so {score(net)} is that of the training set; test on other records"
                related = (Related("training reads this", other.at(source_of(other)[0], "source")),)
                place = layer.at(source_of(layer)[0], "source")
                yield self.finding(place, f"{title(layer)}: {why}, {so}", phases=(TEST,), related=related)
                return
