from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.evidence.data.rule import Channel, DataEvidence, DatasetRule, images
from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Cause, Finding, Invalid, Related, title

from ._example import NET
from ._words import number, path, source_place

_FEW = 20
_COLOURS = 3
_APART, _LEFT = 0.25, 0.3
"""Of the spread of values, by which channels differ as they come; and the part of that which the other order leaves."""
_TEST = NET.replace("train_lmdb", "test_lmdb").replace('top: "label"', 'top: "label"\n  include { phase: TEST }', 1)
_BOTH = NET.replace('top: "label"', 'top: "label"\n  include { phase: TRAIN }', 1) + _TEST[: _TEST.index("layer", 1)]


def _images(*channels: int) -> str:
    values = (" ".join(f"{base + row % 9 * 5} {base + row % 7 * 4}" for base in channels) for row in range(24))
    return "\n".join(f"label {row % 3}; image {len(channels)}x1x2 {one}" for row, one in enumerate(values))


class ChannelsInOtherOrder(DatasetRule):
    """The channels of the images of testing are like those of training in another order, as BGR and RGB are.

    ## Why is this bad?
    ImageData, convert_imageset and encoded images give blue, green, red, as OpenCV does; most other libraries give red,
    green, blue. A net that takes blue for red trains well, and fails on images that come by another way.

    ## Known problems
    The order shows in the means and the spreads of the channels. Where these are alike, nothing is told.

    ## References
    - image_data_layer.cpp and io.cpp, ReadImageToCVMat (cv::imread gives BGR); io.py, Transformer.set_channel_swap
    """

    code = "E127"
    name = "channels-in-other-order"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"net.prototxt": _BOTH, "train_lmdb": _images(20, 90, 180), "test_lmdb": _images(24, 88, 170)},
        # All alike.
        {"net.prototxt": _BOTH, "train_lmdb": _images(90, 90, 92), "test_lmdb": _images(92, 90, 90)},
        # Other images.
        {"net.prototxt": _BOTH, "train_lmdb": _images(20, 90, 180), "test_lmdb": _images(180, 200, 120)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _BOTH, "train_lmdb": _images(20, 90, 180), "test_lmdb": _images(178, 92, 24)},
            span='source: "test_lmdb"',
            message='Data "data": the channels of "test_lmdb" have means 192.6, 106.6, 38.56, but those of "train_lmdb"'
            " 34.56, 104.6, 194.6, so one holds RGB and the other BGR; write both in the same order (Caffe's own tools"
            " write BGR)",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        read = [(feed, top.channels) for feed, top in images(data.read) if top.records >= _FEW]
        trained = [one for one in read if TRAIN in one[0].phases]
        for feed, here in read:
            for other, there in trained if TRAIN not in feed.phases else ():
                if feed.source == other.source or not _is_turned(here, there):
                    continue
                what = f"{title(feed.layer)}: the channels of {path(feed)} have means {_means(here)}, but those of"
                what += f" {path(other)} {_means(there)}, so one holds RGB and the other BGR"
                remedy = "write both in the same order (Caffe's own tools write BGR)"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{what}; {remedy}",
                    phases=(TEST,),
                    related=(Related("what training reads", other.layer.at(*source_place(other))),),
                    cause=Cause("phases", what, remedy, LIKELY),
                )
                break


def _is_turned(here: Sequence[Channel], there: Sequence[Channel]) -> bool:
    """Are the channels alike only where those of one are taken from the last to the first?"""
    if not len(here) == len(there) == _COLOURS:
        return False
    as_they_come, turned = _distance(here, there), _distance(here, there[::-1])
    return as_they_come > _APART and turned < _LEFT * as_they_come


def _distance(here: Sequence[Channel], there: Sequence[Channel]) -> float:
    """The largest difference of means and of spreads, by the spread of all values."""
    unit = max(one.spread for one in (*here, *there)) or 1.0
    pairs = [*zip(here, there, strict=True)]
    return max(max(abs(one.mean - other.mean), abs(one.spread - other.spread)) for one, other in pairs) / unit


def _means(channels: Sequence[Channel]) -> str:
    return ", ".join(number(one.mean) for one in channels)
