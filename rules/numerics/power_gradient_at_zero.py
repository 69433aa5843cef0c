from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import TRAIN, Finding, Invalid, Net, title
from caffelint.lint.built import BuiltLayer, BuiltNet

from ._domain import DomainRule, Fault, gives_zeros


class PowerGradientAtZero(DomainRule):
    """The gradient of a Power layer is 0/0 where its base is 0.

    ## Why is this bad?
    For every power other than 0, 1 and 2 Caffe computes the gradient as power * y / x, which at 0 is 0/0 = nan, for a
    power of 3 as well as for a square root. After a ReLU, a Dropout or an AbsVal there are zeros from the first
    iteration, and one of them makes the weights of all layers before it nan. The forward pass looks fine.

    ## Example
    ```
    layer { name: "cube" type: "Power" bottom: "relu" top: "cube" power_param { power: 3 } }
    ```
    Use instead:
    ```
    layer { name: "cube" type: "Power" bottom: "relu" top: "cube" power_param { power: 3 shift: 0.000001 } }
    ```

    ## Fix safety
    Unsafe: all values are shifted a little. There is no fix where a shift alone does not help.

    ## References
    - power_layer.cpp, Backward_cpu; run on Caffe 1.0
    """

    code = "N003"
    name = "power-gradient-at-zero"
    layer_types = ("Power",)
    shift = "1e-6"
    _NET = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 20 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 20 } }'
        ' layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }'
        ' layer { name: "p" type: "Power" bottom: "fc" top: "p" power_param { %s } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "p" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % "power: 2",
        _NET % "power: 3 shift: 0.001",
        # No earlier layer learns.
        'layer { name: "data" type: "Input" top: "data" } layer { name: "relu" type: "ReLU" bottom: "data" top:'
        ' "data" }'
        ' layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { power: 3 } }',
    ]
    INVALID = [
        Invalid(
            _NET % "power: 3",
            span="power: 3",
            message='Power "p": the gradient of power 3 at zeros from ReLU "relu" is 0/0 = nan; set a small shift,'
            " such as shift: 1e-6",
            fixed=_NET % "power: 3 shift: 1e-6",
        ),
        Invalid(
            'force_backward: true layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 } } }'
            ' layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { power: 3 shift: -1 }'
            " loss_weight: 1 }",
            span="power: 3",
            message='Power "p": the gradient of power 3 is 0/0 = nan wherever Input "data" is 1; compute scale * x +'
            " shift in a Power layer with power: 1, and multiply 3 copies of its top in an Eltwise (operation: PROD)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.has_bvlc_dialect:
            return
        if all(layer.message.power_param.power in (0, 1, 2) for layer in net.layers if layer.type == "Power"):
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            for layer in one.layers:
                found = _judge(one, layer) if layer.type == "Power" and layer.index is not None else None
                if found:
                    written = net.layers[layer.index or 0]
                    yield self.fault(written.at("power_param", "power"), written, found, phases=(TRAIN,))
            return


def _judge(net: BuiltNet, layer: BuiltLayer) -> Fault | None:
    """What is wrong with the gradient, and whether it happens in every run."""
    param = layer.parameters
    power = param.power
    # A negative power is inf at 0 already in the forward pass.
    if power in (0, 1, 2) or power < 0 or not param.scale or True not in layer.propagate_down:
        return None
    maker = layer.bottoms[0].maker
    base = net.values[layer.bottoms[0]].shifted(param.scale, param.shift)
    if maker is None or not base.may_be_zero:
        return None
    source = title(maker)
    if gives_zeros(maker, base):
        what = f"{title(layer)}: the gradient of power {power:g} at zeros from {source} is 0/0 = nan"
        return Fault(f"{what}; set a small shift, such as shift: 1e-6", base.zeros, needs_shift=True)
    # A fractional power of values below 0 is worse, and power-out-of-domain reports it.
    if maker.bottoms or not maker.known or power % 1:
        return None
    where = f"{source} is {0 - param.shift / param.scale:g}"
    what = f"{title(layer)}: the gradient of power {power:g} is 0/0 = nan wherever {where}"
    plain = param.scale == 1 and param.shift == 0
    factor = f'"{layer.bottoms[0].name}"' if plain else "its top"
    first = "" if plain else "compute scale * x + shift in a Power layer with power: 1, and "
    return Fault(f"{what}; {first}multiply {power:g} copies of {factor} in an Eltwise (operation: PROD)", False)
