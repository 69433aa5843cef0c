from __future__ import annotations

from collections.abc import Iterable, Iterator

from caffelint.lint import LIKELY, TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, quoted, title

from ._layer_params import parameters
from ._partner import Training, training_nets

_LEAST_ALIKE = 0.9
"""The share of its layers with weights that the training net has to have, or all but one of them."""

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
    """A layer of a deploy net reads another layer than in training, or has another name there.

    ## Why is this bad?
    Caffe copies weights by the name of the layer alone. A layer that reads another blob of the same shape gets weights
    that were trained on something else; a layer that was renamed gets no weights at all, and Caffe says so only in the
    log (`Ignoring source layer`).

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
    The training net is recognised as for deploy-mismatch. A net whose weights were renamed by a script is right.

    ## References
    - net.cpp, CopyTrainedLayersFrom; YuwenXiong/py-R-FCN commit d17395b, sanghoon/pva-faster-rcnn commit 7be7250
    """

    code = "G029"
    name = "deploy-wired-otherwise"
    severity = WARNING
    certainty = LIKELY
    preview = True
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    _INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    _BODY = _fc("a", "data") + _fc("b", "a") + _fc("c", "b")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "d" bottom: "label" top: "loss" }'
    _TRAIN = _DATA + _BODY + _fc("d", "c") + _LOSS
    VALID = [
        {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("d", "c")},
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
        Invalid(
            {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("e", "c")},
            span='name: "e"',
            message='InnerProduct "e" is called "d" in "train.prototxt", so it gets none of the trained weights; set'
            ' name: "d"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = [
            one for one in net.once(training_nets) if one.alike >= min(_LEAST_ALIKE * one.learned, one.learned - 1)
        ]
        if not 0 < len(candidates) <= _MOST:
            return  # of many designs, none may have trained it
        layers = [layer for layer in net.in_phase(TEST) if layer.kind.known and layer.bottoms]
        yield from self._rewired(layers, candidates)
        yield from self._renamed(net, layers, candidates)

    def _rewired(self, layers: list[Layer], candidates: list[Training]) -> Iterator[Finding]:
        odd = []
        for layer in layers:
            if not (layer.kind.shaped_by or len(layer.bottoms) > 1) or layer.kind.is_loss:
                continue
            found = [_other_source(layer, one) for one in candidates if layer.name in one.layers]
            if found and found[0] and all(found):
                odd.append((layer, *found[0]))
        if len(odd) > _MOST:
            return
        for layer, index, mine, theirs, other in odd:
            yield self.finding(
                layer.at("bottom", index),
                f"{title(layer)} reads {quoted(mine)} here but {quoted(theirs)} in {quoted(candidates[0].file)}, so its"
                " weights were trained on other values; make the two nets equal"
                if layer.kind.shaped_by
                else f"{title(layer)} reads {quoted(mine)} here but {quoted(theirs)} in {quoted(candidates[0].file)},"
                " so the net computes something other than what was trained; make the two nets equal",
                related=(Related("the layer in the training net", other.at("bottom", index)),),
            )

    def _renamed(self, net: Net, layers: list[Layer], candidates: list[Training]) -> Iterator[Finding]:
        here = {layer.name for layer in net.layers}
        there = {layer.name for one in candidates for layer in one.net.layers}
        nearest = candidates[0]
        twins_of: dict[tuple[str, tuple[str, int]], list[Layer]] = {}
        for name, twin in nearest.layers.items():
            if name not in here and len(twin.bottoms) == 1 and (source := _source(twin, 0)):
                twins_of.setdefault((twin.type, source), []).append(twin)
        odd = []
        for layer in layers:
            if not layer.kind.has_parameters or layer.name in there or len(layer.bottoms) != 1:
                continue
            source = _source(layer, 0)
            twins = twins_of.get((layer.type, source), ()) if source else ()
            if len(twins) == 1 and parameters(layer) == parameters(twins[0]):
                odd.append((layer, twins[0]))
        if len(odd) > _MOST:
            return
        for layer, twin in odd:
            yield self.finding(
                layer.at("name"),
                f"{title(layer)} is called {quoted(twin.name)} in {quoted(nearest.file)}, so it gets none of the"
                f" trained weights; set name: {quoted(twin.name)}",
                related=(Related("the layer in the training net", twin.at("name")),),
            )


def _other_source(layer: Layer, training: Training) -> tuple[int, str, str, Layer] | None:
    """The first bottom whose values come from another layer of both nets than in training."""
    twin = training.layers[layer.name]
    if twin.type != layer.type or len(twin.bottoms) != len(layer.bottoms):
        return None
    mine, theirs = ([_source(one, index) for index in range(len(one.bottoms))] for one in (layer, twin))
    if layer.type == _SYMMETRIC and sorted(map(str, mine)) == sorted(map(str, theirs)):
        return None
    for index, (here, there) in enumerate(zip(mine, theirs, strict=True)):
        # Where the blob has one name in both, another layer may make the same of it for training.
        if here is None or there is None or layer.bottoms[index] == twin.bottoms[index]:
            continue
        makers = {layer.maker(index, TEST), twin.maker(index, TEST)} if here == there else set()
        names = [one.layer.name for one in makers if one is not None]
        if (here != there or len(set(names)) == 2) and _in_both((layer.name, here[0], there[0], *names), layer, twin):
            return index, layer.bottoms[index], twin.bottoms[index], twin
    return None


def _source(layer: Layer, bottom: int) -> tuple[str, int] | None:
    """The layer that computes the values, and the number of its top; those between only scale or bend them."""
    known = layer.net.once(_known_sources)
    passed = []
    found = None
    while (place := (layer.index, bottom)) not in known:
        passed.append(place)
        source = layer.maker(bottom, TEST)
        if source is None:
            break
        layer, bottom = source.layer, 0
        if len(layer.bottoms) != 1 or layer.kind.shaped_by or not layer.kind.keeps_channels:
            found = (layer.name, source.top)
            break
    else:
        found = known[place]
    known.update(dict.fromkeys(passed, found))
    return found


def _known_sources(net: Net) -> dict[tuple[int, int], tuple[str, int] | None]:
    """What `_source` has found in a net, by the number of the layer and of its bottom."""
    return {}


def _in_both(names: Iterable[str], layer: Layer, twin: Layer) -> bool:
    """Do the nets of both have one layer of each of these names, of one type?"""
    for name in names:
        types = [[other.type for other in one.net.in_phase(TEST) if other.name == name] for one in (layer, twin)]
        if types[0] != types[1] or len(types[0]) != 1:
            return False
    return True
