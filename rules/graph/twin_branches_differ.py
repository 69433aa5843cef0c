from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, NamedTuple, Net, NetRule, Related, title

from ._compared import activations_after
from ._layer_params import described, field_name, field_path, parameters, share_all_params, sharing

_LEAST = 2
"""How many pairs of layers have to be alike for one to be odd."""

_PAIR = 2
"""What a distance compares: a loss of more bottoms is told whether they belong together."""
_FAR = 16
"""How many layers without weights are between two with them at most: activations, norms, a pooling."""


def _fc(i: int, branch: str, shared: bool = True, more: str = "") -> str:
    """Layer `i` of a branch of an example: it reads layer `i - 1`."""
    names = (f"w{i}", f"b{i}") if shared else (f"w{i}{branch}", f"b{i}{branch}")
    return (
        f' layer {{ name: "c{i}{branch}" type: "Convolution" bottom: "c{i - 1}{branch}" top: "c{i}{branch}"'
        f' param {{ name: "{names[0]}" }} param {{ name: "{names[1]}" }}'
        f" convolution_param {{ num_output: 8 kernel_size: 3{more} }} }}"
    )


def _relu(i: int, branch: str) -> str:
    return f' layer {{ name: "r{i}{branch}" type: "ReLU" bottom: "c{i}{branch}" top: "c{i}{branch}" }}'


def _net(last: str, relus: str = "") -> str:
    """Two branches of four layers, the second with another third one."""
    loss = ' layer { name: "loss" type: "ContrastiveLoss" bottom: "c4" bottom: "c4_p" bottom: "sim" top: "loss" }'
    both = "".join(_fc(i, branch) for i in (1, 2) for branch in ("", "_p"))
    return both + _fc(3, "") + last + relus + _fc(4, "") + _fc(4, "_p") + loss


