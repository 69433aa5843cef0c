from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Finding, Invalid, Net, NetRule, Related, quoted, title

from ._partner import training_nets
from ._scaled import are_near, scaled, times

_MOST = 3
"""How many nets may have trained one; more are many designs."""


_FC = ' layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s" inner_product_param { num_output: 8 } }'


class DeployScaledOtherwise(NetRule):
    """A deploy net multiplies its images by another number than its training net.

    ## Why is this bad?
    The weights fit values of the size that training has seen. What is five times as large saturates one layer after
    the other, and the answers are wrong without any message.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.0078125 } }
    ```
    `deploy.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.04 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.0078125 } }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. Programs that give a deploy net its values scale them
    themselves: one with an Input is compared only if a Power right after it scales.

    ## References
    - data_transformer.cpp, Transform; power_layer.cpp; net.cpp, CopyTrainedLayersFrom
    """

    code = "G042"
    name = "deploy-scaled-otherwise"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.0078125 } }'
    _BODY = _FC % ("a", "data", "a") + _FC % ("b", "a", "b") + _FC % ("c", "b", "c")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
    VALID = [{"train.prototxt": _DATA + _BODY + _LOSS, "deploy.prototxt": _DATA + _BODY}]
    INVALID = [
        Invalid(
            {
                "train.prototxt": _DATA + _BODY + _LOSS,
                "deploy.prototxt": _DATA.replace("0.0078125", "0.04") + _BODY,
            },
            span="scale: 0.04",
            message='Data "data" scales by 0.04 here and by 0.0078125 in "train.prototxt", so the net gets 5.12 times'
            " what it was trained with; make the two equal",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = [one for one in net.once(training_nets) if one.is_close]
        if not 0 < len(candidates) <= _MOST:
            return
        for mine in scaled(net, TEST):
            found = [next((one for one in scaled(two.net, TRAIN) if one.blob == mine.blob), None) for two in candidates]
            known = [one for one in found if one is not None and one.of_images]
            if not mine.place or len(known) < len(found) or any(are_near(mine.scale, one.scale) for one in known):
                continue
            ratio = mine.scale / known[0].scale
            yield self.finding(
                mine.place,
                f"{title(mine.layer)} scales by {mine.scale:g} here and by {known[0].scale:g} in"
                f" {quoted(candidates[0].file)}, so the net gets {times(ratio)} times what it was trained with; make"
                " the two equal",
                related=tuple(Related("the scale in training", one.place) for one in known[:1] if one.place),
            )
