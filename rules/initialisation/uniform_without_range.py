from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, title, write

from ._fillers import WEIGHTED

_TOY = 4
"""Outputs up to which a net is one to learn from, or to try Caffe with."""


class UniformWithoutRange(NetRule):
    """A uniform filler without `min` or `max` draws from an unintended range.

    ## Why is this bad?
    The defaults are `min: 0` and `max: 1`: all weights are positive and half of them above 0.5, so every unit responds
    to everything. With only `min: -0.1` the weights are between -0.1 and 1.

    ## Example
    ```
    weight_filler { type: "uniform" min: -0.1 }
    ```
    Use instead:
    ```
    weight_filler { type: "uniform" min: -0.1 max: 0.1 }
    ```

    ## Known problems
    It is an info in a net whose layers have four outputs at most: the sum of so few positive weights stays small.

    ## Fix safety
    Unsafe if one end is given: training starts from other weights. Otherwise a range is suggested but not applied.

    ## References
    - caffe.proto, FillerParameter; filler.hpp, UniformFiller
    """

    code = "I004"
    name = "uniform-without-range"
    severity = WARNING
    risks_nan = True
    layer_types = WEIGHTED
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { %s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [_NET % 'weight_filler { type: "uniform" min: -0.1 max: 0.1 }', _NET % 'weight_filler { type: "xavier" }']
    INVALID = [
        Invalid(
            _NET % 'weight_filler { type: "uniform" }',
            span='type: "uniform"',
            message='InnerProduct "fc": the uniform filler has no min and max, so it draws weights from 0 to 1, all'
            " positive; set both, for example min: -0.05 max: 0.05",
        ),
        Invalid(
            _NET % 'weight_filler { type: "uniform" min: -0.1 }',
            span='type: "uniform"',
            message='InnerProduct "fc": the uniform filler has no max, so it draws weights from -0.1 to 1; set max:'
            " 0.1",
            fixed=_NET % 'weight_filler { type: "uniform" min: -0.1 max: 0.1 }',
        ),
        Invalid(
            _NET % 'weight_filler { type: "uniform" min: 0 }',
            span='type: "uniform"',
            message='InnerProduct "fc": the uniform filler has no max, so it draws weights from 0 to 1;'
            " set both, for example min: -0.05 max: 0.05",
        ),
        Invalid(
            _NET % 'weight_filler { type: "uniform" max: 0.1 }',
            span='type: "uniform"',
            message='InnerProduct "fc": the uniform filler has no min, so it draws weights from 0 to 0.1, all positive;'
            " set min: -0.1",
            fixed=_NET % 'weight_filler { type: "uniform" max: 0.1 min: -0.1 }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for layer, (path, filler) in net.fillers.get("uniform", ()):
            if path[1] != "weight_filler":
                continue
            low, high = filler.HasField("min"), filler.HasField("max")
            if (low and high) or (low == high and net.role == "deploy"):
                continue
            ends: dict[str, str] = {}
            if low:
                if filler.min < 0:
                    ends = {"max": f"{-filler.min:g}"}
                message = f"no max, so it draws weights from {filler.min:g} to 1; set " + (
                    f"max: {-filler.min:g}" if ends else "both, for example min: -0.05 max: 0.05"
                )
            elif high:
                if filler.max > 0:
                    ends = {"min": f"{-filler.max:g}"}
                message = (
                    f"no min, so it draws weights from 0 to {filler.max:g}, all positive; set min: {-filler.max:g}"
                )
            else:
                ends = {"min": "-0.05", "max": "0.05"}
                message = (
                    "no min and max, so it draws weights from 0 to 1, all positive;"
                    " set both, for example min: -0.05 max: 0.05"
                )
            edits = [write(layer, *path, name, value=value) for name, value in ends.items()]
            safety = UNSAFE if low or high else DISPLAY
            is_toy = low == high and net.once(_is_toy)
            yield self.finding(
                layer.at(*path, "type"),
                f"{title(layer)}: the uniform filler has {message}",
                severity=INFO if is_toy else None,
                fixes=fix(f"set {' and '.join(f'{name}: {value}' for name, value in ends.items())}", safety, *edits),
            )


def _is_toy(net: Net) -> bool:
    """Has it several layers with weights, each of very few outputs?"""
    outputs = [layer.kind.parameters.num_output for layer in net.layers if layer.kind.shaped_by]
    return len(outputs) > 1 and max(outputs) <= _TOY
