from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Facts, Feed, Top, transformed_values
from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Cause, Finding, Invalid, NamedTuple, Related, title

from ._words import has_outliers, number, path, source_place

_TIMES = 10.0
_AWAY = 10.0
"""Spreads from the mean of training to that of testing."""
_FEW = 8
_SIZE, _MEAN = "size", "mean"
_NET = "".join(
    'layer {{ name: "data" type: "HDF5Data" top: "data" include {{ phase: {} }} hdf5_data_param {{ source: "{}"'
    " batch_size: 4 }} }}\n".format(*one)
    for one in (("TRAIN", "train.txt"), ("TEST", "test.txt"))
) + (
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
    ' inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }\n'
)


def _rows(scale: float, shift: float = 0.0) -> str:
    return "\n".join(f"data 1x2 {shift + scale * (row + 1)} {shift - scale * row}" for row in range(10))


class TestedInOtherUnits(DatasetRule):
    """Testing reads values of another size, or around another mean, than training.

    ## Why is this bad?
    One of the two sources was scaled, or freed of its mean, when it was written, and the other was not. The net is
    tested on values that it has never seen, so the test says nothing about it.

    ## Known problems
    Of data that is transformed by the data layer, the values after that are compared. A spread 10 times as large, or a
    mean that is 10 spreads away, is reported; where units differ by less, nothing is.

    ## References
    - hdf5_data_layer.cpp; data_transformer.cpp, Transform
    """

    code = "E124"
    name = "tested-in-other-units"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"net.prototxt": _NET, "train.txt": _rows(0.1), "test.txt": _rows(0.15)},
        # Nothing varies in testing.
        {"net.prototxt": _NET, "train.txt": _rows(0.1), "test.txt": _rows(0.0)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "train.txt": _rows(0.01), "test.txt": _rows(2.55)},
            span='source: "test.txt"',
            message='HDF5Data "data": values of "test.txt" in "data" spread by 14.7, but those of "train.txt" by'
            " 0.05766, so the net is tested on values that it never saw; scale both alike",
        ),
        Invalid(
            {"net.prototxt": _NET, "train.txt": _rows(0.1), "test.txt": _rows(0.1, 128)},
            span='source: "test.txt"',
            message='HDF5Data "data": values of "test.txt" in "data" are around 128.1, but those of "train.txt" around'
            " 0.05 with a spread of 0.5766, so the net is tested on values that it never saw; subtract the same mean in"
            " both",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        trained: dict[str, tuple[Feed, _Values]] = {}
        for feed, facts in data.read:
            if TRAIN in feed.phases:
                for blob, values in _values(data, feed, facts):
                    trained.setdefault(blob, (feed, values))
        for feed, facts in data.read:
            for blob, tested in _values(data, feed, facts) if TRAIN not in feed.phases else ():
                if blob in trained:
                    yield from self._compare(blob, feed, tested, *trained[blob])

    def _compare(self, blob: str, feed: Feed, here: _Values, training: Feed, there: _Values) -> Iterator[Finding]:
        difference = _difference(here.fed, there.fed)
        # Where the records themselves are alike, transform_param is to blame, which is a finding of the text.
        if feed.source == training.source or not difference or not _difference(here.read, there.read):
            return
        what = f'{title(feed.layer)}: values of {path(feed)} in "{blob}"'
        if difference == _SIZE:
            what += f" spread by {number(here.fed.spread)}, but those of {path(training)} by {number(there.fed.spread)}"
            remedy = "scale both alike"
        else:
            what += f" are around {number(here.fed.mean)}, but those of {path(training)} around"
            what += f" {number(there.fed.mean)} with a spread of {number(there.fed.spread)}"
            remedy = "subtract the same mean in both"
        what += ", so the net is tested on values that it never saw"
        yield self.finding(
            feed.layer.at(*source_place(feed)),
            f"{what}; {remedy}",
            phases=(TEST,),
            related=(Related("what training reads", training.layer.at(*source_place(training))),),
            cause=Cause("phases", what, remedy, LIKELY),
        )


class _Range(NamedTuple):
    mean: float
    spread: float


class _Values(NamedTuple):
    """read: as the source holds them. fed: as they go into the net."""

    read: _Range
    fed: _Range


def _difference(here: _Range, there: _Range) -> str:
    if min(here.spread, there.spread) <= 0:
        return ""
    if not 1 / _TIMES < here.spread / there.spread < _TIMES:
        return _SIZE
    return _MEAN if abs(here.mean - there.mean) > _AWAY * max(here.spread, there.spread) else ""


def _values(data: DataEvidence, feed: Feed, facts: Facts) -> Iterator[tuple[str, _Values]]:
    """Of each blob that no layer takes for labels."""
    for key, top in facts.tops.items():
        blob = feed.top_of(key)
        if blob is None or not blob.readers or any(feed.readers(key)) or top.records < _FEW or _undone(top, feed, key):
            continue
        read = _Range(top.all.mean, top.all.spread)
        if has_outliers(top.low or 0, top.high or 0, top.all.mean, top.all.spread):
            continue
        after = next(transformed_values(data, feed, top), None) if feed.made.transforms else None
        if after is not None:
            yield blob.name, _Values(read, _Range(sum(after.means) / len(after.means), after.spread))
        elif not (feed.made.transforms and feed.layer.message.transform_param.mean_file):
            yield blob.name, _Values(read, read)


def _undone(top: Top, feed: Feed, key: str) -> bool:
    """Is nothing known of the values, or is their size taken away by the layers that read them?"""
    blob = feed.top_of(key)
    return top.low is None or blob is None or any(layer.normalises is not False for layer, _ in blob.readers)
