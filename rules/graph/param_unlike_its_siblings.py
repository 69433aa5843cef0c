from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, title

from ._odd import family

_LEAST = 4
"""How many others have to be alike for one to be odd."""

_OF = {"constant": ("value",), "gaussian": ("std",), "uniform": ("min", "max")}
"""The fields of a filler that say how large its values are."""


def _net(rates: Mapping[int, int] = MappingProxyType({}), fillers: Mapping[int, str] = MappingProxyType({})) -> str:
    """An example: nine layers, all alike but for some rates of biases and fillers."""
    return "".join(
        f' layer {{ name: "block_{i}/reduce" type: "Convolution" bottom: "b{i}" top: "c{i}"'
        f" param {{ lr_mult: 3 }} param {{ lr_mult: {rates.get(i, 2)} }}"
        f' convolution_param {{ weight_filler {{ type: "{fillers.get(i, "xavier")}" }} }} }}'
        for i in range(9)
    )


class ParamUnlikeItsSiblings(NetRule):
    """One layer of a repeated structure has another rate, decay or filler than all others.

    ## Why is this bad?
    Caffe trains it. But where one of eighteen layers decays its biases, learns at another rate or starts from other
    weights, it is usually a copy-and-paste slip: layers that one rule applies to were meant to be trained alike.

    ## Example
    ```
    param { lr_mult: 1 } param { lr_mult: 1 }
    ```
    in inception_5b/3x3_reduce, while all other reduce layers have
    ```
    param { lr_mult: 1 } param { lr_mult: 2 }
    ```

    ## Known problems
    Siblings are layers of one type and kernel whose names differ in their numbers only. The first and the last of them
    may be meant to differ, and are not reported.

    ## References
    - inception_5b/3x3_reduce in examples/kitti/detectnet_network.prototxt (NVIDIA/caffe)
    """

    code = "G028"
    name = "param-unlike-its-siblings"
    severity = WARNING
    certainty = LIKELY
    preview = True
    VALID = [
        _net(),
        # Two are no slip, and the last may be meant to differ.
        _net({3: 1, 5: 1}),
        _net({8: 1}),
    ]
    INVALID = [
        Invalid(
            _net({5: 1}),
            span="lr_mult: 1",
            message='Convolution "block_5/reduce" has lr_mult 1 in param 2, but the other 8 layers named like it have'
            " 2; check that this is intended",
        ),
        Invalid(
            _net(fillers={5: "msra"}),
            span="weight_filler",
            message='Convolution "block_5/reduce" has weight_filler msra, but the other 8 layers named like it have'
            " xavier; check that this is intended",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if len(net.layers) <= 2 * _LEAST or net.role == "deploy":
            return
        siblings: dict[tuple[str, str, object], list[Layer]] = {}
        for layer in net.layers_that(lambda kind: kind.has_weights):
            key = layer.type, family(layer.name), layer.kind.written_windows()
            siblings.setdefault(key, []).append(layer)
        for layers in siblings.values():
            if len(layers) > _LEAST:
                yield from self._odd(layers)

    def _odd(self, layers: list[Layer]) -> Iterator[Finding]:
        said = [_settings(layer) for layer in layers]
        for path in dict.fromkeys(path for settings in said for path in settings):
            values = [settings.get(path) for settings in said]
            counts = Counter(values)
            if len(counts) != 2 or min(counts.values()) != 1:
                continue
            (usual, many), (odd, _) = counts.most_common()
            layer = layers[values.index(odd)]
            if usual and odd and layer is not layers[0] and layer is not layers[-1]:
                where = f" in param {path[1] + 1}" if isinstance(path[1], int) else ""
                yield self.finding(
                    layer.at(*path),
                    f"{title(layer)} has {path[-1]} {odd}{where}, but the other {many} layers named like it have"
                    f" {usual}; check that this is intended",
                )


def _settings(layer: Layer) -> dict[tuple[str | int, ...], str]:
    """What the text says of rates, decays and fillers, by the path of each."""
    found: dict[tuple[str | int, ...], str] = {}
    for index, param in enumerate(layer.message.param):
        found["param", index, "lr_mult"] = f"{param.lr_mult:g}"
        found["param", index, "decay_mult"] = f"{param.decay_mult:g}"
    groups = layer.message.convolution_param.group
    if groups > 1 or layer.type == "Convolution":
        per_output = groups == layer.message.convolution_param.num_output > 1
        found["convolution_param", "group"] = "as many as outputs" if per_output else str(groups)
    for path, filler in layer.fillers():
        found[path] = " ".join(
            [filler.type, *(f"{name} {getattr(filler, name):g}" for name in _OF.get(filler.type, ()))]
        )
    return found
