from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.evidence.data.rule import IMAGE, DataEvidence, DatasetRule, Feed, Top, shape_of
from caffelint.lint import ERROR, WARNING, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import once, path, source_place

_SHOWN = 3


class RecordShapesDiffer(DatasetRule):
    """Records of one source differ in their number of channels, or in height and width where nothing evens that out.

    ## Why is this bad?
    A batch has one shape. Caffe stops at the first image that has another number of channels than the first of its
    batch; or, without `crop_size` and `new_height`, another height or width. HDF5Data reads each file with the row
    length of the first one, so that all values are shifted.

    ## References
    - data_transformer.cpp, Transform: `channels == datum_channels`, `datum_height == height`; hdf5_data_layer.cpp,
      Forward_cpu
    """

    code = "E108"
    name = "record-shapes-differ"
    severity = ERROR
    _MIXED = records(0, 1) + "\n" + records(2, image="1x2x3 0 1 2 3 4 5")
    VALID = [
        SOUND,
        # All crops are of one size.
        project(_MIXED, NET.replace("batch_size: 4 }", "batch_size: 4 } transform_param { crop_size: 2 }")),
        # Each batch has the shape of its one image.
        project(_MIXED, NET.replace("batch_size: 4", "batch_size: 1")),
    ]
    INVALID = [
        Invalid(
            project(_MIXED),
            span='source: "train_lmdb"',
            message='Data "data": records of "train_lmdb" differ in shape: 1x2x2 (2 times), 1x2x3 (once, first in'
            ' "00002"), so Caffe stops; make all of one size, or set crop_size',
        ),
        Invalid(
            project(records(0, 1) + "\n" + records(2, image="3x2x2 0 1 2 3 4 5")),
            span='source: "train_lmdb"',
            message='Data "data": records of "train_lmdb" differ in channels: 1x2x2 (2 times), 3x2x2 (once, first in'
            ' "00002"), so Caffe stops; convert all to colour or to grey',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                if len(top.shapes) > 1 and feed.top_of(key) is not None:
                    yield from self._differ(feed, key, top)

    def _differ(self, feed: Feed, key: str, top: Top) -> Iterator[Finding]:
        shapes = [shape_of(text) for text in top.shapes]
        what, so, remedy, severity = "shape", "Caffe stops", "make all of one size, or set crop_size", ERROR
        if key != IMAGE:
            so, remedy = "Caffe reads later files with the row length of the first", "write all with the same shape"
        elif len({shape[0] for shape in shapes}) > 1:
            what, remedy = "channels", "convert all to colour or to grey"
            if feed.source is not None and feed.source.kind == "images":
                remedy += ", or set is_color"
            if feed.made.batch_size == 1:
                so, severity = "layers after it are made for the first of them", WARNING
        elif feed.made.batch_size == 1 or _evened_out(feed, shapes):
            return
        elif feed.source is not None and feed.source.kind == "images":
            remedy = "set new_height and new_width, or crop_size"
        yield self.finding(
            feed.layer.at(*source_place(feed)),
            f"{title(feed.layer)}: records of {path(feed)} differ in {what}: {_listed(top)}, so {so}; {remedy}",
            severity=severity,
            phases=feed.phases,
        )


def _evened_out(feed: Feed, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Does a crop, a window or a fork's resize_param give all images one size?"""
    param = feed.layer.message.transform_param
    return bool(param.crop_size) or feed.made.fork or bool(feed.source and feed.source.kind == "windows")


def _listed(top: Top) -> str:
    shown = []
    for number, (shape, seen) in enumerate(list(top.shapes.items())[:_SHOWN]):
        times = "once" if seen.count == 1 else f"{seen.count:,} times"
        where = f', first in "{seen.examples[0]}"' if number and seen.examples else ""
        shown.append(f"{shape} ({times}{where})")
    left = len(top.shapes) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")
