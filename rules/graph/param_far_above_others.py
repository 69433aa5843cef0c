from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, title

_FAR_RATE = 50
"""How many times the largest of all others a rate has to be to be a slip; new layers learn 10 or 20 times faster."""
_FAR_STD, _LARGE = 30, 0.3
"""The same of the standard deviation of weights, and from where on these are large by themselves."""
_FEWEST = 3
"""How many layers have to say how far is far."""


class _Far(NamedTuple):
    layer: Layer
    path: tuple[str | int, ...]
    value: float
    second: float


def _net(rate: float = 1, std: float = 0.01) -> str:
    """An example: four layers, of which the second one may differ."""
    return "".join(
        f' layer {{ name: "fc{i}" type: "InnerProduct" bottom: "b{i}" top: "b{i + 1}"'
        f" param {{ lr_mult: {rate if i == 1 else 1} }} inner_product_param {{ num_output: 8"
        f' weight_filler {{ type: "gaussian" std: {std if i == 1 else 0.01} }} }} }}'
        for i in range(4)
    )


class ParamFarAboveOthers(NetRule):
    """The rate or the initial weights of one layer are far larger than those of every other layer.

    ## Why is this bad?
    A zero or a decimal point is often lost in such a number. A rate that is 100 times that of the other layers makes
    the layer diverge, and weights that begin 100 times larger saturate all that comes after them.

    ## Example
    ```
    weight_filler { type: "gaussian" std: 1 }
    ```
    where all other layers of the net have
    ```
    weight_filler { type: "gaussian" std: 0.01 }
    ```

    ## Known problems
    The last layer may be new to weights that are loaded, and is then to learn faster; its rate is not reported.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue; filler.hpp, GaussianFiller
    """

    code = "G039"
    name = "param-far-above-others"
    severity = WARNING
    certainty = LIKELY
    VALID = [_net(), _net(rate=20), _net(std=0.1), _net().replace("lr_mult: 1", "lr_mult: 100")]
    INVALID = [
        Invalid(
            _net(rate=100),
            span="lr_mult: 100",
            message='InnerProduct "fc1" has lr_mult 100 in param 1, but no other layer has more than 1; check that this'
            " is intended",
        ),
        Invalid(
            _net(std=1),
            span="std: 1",
            message='InnerProduct "fc1" has weight_filler std 1, but no other layer has more than 0.01; check that this'
            " is intended",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers = net.layers_that(lambda kind: kind.has_weights)
        if len(layers) < _FEWEST or net.role == "deploy":
            return
        for index in range(2):
            rates = [(layer, ("param", index, "lr_mult"), _rate(layer, index)) for layer in layers]
            if (far := _farthest(rates, _FAR_RATE)) and far.layer is not layers[-1]:
                yield self._told(far, f"lr_mult {far.value:g} in param {index + 1}")
                return
        if (far := _farthest(_deviations(layers), _FAR_STD)) and far.value >= _LARGE:
            yield self._told(far, f"weight_filler std {far.value:g}")

    def _told(self, far: _Far, what: str) -> Finding:
        return self.finding(
            far.layer.at(*far.path),
            f"{title(far.layer)} has {what}, but no other layer has more than {far.second:g}; check that this is"
            " intended",
        )


def _deviations(layers: Sequence[Layer]) -> list[tuple[Layer, tuple[str | int, ...], float]]:
    """What the text says of the standard deviations of gaussian weights."""
    return [
        (layer, (*path, "std"), filler.std)
        for layer in layers
        for path, filler in layer.fillers()
        if path[-1] == "weight_filler" and filler.type == "gaussian" and filler.HasField("std") and filler.sparse < 0
    ]


def _rate(layer: Layer, index: int) -> float:
    params = layer.message.param
    return params[index].lr_mult if len(params) > index else 1.0


def _farthest(rows: Sequence[tuple[Layer, tuple[str | int, ...], float]], far: float) -> _Far | None:
    """The layer whose value is so many times that of every other one."""
    if len(rows) < _FEWEST:
        return None
    *_, (_, _, second), (layer, path, value) = sorted(rows, key=lambda row: row[2])
    return _Far(layer, path, value, second) if 0 < second <= value / far else None
