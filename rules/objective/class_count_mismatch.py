from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, title
from caffelint.lint.built import types_that

from ._boxes import AGNOSTIC, Regressed, are_left_over, regressed, trained_source
from ._channels import YOLO, counts_channels, odd_channels
from ._graph import PLAIN_LABELS, class_count, classes_in_param_str, count_place, keeps_axes, left_over
from ._odd_count import arrives, odd_labels, twin_with_classes

_DATA = (
    'layer { name: "data" type: "Python" top: "data" top: "rois" top: "labels" top: "bbox_targets"'
    ' python_param { module: "roi_data_layer.layer" layer: "RoIDataLayer" param_str: "\'num_classes\': 3" } }'
)
_FC = ' layer { name: "%s" type: "InnerProduct" bottom: "fc7" top: "%s" inner_product_param { num_output: %d } }'
_LOSS = ' layer { name: "loss_%s" type: "SoftmaxWithLoss" bottom: "%s" bottom: "%s" }'

_SSD_NET = (
    'layer { name: "conf" type: "Convolution" bottom: "x" top: "conf" convolution_param { num_output: 84 } }'
    ' layer { name: "flat" type: "Flatten" bottom: "conf" top: "flat" }'
    ' layer { name: "all" type: "Concat" bottom: "flat" top: "all" }'
    ' layer { name: "loss" type: "MultiBoxLoss" bottom: "loc" bottom: "all"'
    " multibox_loss_param { num_classes: %d } }"
)
_SCORES = _FC.replace("%s", "cls_score") + _LOSS % ("cls", "cls_score", "labels")
_BOXES = (
    _FC % ("bbox_pred", "bbox_pred", 84)
    + ' layer { name: "loss_bbox" type: "SmoothL1Loss" bottom: "bbox_pred" bottom: "bbox_targets" }'
)
_REGIONS = (
    ' layer { name: "rfcn_cls" type: "Convolution" bottom: "x" top: "rfcn_cls" convolution_param { num_output: %d } }'
    ' layer { name: "pool" type: "PSROIPooling" bottom: "rfcn_cls" bottom: "rois" top: "pool"'
    " psroi_pooling_param { spatial_scale: 0.0625 output_dim: %d group_size: 7 } }"
)
_TWO = _DATA.replace("3", "2")


