from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from caffelint.lint import Finding, Invalid, Net, title
from caffelint.lint.built import BuiltLayer, Values

from ._domain import DomainRule, Fault, gives_zeros


class PowerOutOfDomain(DomainRule):
    """A Power layer takes a fractional power of negative values, or a negative power of 0.

    ## Why is this bad?
    (shift + scale * x) ^ power is nan where the base is below 0 and the power is not a whole number, and inf where the
    base is 0 and the power is negative. Caffe checks for neither.

    ## Example
    ```
    layer { name: "inverse" type: "Power" bottom: "relu" top: "inverse" power_param { power: -1 } }
    ```
    Use instead:
    ```
    layer { name: "inverse" type: "Power" bottom: "relu" top: "inverse" power_param { power: -1 shift: 0.00001 } }
    ```

    ## Fix safety
    Unsafe: all values are shifted a little. There is no fix where a shift alone does not help.

    ## References
    - power_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "N002"
    name = "power-out-of-domain"
    layer_types = ("Power",)
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }'
        ' layer { name: "act" type: "%s" bottom: "data" top: "act" }'
        ' layer { name: "p" type: "Power" bottom: "act" top: "p" power_param { %s } }'
    )
    VALID = [
        _NET % ("ReLU", "power: 0.5"),
        _NET % ("ReLU", "power: -1 shift: 0.001"),
        _NET % ("TanH", "power: 3"),
        _NET % ("TanH", "power: 0.5 shift: 1"),
        # The length of a vector: a sum of squares, by weights that do not learn.
        _NET
        % ("TanH", "power: 2")
        + ' layer { name: "sum" type: "InnerProduct" bottom: "p" top: "sum" param { lr_mult: 0 }'
        " inner_product_param { num_output: 1 bias_term: false"
        ' weight_filler { type: "constant" value: 1 } } }'
        ' layer { name: "root" type: "Power" bottom: "sum" top: "root" power_param { power: 0.5 } }',
    ]
    INVALID = [
        Invalid(
            _NET % ("ReLU", "power: -1"),
            span="power: -1",
            message='Power "p": power -1 of 0 is inf, and ReLU "act" gives zeros; set a small shift, such as shift:'
            " 1e-5",
            fixed=_NET % ("ReLU", "power: -1 shift: 1e-5"),
        ),
        Invalid(
            _NET.replace('"Input"', '"DummyData"').replace(
                "input_param {", 'dummy_data_param { data_filler { type: "gaussian" }'
            )
            % ("TanH", "power: 0.5"),
            span="power: 0.5",
            message='Power "p": power 0.5 of a negative value is nan, and TanH "act" gives values below 0; add an'
            " AbsVal"
            " before it, or a shift",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { power: -0.5 } }',
            span="power: -0.5",
            message='Power "p": power -0.5 is inf at 0 and nan below, and nothing keeps Input "data" above 0; add an'
            " AbsVal"
            " before it, or a shift",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.has_bvlc_dialect:
            return
        odd = {
            layer.index for layer in net.layers if layer.type == "Power" and _is_odd(layer.message.power_param.power)
        }
        if not odd:
            return
        said = set()
        for one in net.states():
            for layer in one.layers:
                if layer.index in odd and layer.index not in said and layer.bottoms:
                    found = _judge(layer, one.values[layer.bottoms[0]])
                    if found:
                        said.add(layer.index)
                        written = net.layers[layer.index or 0]
                        yield self.fault(written.at("power_param", "power"), written, found)


def _is_odd(power: float) -> bool:
    return power < 0 or not _is_whole(power)


def _is_whole(power: float) -> bool:
    """Whether C's pow treats it as a whole number, as it does infinity."""
    return isinf(power) or power.is_integer()


def _judge(layer: BuiltLayer, bottom: Values) -> Fault | None:
    param = layer.parameters
    maker = layer.bottoms[0].maker
    if maker is None or not maker.known:
        return None
    base = bottom.shifted(param.scale, param.shift)
    power = param.power
    what, source = f"{title(layer)}: power {power:g}", title(maker)
    if power < 0 and gives_zeros(maker, base):
        shift = "set a small shift, such as shift: 1e-5"
        return Fault(f"{what} of 0 is inf, and {source} gives zeros; {shift}", base.zeros, needs_shift=True)
    if base.low >= 0:
        return None
    fractional = not _is_whole(power)
    if fractional and (bottom.signed or base.high < 0):
        certain = base.signed or base.high < 0
        what = f"{what} of a negative value is nan, and {source} gives values below 0"
        return Fault(f"{what}; add an AbsVal before it, or a shift", certain)
    if not fractional and bottom.signed or param.shift > 0 or maker.bottoms:
        return None
    wrong = " and ".join(["inf at 0"] * (power < 0) + ["nan below"] * fractional)
    what = f"{what} is {wrong}, and nothing keeps {source} above 0"
    return Fault(f"{what}; add an AbsVal before it, or a shift", False)
