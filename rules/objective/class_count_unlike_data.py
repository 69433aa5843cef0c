from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    compiled_later,
    is_whole,
    known_data,
    source,
    title,
)

from ._graph import PLAIN_LABELS, class_count, classes_in_param_str, count_place, keeps_classes, left_over

_PART = compiled_later(
    r"\d[-_]?class|class(?:es)?[-_]?\d|subset|mini|tiny|small|sub[-_]|augment|feature|pascal|voc|coco|det"
)
"""Words in a path that tell of a part of a data set, or of another one."""

_NUMBER = compiled_later(r"\d+")

_LABELS = compiled_later(r"(?:cls_?|roi_?)labels?$")
"""Other tops may hold labels of something else, such as attributes."""

_NET = (
    'layer {{ name: "data" type: "Data" top: "data" top: "label" data_param {{ source: "{}" }}'
    " include {{ phase: TRAIN }} }}"
    ' layer {{ name: "fc8" type: "InnerProduct" bottom: "data" top: "fc8" inner_product_param {{ num_output: {} }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" }}'
)


class ClassCountUnlikeData(LayerRule):
    """The classifier's number of outputs differs from the number of classes of the data set or of its labels.

    ## Why is this bad?
    With too few outputs labels point past the end of the scores: Caffe does not check them in release builds, reads
    what is there, and the loss is garbage. With too many, some are never trained. Either way the number was most
    likely left over from another data set.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "ilsvrc12_train_lmdb" } }
    layer { name: "fc" type: "InnerProduct" bottom: "pool5" top: "fc" inner_product_param { num_output: 101 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "ilsvrc12_train_lmdb" } }
    layer { name: "fc" type: "InnerProduct" bottom: "pool5" top: "fc" inner_product_param { num_output: 1000 } }
    ```

    A Python layer that makes the labels often has their number, too, as `num_classes` in its `param_str`.

    ## Known problems
    The rule goes by the path, which does not tell whether a data set is only a part of the known one or was relabelled.
    What goes by the path is an info, since who trains on other data often keeps the paths of an example.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu; soeaver/caffe-model commit 708f6fe
    """

    code = "O012"
    name = "class-count-unlike-data"
    severity = WARNING
    certainty = LIKELY
    risks_nan = True
    layer_types = ("SoftmaxWithLoss",)
    _TOLD = (
        'layer {{ name: "rois" type: "Python" top: "rois" top: "cls_labels" include {{ phase: TRAIN }}'
        ' python_param {{ module: "a" layer: "B"'
        """ param_str: "'num_classes': {}" }} }}"""
        ' layer {{ name: "cls" type: "InnerProduct" bottom: "rois" top: "cls"'
        " inner_product_param {{ num_output: {} }} }}"
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "cls" bottom: "cls_labels" }}'
    )
    _HIDDEN = _NET.format("mnist_train_lmdb", 192).replace(
        ' layer { name: "loss"', ' layer { name: "drop" type: "Dropout" bottom: "fc8" top: "fc8" } layer { name: "loss"'
    )
    VALID = [
        _NET.format("examples/imagenet/ilsvrc12_train_lmdb", 1000),
        _NET.format("cifar100_train_lmdb", 100),
        _NET.format("ilsvrc12_train_10class_lmdb", 10),
        _NET.format("cifar100_train_cluster_leveldb/", 10),
        _NET.format("examples/imagenet/train_lmdb", 1877),
        _NET.format("flowers_lmdb", 17),
        _NET.format("flower_102_lmdb", 102),
        _NET.format("ilsvrc12_train_by_25", 25),
        # Room for an unknown class, or for the background.
        _NET.format("mnist_train_lmdb", 11),
        _TOLD.format(21, 21),
        # Nothing is trained.
        _NET.format("ucf101.list", 487).replace(" include { phase: TRAIN }", ""),
    ]
    INVALID = [
        Invalid(
            _TOLD.format(21, 81),
            span="num_output: 81",
            message='InnerProduct "cls": num_output 81, but Python "rois", which makes its labels, has num_classes 21,'
            " so 60 outputs are never trained; set num_output: 21",
        ),
        Invalid(
            _NET.format("fer2013/train_lmdb", 1000),
            span="num_output: 1000",
            message='InnerProduct "fc8": num_output 1000, but FER2013 ("fer2013/train_lmdb") has 7 classes, so 993'
            " outputs are never trained; set num_output: 7",
        ),
        Invalid(
            _HIDDEN,
            span="num_output: 192",
            message='InnerProduct "fc8": num_output 192, but MNIST ("mnist_train_lmdb") has 10 classes, so 182 outputs'
            " are never trained; set num_output: 10, or add a layer of 10 outputs before the loss",
        ),
        Invalid(
            _NET.format("examples/imagenet/ilsvrc12_train_lmdb", 101),
            span="num_output: 101",
            message='InnerProduct "fc8": num_output 101, but ImageNet ("examples/imagenet/ilsvrc12_train_lmdb") has'
            " 1000 classes, so labels 101 to 999 have no score; set num_output: 1000",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        # Features are extracted by nets of other classes.
        if TRAIN not in layer.phases or not layer.net.is_trained:
            return
        labels = source(layer, 1, TRAIN)
        # class-count-mismatch looks at plain labels.
        if labels is not None and layer.bottoms[1] not in PLAIN_LABELS and _LABELS.match(labels.layer.tops[labels.top]):
            yield from self._from_param_str(layer, labels.layer)
        if labels is None or not labels.layer.kind.is_data or labels.top == 0:
            return
        path = labels.layer.kind.data_source
        named = [one for one in known_data(path) if one.classes and is_whole(path, one)]
        if len(named) != 1 or _PART.search(path.lower()):
            return
        scores = source(layer, 0, TRAIN, keeps_classes)
        outputs = class_count(scores.layer) if scores else 0
        (known,) = named
        classes = known.classes
        # A part of a data set is often named after the number of its classes.
        is_part = str(outputs) in _NUMBER.findall(path)
        if scores and outputs and outputs not in (classes, classes + 1) and not is_part:
            remedy = f"set num_output: {classes}"
            if outputs > classes and _is_hidden(layer):
                remedy += f", or add a layer of {classes} outputs before the loss"
            yield self.finding(
                scores.layer.at(*count_place(scores.layer)),
                f'{title(scores.layer)}: num_output {outputs}, but {known.name} ("{path}") has {classes} classes, so'
                f" {left_over(outputs, classes)}; {remedy}",
                severity=INFO,
            )

    def _from_param_str(self, layer: Layer, maker: Layer) -> Iterator[Finding]:
        """What the parameters of a Python layer that makes the labels say of them."""
        scores, classes = source(layer, 0, TRAIN), classes_in_param_str(maker)
        if scores and scores.layer.type == "InnerProduct" and classes:
            outputs = class_count(scores.layer)
            if outputs and outputs not in (classes, classes + 1):
                yield self.finding(
                    scores.layer.at(*count_place(scores.layer)),
                    f"{title(scores.layer)}: num_output {outputs}, but {title(maker)}, which makes its labels, has"
                    f" num_classes {classes}, so {left_over(outputs, classes)}; set num_output: {classes}",
                )


def _is_hidden(loss: Layer) -> bool:
    """Does the loss read what Dropout or an activation makes of the scores, as layers before the last one have it?"""
    above = loss.maker(0, TRAIN)
    return above is not None and bool(above.layer.kind.is_activation or above.layer.kind.draws_at_random)
