from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import LABEL, DataEvidence, DatasetRule, Feed, LabelMap, Named, Reader, named_in
from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid, title

from ._words import extent, path, whole

_SHOWN = 4


class LabelMapUnlikeClasses(DatasetRule):
    """A label map lacks labels of the data, or names labels that the net has no class for.

    ## Why is this bad?
    A label map says which class a number stands for. Numbers that it lacks, or that are not below `num_classes`, are a
    sign that it belongs to other data, or that num_classes does not count the background. DetectionOutput reads the
    map, and stops where the file is missing or gives a label twice; AnnotatedData does not open it.

    ## References
    - SSD: detection_output_layer.cpp, LayerSetUp; util/io.cpp, MapLabelToName
    """

    code = "E119"
    name = "label-map-unlike-classes"
    severity = WARNING
    certainty = LIKELY
    _NET = """layer {
  name: "data" type: "AnnotatedData" top: "data" top: "label"
  data_param { source: "train_lmdb" backend: LMDB batch_size: 4 }
  annotated_data_param { label_map_file: "labelmap.prototxt" }
}
layer {
  name: "loss" type: "MultiBoxLoss" bottom: "loc" bottom: "conf" bottom: "prior" bottom: "label" top: "loss"
  multibox_loss_param { num_classes: 3 }
}
"""
    _OUT = """layer {
  name: "out" type: "DetectionOutput" bottom: "data" top: "out"
  detection_output_param { num_classes: 3 save_output_param { label_map_file: "names.prototxt" } }
}
"""
    _MAP = 'item { name: "background" label: 0 } item { name: "car" label: 1 } item { name: "bus" label: 2 }'
    _DATA = "label 1\nlabel 2\nlabel 1"
    VALID = [{"net.prototxt": _NET, "labelmap.prototxt": _MAP, "train_lmdb": _DATA}]
    INVALID = [
        Invalid(
            {
                "net.prototxt": _NET.replace("num_classes: 3", "num_classes: 2"),
                "labelmap.prototxt": _MAP,
                "train_lmdb": "label 1",
            },
            span='label_map_file: "labelmap.prototxt"',
            message='AnnotatedData "data": "labelmap.prototxt" names labels 0 to 2, but MultiBoxLoss "loss" has'
            " num_classes 2, background included; set num_classes: 3, or take the map of these data",
        ),
        Invalid(
            {
                "net.prototxt": _NET,
                "labelmap.prototxt": _MAP.replace("label: 2", "label: 0"),
                "train_lmdb": _DATA,
            },
            span='label_map_file: "labelmap.prototxt"',
            message='AnnotatedData "data": label 2 of "train_lmdb" has no item in "labelmap.prototxt"',
        ),
        Invalid(
            {"net.prototxt": _NET + _OUT, "train_lmdb": _DATA},
            span='label_map_file: "names.prototxt"',
            message='DetectionOutput "out": label_map_file "names.prototxt" does not exist, so Caffe stops',
        ),
        Invalid(
            {
                "net.prototxt": _NET + _OUT,
                "names.prototxt": _MAP + ' item { name: "van" label: 2 }',
                "train_lmdb": _DATA,
            },
            span='label_map_file: "names.prototxt"',
            message='DetectionOutput "out": "names.prototxt" gives label 2 to several items, so Caffe stops',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        seen = set()
        for feed, named in named_in(data.feeds):
            key = feed.net, named.layer.index, named.path
            if key not in seen and named.layer.index is not None:
                seen.add(key)
                yield from self._judge(data, feed, named, data.label_maps.get(named.file, LabelMap()))

    def _judge(self, data: DataEvidence, feed: Feed, named: Named, found: LabelMap) -> Iterator[Finding]:
        layer, file = named.layer, f'"{named.file}"'
        if layer.is_data:
            if found.names:  # such a layer does not open its map
                yield from self._judge_data(data, feed, named, found)
        elif found.unread:
            yield self._finding(feed, named, f"{title(layer)}: label_map_file {file} {found.unread}", "", WARNING)
        elif found.error or found.twice:
            what = f"label_map_file {file} {found.error}"
            if found.twice:
                what = f"{file} gives label {found.twice[0]} to several items"
            yield self._finding(feed, named, f"{title(layer)}: {what}, so Caffe stops", "", ERROR)

    def _judge_data(self, data: DataEvidence, feed: Feed, named: Named, found: LabelMap) -> Iterator[Finding]:
        layer, file = named.layer, f'"{named.file}"'
        for reader, classes in _classes(feed):
            if max(found.names) >= classes:
                what = f"{title(layer)}: {file} names labels {extent(list(found.names))}, but {title(reader.layer)} has"
                what += f" num_classes {classes}, background included"
                remedy = f"set num_classes: {max(found.names) + 1}, or take the map of these data"
                yield self._finding(feed, named, what, remedy, WARNING)
                return
        facts = data.scanned[feed.source].facts if feed.source is not None and feed.made is layer else None
        top = facts.tops.get(LABEL) if facts is not None else None
        lacking = [value for value in sorted(top.values or ()) if value not in found.names] if top is not None else []
        if lacking:
            labels = ", ".join(map(whole, lacking[:_SHOWN])) + (" and more" if len(lacking) > _SHOWN else "")
            have = f"of {path(feed)} {'has' if len(lacking) == 1 else 'have'} no item in {file}"
            noun = "label" if len(lacking) == 1 else "labels"
            yield self._finding(feed, named, f"{title(layer)}: {noun} {labels} {have}", "", WARNING)

    def _finding(self, feed: Feed, named: Named, what: str, remedy: str, severity: str) -> Finding:
        assert named.layer.index is not None
        return self.finding(
            feed.net.layers[named.layer.index].at(*named.path),
            f"{what}; {remedy}" if remedy else what,
            severity=severity,
            phases=feed.phases,
            cause=Cause("labels", what, remedy),
        )


def _classes(feed: Feed) -> Iterator[tuple[Reader, int]]:
    """The layers that take the boxes of a data layer, and their num_classes."""
    for reader in feed.readers(LABEL):
        if reader.expected.boxes:
            yield reader, int(reader.expected.high) + 1
