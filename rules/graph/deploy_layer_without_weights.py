from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TEST,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Related,
    compiled_later,
    quoted,
    title,
    titles,
)

from ._fixed import is_fixed
from ._layer_params import parameters
from ._one_way import are_renamed_in_one_way
from ._partner import Training, training_nets
from ._sources import source_of

_MOST_NETS = 3
"""How many nets may have trained one; more are many designs."""

_MOST = 3
"""How many layers a slip renames: a whole head that was renamed is fine-tuned, and the deploy net is that of before.

Of more, one change of all names tells a slip: of `/dw` at their ends, which one of two Caffes knows by the type.
"""

_Sort = tuple[str, bool | None]

_SIZE = "num_output"
_BETWEEN_WORDS = compiled_later(r"[\W_]+")


def _fc(name: str, bottom: str, outputs: int = 8) -> str:
    return (
        f' layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        f" inner_product_param {{ num_output: {outputs} }} }}"
    )


class DeployLayerWithoutWeights(NetRule):
    """A layer of a deploy net has another name in the training net, so it gets no trained weights.

    ## Why is this bad?
    Caffe copies weights by the name of the layer alone. A layer that was renamed, mostly to fine-tune it for other
    classes, keeps the values of its filler in a deploy net that has the old name, and Caffe says so only in the log
    (`Ignoring source layer`). Its results are random.

    ## Example
    `train_val.prototxt`:
    ```
    layer { name: "fc8_cars" type: "InnerProduct" bottom: "fc7" top: "fc8" inner_product_param { num_output: 20 } }
    ```
    `deploy.prototxt`:
    ```
    layer { name: "fc8" type: "InnerProduct" bottom: "fc7" top: "fc8" inner_product_param { num_output: 1000 } }
    ```
    Use instead:
    ```
    layer { name: "fc8_cars" type: "InnerProduct" bottom: "fc7" top: "fc8" inner_product_param { num_output: 20 } }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. A net whose weights were renamed by a script is right, and so
    is one that is run with the weights that training started from.

    ## References
    - net.cpp, CopyTrainedLayersFrom; sanghoon/pva-faster-rcnn commit 7be7250, memray/cs2770 commit 51c384d
    """

    code = "G030"
    name = "deploy-layer-without-weights"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    _INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    _BODY = _fc("a", "data") + _fc("b", "a") + _fc("c", "b")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "d" bottom: "label" top: "loss" }'
    _TRAIN = _DATA + _BODY + _fc("d", "c") + _LOSS
    _MORE = _fc("e", "b", 5) + _fc("f", "b", 6)
    _UP = (
        ' layer { name: "%s" type: "Deconvolution" bottom: "a" top: "up" param { lr_mult: 0 } convolution_param {'
        ' num_output: 8 group: 8 bias_term: false kernel_size: 4 stride: 2 weight_filler { type: "bilinear" } } }'
    )
    _SLOPE = ' layer { name: "%s" type: "PReLU" bottom: "%s" top: "slope" }'
    VALID = [
        {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("d", "c")},
        # What its filler makes is what training leaves as it is.
        {
            "train.prototxt": _DATA + _BODY + _fc("d", "c") + _UP % "up",
            "deploy.prototxt": _INPUT + _BODY + _fc("d", "c") + _UP % "upscore",
        },
        # Of two that are renamed, one has other outputs: the net of before a fine-tuning.
        {
            "train.prototxt": _TRAIN.replace('"a"', '"a-1"').replace('"d"', '"d-1"') + _MORE,
            "deploy.prototxt": _INPUT + _BODY + _fc("d", "c", 9) + _MORE,
        },
        # Another name and another bottom: another layer.
        {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("e", "b")},
        # There is a deploy net with the names of the training net, so this one is for other weights.
        {
            "train.prototxt": _TRAIN,
            "deploy.prototxt": _INPUT + _BODY + _fc("e", "c", 1000),
            "test.prototxt": _INPUT + _BODY + _fc("d", "c"),
        },
    ]
    INVALID = [
        # Two of six are renamed, and the net is the same but for that.
        Invalid(
            {
                "train.prototxt": _TRAIN.replace('"a"', '"a-1"').replace('"d"', '"d-1"') + _MORE,
                "deploy.prototxt": _INPUT + _BODY + _fc("d", "c") + _MORE,
            },
            span='name: "a"',
            message='InnerProduct "a", "d" are called "a-1", "d-1" in "train.prototxt", so they get none of the trained'
            " weights; give them the names of training",
        ),
        Invalid(
            {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("e", "c")},
            span='name: "e"',
            message='InnerProduct "e" is called "d" in "train.prototxt", so it gets none of the trained weights; set'
            ' name: "d"',
        ),
        Invalid(
            {"train.prototxt": _TRAIN, "deploy.prototxt": _INPUT + _BODY + _fc("e", "c", 1000)},
            span='name: "e"',
            message='InnerProduct "e" with num_output 1000 is called "d" and has 8 in "train.prototxt", so it gets none'
            ' of the trained weights; set name: "d" and num_output: 8',
        ),
        Invalid(
            {
                "train.prototxt": _TRAIN + _SLOPE % ("one", "a") + _SLOPE % ("two", "b"),
                "deploy.prototxt": _INPUT + _BODY + _fc("d", "c") + _SLOPE % ("PReLU1", "a") + _SLOPE % ("PReLU2", "b"),
            },
            span='name: "PReLU1"',
            message='PReLU "PReLU1", "PReLU2" are called "one", "two" in "train.prototxt", so they get none of the'
            " trained weights; give them the names of training",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        trained = [other for other in net.siblings if other.role == "train"]
        there = {layer.name for other in trained for layer in other.layers}
        near = net.once(training_nets)
        candidates = [one for one in near if one.is_close]
        if not candidates and len(trained) == 1:
            candidates = [one for one in near if _is_close_but_for_names(one, _renamed(net, one, there))]
        if not 0 < len(candidates) <= _MOST_NETS:
            return
        nearest = candidates[0]
        renamed = _renamed(net, nearest, there)
        twins = {twin.name for _, twin in renamed}
        resized = any(parameters(layer) != parameters(twin) for layer, twin in renamed)
        # Of other sizes, and with another net for the weights of training, it is for weights of another training.
        others = [other for other in nearest.net.deployed if other is not net] if resized else []
        is_slip = 0 < len(renamed) <= _MOST or not resized and are_renamed_in_one_way(renamed)
        if is_slip and not any(twins & {layer.name for layer in other.layers} for other in others):
            yield self._told(renamed, nearest)

    def _told(self, renamed: list[tuple[Layer, Layer]], nearest: Training) -> Finding:
        first, twin = renamed[0]
        layers = [layer for layer, _ in renamed]
        resized = any(parameters(layer) != parameters(other) for layer, other in renamed)
        where = f"in {quoted(nearest.file)}"
        if len(renamed) > 1:
            text = f"{titles(layers)} are called {_names(renamed)} {where}, so they get none of"
            text += f" the trained weights; give them the names{f' and {_SIZE}' * resized} of training"
        else:
            mine, theirs = parameters(first).get(_SIZE), parameters(twin).get(_SIZE)
            text = f"{title(first)}{f' with {_SIZE} {mine}' * resized} is called {quoted(twin.name)}"
            text += f"{f' and has {theirs}' * resized} {where}, so it gets none of the trained weights; set name:"
            text += f" {quoted(twin.name)}{f' and {_SIZE}: {theirs}' * resized}"
        return self.finding(
            first.at("name"),
            text,
            related=(Related("the layer in the training net", twin.at("name")),),
            layers=layers,
            # With another name and another size it is most likely for the weights that training started from.
            severity=INFO if resized else None,
        )


def _is_close_but_for_names(nearest: Training, renamed: list[tuple[Layer, Layer]]) -> bool:
    """Are all layers of weights those of the training net, of the same sizes, if these are?"""
    same = [one for one in renamed if parameters(one[0]) == parameters(one[1])]
    return len(same) == len(renamed) and nearest.alike + len(renamed) == nearest.learned


def _renamed(net: Net, nearest: Training, there: set[str]) -> list[tuple[Layer, Layer]]:
    """Layers that no training net has, each with the one of the nearest that is alike and reads the same."""
    here = {layer.name for layer in net.layers}
    twins_of: dict[tuple[_Sort, tuple[str, int]], list[Layer]] = {}
    for name, twin in nearest.layers.items():
        if name not in here and len(twin.bottoms) == 1 and (source := source_of(twin, 0)):
            twins_of.setdefault((_sort(twin), source), []).append(twin)
    found = []
    names: dict[str, str] = {}
    """What the training net calls the layers that were found, which others read."""
    for layer in net.in_phase(TEST):
        if not layer.kind.has_parameters or layer.name in there or len(layer.bottoms) != 1:
            continue
        if (source := source_of(layer, 0)) is None:
            continue
        twins = twins_of.get((_sort(layer), (names.get(source[0], source[0]), source[1])), [])
        if 1 < len(twins) <= _MOST:
            # The one whose name holds all words of the layer's, as cls_score_tower those of cls_score; fc10 not fc1.
            twins = [twin for twin in twins if _words(layer) in _words(twin)]
        if len(twins) == 1 and _is_alike(layer, twins[0]) and not (twins[0].has_frozen_weights and is_fixed(layer)):
            found.append((layer, twins[0]))
            names[layer.name] = twins[0].name
    return found


def _words(layer: Layer) -> str:
    return f" {_BETWEEN_WORDS.sub(' ', layer.name)} "


def _sort(layer: Layer) -> _Sort:
    """What two types have in common that hold their weights alike, as Convolution and its depthwise kin."""
    return layer.kind.block or layer.type, layer.kind.upsamples


def _is_alike(layer: Layer, twin: Layer) -> bool:
    """Are the two the same but for the number of their outputs?"""
    mine, theirs = parameters(layer), parameters(twin)
    if layer.type != twin.type:
        return all(mine[field] == theirs[field] for field in mine.keys() & theirs.keys())
    return {**mine, _SIZE: 0} == {**theirs, _SIZE: 0} and (mine.get(_SIZE) != 0) == (theirs.get(_SIZE) != 0)


def _names(renamed: list[tuple[Layer, Layer]]) -> str:
    more = " and so on" if len(renamed) > _MOST else ""
    return ", ".join(quoted(twin.name) for _, twin in renamed[: 1 if more else None]) + more
