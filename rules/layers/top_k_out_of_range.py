from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Kind,
    NamedTuple,
    Net,
    RefusalRule,
    Refused,
    fix,
    title,
    write,
)
from caffelint.lint.built import BuiltLayer, score_classes, types_that

_TYPES = types_that(lambda kind: kind.has_setting("top_k"))


class TopKOutOfRange(RefusalRule):
    """An Accuracy or ArgMax whose `top_k` does not fit the number of classes.

    ## Why is this bad?
    Caffe stops if `top_k` is larger than the number of classes. If they are equal, the label is always among the first
    k and any net has an accuracy of 1; a `top_k` of 0 counts nothing. An Accuracy over a single score always sees
    class 0.

    ## Example
    ```
    layer { name: "top5" type: "Accuracy" bottom: "fc3" bottom: "label" accuracy_param { top_k: 5 } }
    ```
    Use instead:
    ```
    layer { name: "top2" type: "Accuracy" bottom: "fc3" bottom: "label" accuracy_param { top_k: 2 } }
    ```

    ## Fix safety
    Unsafe: the accuracy counts what it did not count before. Only a `top_k` below 1 has a fix.

    ## References
    - accuracy_layer.cpp, Reshape and Forward_cpu; argmax_layer.cpp, LayerSetUp; run on Caffe 1.0
    """

    code = "L009"
    name = "top-k-out-of-range"
    severity = ERROR
    claims = (Kind.TOP_K_TOO_LARGE,)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: %d } }'
        ' layer { name: "top" type: "Accuracy" bottom: "fc" bottom: "label" top: "top" accuracy_param { top_k: %d } }'
    )
    VALID = [_NET % (10, 5), _NET % (2, 1)]
    INVALID = [
        Invalid(
            _NET % (3, 5),
            span="top_k: 5",
            message='Accuracy "top": top_k 5 is larger than the 3 classes of InnerProduct "fc", so Caffe stops; set'
            " top_k: 2 or less",
        ),
        Invalid(
            _NET % (5, 5),
            span="top_k: 5",
            message='Accuracy "top": top_k 5 is the number of classes of InnerProduct "fc", so the accuracy is'
            " always 1; set a smaller top_k",
        ),
        Invalid(
            _NET % (5, 0),
            span="top_k: 0",
            message='Accuracy "top": top_k 0 counts nothing, so the accuracy is 0; set top_k: 1',
            fixed=_NET % (5, 1),
        ),
        Invalid(
            _NET % (1, 1),
            span="top_k: 1",
            message='Accuracy "top": InnerProduct "fc" makes a single score, so class 0 always wins; make one per'
            " class",
        ),
    ]

    def report(self, refused: Refused) -> Iterator[Finding]:
        if refused.layers[0].index not in refused.net.once(_faults):
            yield from super().report(refused)

    def check(self, net: Net) -> Iterator[Finding]:
        if net.by_type.keys().isdisjoint(_TYPES):
            return
        for index, (top_k, severity, message) in net.once(_faults).items():
            layer = net.layers[index]
            fixes = fix("set top_k: 1", UNSAFE, write(layer, layer.block, "top_k", value="1")) if top_k < 1 else ()
            yield self.finding(
                layer.at(layer.block, "top_k"), f"{title(layer)}: {message}", severity=severity, fixes=fixes
            )


class _Fault(NamedTuple):
    top_k: int
    severity: str
    message: str


def _faults(net: Net) -> dict[int, _Fault]:
    """What is wrong with the top_k of single layers, by the indices of these."""
    faults: dict[int, _Fault] = {}
    for one in net.states():
        types = Counter(layer.type for layer in one.layers)
        for layer in one.layers:
            if layer.type in _TYPES and layer.index is not None and layer.index not in faults and layer.bottoms:
                fault = _fault(layer, types[layer.type] == 1)
                if fault is not None:
                    faults[layer.index] = fault
    return faults


def _fault(layer: BuiltLayer, is_only: bool) -> _Fault | None:
    """is_only: does no other layer of its type tell what this one does not?"""
    top_k, axis = layer.parameters.top_k, layer.parameters.axis
    accuracy = layer.type == "Accuracy"
    has_axis = accuracy or layer.parameters.HasField("axis")
    found = score_classes(layer.bottoms[0], axis) if has_axis else None
    number, maker = found if found else (0, None)
    name = title(maker) if maker else ""
    severity = WARNING
    if top_k < 1:
        if not accuracy:
            return None
        message = f"top_k {top_k} counts nothing, so the accuracy is 0; set top_k: 1"
    elif number and top_k > number:
        severity = ERROR
        least = f"{number - 1} or less" if number > 2 else "1"
        message = f"top_k {top_k} is larger than the {number} classes of {name}, so Caffe stops; set top_k: {least}"
    elif accuracy and number == 1:
        message = f"{name} makes a single score, so class 0 always wins; make one per class"
    elif accuracy and number == top_k:
        severity = WARNING if is_only else INFO  # beside another one it is seen at once
        message = f"top_k {top_k} is the number of classes of {name}, so the accuracy is always 1; set a smaller top_k"
    else:
        return None
    return _Fault(top_k, severity, message)
