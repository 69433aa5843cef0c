from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TEST,
    WARNING,
    Finding,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    Related,
    file_name,
    quoted,
    title,
    titles,
)

from ._order import are_same_between, is_ordered_alike, swapped, trained_with
from ._partner import Training, training_nets
from ._sized import becomes
from ._sources import in_both, leaves_out, source_of

_MOST = 3
"""In how many places two nets may differ and be one, and how many may have trained a third: more are many designs."""

_SYMMETRIC = "Eltwise"
"""The order of its bottoms does not matter, unless it has coefficients."""


def _fc(name: str, bottom: str) -> str:
    return (
        f' layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        " inner_product_param { num_output: 8 } }"
    )


class DeployWiredOtherwise(NetRule):
    """A layer of a deploy net reads another layer than in training.

    ## Why is this bad?
    Caffe copies weights by the name of the layer alone. A layer that reads another blob of the same shape gets weights
    that were trained on something else. So do those after layers in between that follow each other the other way round,
    as a pooling before an LRN, unless they give the same in either order. Where two nets were trained, and one of them
    reads what the deploy net does, the other one is at fault, and is reported.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "rpn" type: "Convolution" bottom: "res4f" top: "rpn" convolution_param { num_output: 512 } }
    ```
    `test.prototxt`:
    ```
    layer { name: "rpn" type: "Convolution" bottom: "res5c" top: "rpn" convolution_param { num_output: 512 } }
    ```
    Use instead:
    ```
    layer { name: "rpn" type: "Convolution" bottom: "res4f" top: "rpn" convolution_param { num_output: 512 } }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch.

    ## References
    - net.cpp, CopyTrainedLayersFrom; YuwenXiong/py-R-FCN commit d17395b
    """

    code = "G029"
    name = "deploy-wired-otherwise"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    _INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    _BODY = _fc("a", "data") + _fc("b", "a") + _fc("c", "b")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "d" bottom: "label" top: "loss" }'
    _TRAIN = _DATA + _BODY + _fc("d", "c") + _LOSS
    VALID = [
        {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("d", "c")},
        # Two designs, each with its own deploy net.
        {
            "train_a.prototxt": _DATA + _BODY + _fc("d", "b") + _LOSS,
            "train_b.prototxt": _TRAIN,
            "deploy.prototxt": _INPUT + _BODY + _fc("d", "c"),
            "test.prototxt": _INPUT + _BODY + _fc("d", "b"),
        },
        # Another name and another bottom: another layer.
        {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("e", "b")},
    ]
    INVALID = [
        Invalid(
            {
                "train.prototxt": _TRAIN,
                "deploy.prototxt": _INPUT + _BODY + _fc("d", "b").replace('bottom: "b"', "bottom: 'b'"),
            },
            span="bottom: 'b'",
            message='InnerProduct "d" reads "b" here but "c" in "train.prototxt", so its weights were trained on other'
            " values; make the two nets equal",
        ),
        # A layer of weights is left out.
        Invalid(
            {
                "train.prototxt": _DATA + _BODY + _fc("x", "c") + _fc("d", "x") + _LOSS,
                "deploy.prototxt": _INPUT + _BODY + _fc("d", "c"),
            },
            span='bottom: "c"',
            message='InnerProduct "d" reads "c" here but "x", which is not here, in "train.prototxt", so its weights'
            " were trained on other values; make the two nets equal",
        ),
        # One of two training nets differs from the other and from the deploy net.
        Invalid(
            {
                "train_a.prototxt": _DATA + _BODY + _fc("d", "b") + _LOSS,
                "train_b.prototxt": _TRAIN,
                "deploy.prototxt": _INPUT + _BODY + _fc("d", "c"),
            },
            span='bottom: "b"',
            message='InnerProduct "d" reads "b" here but "c" in "deploy.prototxt" and in "train_b.prototxt", so it is'
            ' tested on other values than it is trained on; set bottom: "c"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = [one for one in net.once(training_nets) if one.is_close]
        trainers = [one.net for one in candidates] or trained_with(net)
        if 0 < len(trainers) <= _MOST:
            yield from self._swapped(net, trainers)
        if not 0 < len(candidates) <= _MOST:
            return  # of many designs, none may have trained it
        odd = []
        of_one: dict[str, list[_Odd]] = {}
        for layer in net.in_phase(TEST):
            if not layer.kind.known or layer.kind.is_loss or not (layer.kind.shaped_by or len(layer.bottoms) > 1):
                continue
            having = [one for one in candidates if layer.name in one.layers]
            found = [_other_source(layer, one) for one in having]
            if found and found[0] and all(found):
                odd.append((layer, *found[0]))
            if sum(one is not None for one in found) == 1 < len(found):
                ((training, index, mine, theirs, twin),) = [
                    (one, *other) for one, other in zip(having, found, strict=True) if other
                ]
                others = [one for one in having if one is not training]
                if all(_reads_the_same(layer, one.layers[layer.name]) for one in others):
                    of_one.setdefault(training.net.path, []).append(_Odd(layer, index, mine, theirs, twin, others))
        if len(odd) <= _MOST:
            for layer, index, mine, theirs, other in odd:
                yield self._deployed(layer, index, mine, theirs, other, candidates[0])
        for trained in of_one.values():
            if len(trained) == 1:
                yield from self._trained(net, trained[0])

    def _swapped(self, net: Net, trained: list[Net]) -> Iterator[Finding]:
        """Layers that follow each other the other way round; not if another net is run as this one was trained."""
        pairs = swapped(net, trained)
        if not pairs or any(is_ordered_alike(other, trained[0], pairs) for other in trained[0].deployed):
            return
        first, then = ([pair[place] for pair in pairs] for place in (0, 1))
        twin = next(layer for layer in trained[0].in_phase(TEST) if layer.name == then[0].name)
        comes = "comes" if len(pairs) == 1 else "come"
        yield self.finding(
            first[0].at("name"),
            f"{titles(first)} {comes} before {titles(then)} here but after in {quoted(file_name(trained[0].path))}, so"
            " the net computes something other than what was trained; make the two nets equal",
            related=(Related("the layer in the training net", twin.at("name")),),
        )

    def _deployed(self, layer: Layer, index: int, mine: str, theirs: str, other: Layer, training: Training) -> Finding:
        lacks = not any(theirs in one.tops for one in layer.net.layers)
        text = f"{title(layer)} reads {quoted(mine)} here but {quoted(theirs)}{', which is not here,' * lacks}"
        return self.finding(
            layer.at("bottom", index),
            f"{text} in {quoted(training.file)}, so {becomes(layer, other)}; make the two nets equal",
            related=(Related("the layer in the training net", other.at("bottom", index)),),
        )

    def _trained(self, net: Net, odd: _Odd) -> Iterator[Finding]:
        """The one training net that differs from the deploy net and from another training net."""
        told = odd.twin.net.once(_told)
        if odd.twin.index in told or any(_reads_the_same(one, odd.twin) for one in _deployed(odd.twin)):
            return  # told of another deploy net, or what one has as well
        told.append(odd.twin.index)
        other = odd.others[0].layers[odd.layer.name]
        yield self.finding(
            odd.twin.at("bottom", odd.position),
            f"{title(odd.twin)} reads {quoted(odd.theirs)} here but {quoted(odd.mine)} in {quoted(file_name(net.path))}"
            f" and in {quoted(odd.others[0].file)}, so it is tested on other values than it is trained on; set bottom:"
            f" {quoted(odd.mine)}",
            related=(
                Related("the layer in the deploy net", odd.layer.at("bottom", odd.position)),
                Related("the layer in the other training net", other.at("bottom", odd.position)),
            ),
        )


class _Odd(NamedTuple):
    """A layer whose `twin` in one training net reads `theirs`, and in the `others` what it reads itself."""

    layer: Layer
    position: int
    mine: str
    theirs: str
    twin: Layer
    others: list[Training]


def _told(net: Net) -> list[int]:
    """The layers of a training net that were reported, by their number."""
    return []


def _deployed(twin: Layer) -> list[Layer]:
    """The layers of the same name in the nets that may run with the weights of this one."""
    return [one for net in twin.net.deployed for one in net.in_phase(TEST) if one.name == twin.name]


def _reads_the_same(layer: Layer, twin: Layer) -> bool:
    mine, theirs = ([source_of(one, index) for index in range(len(one.bottoms))] for one in (layer, twin))
    return mine == theirs and None not in mine


def _other_source(layer: Layer, training: Training) -> tuple[int, str, str, Layer] | None:
    """The first bottom whose values come from another layer of both nets than in training."""
    twin = training.layers[layer.name]
    if twin.type != layer.type or len(twin.bottoms) != len(layer.bottoms):
        return None
    mine, theirs = ([source_of(one, index) for index in range(len(one.bottoms))] for one in (layer, twin))
    if layer.type == _SYMMETRIC and sorted(map(str, mine)) == sorted(map(str, theirs)):
        return None
    for index, (here, there) in enumerate(zip(mine, theirs, strict=True)):
        # Where the blob has one name in both, another layer may make the same of it for training.
        if here is None or there is None or layer.bottoms[index] == twin.bottoms[index]:
            continue
        if here == there and are_same_between(layer, twin):
            continue  # in another order, if at all
        makers = {layer.maker(index, TEST), twin.maker(index, TEST)} if here == there else set()
        names = [one.layer.name for one in makers if one is not None]
        is_other = here != there or len(set(names)) == 2
        if is_other and in_both((layer.name, here[0], there[0], *names), layer, twin):
            return index, layer.bottoms[index], twin.bottoms[index], twin
        if is_other and leaves_out(here, there, layer, twin):
            return index, layer.bottoms[index], twin.bottoms[index], twin
    return None
