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
    Net,
    NetRule,
    Related,
    fix,
    join,
    quoted,
    title,
    write,
)

from ._branches import Branch, branches
from ._fixed import is_fixed

_LEAST = 2
"""Layers with weights of a branch."""
_MOST_BOTTOMS = 6
"""Of a loss of branches: a triplet has three, and weights or labels."""
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
_FC = (
    ' layer {{ name: "{0}" type: "InnerProduct" bottom: "{1}" top: "{0}"{2} inner_product_param {{ num_output: 8 }} }}'
)
_PHOTOS = (
    'layer {{ name: "d" type: "Data" top: "x" top: "sim" data_param {{ source: "{}" }} }}'
    ' layer {{ name: "e" type: "Data" top: "x_p" data_param {{ source: "{}" }} }}'
)
_HALF = "".join(
    _FC.format(f"c0{end}", f"x{end}", "")
    + _FC.format(f"c1{end}", f"c0{end}", "")
    + _FC.format(f"c2{end}", f"c1{end}", ' param { name: "w" } param { name: "b" }')
    for end in ("", "_p")
)
_NAMED = _HALF.replace('top: "c0', 'param { name: "own" } top: "c0', 1).replace(
    'top: "c0_p', 'param { name: "other" } top: "c0_p'
)
_TRIPLET = (
    'layer { name: "d" type: "Python" top: "c0" top: "c0_p" top: "c0_n" python_param { module: "a" layer: "B" } }'
    + "".join(
        _branch(end, "")
        + f' layer {{ name: "s{end}" type: "Eltwise" bottom: "c1{end}" bottom: "c2{end}" top: "s{end}" }}'
        for end in ("", "_p", "_n")
    )
    + ' layer { name: "triplet" type: "Python" bottom: "s" bottom: "s_p" bottom: "s_n" top: "l" loss_weight: 1'
    ' python_param { module: "a" layer: "TripletLoss" } }'
)


class BranchesShareNothing(NetRule):
    """The branches of a siamese net are alike, but share no weights, or only the last of them.

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
    is only of those with names, whose inputs are parts of one blob or tops of one data layer, or that share their last
    layers, have no names before these, and whose sources differ in digits only.

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
        _TRIPLET.replace('"c0_p"', '"photo"').replace('"c0_n"', '"other"'),
        # Of two kinds of images, which share their last layer.
        _PHOTOS.format("sketches", "photos") + _HALF + _LOSS,
        # So do those with names of their own before it.
        _PHOTOS.format("pairs1", "pairs2") + _NAMED + _LOSS,
    ]
    INVALID = [
        Invalid(
            _DATA + _branch("", "_s") + _branch("_p", "_q") + _LOSS,
            span='name: "w1_q"',
            message='InnerProduct "c1_p", "c2_p": their params have other names than in "c1", "c2", so ContrastiveLoss'
            ' "loss" compares two nets that learn apart; give the params of each pair the same names',
            fixed=_DATA + _branch("", "_s") + _branch("_p", "_s") + _LOSS,
        ),
        # Of two lists of one kind.
        Invalid(
            _PHOTOS.format("pairs1", "pairs2") + _HALF + _LOSS,
            span='name: "c0_p"',
            message='InnerProduct "c0_p", "c1_p" share no weights with "c0", "c1", so ContrastiveLoss "loss" compares'
            " two nets that learn apart; give the params of each pair the same names",
        ),
        # Three branches, in which a net goes around.
        Invalid(
            _TRIPLET,
            span='name: "c1_p"',
            message='InnerProduct "c1_p", "c2_p", "c1_n" and 1 more share no weights with "c1", "c2", so Python'
            ' "triplet" compares several nets that learn apart; give the params of each pair the same names',
        ),
        Invalid(
            _DATA + _branch("", "") + _branch("_p", "") + _LOSS,
            span='name: "c1_p"',
            message='InnerProduct "c1_p", "c2_p" share no weights with "c1", "c2", so ContrastiveLoss "loss" compares'
            " two nets that learn apart; give the params of each pair the same names",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        seen: set[tuple[str, ...]] = set()
        for loss in net.layers:
            if len(loss.bottoms) <= _PAIR or len(loss.bottoms) > _MOST_BOTTOMS or TRAIN not in loss.phases:
                continue
            if tuple(loss.bottoms) not in seen and _looks_like_a_loss(loss):
                seen.add(tuple(loss.bottoms))
                first, *others = branches(loss)
                alike = [one for one in others if first.is_like(one)]
                pairs = [pair for other in alike for pair in first.pairs(other) if all(map(_learns, pair))]
                if len(pairs) >= _LEAST:
                    yield from self._told(loss, pairs, first, alike)

    def _told(
        self, loss: Layer, pairs: list[tuple[Layer, Layer]], first: Branch, alike: list[Branch]
    ) -> Iterator[Finding]:
        apart = [(one, two) for one, two in pairs if not _names(one) & _names(two)]
        theirs, mine = [*dict.fromkeys(one for one, _ in apart)], [two for _, two in apart]
        names = [{name for one in some for name in _names(one)} for some in (theirs, mine)]
        is_one, is_part = all(first.is_of_one_source(one) for one in alike), len(apart) < len(pairs)
        if is_part:
            # What two branches share at their end may be all that is meant to be common to two kinds of images.
            is_one = is_one or all(first.has_sources_like(one) for one in alike)
            # So do names that are given apart there.
            if len(apart) < _LEAST or apart[0] != pairs[0] or not is_one or names[0] and names[1]:
                return
        elif bool(names[0]) != bool(names[1]) or not (names[0] or is_one):
            return
        own, other = (", ".join(f'"{one.name}"' for one in some[:3]) for some in (mine, theirs))
        more = f" and {len(mine) - 3} more" if len(mine) > 3 else ""
        what = f"{mine[0].type} {own}{more}"
        what += f": their params have other names than in {other}" if names[0] else f" share no weights with {other}"
        nets = "two" if len(alike) == 1 else "several"
        yield self.finding(
            mine[0].at("param", 0, "name") if _names(mine[0]) else mine[0].at("name"),
            f"{what}, so {title(loss)} compares {nets} nets that learn apart; give the params of each pair the same"
            " names",
            related=(Related("the layer of the other branch", theirs[0].at("name")),),
            fixes=fix("use the names of the first branch", UNSAFE, _renamed(apart)) if names[0] else (),
        )


def _names(layer: Layer) -> set[str]:
    return {param.name for param in layer.message.param} - {""}


def _looks_like_a_loss(layer: Layer) -> bool:
    """Also a layer in Python, by its own name or that of its class."""
    is_python = layer.type == "Python" and "loss" in f"{layer.name} {layer.message.python_param.layer}".lower()
    return is_python or layer.kind.looks_like_a_loss


def _renamed(pairs: list[tuple[Layer, Layer]]) -> Edits:
    return join(
        write(layer, "param", index, "name", value=quoted(param.name))
        for other, layer in pairs
        for index, param in enumerate(other.message.param)
        if param.name and index < len(layer.message.param)
    )


def _learns(layer: Layer) -> bool:
    """Has it parameters that training changes?"""
    params = layer.message.param
    is_frozen = bool(params) and all(param.lr_mult == 0 for param in params)
    return bool(layer.kind.has_parameters) and not is_fixed(layer) and not is_frozen
