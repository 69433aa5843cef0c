from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, PHASES, TEST, TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, title

from ._layer_params import described, field_name, field_path, parameters, settable

if TYPE_CHECKING:
    from caffelint.lint.built import BuiltLayer

_POWER = (
    ' layer {{ name: "to_unit" type: "Power" bottom: "raw" top: "data" power_param {{ scale: {} }}'
    " include {{ phase: {} }} }}"
)
_BENT = (
    'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }}'
    ' layer {{ name: "act" type: "Sigmoid" bottom: "fc" top: "fc"{} }}{}'
    ' layer {{ name: "fc2" type: "InnerProduct" bottom: "fc" top: "fc2" }}'
)
_NORM = ' layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "fc" include { phase: TRAIN } } layer {'
_CONV = (
    ' layer {{ name: "conv" type: "Convolution" bottom: "raw" top: "conv" convolution_param {{ num_output: 8'
    " kernel_size: {} }} include {{ phase: {} }} }}"
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
    A layer takes the place of another if both have one type, bottom and top; of several, the first that of the first.
    Nothing is said where their numbers differ, of layers of a stage, and of those that cut or reshape, which depends on
    the size of the batch. Layer types of forks are not compared, as a margin that only training has is meant. An
    activation or a BatchNorm in place that only training has is reported where testing has what it is applied to, and
    none of its kind there.

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
        # The second layers do the same, however the first ones differ from them.
        "".join(_POWER.replace('"raw"', '"data"').format(scale, phase) for phase in PHASES for scale in (1, 0.0078)),
        # A choice for both phases.
        _POWER.format(1, 'TRAIN stage: "large"') + _POWER.format(0.004, 'TEST stage: "small"'),
        # Half of a batch of 64, and of one of 100.
        "".join(
            'layer { name: "half" type: "Slice" bottom: "raw" top: "a" top: "b"'
            f" slice_param {{ axis: 0 slice_point: {n} }} include {{ phase: {phase} }} }}"
            for phase, n in (("TRAIN", 32), ("TEST", 50))
        ),
        # What a type of the project's own does is unknown.
        _BENT.format(
            " include { phase: TRAIN }", ' layer { type: "Python" bottom: "fc" top: "fc" include { phase: TEST } }'
        ),
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
            _BENT.format("", "").replace('"act" type: "Sigmoid"', '"act" type: "ReLU"').replace(" layer {", _NORM, 1),
            span='name: "bn"',
            message='BatchNorm "bn": only training has it, so the net is tested on other values than it is trained on;'
            " remove its include",
        ),
        Invalid(
            _BENT.format(" exclude { phase: TEST }", ""),
            span='name: "act"',
            message='Sigmoid "act": only training has it, so the net is tested on other values than it is trained on;'
            " remove its exclude",
        ),
        Invalid(
            _CONV.format(3, "TRAIN") + _CONV.format(5, "TEST"),
            span="kernel_size: 5",
            message='Convolution "conv": kernel_size is 5 in testing but 3 in training, so the net is tested on other'
            " values than it is trained on; set kernel_size: 3",
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
        if not net.conditional:
            return
        trained, tested = (_places(net, phase) for phase in PHASES)
        yield from self._unbent(net)
        for place, layers in tested.items():
            twins = trained.get(place, [])
            if len(layers) == len(twins):
                for layer, twin in zip(layers, twins, strict=True):
                    yield from self._compare(layer, twin)

    def _compare(self, layer: Layer, twin: Layer) -> Iterator[Finding]:
        here, there = parameters(layer), parameters(twin)
        field = next((field for field, value in there.items() if here.get(field, value) != value), "")
        if field:
            name, text = field_name(field), settable(layer, field, there[field])
            yield self.finding(
                layer.at(*field_path(layer, field)),
                f"{title(layer)}: {name} is {described(here[field])} in testing but {described(there[field])} in"
                " training, so the net is tested on other values than it is trained on;"
                f" {f'set {text}' if text else 'make the two equal'}",
                phases=(TEST,),
                related=(Related("the layer of training", twin.at(*field_path(twin, field))),),
            )

    def _unbent(self, net: Net) -> Iterator[Finding]:
        """Layers in place that only training has, of blobs that both phases make before and read after, where testing
        has none of the kind: activations, and batch normalisation.
        """
        for of_kind in (lambda kind: kind.is_activation, lambda kind: kind.keeps_statistics):
            yield from self._only_trained(net, of_kind)

    def _only_trained(self, net: Net, of_kind: Callable[[type[BuiltLayer]], bool | None]) -> Iterator[Finding]:
        may_be = net.layers_that(lambda kind: of_kind(kind) is not False)
        in_place = [layer for layer in may_be if layer.bottoms and layer.bottoms == layer.tops]
        in_testing = {layer.bottoms[0] for layer in in_place if TEST in layer.phases}
        if all(layer.phases != (TRAIN,) for layer in in_place):
            return
        both = [layer for layer in net.layers if layer.phases == PHASES]
        made = {blob for layer in both for blob in layer.tops} - in_testing
        last_read = {blob: layer.index for layer in both for blob in layer.bottoms}
        for layer in in_place:
            if not of_kind(type(layer.kind)) or layer.phases != (TRAIN,) or layer.depends_on_stage:
                continue
            blob = layer.bottoms[0]
            if blob in made and last_read.get(blob, 0) > layer.index:
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)}: only training has it, so the net is tested on other values than it is trained"
                    f" on; remove its {'include' if layer.message.include else 'exclude'}",
                    phases=(TEST,),
                )


def _places(net: Net, phase: str) -> dict[tuple[str, str, str], list[Layer]]:
    """The layers that only a phase has and that compute, in their order, by type, bottom and top.

    Those that cut or reshape are left out: what they are set to goes with the size of the batch.
    """
    found: dict[tuple[str, str, str], list[Layer]] = {}
    for layer in net.conditional:
        if layer.phases == (phase,) and len(layer.bottoms) == 1 and layer.tops and not layer.depends_on_stage:
            kind = layer.kind
            if kind.known and not kind.fork and not kind.is_loss and not kind.rearranges:
                found.setdefault((layer.type, layer.bottoms[0], layer.tops[0]), []).append(layer)
    return found
