from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Rounded
from caffelint.lint import ERROR, WARNING, Cause, Finding, Invalid, title
from caffelint.lint.built import Blob

from ._example import SOUND, project
from ._words import lost, once, source_place

_NEXT_TO_NOTHING = 0.05
_NET = """layer {
  name: "in" type: "HDF5Data"
  top: "when"
  top: "load"
  hdf5_data_param { source: "train_lmdb" batch_size: 4 }
}
layer { name: "less" type: "Power" bottom: "when" top: "less" power_param { shift: -1.5e9 } }
layer { name: "fc" type: "InnerProduct" bottom: "less" top: "fc" inner_product_param { num_output: 1 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "load" top: "loss" }
"""
_MINUTE = " ".join(str(1.5e9 + second) for second in range(60))


class LostInFloat32(DatasetRule):
    """Different values of a HDF5 file are the same as float32, in which Caffe reads them.

    ## Why is this bad?
    float32 has 24 bits: the steps from one of its values to the next are 128 at 1.5e9, as where seconds are counted
    since 1970, and 2 above 16,777,216, as in long numbers of users. What differs by less comes to the net as one value.
    No layer that takes off an offset brings it back.

    ## Example
    ```
    file["when"] = seconds
    ```
    Use instead:
    ```
    file["when"] = (seconds - seconds.min()).astype(numpy.float32)
    ```

    ## References
    - hdf5.cpp, hdf5_load_nd_dataset: H5LTread_dataset_float
    """

    code = "E132"
    name = "lost-in-float32"
    severity = ERROR
    VALID = [
        SOUND,
        project(f"when 0.5; load 0.1; wide when {' '.join(str(second) for second in range(60))}", _NET),
        # Steps are small against the range, and against what is between the values of a record.
        project(f"when 0.5; load 0.1; wide when {' '.join(str(1.5e9 + 1000 * at) for at in range(60))}", _NET),
    ]
    INVALID = [
        Invalid(
            project(f"when 1500000000; load 0.1; wide when {_MINUTE}", _NET),
            span='source: "train_lmdb"',
            message='HDF5Data "in": "when" of "train.h5" holds 60 different values of float64, 1500000000 to'
            " 1500000059, of which the float32 that Caffe reads leaves 1, as its steps are 128 there; subtract an"
            ' offset such as 1500000000 before you write them, and take it out of shift of Power "less"',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                blob, one = feed.top_of(key), top.rounded
                if blob is None or one is None or not any(reader.tops for reader, _ in blob.readers):
                    continue
                what = f"{title(feed.layer)}: {lost(key, one)}"
                remedy = _remedy(one, blob)
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{what}; {remedy}",
                    phases=feed.phases,
                    severity=None
                    if not one.different or one.left <= max(1, _NEXT_TO_NOTHING * one.different)
                    else WARNING,
                    cause=Cause("data", what, remedy),
                )


def _remedy(one: Rounded, blob: Blob) -> str:
    if not one.different:
        return "subtract its first value from each record before you write it"
    around = 10.0 ** math.ceil(math.log10(one.high - one.low))
    remedy = f"subtract an offset such as {one.low // around * around:.10g} before you write them"
    for layer, _ in blob.readers:
        field = layer.adds
        if field and getattr(layer.parameters, field, None):
            return f"{remedy}, and take it out of {field} of {title(layer)}"
    return remedy