class TwinBranchesDiffer(NetRule):
    """One layer of two branches that share their weights is not like its twin.

    ## Why is this bad?
    The branches of a siamese net compute the same of two inputs, so that the distance of their results means something.
    Where one layer of one branch has weights of its own, another pad, or no ReLU after it, it does not, though Caffe
    trains it. It is usually a `param` that was forgotten or not renamed when the branch was copied.

    ## Example
    ```
    layer { name: "fc_p" type: "InnerProduct" bottom: "conv2_p" top: "fc_p" }
    ```
    while `conv1_p` and `conv2_p` share the weights of `conv1` and `conv2`, and `fc` is
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "conv2" top: "fc" param { name: "fc_w" } param { name: "b" } }
    ```
    Use instead:
    ```
    layer { name: "fc_p" type: "InnerProduct" bottom: "conv2_p" top: "fc_p" param { name: "fc_w" } param { name: "b" } }
    ```

    ## Known problems
    At least two other layers have to be alike. Branches that share their first layers only are not reported: layers
    with weights of their own count only where a later layer is shared again, or one distance compares both.

    ## References
    - Bromley et al., Signature verification using a siamese time delay neural network (NIPS 1993); examples/siamese of
      Caffe
    """

    code = "G036"
    name = "twin-branches-differ"
    severity = WARNING
    certainty = LIKELY
    preview = True
    VALID = [
        _net(_fc(3, "_p")),
        _net(_fc(3, "_p"), _relu(3, "") + _relu(3, "_p")),
        # The upper half is meant to differ.
        "".join(_fc(i, branch, shared=i < 3) for i in (1, 2, 3, 4) for branch in ("", "_p")),
    ]
    INVALID = [
        Invalid(
            _net(_fc(3, "_p", shared=False)),
            span='name: "c3_p"',
            message='Convolution "c3_p" has weights of its own, but the layers before it share those of the branch of'
            ' Convolution "c3"; give its param the names "w3" and "b3"',
        ),
        Invalid(
            _net(_fc(3, "_p", more=" pad: 1")),
            span="pad: 1",
            message='Convolution "c3_p": pad is 1 here and 0 in "c3", whose weights it shares; make the two equal',
        ),
        Invalid(
            _net(_fc(3, "_p"), _relu(3, "")),
            span='name: "c3_p"',
            message='Convolution "c3_p" is followed by no activation but "c3", whose weights it shares, by ReLU; make'
            " the two equal",
        ),
        # Also where one branch is there to train only.
        Invalid(
            _net(_fc(3, "_p"), _relu(3, "")).replace('_p" type', '_p" include { phase: TRAIN } type'),
            span='name: "c3_p"',
            message='Convolution "c3_p" is followed by no activation but "c3", whose weights it shares, by ReLU; make'
            " the two equal",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        named = sharing(net)
        if len(named) <= 2 * _LEAST:
            return
        pairs = _pairs(named)
        if len(pairs) < _LEAST:
            return
        if len(pairs) > _LEAST:
            yield from self._settings(pairs)
            yield from self._activations(pairs)
        yield from self._weights(net, pairs)

    def _settings(self, pairs: list[_Pair]) -> Iterator[Finding]:
        found: dict[str, list[_Pair]] = {}
        for pair in pairs:
            mine, theirs = parameters(pair.other), parameters(pair.layer)
            for field in mine.keys() & theirs.keys():
                if mine[field] != theirs[field]:
                    found.setdefault(field, []).append(pair)
        told = set()
        for field, odd in sorted(found.items()):
            if len(odd) == 1 and odd[0].other.index not in told:
                told.add(odd[0].other.index)
                layer, other = odd[0].other, odd[0].layer
                here, there = (described(parameters(one)[field]) for one in (layer, other))
                yield self.finding(
                    layer.at(*field_path(layer, field)),
                    f'{title(layer)}: {field_name(field)} is {here} here and {there} in "{other.name}", whose weights'
                    " it shares; make the two equal",
                    related=(Related("the layer of the other branch", other.at("name")),),
                )

    def _activations(self, pairs: list[_Pair]) -> Iterator[Finding]:
        odd = []
        for pair in pairs:
            here, there = (activations_after(one, pair.phase) for one in (pair.other, pair.layer))
            if here is not None and there is not None and here != there:
                odd.append((pair, " and ".join(here), " and ".join(there)))
        if len(odd) == 1:
            (pair, mine, theirs) = odd[0]
            yield self.finding(
                pair.other.at("name"),
                f'{title(pair.other)} is followed by {mine or "no activation"} but "{pair.layer.name}", whose weights'
                f" it shares, by {theirs or 'no activation'}; make the two equal",
                related=(Related("the layer of the other branch", pair.layer.at("name")),),
            )

    def _weights(self, net: Net, pairs: list[_Pair]) -> Iterator[Finding]:
        twins = {pair.layer.index: pair.other for pair in pairs}
        shared = {one.index for pair in pairs for one in (pair.layer, pair.other)}
        weighted = [layer for layer in net.layers_that(lambda kind: kind.has_weights) if len(layer.bottoms) == 1]
        above = {layer.index: _above(layer) for layer in weighted}
        below: dict[int, list[Layer]] = {}
        for index, made_by in above.items():
            if made_by is not None:
                below.setdefault(made_by.index, []).append(net.layers[index])
        odd, compared = [], _compared(net)
        for index, twin in twins.items():
            mine, theirs = below.get(index, []), below.get(twin.index, [])
            if len(mine) != 1 or len(theirs) != 1 or mine[0].index in shared or theirs[0].index in shared:
                continue
            layer, other = mine[0], theirs[0]
            if layer.type == other.type and layer is not other and parameters(layer) == parameters(other):
                if {layer.index, other.index} in compared or _meet_again(layer, other, below, twins):
                    odd.append((layer, other))
        if len(odd) == 1:
            layer, other = odd[0]
            its, own = ([one.name for one in each.message.param] for each in (layer, other))
            lacking = its[1:] if its[:1] == own[:1] != [""] else its
            what = "weights" if len(lacking) == len(its) else "a bias"
            names = [f'"{name}"' for name in lacking if name]
            remedy = f"give its param the name{'s' * (len(names) > 1)} {' and '.join(names)}"
            yield self.finding(
                other.at("name"),
                f"{title(other)} has {what} of its own, but the layers before it share those of the branch of"
                f" {title(layer)}; {remedy if names else 'name the param of both alike'}",
                related=(Related("the layer of the other branch", layer.at("name")),),
            )


class _Pair(NamedTuple):
    """Two layers with the same parameters that read different blobs, and the first phase that both are part of."""

    layer: Layer
    other: Layer
    phase: str


def _pairs(named: list[Layer]) -> list[_Pair]:
    """Of parameters that only two layers of one phase have."""
    groups: dict[tuple[str, ...], list[Layer]] = {}
    for layer in named:
        groups.setdefault((layer.type, *(one.name for one in layer.message.param)), []).append(layer)
    two = [found for found in groups.values() if len(found) == 2 and share_all_params(*found)]
    return [
        _Pair(found[0], found[1], phase)
        for found in two
        if found[0].bottoms != found[1].bottoms
        # One branch may be there to train only.
        for phase in [one for one in found[0].phases if one in found[1].phases][:1]
    ]


def _above(layer: Layer, bottom: int = 0) -> Layer | None:
    """The nearest layer with weights above a bottom, where a short chain of single bottoms leads there."""
    for _ in range(_FAR):
        made = layer.maker(bottom, (layer.phases or (TRAIN,))[0])
        if made is None or made.layer.kind.has_weights:
            return made.layer if made else None
        layer, bottom = made.layer, 0
        if len(layer.bottoms) != 1:
            return None
    return None


def _meet_again(layer: Layer, other: Layer, below: dict[int, list[Layer]], twins: dict[int, Layer]) -> bool:
    """Do the next layers with weights share them again?"""
    mine, theirs = below.get(layer.index, [])[:_LEAST], below.get(other.index, [])[:_LEAST]
    return any(twins.get(one.index) is two for one in mine for two in theirs)


def _compared(net: Net) -> set[frozenset[int]]:
    """The layers with weights of which a loss compares what they make, and is told whether the two belong together.

    Others, such as a Euclidean distance, also draw branches towards each other that are meant to differ.
    """
    found = set()
    for loss in net.layers_that(lambda kind: kind.is_loss):
        if len(loss.bottoms) <= _PAIR:
            continue
        makers = [_above(loss, index) for index in (0, 1)]
        found.add(frozenset(one.index for one in makers if one is not None))
    return found
