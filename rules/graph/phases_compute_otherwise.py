from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, PHASES, TEST, TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, title

from ._layer_params import described, field_path, parameters

_POWER = (
    ' layer {{ name: "to_unit" type: "Power" bottom: "raw" top: "data" power_param {{ scale: {} }}'
    " include {{ phase: {} }} }}"
)
_BENT = (
    'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }}'
    ' layer {{ name: "act" type: "Sigmoid" bottom: "fc" top: "fc"{} }}{}'
    ' layer {{ name: "fc2" type: "InnerProduct" bottom: "fc" top: "fc2" }}'
)


class PhasesComputeOtherwise(NetRule):
    """A layer of training and the one that takes its place in testing compute different values.

    ## Why is this bad?
    The net is tested on values that it was not trained with: a scale of 1/255 in one phase only makes all that follows
    255 times larger. The poor accuracy looks like overfitting.

    ## Example
    ```
    layer { type: "Power" bottom: "raw" top: "data" power_param { scale: 0.004 } include { phase: TRAIN } }
    layer { type: "Power" bottom: "raw" top: "data" power_param { scale: 1 } include { phase: TEST } }
    ```
    Use instead one layer for both phases:
    ```
    layer { type: "Power" bottom: "raw" top: "data" power_param { scale: 0.004 } }
    ```

    ## Known problems
    A layer takes the place of another if both have one type, bottom and top. Layer types of forks are not compared, as
    a margin that only training has is meant. An activation in place that only training has is reported where testing
    has what it is applied to, and no activation there.

    ## References
    - power_layer.cpp, Forward_cpu; net.cpp, FilterNet
    """

    code = "G034"
    name = "phases-compute-otherwise"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        'layer { name: "act" type: "Sigmoid" }',
        _BENT.format("", ""),
        _BENT.format(
            " include { phase: TRAIN }", ' layer { type: "ReLU" bottom: "fc" top: "fc" include { phase: TEST } }'
        ),
        # Only the loss of training reads what the activation makes.
        _BENT.format("", "") + ' layer { name: "fc3" type: "InnerProduct" bottom: "fc2" top: "fc3" }'
        ' layer { name: "act2" type: "Sigmoid" bottom: "fc2" top: "fc2" include { phase: TRAIN } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc2" bottom: "y" include { phase: TRAIN } }',
        _POWER.format(0.004, "TRAIN") + _POWER.format(0.004, "TEST"),
        # For one phase only.
        _POWER.format(0.004, "TRAIN"),
        # Statistics of the batch, or of the training.
        'layer { name: "bn" type: "BatchNorm" bottom: "raw" top: "bn" batch_norm_param { use_global_stats: false }'
        ' include { phase: TRAIN } } layer { name: "bn" type: "BatchNorm" bottom: "raw" top: "bn" batch_norm_param {'
        " use_global_stats: true } include { phase: TEST } }",
    ]
    INVALID = [
        Invalid(
            _BENT.format(" include { phase: TRAIN }", ""),
            span='name: "act"',
            message='Sigmoid "act": only training has it, so the net is tested on other values than it is trained on;'
            " remove its include",
        ),
        Invalid(
            _POWER.format(0.004, "TRAIN") + _POWER.format(1, "TEST"),
            span="scale: 1",
            message='Power "to_unit": scale is 1 in testing but 0.004 in training, so the net is tested on other values'
            " than it is trained on; set scale: 0.004",
        ),
        Invalid(
            _POWER.format(0.004, "TRAIN") + _POWER.replace("scale: {}", "").format("TEST"),
            span="power_param",
            message='Power "to_unit": scale is 1 in testing but 0.004 in training, so the net is tested on other values'
            " than it is trained on; set scale: 0.004",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        trained: dict[tuple[str, str, str], Layer] = {}
        testing = []
        for layer in net.layers:
            if len(layer.bottoms) == 1 and layer.tops and layer.kind.known and not layer.kind.fork:
                if layer.phases == (TRAIN,):
                    trained.setdefault(_place(layer), layer)
                elif layer.phases == (TEST,):
                    testing.append(layer)
        yield from self._unbent(net)
        for layer in testing:
            twin = trained.get(_place(layer))
            if twin is None or layer.kind.is_loss or layer.is_conditional != twin.is_conditional:
                continue
            here, there = parameters(layer), parameters(twin)
            field = next((field for field, value in there.items() if here.get(field, value) != value), "")
            if field:
                wanted = described(there[field])
                yield self.finding(
                    layer.at(*field_path(layer, field)),
                    f"{title(layer)}: {field} is {described(here[field])} in testing but {wanted} in training, so the"
                    f" net is tested on other values than it is trained on; set {field}: {wanted}",
                    phases=(TEST,),
                    related=(Related("the layer of training", twin.at(*field_path(twin, field))),),
                )

    def _unbent(self, net: Net) -> Iterator[Finding]:
        """Activations in place that only training has, of blobs that both phases make before and read behind."""
        bends = [
            layer
            for layer in net.layers_that(lambda kind: kind.is_activation)
            if layer.bottoms and layer.bottoms == layer.tops
        ]
        in_testing = {layer.bottoms[0] for layer in bends if TEST in layer.phases}
        both = [layer for layer in net.layers if layer.phases == PHASES]
        made = {blob for layer in both for blob in layer.tops} - in_testing
        last_read = {blob: layer.index for layer in both for blob in layer.bottoms}
        for layer in bends:
            blob = layer.bottoms[0]
            has_stages = any(rule.stage or rule.not_stage for rule in layer.message.include)
            is_read_behind = blob in made and last_read.get(blob, 0) > layer.index
            if layer.phases == (TRAIN,) and not has_stages and is_read_behind:
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)}: only training has it, so the net is tested on other values than it is trained"
                    " on; remove its include",
                    phases=(TEST,),
                )


def _place(layer: Layer) -> tuple[str, str, str]:
    return layer.type, layer.bottoms[0], layer.tops[0]
