from __future__ import annotations

from collections.abc import Collection, Iterator

from caffelint.lint import ERROR, LIKELY, TRAIN, Finding, Invalid, Layer, Net, NetRule, Place, Related, quoted, title

from ._partner import training_nets

_MOST = 3
"""How many nets may have trained one; more are many designs."""
_GRAY, _COLOUR = 1, 3
_FC = ' layer {{ name: "{0}" type: "InnerProduct" bottom: "{1}" top: "{0}" inner_product_param {{ num_output: 8 }} }}'
_CONV = (
    ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4'
    " kernel_size: 3 } }" + _FC.format("a", "conv") + _FC.format("b", "a")
)
_DATA = (
    'layer {{ name: "data" type: "ImageData" top: "data" top: "label" image_data_param {{ source: "train" batch_size: 2'
    " new_height: 9 new_width: 9{} }} }}"
)
_LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "b" bottom: "label" top: "loss" }'
_INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: 9 dim: 9 } } }'


class DeployChannelsUnlikeTraining(NetRule):
    """A deploy net takes grey images, but its training net reads them in colour, or the other way round.

    ## Why is this bad?
    The weights of the first convolution have one slice for each channel. Caffe refuses those of three channels for a
    net of one: `Cannot copy param 0 weights from layer 'conv1'; shape mismatch`. Mostly `is_color: false` is missing in
    the training net, as ImageData reads colours unless it is told otherwise.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "train.txt" } }
    ```
    `deploy.prototxt`:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: 28 dim: 28 } } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 28 dim: 28 } } }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. The channels of an LMDB are known only where the training net
    has means for each or says `force_color` or `force_gray`.

    ## References
    - image_data_layer.cpp, DataLayerSetUp; net.cpp, CopyTrainedLayersFrom
    """

    code = "G054"
    name = "deploy-channels-unlike-training"
    severity = ERROR
    certainty = LIKELY
    VALID = [
        {"train.prototxt": _DATA.format(" is_color: false") + _CONV + _LOSS, "deploy.prototxt": _INPUT + _CONV},
        # Nothing tells what is in the database.
        {
            "train.prototxt": 'layer { name: "data" type: "Data" top: "data" top: "label" }' + _CONV + _LOSS,
            "deploy.prototxt": _INPUT + _CONV,
        },
    ]
    INVALID = [
        Invalid(
            {"train.prototxt": _DATA.format("") + _CONV + _LOSS, "deploy.prototxt": _INPUT + _CONV},
            span="dim: 1",
            message='Input "data" takes images of 1 channel, but ImageData "data" of "train.prototxt" reads 3, so Caffe'
            " refuses the weights of what reads them; set dim: 3, or is_color: false in training",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        inputs = [layer for layer in net.layers if layer.type == "Input" and len(layer.message.input_param.shape) == 1]
        if len(inputs) != 1 or len(dims := inputs[0].message.input_param.shape[0].dim) != 4:
            return
        mine, candidates = dims[1], net.once(training_nets)
        if mine not in (_GRAY, _COLOUR) or not 0 < len(candidates) <= _MOST:
            return
        blob = inputs[0].tops[0]
        names = {layer.name for layer in net.layers if layer.kind.has_weights and blob in layer.bottoms[:1]}
        found = [_reads(one.net, blob, names) for one in candidates]
        first = found[0]
        if first is None or any(one is None or one[1] == mine for one in found):
            return
        layer, theirs = first
        colour = "true" if mine == _COLOUR else "false"
        also = f", or is_color: {colour} in training" if layer.type == "ImageData" else ""
        yield self.finding(
            _place(net, inputs[0]),
            f"{title(inputs[0])} takes images of {mine} channel{'s' * (mine > 1)}, but {title(layer)} of"
            f" {quoted(candidates[0].file)} reads {theirs}, so Caffe refuses the weights of what reads them; set dim:"
            f" {theirs}{also}",
            related=(Related("what training reads", layer.at()),),
        )


def _reads(net: Net, blob: str, names: Collection[str]) -> tuple[Layer, int] | None:
    """The data layer that makes the images of a blob in training, and their channels; None where nothing tells them, or
    no layer of one of these names reads it.
    """
    for built in net.states():
        for layer in built.layers if built.phase == TRAIN else ():
            if layer.transforms and layer.tops and layer.tops[0].name == blob and layer.index is not None:
                top = layer.tops[0]
                if not any(reader.name in names for reader, _ in top.readers):
                    return None
                sizes = top.shape or top.partial
                return (net.layers[layer.index], sizes[1]) if sizes and len(sizes) == 4 and sizes[1] else None
    return None


def _place(net: Net, layer: Layer) -> Place:
    """Where the channels are written, in the layer or in the fields of the net from before there was one."""
    if net.written.input_shape:
        return net.at("input_shape", 0, "dim", 1)
    return net.at("input_dim", 1) if net.written.input_dim else layer.at("input_param", "shape", 0, "dim", 1)
