from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, TRAIN, UNSAFE, WARNING, Finding, Fix, Invalid, Net, NetRule, Related, title
from caffelint.lint.built import UNKNOWN, BuiltLayer

from ._own_top import own_tops

_SLIGHT = 0.01
"""A part of a gradient that nobody misses."""


class InPlaceCorruptsGradient(NetRule):
    """An in-place layer overwrites values that a backward pass still needs.

    ## Why is this bad?
    An in-place layer writes its result over its input. Some layers need their own output to compute their gradient
    (Sigmoid, TanH, ELU, Softmax, LRN, MVN ...), an in-place ReLU needs to see which of its outputs are above 0, and
    some layers (Pooling, Convolution ...) need the very input that they overwrite. Power and Log write their slope over
    the gradient that they are given before they read it, and pass on the square of the slope. Caffe checks none of
    this: the loss goes down for a while, with wrong gradients.

    ## Example
    ```
    layer { name: "sigmoid" type: "Sigmoid" bottom: "ip" top: "sigmoid" }
    layer { name: "scale" type: "Scale" bottom: "sigmoid" top: "sigmoid" }
    ```
    Use instead:
    ```
    layer { name: "sigmoid" type: "Sigmoid" bottom: "ip" top: "sigmoid" }
    layer { name: "scale" type: "Scale" bottom: "sigmoid" top: "scale" }
    ```

    ## Known problems
    Silent about nets that use layers or fields of a fork. A ReLU followed by an in-place BatchNorm, an ELU by an
    in-place Dropout, and a BNLL in place, are warnings: such nets do train, but with gradients of the wrong units, or
    of the wrong size; an ELU far below 0 even gets one of the wrong sign, as Dropout doubled what it reads. An LRN
    WITHIN_CHANNEL in place that hardly changes what it reads, since that has bounds, is an info.

    ## Fix safety
    Unsafe: the gradient becomes right, which changes what is trained.

    ## References
    - each pair was run on Caffe 1.0, the gradient compared with the one of separate blobs
    - BVLC/caffe#2015
    """

    code = "G010"
    name = "in-place-corrupts-gradient"
    severity = ERROR
    _DATA = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 3 } } }"
        ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 } } '
    )
    _LOSS = ' layer { name: "loss" type: "EuclideanLoss" bottom: "%s" bottom: "label" top: "loss" }'
    VALID = [
        _DATA + 'layer { name: "act" type: "ReLU" bottom: "ip" top: "ip" }'
        ' layer { name: "drop" type: "Dropout" bottom: "ip" top: "ip" }' + _LOSS % "ip",
        # A ReLU keeps what is above 0, and where it does not, no gradient comes back.
        _DATA + 'layer { name: "act" type: "TanH" bottom: "ip" top: "ip" }'
        ' layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }' + _LOSS % "ip",
        # BatchNorm and Scale keep copies of what they need.
        _DATA + 'layer { name: "bn" type: "BatchNorm" bottom: "ip" top: "ip" }'
        ' layer { name: "scale" type: "Scale" bottom: "ip" top: "ip" }'
        ' layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }' + _LOSS % "ip",
        _DATA + 'layer { name: "gate" type: "Python" bottom: "ip" top: "gate" python_param { module: "m" layer: "L" } }'
        ' layer { name: "drop" type: "Dropout" bottom: "gate" top: "gate" }' + _LOSS % "gate",
        # Nothing below learns.
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }'
        ' layer { name: "power" type: "Power" bottom: "data" top: "data" power_param { scale: 0.5 } }',
    ]
    INVALID = [
        Invalid(
            _DATA + 'layer { name: "act" type: "Sigmoid" bottom: "ip" top: "act" }'
            ' layer { name: "scale" type: "Scale" bottom: "act" top: "act" }' + _LOSS % "act",
            span='top: "act"',
            message='Scale "scale" overwrites the output of Sigmoid "act", which needs it for its gradient; give the'
            ' top of Scale "scale" another name, there and where it is read',
            fixed=_DATA
            + (
                'layer { name: "act" type: "Sigmoid" bottom: "ip" top: "act" } layer { name: "scale" type: '
                '"Scale" bottom: "act" top: "scale" } layer { name: "loss" type: "EuclideanLoss" bottom: "scale" '
                'bottom: "label" top: "loss" }'
            ),
        ),
        Invalid(
            _DATA + 'layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }'
            ' layer { name: "bn" type: "BatchNorm" bottom: "ip" top: "ip" }' + _LOSS % "ip",
            span='top: "ip"',
            message='BatchNorm "bn" overwrites the output of ReLU "relu", which needs it for its gradient; give the'
            ' top of BatchNorm "bn" another name, there and where it is read',
            fixed=_DATA
            + (
                'layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" } layer { name: "bn" type: "BatchNorm" '
                'bottom: "ip" top: "bn" } layer { name: "loss" type: "EuclideanLoss" bottom: "bn" bottom: '
                '"label" top: "loss" }'
            ),
        ),
        Invalid(
            _DATA + 'layer { name: "elu" type: "ELU" bottom: "ip" top: "ip" }'
            ' layer { name: "drop" type: "Dropout" bottom: "ip" top: "ip" }' + _LOSS % "ip",
            span='top: "ip"',
            message='Dropout "drop" overwrites the output of ELU "elu", which needs it for its gradient; give the top'
            ' of Dropout "drop" another name, there and where it is read',
            fixed=_DATA
            + (
                'layer { name: "elu" type: "ELU" bottom: "ip" top: "ip" } layer { name: "drop" type: "Dropout" '
                'bottom: "ip" top: "drop" } layer { name: "loss" type: "EuclideanLoss" bottom: "drop" bottom: '
                '"label" top: "loss" }'
            ),
        ),
        # One cause, whatever else works in place after it.
        Invalid(
            _DATA + 'layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }'
            ' layer { name: "bn" type: "BatchNorm" bottom: "ip" top: "ip" }'
            ' layer { name: "scale" type: "Scale" bottom: "ip" top: "ip" }' + _LOSS % "ip",
            span='top: "ip"',
            message='BatchNorm "bn" overwrites the output of ReLU "relu", which needs it for its gradient; give the'
            ' top of BatchNorm "bn" another name, there and where it is read',
            fixed=_DATA
            + (
                'layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" } layer { name: "bn" type: "BatchNorm" '
                'bottom: "ip" top: "bn" } layer { name: "scale" type: "Scale" bottom: "bn" top: "bn" } layer { name: '
                '"loss" type: "EuclideanLoss" bottom: "bn" bottom: "label" top: "loss" }'
            ),
        ),
        Invalid(
            _DATA
            + 'layer { name: "power" type: "Power" bottom: "ip" top: "ip" power_param { power: 2 } }'
            + _LOSS % "ip",
            span='top: "ip"',
            message='Power "power" works in place, so it overwrites the gradient that it gets and passes on the square'
            " of its slope instead; give its top another name, there and where it is read",
            fixed=_DATA
            + (
                'layer { name: "power" type: "Power" bottom: "ip" top: "power" power_param { power: 2 } } layer '
                '{ name: "loss" type: "EuclideanLoss" bottom: "power" bottom: "label" top: "loss" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_plain:
            return
        for one in net.states():
            if one.phase == TRAIN and one.is_wired:
                spoilt = [(layer, needs) for layer in one.layers if (needs := _spoilt(layer))]
                # With another top for the first that overwrites an output, those after it work on that one.
                first = {needs: layer for layer, needs in reversed(spoilt) if needs is not layer}
                spoilt = [
                    (layer, needs) for layer, needs in spoilt if first.get(needs, layer) is layer or needs is layer
                ]
                fixes = own_tops((net.layers[layer.index or 0] for layer, _ in spoilt), safety=UNSAFE)
                for layer, needs in spoilt:
                    yield self._report(net, layer, needs, fixes.get(layer.index or 0, ()))
                return

    def _report(self, net: Net, layer: BuiltLayer, needs: BuiltLayer, fixes: tuple[Fix, ...]) -> Finding:
        mine, other = net.layers[layer.index or 0], net.layers[needs.index or 0]
        spoils = "the gradient that it gets and passes on the square of its slope instead"
        spoils = spoils if layer.loses_gradient_in_place else "the input that its gradient needs"
        is_slight = needs is layer and _is_slight(layer)
        message = f"works in place, so it overwrites {spoils}; give its top another name, there and where it is read"
        if needs is not layer:
            message = f"overwrites the output of {title(needs)}, which needs it for its gradient; give the top of"
            message += f" {title(layer)} another name, there and where it is read"
        return self.finding(
            mine.at("top"),
            f"{title(layer)} {message}",
            evidence="Caffe does not check this, so earlier layers get a wrong gradient"
            + ", but one that differs little here" * is_slight,
            severity=INFO if is_slight else WARNING if needs.trains_corrupted else ERROR,
            related=(Related(f"{title(needs)} needs its output", other.at("type")),) if needs is not layer else (),
            fixes=fixes,
        )


def _is_slight(layer: BuiltLayer) -> bool:
    """Whether next to nothing of its gradient is wrong, since what it reads has bounds."""
    above = layer.bottoms[0].producer
    if above is None or not above.known:
        return False
    values = above.values([UNKNOWN])[0]
    return layer.lost_in_place(max(abs(values.low), abs(values.high))) < _SLIGHT


def _spoilt(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer whose gradient `layer`, which works in place, makes wrong: itself, or one before it."""
    if not (layer.known and layer.need_backward and layer.index is not None and layer.runs_in_place):
        return None
    return layer if layer.in_place == "corrupts" else _needs(layer)


def _needs(layer: BuiltLayer) -> BuiltLayer | None:
    """The earlier layer whose backward pass reads the memory that `layer` changes."""
    blob = layer.bottoms[0]
    while True:
        above = blob.producer
        if above is None:
            return None
        if above.need_backward and above.index is not None and _is_spoilt(above, layer):
            return above
        if above.runs_in_place or above.shares_memory:
            blob = above.bottoms[0]
        else:
            return None


def _is_spoilt(above: BuiltLayer, layer: BuiltLayer) -> bool:
    if above.type == "ReLU":
        return above.runs_in_place and not layer.keeps_sign
    if not above.reads_top:
        return False
    if layer.type == "ReLU" and not layer.parameters.negative_slope:
        # Where the ReLU wrote a 0, no gradient comes back; an MVN needs the sum over all its outputs.
        return above.type == "MVN"
    return not (layer.rectifies and above.values([UNKNOWN])[0].low >= 0)
