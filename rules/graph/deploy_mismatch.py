from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from caffelint.lint import LIKELY, TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Place, title, titles

from ._layer_params import described, field_path, parameters

_LEAST_ALIKE = 2 / 3
"""The share of a deploy net's layers that a training net has to have, with parameters of the same shape."""

_WINDOW = 4
"""The largest kernel of a Pooling that makes a map smaller; a larger one mostly covers the whole of it."""


class Training(NamedTuple):
    """A net that may have trained the deploy net.

    layers: those of the TEST phase, by name. said: their parameters. alike: how many layers of weights are the same.
    """

    net: Net
    layers: dict[str, Layer]
    said: dict[str, dict[str, Any]]
    alike: int

    @property
    def file(self) -> str:
        return self.net.path.replace("\\", "/").rpartition("/")[2]


class DeployMismatch(NetRule):
    """A layer of a deploy net differs from the layer of that name in the training net beside it.

    ## Why is this bad?
    Weights are copied by the name of the layer. Where the shape of a parameter differs, Caffe refuses them; where only
    the pad, the pooling method or the slope of a ReLU differs, it loads them, and the net computes something other than
    what was trained and tested.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "score" type: "InnerProduct" bottom: "fc7" top: "score" inner_product_param { num_output: 2 } }
    ```
    `deploy.prototxt`:
    ```
    layer { name: "score" type: "InnerProduct" bottom: "fc7" top: "score" inner_product_param { num_output: 21 } }
    ```
    Use instead:
    ```
    layer { name: "score" type: "InnerProduct" bottom: "fc7" top: "score" inner_product_param { num_output: 2 } }
    ```

    ## Known problems
    The training net of a deploy net is recognised by its names and layers: it must be in the same folder and share two
    thirds of the layers with parameters. A layer that agrees with any such net is taken to be right.

    ## References
    - net.cpp, CopyTrainedLayersFrom; zeyuanxy/fast-rcnn commit 51e257d
    """

    code = "G017"
    name = "deploy-mismatch"
    severity = WARNING
    certainty = LIKELY
    _CONVS = "".join(
        f' layer {{ name: "c{i}" type: "Convolution" bottom: "b{i - 1}" top: "b{i}"'
        " convolution_param { num_output: 8 kernel_size: 3 pad: %d } }"
        for i in (1, 2, 3)
    )
    _FC = ' layer { name: "fc" type: "InnerProduct" bottom: "b3" top: "fc" inner_product_param { num_output: %d } }'
    _TRAIN = (
        'layer { name: "data" type: "Data" top: "b0" top: "label" include { phase: TRAIN } %s }'
        + _CONVS
        + _FC
        + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    _DEPLOY = (
        'layer { name: "data" type: "Input" top: "b0" input_param { shape { dim: 1 dim: 3 dim: %d dim: %d } } }'
        + _CONVS
        + _FC
        + ' layer { name: "loss" type: "Softmax" bottom: "fc" top: "prob" }'
    )
    _CROP = "transform_param { crop_size: 224 }"
    VALID = [
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 9)},
        # One of the two nets beside it has what it has.
        {
            "a_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9),
            "a_5_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 5),
            "a_deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5),
        },
        # Another net altogether.
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (64, 64, 0, 0, 0, 5)},
        # Not square: a frame of a camera, whatever the crops were.
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (480, 640, 1, 1, 1, 9)},
    ]
    INVALID = [
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5)},
            span="num_output: 5",
            message='InnerProduct "fc": num_output is 5 here and 9 in "train_val.prototxt", so Caffe refuses its'
            " weights; set it as in training",
        ),
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 0, 1, 9)},
            span="pad: 0",
            message='Convolution "c2": pad is 0 here and 1 in "train_val.prototxt", but its weights were trained with'
            " the latter; set it as in training",
        ),
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (242, 242, 1, 1, 1, 9)},
            span="dim: 242",
            message='Input "data": shape is 242x242 but "train_val.prototxt" was trained on crops of 224x224; set the'
            " last two dim to 224",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.siblings or net.solvers or net.role == "train":
            return
        layers = _by_name(net)
        said = {name: parameters(layer) for name, layer in layers.items()}
        nets = [_training(other, layers, said) for other in net.siblings if other.role == "train"]
        candidates = [one for one in nets if one is not None]
        if not candidates:
            return
        nearest = max(candidates, key=lambda one: one.alike)
        yield from self._layers(layers, said, nearest, candidates)
        yield from self._input(net, nearest, candidates)

    def _layers(
        self, layers: dict[str, Layer], said: dict[str, dict[str, Any]], nearest: Training, candidates: list[Training]
    ) -> Iterator[Finding]:
        merged = _norms(layers) < _norms(nearest.layers)
        groups: dict[tuple[str, str], list[tuple[Layer, str, str]]] = {}
        for name, layer in layers.items():
            other = nearest.layers.get(name)
            if other is None or other.type != layer.type:
                continue
            mine = said[name]
            for field, theirs in nearest.said[name].items():
                if (
                    field not in mine
                    or mine[field] == theirs
                    or any(one.said.get(name, {}).get(field) == mine[field] for one in candidates)
                ):
                    continue
                # A BatchNorm that was merged into the layer above it leaves it a bias.
                if field == "bias_term" and merged:
                    continue
                # A window over the whole of a map goes with the size of the input, and step 0 leaves it to Caffe.
                if field == "kernel" and not layer.kind.has_weights and max(theirs) > _WINDOW:
                    continue
                if field == "step" and not (theirs and mine[field]):
                    continue
                values = (described(mine[field]), described(theirs))
                groups.setdefault((layer.type, field), []).append((layer, *values))
        for (_, field), found in groups.items():
            first, here, there = found[0]
            one = len(found) == 1
            whose = "its" if one else "their"
            so = (
                f"so Caffe refuses {whose} weights"
                if field in first.kind.shaped_by
                else f"but {whose} weights were trained with the latter"
                if first.kind.shaped_by
                else "but the net was trained with the latter"
            )
            says = f"{field} is {here} here"
            if len({(mine, theirs) for _, mine, theirs in found}) > 1:
                says = f'{field} differs: in "{first.name}" it is {here} here'
            yield self.finding(
                first.at(*field_path(first, field)),
                f'{titles([layer for layer, *_ in found])}: {says} and {there} in "{nearest.file}", {so}; set it as in'
                " training",
            )

    def _input(self, net: Net, nearest: Training, candidates: list[Training]) -> Iterator[Finding]:
        inputs = [layer for layer in net.layers if layer.type == "Input" and len(layer.message.input_param.shape) == 1]
        crops = {one.net.path: _crops(one.net) for one in candidates}
        if len(inputs) != 1 or not all(len(found) == 1 for found in crops.values()):
            return
        dims = list(inputs[0].message.input_param.shape[0].dim)
        (crop,) = crops[nearest.net.path]
        # The number of images may be left out for a template to fill in.
        if len(dims) in (3, 4) and dims[-2] == dims[-1] and {dims[-1]} not in crops.values():
            yield self.finding(
                _size_place(net, inputs[0]),
                f'{title(inputs[0])}: shape is {dims[-2]}x{dims[-1]} but "{nearest.file}" was trained on crops of'
                f" {crop}x{crop}; set the last two dim to {crop}",
            )


