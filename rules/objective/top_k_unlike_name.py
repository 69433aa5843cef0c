from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Given,
    Invalid,
    Layer,
    LayerRule,
    Net,
    compiled_later,
    fix,
    title,
    write,
)

from ._graph import scored_classes

_TOP = compiled_later(r"(?<![a-zA-Z])top[-_ @]?([0-9]{1,3})(?![0-9])", re.IGNORECASE)

_NET = 'layer {{ name: "{0}" type: "Accuracy" bottom: "fc" bottom: "label" top: "{0}" include {{ phase: TEST }}{1} }}'


class TopKUnlikeName(LayerRule):
    """An Accuracy is called top-5, but counts only the first answer.

    ## Why is this bad?
    `top_k` is 1 unless it is set. A layer that was copied from the one for the first answer, and renamed, reports the
    same number a second time, under a name that promises a larger one.

    ## Example
    ```
    layer { name: "accuracy/top-5" type: "Accuracy" bottom: "fc8" bottom: "label" top: "accuracy/top-5" }
    ```
    Use instead:
    ```
    layer {
      name: "accuracy/top-5" type: "Accuracy" bottom: "fc8" bottom: "label" top: "accuracy/top-5"
      accuracy_param { top_k: 5 }
    }
    ```

    ## Fix safety
    Unsafe: the name may be the mistake.

    ## References
    - accuracy_layer.cpp, LayerSetUp; abby621/multiclass commit e06dbf7
    """

    code = "O022"
    name = "top-k-unlike-name"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Accuracy",)
    VALID = [
        _NET.format("top-5", " accuracy_param { top_k: 5 }"),
        _NET.format("top-1", ""),
        # The top one of two heads, or of a fifth stage.
        _NET.format("stop5", ""),
        _NET.format("accuracy5", ""),
        # The second part of the scores.
        _NET.format("part_top1", "") + _NET.format("part_top2", "").replace('"fc"', '"fc2"'),
        # Caffe takes no top 5 of 3 classes.
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } } '
        + _NET.format("top5", " accuracy_param { top_k: 2 }"),
    ]
    INVALID = [
        Invalid(
            _NET.format("loss3/top-2", ""),
            span='name: "loss3/top-2"',
            message='Accuracy "loss3/top-2": top_k is 1, so it counts only the first answer and not the top 2 of its'
            " name; set top_k: 2",
            fixed='layer { name: "loss3/top-2" type: "Accuracy" bottom: "fc" bottom: "label" top: "loss3/top-2"'
            " include { phase: TEST } accuracy_param { top_k: 2 } }",
        ),
        Invalid(
            _NET.format("top1", " accuracy_param { top_k: 5 }"),
            span="top_k: 5",
            message='Accuracy "top1": top_k is 5, but its name says top 1; set top_k: 1',
            fixed=_NET.format("top1", " accuracy_param { top_k: 1 }"),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        named = {int(number) for name in (layer.name, *layer.tops[:1]) for number in _TOP.findall(name)} - {0}
        given = layer.message.accuracy_param.top_k
        if not named or given in named or _is_of_a_series(layer):
            return
        if layer.given("accuracy_param", "top_k") is Given.UNREADABLE:
            return
        wanted = min(named)
        if 0 < scored_classes(layer) <= wanted:
            return  # the name is left over from another data set: any net has such an accuracy of 1
        says = (
            f"top_k is 1, so it counts only the first answer and not the top {wanted} of its name"
            if given == 1
            else f"top_k is {given}, but its name says top {wanted}"
        )
        yield self.finding(
            layer.at("accuracy_param", "top_k") if layer.has("accuracy_param", "top_k") else layer.at("name"),
            f"{title(layer)}: {says}; set top_k: {wanted}",
            fixes=fix(f"set top_k: {wanted}", UNSAFE, write(layer, "accuracy_param", "top_k", value=str(wanted))),
        )


def _is_of_a_series(layer: Layer) -> bool:
    """Is the number that of a head? Another one of that name, but for the number, then judges other scores."""
    heads = layer.net.once(_heads)
    return len(heads[_without_number(layer), layer.message.accuracy_param.top_k]) > 1


def _heads(net: Net) -> dict[tuple[str, int], set[str]]:
    """What layers score whose names differ in their numbers alone."""
    found: dict[tuple[str, int], set[str]] = {}
    for one in net.by_type["Accuracy"]:
        found.setdefault((_without_number(one), one.message.accuracy_param.top_k), set()).update(one.bottoms[:1])
    return found


def _without_number(layer: Layer) -> str:
    return _TOP.sub("", next((name for name in (layer.name, *layer.tops[:1]) if _TOP.search(name)), layer.name))