class ClassCountMismatch(NetRule):
    """Places that must agree on the number of classes do not.

    ## Why is this bad?
    The number of classes is set in several places of a net: in each classifier of the same label, in the parameters of
    the layer that makes the labels, in the loss, as a factor of a num_output. If one of them is not changed with the
    others, labels may point past the end of a classifier's scores, which Caffe does not check, or shapes differ. Then
    Caffe aborts when it builds the net or, with some detectors, at the first test.

    The rule compares classifiers that share a label; `num_classes` of a Python layer with the classifier of its labels
    and with the boxes, four for each class, of its targets; `num_classes` of MultiBoxLoss and DetectionOutput with the
    convolutions that feed them; `num_class` of RegionLoss and Yolov3 with theirs, and `output_dim` of
    PSROIPooling, times the square of `group_size`, with its.

    ## Example
    ```
    layer { name: "cls_score" type: "InnerProduct" bottom: "fc7" inner_product_param { num_output: 3 } }
    layer { name: "bbox_pred" type: "InnerProduct" bottom: "fc7" inner_product_param { num_output: 84 } }
    ```
    Use instead, for three classes:
    ```
    layer { name: "cls_score" type: "InnerProduct" bottom: "fc7" inner_product_param { num_output: 3 } }
    layer { name: "bbox_pred" type: "InnerProduct" bottom: "fc7" inner_product_param { num_output: 12 } }
    ```

    ## References
    - softmax_loss_layer.cpp, Forward_cpu (labels are not checked in release builds)
    - rbgirshick/py-faster-rcnn issues 26, 142 and 258; weiliu89/caffe, multibox_loss_layer.cpp
    - daijifeng001/caffe-rfcn, psroi_pooling_layer.cpp, Reshape
    """

    code = "O010"
    name = "class-count-mismatch"
    severity = WARNING
    certainty = LIKELY
    risks_nan = True
    layer_types = (*types_that(lambda kind: kind.is_loss or counts_channels(kind)), *YOLO)
    VALID = [
        # Its classes are on another axis than that of num_output.
        _DATA + ' layer { name: "mix" type: "Convolution" bottom: "x" top: "mix" convolution_param { num_output: 1 } }'
        ' layer { name: "flat" type: "Flatten" bottom: "mix" top: "flat" }' + _LOSS % ("mix", "flat", "labels"),
        # The number is that of other labels of the layer.
        _DATA.replace('top: "rois"', 'top: "kinds"')
        + (_FC + _LOSS) % ("fine", "fine", 9, "fine", "fine", "labels")
        + (_FC + _LOSS) % ("coarse", "coarse", 3, "coarse", "coarse", "kinds"),
        _DATA + _SCORES % 3,
        # Two tasks, each with labels of its own.
        _FC % ("a", "a", 10) + _FC % ("b", "b", 4) + _LOSS % ("a", "a", "label") + _LOSS % ("b", "b", "colour"),
        # The class makes vectors of that length, and labels besides.
        {
            "net.prototxt": _DATA + _FC % ("emotion", "emotion", 8) + _LOSS % ("emotion", "emotion", "labels"),
            "roi_data_layer/layer.py": "import caffe\n\n\nclass RoIDataLayer(caffe.Layer):\n"
            "    def reshape(self, bottom, top):\n        top[3].reshape(1, self._num_classes)\n",
        },
        _TWO + _SCORES % 21 + _BOXES.replace("84", "8"),  # class-agnostic boxes
        _SSD_NET % 21,
        _REGIONS % (1519, 31),
        'layer { name: "conv" type: "Convolution" bottom: "x" top: "conv" convolution_param { num_output: 125 } }'
        ' layer { name: "loss" type: "RegionLoss" bottom: "conv" bottom: "label"'
        " region_loss_param { num_class: 20 num: 5 coords: 4 } }",
    ]
    INVALID = [
        Invalid(
            _FC % ("old", "old", 1000)
            + _FC % ("new", "new", 7)
            + _LOSS % ("a", "old", "label")
            + _LOSS % ("b", "new", "label"),
            span="num_output: 7",
            message='InnerProduct "new": num_output 7, but InnerProduct "old" has 1000 for the same label "label", so'
            " one of them is wrong; set both to the number of classes",
        ),
        Invalid(
            _DATA + _SCORES % 21,
            span="num_output: 21",
            message='InnerProduct "cls_score": num_output 21, but Python "data", which makes its labels, has'
            " num_classes 3, so 18 outputs are never trained; set num_output: 3",
        ),
        Invalid(
            _DATA + _BOXES,
            span="num_output: 84",
            message='InnerProduct "bbox_pred": num_output 84, but Python "data" makes targets with 4 * num_classes ='
            " 12 values, so Caffe stops; set num_output: 12",
        ),
        Invalid(
            _REGIONS % (1029, 31),
            span="num_output: 1029",
            message='Convolution "rfcn_cls": num_output 1029, but PSROIPooling "pool" needs output_dim * group_size^2 ='
            " 31 * 49 = 1519, so Caffe stops; set num_output: 1519",
        ),
        Invalid(
            _DATA + _REGIONS % (147, 21),
            span="output_dim: 21",
            message='PSROIPooling "pool": output_dim 21, but Convolution "rfcn_cls" makes 147 = 49 * 3 channels, and'
            ' Python "data" has 3 classes, so Caffe stops; set output_dim: 3',
        ),
        # One class and the background, beside what was copied.
        Invalid(
            _TWO + _SCORES % 2 + _BOXES,
            span="num_output: 84",
            message='InnerProduct "bbox_pred": num_output 84, but Python "data" makes targets with 4 * num_classes ='
            " 8 values, so Caffe stops; set num_output: 8",
        ),
        Invalid(
            _TWO + _SCORES % 21 + _BOXES,
            span=("num_output: 21", "num_output: 84"),
            message=(
                'InnerProduct "cls_score": num_output 21, but Python "data", which makes its labels, has'
                " num_classes 2, so 19 outputs are never trained; set num_output: 2",
                'InnerProduct "bbox_pred": num_output 84, but Python "data" makes targets with 4 * num_classes ='
                " 8 values, so Caffe stops; set num_output: 8",
            ),
        ),
        Invalid(
            _SSD_NET % 5,
            span="num_output: 84",
            message='Convolution "conf": num_output 84 is not a multiple of num_classes 5 of MultiBoxLoss "loss", so'
            " Caffe stops; set it to 5 times the number of boxes per cell",
        ),
        Invalid(
            'layer { name: "conv" type: "Convolution" bottom: "x" top: "conv" convolution_param { num_output: 125 } }'
            ' layer { name: "loss" type: "RegionLoss" bottom: "conv" bottom: "label"'
            " region_loss_param { num_class: 5 num: 5 coords: 4 } }",
            span="num_output: 125",
            message='Convolution "conv": num_output 125, but RegionLoss "loss" with 5 boxes of 5 classes needs 5 * (5 +'
            " 5) = 50; set num_output: 50",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        shared: dict[tuple[str, int], dict[Layer, Layer]] = {}
        boxes = regressed(net)
        for layer in net.layers_of([type_ for type_ in net.by_type if type_ in self.layer_types]):
            if layer.kind.is_loss and layer.kind.reads_classes(1):
                yield from self._classifier(layer, shared, boxes)
                continue
            for unfit in odd_channels(layer):
                yield self._finding(*unfit)
        for pairs in boxes.values():
            yield from self._boxes(pairs)
        for (label, _), found in shared.items():
            if len({class_count(classifier) for classifier in found}) < 2:
                continue
            classifiers = [classifier for classifier, loss in found.items() if arrives(classifier, loss)]
            counts = [class_count(classifier) for classifier in classifiers]
            if len(set(counts)) > 1:
                # Of three or more the one that is alone is at fault, of two the later one.
                most = classifiers[counts.index(max(counts, key=counts.count))]
                odd = next(classifier for classifier in classifiers if class_count(classifier) != class_count(most))
                yield self._finding(
                    odd,
                    f"{title(odd)}: num_output {class_count(odd)}, but {title(most)} has {class_count(most)} for the"
                    f' same label "{label}", so one of them is wrong; set both to the number of classes',
                    most,
                )

    def _classifier(
        self, loss: Layer, shared: dict[tuple[str, int], dict[Layer, Layer]], boxes: Regressed
    ) -> Iterator[Finding]:
        scores, labels = trained_source(loss, 0, keeps_axes), trained_source(loss, 1)
        if scores is None or not class_count(scores.layer) or len(loss.bottoms) < 2:
            return
        same = shared.setdefault((loss.bottoms[1], labels.layer.index if labels else -1), {})
        same.setdefault(scores.layer, loss)
        if labels is None or loss.bottoms[1].removeprefix("gt_") not in PLAIN_LABELS:
            return
        classes = classes_in_param_str(labels.layer)
        if classes < 2 or classes == AGNOSTIC and not are_left_over(boxes.get(labels.layer.index, ()), classes):
            return
        of_others = {count for label, count in loss.net.once(_scored)[labels.layer.index] if label != loss.bottoms[1]}
        if classes != class_count(scores.layer) and classes not in of_others:
            if twin := twin_with_classes(labels.layer, class_count(scores.layer)):
                message = odd_labels(labels.layer, scores.layer, twin)
                yield self._finding(labels.layer, message, twin, ("python_param", "param_str"))
                return
            yield self._finding(
                scores.layer,
                f"{title(scores.layer)}: num_output {class_count(scores.layer)}, but {title(labels.layer)}, which makes"
                f" its labels, has num_classes {classes}, so {left_over(class_count(scores.layer), classes)};"
                f" set num_output: {classes}",
                labels.layer,
            )

    def _boxes(self, pairs: Sequence[tuple[Layer, Layer]]) -> Iterator[Finding]:
        """Layers that predict boxes for the targets of one layer, each with that layer."""
        classes = classes_in_param_str(pairs[0][1])
        if classes < 2 or not are_left_over(pairs, classes):
            return
        if any(twin_with_classes(targets, class_count(boxes) // 4) for boxes, targets in pairs):
            return  # told with the classifier
        for boxes, targets in pairs:
            yield self._finding(
                boxes,
                f"{title(boxes)}: num_output {class_count(boxes)}, but {title(targets)} makes targets with"
                f" 4 * num_classes = {4 * classes} values, so Caffe stops; set num_output: {4 * classes}",
                targets,
            )

    def _finding(self, blamed: Layer, message: str, other: Layer, path: tuple[str, str] | None = None) -> Finding:
        related = (Related("the other number is set here", other.at()),)
        return self.finding(blamed.at(*(path or count_place(blamed))), message, related=related)


def _scored(net: Net) -> dict[int, set[tuple[str, int]]]:
    """The labels and the number of scores of each classifier, by the layer that makes the labels."""
    found: dict[int, set[tuple[str, int]]] = {}
    for loss in net.layers_of([type_ for type_ in net.by_type if type_ in ClassCountMismatch.layer_types]):
        if loss.kind.is_loss and loss.kind.reads_classes(1) and len(loss.bottoms) > 1:
            scores, labels = trained_source(loss, 0, keeps_axes), trained_source(loss, 1)
            if scores is not None and labels is not None:
                found.setdefault(labels.layer.index, set()).add((loss.bottoms[1], class_count(scores.layer)))
    return found
