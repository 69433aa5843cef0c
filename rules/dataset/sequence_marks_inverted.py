from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Feed, Top
from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, compiled_later, title
from caffelint.lint.built import BuiltLayer

from ._example import project
from ._words import once, path, source_place

_CONT = 1  # the bottom of an LSTM or RNN that tells where sequences go on
_MOST = 0.5
"""Of the marks: sequences of two steps have as many that are 0."""
_FEW, _NEARLY = 20, 0.5
_DIGITS = compiled_later(r"\d+")
_NET = """layer {
  name: "in" type: "HDF5Data" top: "x" top: "cont" top: "y"
  hdf5_data_param { source: "train_lmdb" batch_size: 4 }
}
layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "h" recurrent_param { num_output: 4 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "h" bottom: "y" top: "loss" }
"""


def _marks(*marks: int) -> str:
    return "\n".join(f"x {number}.5; cont {mark}; y {number % 3}" for number, mark in enumerate(marks))


class SequenceMarksInverted(DatasetRule):
    """The marks of sequences are 0 at most steps, or at the last of each, where an LSTM or RNN forgets what was before.

    ## Why is this bad?
    The second bottom is 0 at the first step of a sequence, which clears the state, and 1 at all others. The other way
    round the layer sees each step alone, learns nothing that takes a memory, and hands on the state from the end of one
    sequence to the next one.

    ## Example
    ```
    file["cont"] = first_step.astype(numpy.float32)
    ```
    Use instead:
    ```
    file["cont"] = 1 - first_step.astype(numpy.float32)
    ```

    ## Known problems
    Where most sequences have one step, the marks are as they should be.

    ## References
    - lstm_layer.hpp, LSTMUnitLayer; recurrent_layer.hpp: cont
    """

    code = "E134"
    name = "sequence-marks-inverted"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(_marks(*(0, 1, 1, 1) * 8), _NET),
        project(_marks(*(0, 1) * 16), _NET),
        project(_marks(*(0, 1, 1, 0, 0, 0, 0) * 8), _NET),
    ]
    INVALID = [
        Invalid(
            project(_marks(*(1, 0, 0, 0) * 8), _NET),
            span='source: "train_lmdb"',
            message='LSTM "lstm": "cont" of "train_lmdb" is 0 at 75% of all steps, where the layer forgets what came'
            " before; write 0 at the first step of each sequence, and 1 at all others",
        ),
        Invalid(
            project(_marks(*(1, 1, 1, 0) * 8), _NET),
            span='source: "train_lmdb"',
            message='LSTM "lstm": "cont" of "train_lmdb" is 0 at the last step of sequences of 4 steps, where the layer'
            " forgets what came before; write 0 at the first step of each sequence, and 1 at all others",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                readers = [one.layer for one in feed.readers(key) if one.layer.is_recurrent and one.bottom == _CONT]
                marks = top.values or {}
                every = sum(marks.values())
                if readers and (at := _ends(top)):
                    yield self._told(
                        feed,
                        readers[0],
                        f'"{key}" of {path(feed)} is 0 at the last step of sequences of'
                        f" {at + 1} steps, where the layer forgets what came before",
                    )
                    continue
                # Captions that are filled up with 0 begin with a 0 all the same.
                mixed = set(marks) == {0.0, 1.0} and _number(top, 1.0) < _number(top, 0.0)
                if not readers or not mixed or every < _FEW or marks[0.0] <= _MOST * every:
                    continue
                share = (
                    f'"{key}" of {path(feed)} is 0 at {marks[0.0] / every:.0%} of all steps, where the layer forgets'
                )
                yield self._told(feed, readers[0], f"{share} what came before")

    def _told(self, feed: Feed, reader: BuiltLayer, text: str) -> Finding:
        what, remedy = f"{title(reader)}: {text}", "write 0 at the first step of each sequence, and 1 at all others"
        place, cause = feed.layer.at(*source_place(feed)), Cause("data", what, remedy, LIKELY)
        return self.finding(place, f"{what}; {remedy}", phases=feed.phases, cause=cause)


def _ends(top: Top) -> int:
    """The first step that is 0, where as many are as sequences of that length have, and the first one begins with 1."""
    marks = top.values or {}
    if set(marks) != {0.0, 1.0} or _number(top, 1.0):
        return 0
    length, at = sum(marks.values()) / marks[0.0], _number(top, 0.0)
    return at if at > 1 and abs(length - at - 1) < _NEARLY else 0


def _number(top: Top, value: float) -> int:
    """That of the first record with a value."""
    found = _DIGITS.search(top.first_of.get(value, ""))
    return int(found[0]) if found else 0
