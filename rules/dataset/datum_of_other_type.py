from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import OTHER_TYPE, DataEvidence, DatasetRule
from caffelint.lint import ERROR, Cause, Finding, Invalid, title

from ._example import SOUND, project, records
from ._words import first, once, path, share, source_place

_SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4}


class DatumOfOtherType(DatasetRule):
    """The bytes of records are numbers of several bytes each, but Caffe takes each byte for a pixel.

    ## Why is this bad?
    The field data of a Datum holds one byte for each value. `datum.data = x.tobytes()` of an array of float64, which
    numpy makes unless told otherwise, holds eight: Caffe takes the first ones for the pixels, and trains on noise.

    ## Example
    ```
    datum.data = (pixels / 255.0).tobytes()
    ```
    Use instead:
    ```
    datum.data = pixels.astype(numpy.uint8).tobytes()
    ```
    Numbers with a fraction belong in the field float_data.

    ## References
    - data_transformer.cpp, Transform (has_uint8); io.py, array_to_datum
    """

    code = "E126"
    name = "datum-of-other-type"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1) + "\nlabel 2; fault bytes of float64\nlabel 2; fault bytes of float64"),
            span='source: "train_lmdb"',
            message='Data "data": 2 of 4 records of "train_lmdb" hold float64, 8 bytes a value (such as "00002",'
            ' "00003"), but Caffe takes each byte for a pixel, and trains on noise; write them as uint8, from 0 to 255'
            " (or as float_data)",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for name, size in _SIZES.items():
                fault = facts.faults.get(OTHER_TYPE + name)
                if fault is None:
                    continue
                what = f"{title(feed.layer)}: {share(fault.count, facts)} of {path(feed)} hold {name}, {size} bytes a"
                what += f" value ({first(fault)}), but Caffe takes each byte for a pixel, and trains on noise"
                remedy = "write them as uint8, from 0 to 255 (or as float_data)"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{what}; {remedy}",
                    phases=feed.phases,
                    cause=Cause("data", what, remedy),
                )
