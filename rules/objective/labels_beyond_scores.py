from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import ERROR, LIKELY, Finding, Invalid, Layer, Net, NetRule, quoted, source, title
from caffelint.lint.built import types_that
from caffelint.lint.disk import Labelled, ListedLabels, labels_of

from ._graph import class_count, count_place, keeps_classes

_FEW = 0.01
"""The share of records whose labels are slips, and no classes that were added."""
_LIST = "".join(f"{number}.png {number % 4}\n" for number in range(40))
_NET = (
    'layer {{ name: "data" type: "ImageData" top: "data" top: "label" image_data_param {{ source: "{}" }} }}'
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: {} }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }}'
)


class LabelsBeyondScores(NetRule):
    """A list in the project has labels that the classifier has no output for.

    ## Why is this bad?
    Caffe counts classes from 0 and does not check labels in release builds. For one that is `num_output` or more it
    reads what lies behind the scores of the image, and its gradient overwrites that: the loss is garbage, or nan.

    ## Example
    `train.txt` ends in `roof/0413.png 10`:
    ```
    inner_product_param { num_output: 10 }
    ```
    Use instead:
    ```
    inner_product_param { num_output: 11 }
    ```

    ## Known problems
    Only lists of up to 4 MB are read, with one label for each image: those that an ImageData layer names, and those of
    which a shell script makes its LMDB by `convert_imageset`. `caffelint data` reads the data itself.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu: `DCHECK_LT`; convert_imageset.cpp
    """

    code = "O029"
    name = "labels-beyond-scores"
    severity = ERROR
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.is_data and kind.has_setting("source"))
    VALID = [{"net.prototxt": _NET.format("train.txt", 4), "train.txt": _LIST}, _NET.format("train.txt", 3)]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET.format("train.txt", 3), "train.txt": _LIST},
            span="num_output: 3",
            message='InnerProduct "fc": num_output 3, but 10 of the 40 labels in "train.txt" are 3 (first in line 4),'
            ' which has no score in SoftmaxWithLoss "loss"; set num_output: 4',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[int, tuple[Layer, Layer, ListedLabels, list[Labelled]]] = {}
        for layer in net.layers_that(lambda kind: bool(kind.is_loss or kind.looks_like_a_measure)):
            if not layer.kind.reads_classes(1) or len(layer.bottoms) < 2:
                continue
            for phase in layer.phases:
                labels, scores = source(layer, 1, phase), source(layer, 0, phase, keeps_classes)
                if labels is None or labels.top != 1 or scores is None or not (outputs := class_count(scores.layer)):
                    continue
                listed = labels_of(labels.layer.kind.data_source, net)
                beyond = [one for one in listed.labels if one.label >= outputs] if listed else []
                beyond = [one for one in beyond if one.label != layer.kind.ignored_label]
                known = found.get(scores.layer.index)
                if listed and beyond and (known is None or known[3][-1].label < beyond[-1].label):
                    found[scores.layer.index] = (layer, scores.layer, listed, beyond)
        yield from (self._told(*one) for one in found.values())

    def _told(self, loss: Layer, scores: Layer, listed: ListedLabels, beyond: Sequence[Labelled]) -> Finding:
        outputs, records = class_count(scores), sum(one.times for one in listed.labels)
        wrong, most, first = sum(one.times for one in beyond), beyond[-1].label, min(one.line for one in beyond)
        is_slip = wrong <= _FEW * records
        text = f"num_output {outputs}, but {wrong} of the {records} labels in {quoted(listed.name)}"
        text += f", of which {listed.said} makes the data," * bool(listed.said)
        if len(beyond) == 1:
            text += f" {'is' if wrong == 1 else 'are'} {_read(beyond[0])}"
            text += f" ({'first ' * (wrong > 1)}in line {first}), which has"
        else:
            text += f" are {beyond[0].label} to {most} (first in line {first}), which have"
        text += f" no score in {title(loss)}; {'mend the list, or ' * is_slip}set num_output: {most + 1}"
        text += ", or count the classes from 0" * (not is_slip and listed.labels[0].label > 0)
        return self.finding(scores.at(*count_place(scores)), f"{title(scores)}: {text}")


def _read(one: Labelled) -> str:
    return one.text if one.text.isdigit() else f"{quoted(one.text)}, which Caffe reads as {one.label}"
