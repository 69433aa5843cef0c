from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, title, titles

from ._bent import bent_otherwise
from ._compared import bends, computed_by_scripts, differences, layers_in, other_shapes, parameters_of
from ._layer_params import field_path
from ._partner import Training, namesake, refused_here, tests_of, training_nets
from ._sized import other_size, size_place

_SEVERAL = 2
"""Layers whose weights have other shapes."""


class DeployMismatch(NetRule):
    """A layer of a deploy net differs from the layer of that name in the training net beside it.

    ## Why is this bad?
    Weights are copied by the name of the layer. Where the shape of a parameter differs, Caffe refuses them; where only
    the pad, the pooling method or the slope of a ReLU differs, it loads them, and the net computes something other than
    what was trained and tested. An Input of another size than in training gives an InnerProduct more or fewer weights,
    which Caffe refuses, too, before a script can reshape the net.

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
    thirds of the layers with parameters, or be the only one that has all of them by name and type, and its file the
    same name but for the role. A layer that agrees with any such net, or with its one namesake, is taken to be right.
    A layer that training does not have is compared with that of the solver's test net.

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
    _SOURCE = ' data_param { source: "db" batch_size: 8 }'
    _FRAMES = 'image_data_param { source: "list" batch_size: 8 new_height: 192 new_width: 256 }'
    _MANY = [
        source
        + "".join(
            f' layer {{ name: "c{i}" type: "Convolution" bottom: "b{i - 1}" top: "b{i}"'
            f" convolution_param {{ num_output: {width} kernel_size: 3 }} }}"
            for i in range(1, 7)
        )
        for source, width in (('layer { name: "loss" type: "EuclideanLoss" bottom: "b0" bottom: "y" }', 8), ("", 16))
    ]
    _RELU = ' layer { name: "relu" type: "ReLU" bottom: "b3" top: "b3" }'
    VALID = [
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 9)},
        # One of the two nets beside it has what it has.
        {
            "b_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9),
            "a_5_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 5),
            "a_deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5),
        },
        # So has a net without a loss that is called a training net.
        {
            "b_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9),
            "a_5_train.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5),
            "a_deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5),
        },
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (64, 64, 0, 0, 0, 5)},
        # A design of other widths.
        {"train_wide.prototxt": _MANY[0], "deploy.prototxt": _MANY[1]},
        # Nothing proves that weights do not fit, so a frame of a camera may be meant.
        {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (480, 640, 1, 1, 1, 9)},
        # Nobody knows what a fork's own layer hands on, so what comes after it may be the same.
        {
            "train_val.prototxt": _TRAIN.replace(_FC, _RELU + _FC) % (_CROP, 1, 1, 1, 9),
            "deploy.prototxt": _DEPLOY.replace(_FC, _RELU.replace("ReLU", "OwnReLU") + _FC) % (224, 224, 1, 1, 1, 9),
        },
    ]
    INVALID = [
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 1, 1, 5)},
            span="num_output: 5",
            message='InnerProduct "fc": num_output is 5 here and 9 in "train_val.prototxt", so Caffe refuses its'
            " weights; make the two equal",
        ),
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (224, 224, 1, 0, 1, 9)},
            span="pad: 0",
            message='Convolution "c2": pad is 0 here and 1 in "train_val.prototxt", but its weights were trained with'
            " the latter; set it as in training",
        ),
        # By their names and types the two are one net, though no width is the same.
        Invalid(
            {"train_val.prototxt": _MANY[0], "deploy.prototxt": _MANY[1]},
            span="num_output: 16",
            message='Convolution "c1", "c2", "c3" and 3 more: num_output differs from "train_val.prototxt" (here 16,'
            " there 8), so Caffe refuses their weights; set them as in training",
        ),
        # Told by its layers, whatever its name.
        Invalid(
            {"a_train.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "a.prototxt": _DEPLOY % (224, 224, 1, 0, 1, 9)},
            span="pad: 0",
            message='Convolution "c2": pad is 0 here and 1 in "a_train.prototxt", but its weights were trained with'
            " the latter; set it as in training",
        ),
        Invalid(
            {
                "train_val.prototxt": _TRAIN.replace(_FC, _RELU + _FC) % (_CROP, 1, 1, 1, 9),
                "deploy.prototxt": _DEPLOY.replace(_FC, _RELU.replace("ReLU", "TanH") + _FC) % (224, 224, 1, 1, 1, 9),
            },
            span='name: "c3"',
            message='Convolution "c3" is followed by TanH here but by ReLU in "train_val.prototxt", so it'
            " computes something other than what was trained; make the two nets equal",
        ),
        Invalid(
            {"train_val.prototxt": _TRAIN % (_CROP, 1, 1, 1, 9), "deploy.prototxt": _DEPLOY % (242, 242, 1, 1, 1, 9)},
            span="dim: 242",
            message='Input "data": shape is 242x242 but "train_val.prototxt" was trained on crops of 224x224; set the'
            " last two dim to 224",
        ),
        Invalid(
            {
                "train_val.prototxt": _TRAIN % (_CROP + _SOURCE, 1, 1, 1, 9),
                "deploy.prototxt": _DEPLOY % (242, 242, 1, 1, 1, 9),
            },
            span="dim: 242",
            message='Input "data": shape is 242x242 but "train_val.prototxt" was trained on crops of 224x224, so Caffe'
            ' refuses the weights of InnerProduct "fc"; set the last two dim to 224',
        ),
        Invalid(
            {
                "train_val.prototxt": _TRAIN.replace('"Data"', '"ImageData"') % (_FRAMES, 1, 1, 1, 9),
                "deploy.prototxt": _DEPLOY % (480, 640, 1, 1, 1, 9),
            },
            span="dim: 480",
            message='Input "data": shape is 480x640 but "train_val.prototxt" was trained on images of 192x256, so Caffe'
            ' refuses the weights of InnerProduct "fc"; set the last two dim to 192 and 256',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = net.once(training_nets)
        if not candidates:
            if training := namesake(net):
                yield from self._shapes(net, training)
            return
        layers, nearest = layers_in(net, TEST), candidates[0]
        only_tested = {name: layer for name, layer in layers.items() if name not in nearest.layers}
        tests = tests_of(net, nearest)
        refused_as = refused_here(net, layers, nearest)
        for mine, nets, purpose in ((layers, candidates, "training"), (only_tested, tests, "testing")):
            said = parameters_of(mine)
            for found in differences(mine, nets[0].layers, said, [one.said for one in nets]) if nets else ():
                first = found.found[0][0]
                beside = {*net.siblings, *nearest.net.deployed} - {net, nets[0].net}
                message = found.message(f'"{nets[0].file}"', purpose, beside)
                severity = refused_as if found.field in first.kind.shaped_by else None
                related = _related(nets[0].layers[first.name])
                yield self.finding(first.at(*found.path), message, severity=severity, related=related)
        yield from self._activations(layers, nearest, candidates)
        yield from self._size(net, candidates, refused_as)

    def _shapes(self, net: Net, training: Training) -> Iterator[Finding]:
        """What Caffe refuses where the shapes of most weights differ from those of the training net."""
        refused = other_shapes(layers_in(net, TEST), training.said)
        if len(refused) < _SEVERAL:
            return
        (first, field, here, there), *_ = refused
        fields = sorted({field for _, field, *_ in refused})
        layers = list(dict.fromkeys(layer for layer, *_ in refused))
        yield self.finding(
            first.at(*field_path(first, field)),
            f"{titles(layers)}: {' and '.join(fields)} differ{'s' * (len(fields) == 1)} from"
            f' "{training.file}" (here {here}, there {there}), so Caffe refuses their weights; set them as in training',
            related=_related(training.layers[first.name]),
            layers=layers,
        )

    def _activations(
        self, layers: dict[str, Layer], nearest: Training, candidates: list[Training]
    ) -> Iterator[Finding]:
        odd = []
        for name, layer in layers.items():
            is_told = any(one.first == name for one, _ in layer.net.once(bent_otherwise))  # as G059
            other = None if is_told else nearest.layers.get(name)
            if other is None or other.type != layer.type or not layer.kind.shaped_by:
                continue
            here = bends(layer)
            usual = [bends(one.layers[name]) for one in candidates if name in one.layers]
            # What comes after the last layer of a training net may be part of its loss.
            if here is not None and all(there and here[: len(there)] != there for there in usual):
                if here or not all(computed_by_scripts(layer.net, there) for there in usual):
                    odd.append((layer, other, here, usual[0] or []))
        for layer, other, here, there in odd if len(odd) == 1 else ():
            yield self.finding(
                layer.at("name"),
                f"{title(layer)} is followed by {' and '.join(here) or 'no activation'} here but by"
                f' {" and ".join(there)} in "{nearest.file}", so it computes something other than what'
                " was trained; make the two nets equal",
                related=_related(other),
            )

    def _size(self, net: Net, candidates: list[Training], refused_as: str | None) -> Iterator[Finding]:
        nets = [one.net for one in candidates]
        if other := other_size(net, nets):
            severity = (refused_as or ERROR) if other.refused else None
            place = size_place(net, other.input)
            yield self.finding(place, other.message(nets[0]), evidence=other.evidence, severity=severity)


def _related(layer: Layer) -> tuple[Related, ...]:
    return (Related("the layer in the other net", layer.at("name")),)
