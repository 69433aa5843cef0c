from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, WARNING, Finding, Invalid, Kind, Net, RefusalRule, Refused, fix, write

from ._classes import classes


class TopKOutOfRange(RefusalRule):
    """An Accuracy or ArgMax whose `top_k` does not fit the number of classes.

    ## Why is this bad?
    Caffe ends its process where `top_k` is above the number of classes. Equal to it, the label is always among the
    first k, and the accuracy is 1 for any net; 0 counts nothing. An Accuracy over one single score always sees class 0.

    ## Example
    ```
    layer { name: "top5" type: "Accuracy" bottom: "fc3" bottom: "label" accuracy_param { top_k: 5 } }
    ```
    Use instead:
    ```
    layer { name: "top2" type: "Accuracy" bottom: "fc3" bottom: "label" accuracy_param { top_k: 2 } }
    ```

    ## Fix safety
    Unsafe: the score counts what it did not. Only for a `top_k` below 1.

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
        Invalid(_NET % (3, 5), span="top_k: 5", message="top_k 5 is above the 3 classes of fc: Caffe ends here"),
        Invalid(
            _NET % (5, 5), span="top_k: 5", message="top_k 5 is the number of classes of fc: the accuracy is always 1"
        ),
        Invalid(
            _NET % (5, 0),
            span="top_k: 0",
            message="top_k 0 counts nothing: the accuracy is 0; use 1",
            fixed=_NET % (5, 1),
        ),
        Invalid(
            _NET % (1, 1),
            span="top_k: 1",
            message="accuracy of a single score: fc has one class, which always wins; use one per class",
        ),
    ]

    def report(self, refused: Refused) -> Iterator[Finding]:
        if refused.layers[0].index not in [index for index, _ in self._told(refused.net)]:
            yield from super().report(refused)

    def check(self, net: Net) -> Iterator[Finding]:
        for _, finding in self._told(net):
            yield finding

    def _told(self, net: Net) -> Iterator[tuple[int, Finding]]:
        """What is wrong with the top_k of single layers, with the numbers of these."""
        said = set()
        for one in net.states():
            for layer in one.layers:
                if not layer.has_setting("top_k") or layer.index is None or layer.index in said or not layer.bottoms:
                    continue
                top_k, axis = layer.parameters.top_k, layer.parameters.axis
                accuracy = layer.type == "Accuracy"
                has_axis = accuracy or layer.parameters.HasField("axis")
                found = classes(layer.bottoms[0], axis) if has_axis else None
                number, maker = found if found else (0, None)
                name = maker.name if maker else ""
                severity = WARNING
                if top_k < 1:
                    if not accuracy:
                        continue
                    message = f"top_k {top_k} counts nothing: the accuracy is 0; use 1"
                elif number and top_k > number:
                    severity, message = ERROR, f"top_k {top_k} is above the {number} classes of {name}: Caffe ends here"
                elif accuracy and number == 1:
                    message = f"accuracy of a single score: {name} has one class, which always wins; use one per class"
                elif accuracy and number == top_k:
                    message = f"top_k {top_k} is the number of classes of {name}: the accuracy is always 1"
                else:
                    continue
                said.add(layer.index)
                place = net.layers[layer.index].at("accuracy_param" if accuracy else "argmax_param", "top_k")
                fixes = (
                    fix("use top_k: 1", UNSAFE, write(net.layers[layer.index], "accuracy_param", "top_k", value="1"))
                    if top_k < 1
                    else ()
                )
                yield layer.index, self.finding(place, message, severity=severity, fixes=fixes)