def _size_place(net: Net, layer: Layer) -> Place:
    """Where the height of the input is written, in the layer or in the fields of the net from before there was one."""
    if net.written.input_shape:
        return net.at("input_shape", 0, "dim", -2)
    return net.at("input_dim", -2) if net.written.input_dim else layer.at("input_param", "shape", 0, "dim", -2)


def _norms(layers: dict[str, Layer]) -> int:
    return sum(bool(layer.kind.keeps_statistics) for layer in layers.values())


def _by_name(net: Net) -> dict[str, Layer]:
    """The layers of the TEST phase; of one name the first."""
    found: dict[str, Layer] = {}
    for layer in net.layers:
        if TEST in layer.phases:
            found.setdefault(layer.name, layer)
    return found


def _training(net: Net, layers: dict[str, Layer], said: dict[str, dict[str, Any]]) -> Training | None:
    """The net, if it is like enough to a deploy net of these layers."""
    others = _by_name(net)
    learned = [name for name, layer in layers.items() if layer.kind.shaped_by]
    alike = 0
    theirs = {name: parameters(layer) for name, layer in others.items() if name in layers}
    for name in learned:
        other = others.get(name)
        if other is not None and other.type == layers[name].type:
            alike += all(field == "bias_term" or said[name].get(field) == theirs[name][field] for field in theirs[name])
    if len(learned) < 3 or alike < _LEAST_ALIKE * len(learned):
        return None
    return Training(net, others, theirs, alike)


def _crops(net: Net) -> set[int]:
    """The sizes of the crops that its data layers cut, 0 for one that cuts none."""
    return {
        layer.message.transform_param.crop_size
        for layer in net.layers
        if not layer.bottoms and layer.tops and layer.kind.transforms
    } - {0}
