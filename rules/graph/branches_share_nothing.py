from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Edits,
    Finding,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    Related,
    fix,
    join,
    quoted,
    title,
    write,
)

from ._fixed import is_fixed
from ._layer_params import parameters

_LEAST = 2
"""Layers with weights of a branch."""
_MOST = 200
"""Layers of a branch."""
_PAIR = 2
"""What a distance compares: a loss of more bottoms is told whether they belong together."""


def _branch(end: str, weights: str) -> str:
    layers = ""
    for number in (1, 2):
        param = f' param {{ name: "w{number}{weights}" }} param {{ name: "b{number}{weights}" }}' if weights else ""
        bottom = f"c{number - 1}{end}"
        layers += (
            f' layer {{ name: "c{number}{end}" type: "InnerProduct" bottom: "{bottom}" top: "c{number}{end}"{param}'
        )
        layers += " inner_product_param { num_output: 8 } }"
    return layers


_LOSS = ' layer { name: "loss" type: "ContrastiveLoss" bottom: "c2" bottom: "c2_p" bottom: "sim" top: "loss" }'
_DATA = (
    'layer { name: "data" type: "Data" top: "pair" top: "sim" }'
    ' layer { name: "slice" type: "Slice" bottom: "pair" top: "c0" top: "c0_p" }'
)


class BranchesShareNothing(NetRule):
    """The two branches of a siamese net are alike, but share no weights.

    ## Why is this bad?
    Layers share their weights only where the names of their params are the same. With other names, or none, two nets
    learn apart, and the loss draws together what each of them makes of its own input: the distance says little of pairs
    that training has not seen, and a deploy net has the weights of one branch alone.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { name: "fc_w" } }
    layer { name: "fc_p" type: "InnerProduct" bottom: "data_p" top: "fc_p" param { name: "fc_p_w" } }
    ```
    Use instead:
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { name: "fc_w" } }
    layer { name: "fc_p" type: "InnerProduct" bottom: "data_p" top: "fc_p" param { name: "fc_w" } }
    ```

    ## Known problems
    Branches of two data layers without names for their params may be meant to differ, as for sketches and photos: told
    is only of those with names, or whose inputs are parts of one blob.

    ## Fix safety
    Unsafe: the branches learn the same weights.

    ## References
    - net.cpp, AppendParam; examples/siamese of Caffe
    """

    code = "G047"
    name = "branches-share-nothing"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _DATA + _branch("", "_s") + _branch("_p", "_s") + _LOSS,
        # Of two data layers, and without names.
        'layer { name: "d" type: "Data" top: "c0" top: "sim" } layer { name: "e" type: "Data" top: "c0_p" }'
        + _branch("", "")
        + _branch("_p", "")
        + _LOSS,
    ]
    INVALID = [
        Invalid(
            _DATA + _branch("", "_s") + _branch("_p", "_q") + _LOSS,
            span='name: "w1_q"',
            message='InnerProduct "c1_p", "c2_p": their params have other names than in "c1", "c2", so ContrastiveLoss'
            ' "loss" compares two nets that learn apart; give the params of each pair the same names',
            fixed=_DATA + _branch("", "_s") + _branch("_p", "_s") + _LOSS,
        ),
        Invalid(
            _DATA + _branch("", "") + _branch("_p", "") + _LOSS,
            span='name: "c1_p"',
            message='InnerProduct "c1_p", "c2_p" share no weights with "c1", "c2", so ContrastiveLoss "loss" compares'
            " two nets that learn apart; give the params of each pair the same names",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for loss in net.layers_that(lambda kind: kind.is_loss):
            if len(loss.bottoms) > _PAIR and TRAIN in loss.phases:
                first, second = (_Branch.of(loss, index) for index in (0, 1))
                if first and second and first.is_like(second):
                    pairs = [(one, two) for one, two in first.pairs(second) if _learns(one) and _learns(two)]
                    if len(pairs) >= _LEAST:
                        theirs, mine = ([pair[at] for pair in pairs] for at in (0, 1))
                        yield from self._told(loss, theirs, mine, first.source is second.source)

    def _told(self, loss: Layer, theirs: list[Layer], mine: list[Layer], is_one: bool) -> Iterator[Finding]:
        names = [{param.name for one in some for param in one.message.param} - {""} for some in (theirs, mine)]
        if names[0] & names[1] or bool(names[0]) != bool(names[1]) or not (names[0] or is_one):
            return
        own, other = (", ".join(f'"{one.name}"' for one in some[:3]) for some in (mine, theirs))
        more = f" and {len(mine) - 3} more" if len(mine) > 3 else ""
        what = f"{mine[0].type} {own}{more}"
        what += f": their params have other names than in {other}" if names[0] else f" share no weights with {other}"
        yield self.finding(
            mine[0].at("param", 0, "name") if mine[0].message.param else mine[0].at("name"),
            f"{what}, so {title(loss)} compares two nets that learn apart; give the params of each pair the same names",
            related=(Related("the layer of the other branch", theirs[0].at("name")),),
            fixes=fix("use the names of the first branch", UNSAFE, _renamed(theirs, mine)) if names[0] else (),
        )


def _renamed(theirs: list[Layer], mine: list[Layer]) -> Edits:
    return join(
        write(layer, "param", index, "name", value=quoted(param.name))
        for other, layer in zip(theirs, mine, strict=True)
        for index, param in enumerate(other.message.param)
        if param.name and index < len(layer.message.param)
    )


class _Branch(NamedTuple):
    """The layers that lead to a bottom of a loss, and the one that they come from: the data, or what divides them."""

    layers: list[Layer]
    source: Layer
    top: int

    @classmethod
    def of(cls, loss: Layer, bottom: int) -> _Branch | None:
        found: list[Layer] = []
        layer = loss
        while len(found) < _MOST and (made := layer.maker(bottom, TRAIN)):
            layer, bottom = made.layer, 0
            if not layer.bottoms or len(layer.tops) > 1:
                return cls(found, layer, made.top)
            if len(layer.bottoms) > 1:
                return None
            found.append(layer)
        return None

    def pairs(self, other: _Branch) -> list[tuple[Layer, Layer]]:
        """The layers of both, from the data on."""
        return [*zip(self.layers, other.layers, strict=True)][::-1]

    def is_like(self, other: _Branch) -> bool:
        """Are they the same, of layers of their own, and do they read the same kind of thing?"""
        if len(self.layers) != len(other.layers) or self.source.type != other.source.type:
            return False
        if self.source is other.source and self.top == other.top:
            return False
        return all(
            one is not two and one.type == two.type and parameters(one) == parameters(two)
            for one, two in self.pairs(other)
        )


def _learns(layer: Layer) -> bool:
    """Has it parameters that training changes?"""
    params = layer.message.param
    is_frozen = bool(params) and all(param.lr_mult == 0 for param in params)
    return bool(layer.kind.has_parameters) and not is_fixed(layer) and not is_frozen
