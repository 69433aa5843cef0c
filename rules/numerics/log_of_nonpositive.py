from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import Finding, Invalid, Net, title
from caffelint.lint.built import BuiltLayer, Values

from ._domain import DomainRule, Fault, gives_zeros

_SHIFT = 1e-5
"""What the remedy adds, and by how much at most a probability may be off."""


class LogOfNonpositive(DomainRule):
    """A Log layer gets values that are 0 or below.

    ## Why is this bad?
    The logarithm of 0 is -inf, that of a negative number is nan, and Caffe checks for neither. After a ReLU or a
    Dropout there are zeros from the first iteration; a Softmax or Sigmoid gives an exact 0 once it saturates.

    ## Example
    ```
    layer { name: "log" type: "Log" bottom: "relu" top: "log" }
    ```
    Use instead:
    ```
    layer { name: "log" type: "Log" bottom: "relu" top: "log" log_param { shift: 0.00001 } }
    ```

    ## Fix safety
    Unsafe: all values are shifted a little. There is no fix where a shift alone does not help.

    ## References
    - log_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "N001"
    name = "log-of-nonpositive"
    layer_types = ("Log",)
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }'
        ' layer { name: "%s" type: "%s" bottom: "data" top: "act" } '
    )
    VALID = [
        _NET % ("relu", "ReLU") + 'layer { name: "log" type: "Log" bottom: "act" top: "log" log_param { shift: 1 } }',
        _NET % ("exp", "Exp") + 'layer { name: "log" type: "Log" bottom: "act" top: "log" }',
    ]
    INVALID = [
        Invalid(
            _NET % ("relu", "ReLU") + 'layer { name: "log" type: "Log" bottom: "act" top: "log" }',
            span='bottom: "act"',
            message='Log "log" takes the logarithm of zeros from ReLU "relu", which is -inf; set a small shift, such'
            " as shift: 1e-5",
            fixed=_NET % ("relu", "ReLU")
            + 'layer { name: "log" type: "Log" bottom: "act" top: "log" log_param { shift: 1e-5 } }',
        ),
        Invalid(
            _NET % ("prob", "Softmax") + 'layer { name: "log" type: "Log" bottom: "act" top: "log" loss_weight: 1 }',
            span='bottom: "act"',
            message='Log "log" takes the logarithm of 0, which is -inf, once Softmax "prob" saturates; set a small'
            " shift, such as shift: 1e-5",
            fixed=(
                _NET % ("prob", "Softmax")
                + (
                    'layer { name: "log" type: "Log" bottom: "act" top: "log" loss_weight: 1 log_param { shift: 1e-5 '
                    "} }"
                )
            ),
        ),
        Invalid(
            _NET % ("p", "Sigmoid")
            + 'layer { name: "q" type: "Power" bottom: "act" top: "q" power_param { scale: -1 shift: 0.9999999 } }'
            + ' layer { name: "log" type: "Log" bottom: "q" top: "log" loss_weight: 1 }',
            span='bottom: "q"',
            message='Log "log" takes the logarithm of -1.19e-07, which is nan, once Power "q" saturates; set a small'
            " shift, such as shift: 1e-5",
            fixed=_NET % ("p", "Sigmoid")
            + 'layer { name: "q" type: "Power" bottom: "act" top: "q" power_param { scale: -1 shift: 0.9999999 } }'
            + ' layer { name: "log" type: "Log" bottom: "q" top: "log" loss_weight: 1 log_param { shift: 1e-5 } }',
        ),
        Invalid(
            _NET % ("bn", "BatchNorm") + 'layer { name: "log" type: "Log" bottom: "act" top: "log" }',
            span='bottom: "act"',
            message='Log "log" takes the logarithm of values of both signs from BatchNorm "bn", which is nan below 0;'
            " make them positive first",
        ),
        Invalid(
            _NET % ("prob", "Softmax")
            + 'layer { name: "log" type: "Log" bottom: "act" top: "log" log_param { scale: -1 shift: -0.1 } }',
            span='bottom: "act"',
            message='Log "log" takes the logarithm of values from Softmax "prob" that are never above 0; make them'
            " positive first",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" } layer { name: "log" type: "Log" bottom: "data" top:'
            ' "log" }',
            span='bottom: "data"',
            message='Log "log" takes the logarithm of Input "data", which nothing keeps above 0: it is -inf at 0 and'
            " nan below; make the values positive, or add a shift",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.has_bvlc_dialect:
            return
        said = set()
        for one in net.states():
            for layer in one.layers:
                if layer.type == "Log" and layer.index is not None and layer.bottoms and layer.index not in said:
                    found = _judge(layer, one.values[layer.bottoms[0]])
                    # Where nothing is trained, a score of -inf works as well as any low score.
                    if found and (not found.in_training or net.role == "train"):
                        said.add(layer.index)
                        written = net.layers[layer.index]
                        yield self.fault(written.at("bottom"), written, found)


def _judge(layer: BuiltLayer, bottom: Values) -> Fault | None:
    """What is wrong with a Log layer, and whether it happens in every run."""
    param = layer.parameters
    maker = layer.bottoms[0].maker
    if maker is None or not maker.known:
        return None
    values = bottom.shifted(param.scale, param.shift)
    if values.low > 0:
        return None
    what, source = f"{title(layer)} takes the logarithm of", title(maker)
    shift = "set a small shift, such as shift: 1e-5"
    if gives_zeros(maker, values):
        return Fault(f"{what} zeros from {source}, which is -inf; {shift}", values.zeros, needs_shift=True)
    if values.high <= 0:
        return Fault(f"{what} values from {source} that are never above 0; make them positive first", True)
    if bottom.signed:
        what = f"{what} values of both signs from {source}, which is nan below 0"
        return Fault(f"{what}; make them positive first", values.signed)
    if -_SHIFT < values.low <= 0 and abs(values.high - 1) < _SHIFT and maker.has_backward:
        least = f"{values.low:.3g}, which is nan" if values.low < 0 else "0, which is -inf"
        what = f"{what} {least}, once {source} saturates"
        return Fault(f"{what}; {shift}", False, needs_shift=True, in_training=True)
    if values.low == 0 or param.shift > 0 or maker.bottoms:
        return None
    what = f"{what} {source}, which nothing keeps above 0: it is -inf at 0 and nan below"
    return Fault(f"{what}; make the values positive, or add a shift", False)
