from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    starts_from_weights,
    titles,
    write,
)
from caffelint.lint.built import only_value, types_that

from ._fillers import first_reader

_FAR_BELOW = -5.0
"""A layer whose weights keep the size of what it reads adds up values of about 1."""
_CONSTANT = ("constant", "bilinear")


class BiasShutsReLU(NetRule):
    """A bias starts so far below 0 that the ReLU after the layer gives 0 for everything.

    ## Why is this bad?
    Where a ReLU gives 0 it hands back no gradient either: neither the layer nor what is before it learns, and the bias
    stays where it is.

    ## Known problems
    It goes by weights and data of the usual size. Input that is many times larger than 1 may get past such a bias.
    Layers whose weights are constant or that do not learn are left out: they compare with a threshold on purpose.

    ## References
    - relu_layer.cpp, Backward_cpu; run on Caffe 1.0: the loss stays at that of chance
    """

    code = "I010"
    name = "bias-shuts-relu"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.is_linear and kind.has_weights and not kind.fork)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"%s inner_product_param { num_output: 9'
        ' weight_filler { type: "%s" } bias_filler { type: "constant" value: %g } } }'
        ' layer { name: "relu" type: "%s" bottom: "fc" top: "fc" }'
        ' layer { name: "fc2" type: "InnerProduct" bottom: "fc" top: "fc2" inner_product_param { num_output: 3'
        ' weight_filler { type: "xavier" } bias_filler { value: -8 } } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % ("", "msra", -0.5, "ReLU"),
        _NET % ("", "msra", -20, "TanH"),
        _NET % ("", "constant", -20, "ReLU"),
    ]
    INVALID = [
        Invalid(
            _NET % ("", "msra", -20, "ReLU"),
            span="value: -20",
            message='InnerProduct "fc": biases start at -20, so the ReLU after it gives 0 for all input of the usual'
            " size, and nothing is learned; set value: 0",
            fixed=_NET % ("", "msra", 0, "ReLU"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or starts_from_weights(net):
            return
        found: dict[float, list[tuple[Layer, tuple[str, str]]]] = {}
        for layer, (path, filler) in net.fillers.get("constant", ()):
            value = only_value(filler) if path[1] == "bias_filler" and layer.type in self.layer_types else None
            if value is None or not value <= _FAR_BELOW:
                continue
            given = getattr(layer.message, path[0]).weight_filler.type
            reader = first_reader(layer)
            shut = reader is not None and reader.kind.rectifies and reader.kind.flat_at_zero
            if given in _CONSTANT or layer.has_frozen_weights or not shut:
                continue
            found.setdefault(value, []).append((layer, path))
        for value, each in found.items():
            layers, (first, path) = [layer for layer, _ in each], each[0]
            edits = [write(layer, *way, "value", value="0") for layer, way in each]
            yield self.finding(
                first.at(*path, "value"),
                f"{titles(layers)}: biases start at {value:g}, so the ReLU after {'it' if len(layers) == 1 else 'each'}"
                " gives 0 for all input of the usual size, and nothing is learned; set value: 0",
                layers=layers,
                fixes=fix("set value: 0", UNSAFE, *edits),
            )
