from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, UNSAFE, WARNING, Finding, Invalid, Layer, Net, NetRule, fix, title, write

_WHITE = 255.0
_LEAST, _MOST = 60.0, 190.0
"""Means of pixels."""
_CONSTANT = 20
"""Values whose spread is this much smaller than their offset are taken for a constant."""


class MeanAfterScale(NetRule):
    """A Power after the data subtracts the mean in pixels, but from values that it has already scaled down.

    ## Why is this bad?
    Power computes (shift + scale * x) ^ power: the shift is in the units of what comes out. With `scale: 0.0078125
    shift: -128`, pixels from 0 to 255 become -128 to -126. All images are then nearly the same to the net, and far
    larger than its fillers and rate expect: it learns nothing, or overflows.

    ## Example
    ```
    layer { name: "data" type: "HDF5Data" top: "data" top: "label" }
    layer { name: "center" type: "Power" bottom: "data" top: "center" power_param { scale: 0.0078125 shift: -128 } }
    ```
    Use instead, for values between -1 and 1:
    ```
    layer { name: "center" type: "Power" bottom: "data" top: "center" power_param { scale: 0.0078125 shift: -1 } }
    ```

    ## Known problems
    The values of the data are not read: that they are pixels from 0 to 255 is taken from the shift.

    ## Fix safety
    Unsafe: it changes what the net learns from, and weights that were trained with it no longer fit.

    ## References
    - power_layer.cpp, Forward_cpu
    """

    code = "L022"
    name = "mean-after-scale"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Power",)
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" {} }}'
        ' layer {{ name: "center" type: "Power" bottom: "data" top: "{}" power_param {{ {} }} }}'
    )
    VALID = [
        _NET.format("", "center", "scale: 0.0078125 shift: -1"),
        _NET.format("", "center", "shift: -128"),
        # No mean of pixels.
        _NET.format("", "center", "scale: 0.0001 shift: 1"),
        # Not of the data.
        _NET.format("", "center", "scale: 0.0078125 shift: -128").replace('bottom: "data"', 'bottom: "conv"'),
    ]
    INVALID = [
        Invalid(
            _NET.format("", "center", "scale: 0.0078125 shift: -128"),
            span="shift: -128",
            message='Power "center" adds shift -128 after scale 0.0078125, so values of 0 to 255 become -128 to -126,'
            " nearly constant; set shift: -1",
            fixed=_NET.format("", "center", "scale: 0.0078125 shift: -1"),
        ),
        # In place, of what the data layer has scaled.
        Invalid(
            _NET.format("transform_param { scale: 0.00390625 }", "data", "shift: -127.5"),
            span="shift: -127.5",
            message='Power "center" adds shift -127.5, so values of 0 to 0.9961 become -127.5 to -126.5, nearly'
            " constant; set shift: -0.498",
            fixed=_NET.format("transform_param { scale: 0.00390625 }", "data", "shift: -0.498"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for layer in net.layers_of(self.layer_types):
            if -_MOST <= layer.param("power_param").shift <= -_LEAST:
                makers = (layer.maker(0, phase) for phase in layer.phases)
                made = next((one for one in makers if one and not one.layer.bottoms and one.top == 0), None)
                if made is not None:
                    yield from self._constant(layer, made.layer)

    def _constant(self, layer: Layer, data: Layer) -> Iterator[Finding]:
        param, transform = layer.param("power_param"), data.message.transform_param
        if transform.mean_file or any(transform.mean_value):  # mean-subtracted-twice
            return
        white = _WHITE * transform.scale if data.kind.transforms else _WHITE
        ends = sorted((param.shift, param.shift + param.scale * white))
        if param.power != 1 or not 0 < ends[1] - ends[0] < min(map(abs, ends)) / _CONSTANT:
            return
        wanted = f"{param.shift * param.scale * white / _WHITE:.4g}"
        after = f" after scale {param.scale:g}" if param.scale != 1 else ""
        yield self.finding(
            layer.at("power_param", "shift"),
            f"{title(layer)} adds shift {param.shift:g}{after}, so values of 0 to {white:.4g} become {ends[0]:.4g} to"
            f" {ends[1]:.4g}, nearly constant; set shift: {wanted}",
            evidence="Power computes (shift + scale * x) ^ power",
            fixes=fix(f"set shift: {wanted}", UNSAFE, write(layer, "power_param", "shift", value=wanted)),
        )
