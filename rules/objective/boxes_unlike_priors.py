from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, NamedTuple, Net, NetRule, Related, title
from caffelint.lint.built import Blob, BuiltLayer, types_that

_READERS = types_that(lambda kind: kind.has_setting("num_classes") and kind.has_setting("share_location"))


class Head(NamedTuple):
    """What one map of features gives: the layers that predict places and scores, and its boxes for each pixel."""

    places: BuiltLayer
    scores: BuiltLayer
    priors: BuiltLayer
    boxes: int


def _example(places: int, scores: int) -> str:
    """Three heads of four boxes for each pixel and three classes, of which the second may be another one."""
    heads = ""
    for name, outputs in (("a", (16, 12)), ("b", (places, scores)), ("c", (16, 12))):
        for what, number in zip(("loc", "conf"), outputs, strict=True):
            heads += (
                f' layer {{ name: "{name}_{what}" type: "Convolution" bottom: "data" top: "{name}_{what}"'
                f" convolution_param {{ num_output: {number} kernel_size: 3 pad: 1 }} }}"
                f' layer {{ name: "{name}_{what}_perm" type: "Permute" bottom: "{name}_{what}"'
                f' top: "{name}_{what}_perm" permute_param {{ order: 0 order: 2 order: 3 order: 1 }} }}'
                f' layer {{ name: "{name}_{what}_flat" type: "Flatten" bottom: "{name}_{what}_perm"'
                f' top: "{name}_{what}_flat" }}'
            )
        heads += (
            f' layer {{ name: "{name}_prior" type: "PriorBox" bottom: "data" bottom: "data" top: "{name}_prior"'
            " prior_box_param { min_size: 9 max_size: 20 aspect_ratio: 2 flip: true } }"
        )
    for what, end, axis in (("loc", "_flat", 1), ("conf", "_flat", 1), ("prior", "", 2)):
        parts = " ".join(f'bottom: "{name}_{what}{end}"' for name in "abc")
        heads += f' layer {{ name: "{what}" type: "Concat" {parts} top: "{what}" concat_param {{ axis: {axis} }} }}'
    return (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        f"{heads}"
        ' layer { name: "out" type: "DetectionOutput" bottom: "loc" bottom: "conf" bottom: "prior" top: "out"'
        " detection_output_param { num_classes: 3 } }"
    )


class BoxesUnlikePriors(NetRule):
    """In one head of SSD, places and scores are for different numbers of boxes.

    ## Why is this bad?
    Each pixel of a map has as many boxes as the PriorBox of that map makes of its sizes and aspect ratios: four numbers
    for the place of each, and `num_classes` scores. Where the number of boxes or of classes is changed and the
    `num_output` of one of the two convolutions is forgotten, the sums differ, and Caffe stops as it builds the net:
    "Number of priors must match number of location predictions".

    ## Example
    ```
    layer { type: "Convolution" name: "fc7_mbox_loc" convolution_param { num_output: 16 } }
    layer { type: "PriorBox" prior_box_param { min_size: 60 max_size: 111 aspect_ratio: 2 aspect_ratio: 3 flip: true } }
    ```
    Use instead, for six boxes:
    ```
    layer { type: "Convolution" name: "fc7_mbox_loc" convolution_param { num_output: 24 } }
    layer { type: "PriorBox" prior_box_param { min_size: 60 max_size: 111 aspect_ratio: 2 aspect_ratio: 3 flip: true } }
    ```

    ## Known problems
    Some forks make other boxes of the same sizes. So a head is reported only where one of its two convolutions is for
    the boxes of its PriorBox.

    ## References
    - weiliu89/caffe, multibox_loss_layer.cpp and detection_output_layer.cpp, Reshape; prior_box_layer.cpp, LayerSetUp
    """

    code = "O014"
    name = "boxes-unlike-priors"
    severity = WARNING
    certainty = LIKELY
    preview = True
    layer_types = _READERS
    VALID = [
        _example(16, 12),
        # A fork that makes seven times as many boxes for one map, as FaceBoxes does.
        _example(7 * 16, 7 * 12),
    ]
    INVALID = [
        Invalid(
            _example(12, 12),
            span="num_output: 12",
            message='Convolution "b_loc": num_output 12, but PriorBox "b_prior" makes 4 boxes for each pixel, so Caffe'
            " stops; set num_output: 16, 4 for each box",
        ),
        Invalid(
            _example(16, 9),
            span="num_output: 9",
            message='Convolution "b_conf": num_output 9, but PriorBox "b_prior" makes 4 boxes for each pixel, so Caffe'
            " stops; set num_output: 12, 3 for each box",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        told = set()
        for one in net.states():
            for reader in one.layers:
                if reader.type in _READERS and one.is_wired:
                    for finding in self._of(net, reader):
                        if finding.place not in told:
                            told.add(finding.place)
                            yield finding

    def _of(self, net: Net, reader: BuiltLayer) -> Iterator[Finding]:
        block = reader.parameters
        each = 4 if block.share_location else 4 * block.num_classes
        for head in _heads(reader):
            rows = ((head.places, each), (head.scores, block.num_classes))
            odd = [(layer, factor) for layer, factor in rows if _outputs(layer) != factor * head.boxes]
            if len(odd) != 1:
                continue
            ((layer, factor),) = odd
            # A number of scores that no number of boxes gives is what class-count-mismatch reports.
            if layer.index is not None and factor > 0 and _outputs(layer) % factor == 0:
                mine, priors = net.layers[layer.index], net.layers[head.priors.index or 0]
                yield self.finding(
                    mine.at("convolution_param", "num_output"),
                    f"{title(mine)}: num_output {_outputs(layer)}, but {title(priors)} makes {head.boxes} boxes for"
                    f" each pixel, so Caffe stops; set num_output: {factor * head.boxes}, {factor} for each box",
                    related=(Related("the boxes", priors.at("prior_box_param")),),
                )


def _heads(reader: BuiltLayer) -> list[Head]:
    """The heads that are joined in the same order for places, scores and boxes; none where that is not so."""
    joined = [_maker(blob) for blob in reader.bottoms[:3]]
    if len(joined) < 3 or any(one is None or one.type != "Concat" for one in joined):
        return []
    parts = [[_maker(blob) for blob in one.bottoms] for one in joined if one is not None]
    if len({len(part) for part in parts}) != 1:
        return []
    heads = []
    for places, scores, priors in zip(*parts, strict=True):
        if places is None or scores is None or places.type != "Convolution" or scores.type != "Convolution":
            return []
        boxes = getattr(priors, "boxes_per_pixel", lambda: None)()  # only a PriorBox makes any
        if priors is None or boxes is None:
            return []
        heads.append(Head(places, scores, priors, boxes))
    return heads


def _maker(blob: Blob) -> BuiltLayer | None:
    """The layer that makes the numbers of a blob; those between only put them in another order, or change each."""
    return blob.maker_beyond(lambda layer: len(layer.bottoms) == 1 and (layer.rearranges or _keeps_map(layer)))


def _keeps_map(layer: BuiltLayer) -> bool:
    return bool(not layer.has_weights and layer.keeps_channels and layer.keeps_pixels)


def _outputs(layer: BuiltLayer) -> int:
    return int(layer.parameters.num_output)
