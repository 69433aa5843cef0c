"""Small nets that train, each with something that checks could stumble over."""

from __future__ import annotations

_FILLED = 'weight_filler { type: "xavier" }'


def _ip(name: str, bottom: str, outputs: int = 5, more: str = "") -> str:
    return (
        f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}" {more}'
        f" inner_product_param {{ num_output: {outputs} {_FILLED} }} }}\n"
    )


def _in_place(name: str, kind: str, blob: str, more: str = "") -> str:
    return f'layer {{ name: "{name}" type: "{kind}" bottom: "{blob}" top: "{blob}" {more} }}\n'


def _loss(name: str, bottom: str, more: str = "", label: str = "label") -> str:
    bottoms = f'bottom: "{bottom}" bottom: "{label}"'
    return f'layer {{ name: "{name}" type: "SoftmaxWithLoss" {bottoms} top: "{name}" {more} }}\n'


def _data(rules: str = "", batch: int = 4) -> str:
    return (
        f'layer {{ name: "data" type: "DummyData" top: "data" top: "label" {rules} dummy_data_param {{'
        f" shape {{ dim: {batch} dim: 3 dim: 4 dim: 4 }} shape {{ dim: {batch} }}"
        ' data_filler { type: "gaussian" std: 1 } data_filler { type: "uniform" min: 0 max: 4.99 } } }\n'
    )


_TEST_DATA = _data("include { phase: TEST }", 2)
_ACCURACY = (
    'layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include { phase: TEST } }\n'
)
_SLICE = (
    'layer { name: "slice" type: "Slice" bottom: "one" top: "low" top: "high"'
    " slice_param { axis: 1 slice_point: 2 } }\n"
)

ODD = {
    "in place in one phase": _data("include { phase: TRAIN }")
    + _TEST_DATA
    + _in_place("noise", "Dropout", "data", "include { phase: TRAIN }")
    + _in_place("scale", "Power", "data", "power_param { scale: 0.5 } exclude { phase: TRAIN }")
    + _ip("ip", "data")
    + _ACCURACY
    + _loss("loss", "ip"),
    "stages and levels": _data('include { stage: "small" }', 2)
    + _data('include { not_stage: "small" min_level: 0 max_level: 3 } include { stage: "large" }')
    + _in_place("noise", "Dropout", "data", 'include { stage: "small" }')
    + _ip("ip", "data", more="include: [ { phase: TRAIN }, { phase: TEST } ]")
    + _in_place("never", "ReLU", "ip", 'include { stage: "none" }')
    + _loss("loss", "ip", 'exclude { stage: "none" }'),
    "weights on tops that are read": _data()
    + _ip("one", "data", more="loss_weight: 0.001")
    + _ip("two", "one")
    + _ip("three", "one")
    + 'layer { name: "mean" type: "Reduction" bottom: "two" top: "mean" loss_weight: 0.01 }\n'
    + _loss("loss", "two", "loss_weight: 2")
    + _loss("loss2", "three", "loss_weight: 0.5"),
    "a loss that is read": _data()
    + _ip("ip", "data")
    + _loss("inner", "ip", "loss_weight: 0")
    + 'layer { name: "outer" type: "Power" bottom: "inner" top: "outer" power_param { power: 2 } loss_weight: 0.5 }\n'
    + _loss("read", "ip")
    + 'layer { name: "scaled" type: "Power" bottom: "read" top: "scaled" power_param { scale: 3 } }\n',
    "a weight on one of two tops": _data()
    + _ip("one", "data", 6)
    + _SLICE.replace("slice_param", "loss_weight: 0.01 loss_weight: 0 slice_param")
    + _ip("ip", "high")
    + _loss("loss", "ip"),
    "weights in a list": _data()
    + _ip("one", "data", 6)
    + _SLICE.replace("slice_param", "loss_weight: [ 0, -0.5 ] slice_param")
    + _ip("ip", "high")
    + _loss("loss", "ip", "loss_weight: [ 2.0 ]"),
    "weights on both of two tops": _data()
    + _ip("one", "data", 6)
    + _SLICE.replace("slice_param", "loss_weight: [ 0.01, -0.5 ] slice_param")
    + _ip("ip", "high")
    + _loss("loss", "ip"),
    "two losses of one blob": _data()
    + _ip("ip", "data")
    + _loss("loss", "ip")
    + 'layer { name: "hinge" type: "HingeLoss" bottom: "ip" bottom: "label" top: "hinge" loss_weight: 0.1 }\n',
    "tops that nothing reads": _data()
    + _ip("one", "data", 6)
    + _SLICE
    + _ip("ip", "low")
    + 'layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" }\n'
    + _loss("loss", "ip"),
    "tops for silence": _data()
    + _ip("one", "data", 6)
    + _SLICE
    + 'layer { name: "silence" type: "Silence" bottom: "high" }\n'
    + _ip("spare", "data", 2)
    + 'layer { name: "quiet" type: "Silence" bottom: "spare" bottom: "label" include { phase: TRAIN } }\n'
    + _ip("ip", "low")
    + _loss("loss", "ip"),
    "labels that are changed": _data()
    + _in_place("labels", "Power", "label", "power_param { scale: 1 }")
    + 'layer { name: "above" type: "Threshold" bottom: "label" top: "above" threshold_param { threshold: 2 } }\n'
    + _ip("ip", "data")
    + _ip("single", "data", 1)
    + _loss("loss", "ip")
    + _loss("loss2", "ip", "loss_weight: 0.1", "above")
    + 'layer { name: "loss3" type: "SigmoidCrossEntropyLoss" bottom: "single" bottom: "above" top: "loss3" }\n',
    "labels, gradients everywhere": "force_backward: true\n"
    + _data()
    + _in_place("labels", "Power", "label", "power_param { scale: 1 }")
    + _ip("ip", "data")
    + _loss("loss", "ip")
    + _loss("loss2", "ip"),
    "propagate_down": _data()
    + _ip("one", "data", 6)
    + _in_place("relu", "ReLU", "one")
    + _ip("two", "one", more="propagate_down: false")
    + _ip("three", "one", more="propagate_down: true")
    + _loss("loss", "two", "propagate_down: true propagate_down: false")
    + _loss("loss2", "three", "propagate_down: 1 propagate_down: 0"),
    "a learned blob": _data()
    + 'layer { name: "learned" type: "Parameter" top: "learned" parameter_param { shape { dim: 4 dim: 5 } } }\n'
    + _ip("ip", "data")
    + 'layer { name: "sum" type: "Eltwise" bottom: "ip" bottom: "learned" top: "sum" }\n'
    + _loss("loss", "sum"),
    "data from a file": 'layer { name: "data" type: "HDF5Data" top: "data" top: "label" top: "more"'
    ' hdf5_data_param { source: "list.txt" batch_size: 3 shuffle: true } }\n'
    + 'layer { name: "silence" type: "Silence" bottom: "more" }\n'
    + _ip("ip", "data")
    + _loss("loss", "ip"),
    "shapes that change": _data()
    + 'layer { name: "chosen" type: "Filter" bottom: "data" bottom: "label" bottom: "label"'
    + ' top: "some" top: "theirs" }\n'
    + _ip("ip", "some")
    + _loss("loss", "ip", label="theirs"),
    "frozen layers below": _data()
    + _ip("one", "data", 6, "param { lr_mult: 0 } param { lr_mult: 0 }")
    + _in_place("relu", "ReLU", "one")
    + _ip("ip", "one")
    + _loss("loss", "ip"),
    "an index": _data()
    + 'layer { name: "rows" type: "DummyData" top: "rows" dummy_data_param {'
    + ' shape { dim: 4 } data_filler { type: "uniform" min: 0 max: 3.99 } } }\n'
    + _ip("ip", "data")
    + 'layer { name: "chosen" type: "BatchReindex" bottom: "ip" bottom: "rows" top: "chosen" }\n'
    + 'layer { name: "embed" type: "Embed" bottom: "label" top: "embed"'
    + f" embed_param {{ input_dim: 5 num_output: 5 {_FILLED} }} }}\n"
    + 'layer { name: "sum" type: "Eltwise" bottom: "chosen" bottom: "embed" top: "sum" }\n'
    + _loss("loss", "sum"),
    "a mask that nothing reads": _data() + f'layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"'
    f" convolution_param {{ num_output: 3 kernel_size: 3 {_FILLED} }} }}\n"
    + 'layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" top: "mask"'
    + " pooling_param { pool: MAX kernel_size: 2 } }\n"
    + _ip("ip", "pool")
    + _loss("loss", "ip"),
    "names of all kinds": (_data() + _ip("one", "data", 6) + _ip("two", "one") + _loss("loss", "two"))
    .replace('"one"', """'o\\"n\\'e \\\\ # { \\303\\274'""")
    .replace('"two"', "\"check_finite_two\" '\u4e2d'")
    .replace('"data"', '"check_finite_data"'),
    "one line": (_data() + _ip("ip", "data") + _loss("loss", "ip")).replace("\n", "").replace(": ", ":"),
    "windows, commas, and no end": (
        "name: 'odd',"
        + _data().rstrip()
        + ";\r\n # between\r\nstate { }\r\n"
        + _ip("ip", "data").replace("} }", "}\n}")
        + ",# behind\r\ndebug_info: false "
        + _loss("loss", "ip")
    )
    .replace("\r\n", "\n")
    .replace("\n", "\r\n")
    .rstrip(),
    "angles": (_data() + _ip("ip", "data") + _loss("loss", "ip")).replace("{", "<").replace("}", ">"),
}


HDF5 = {"data": [7, 3, 4, 4], "label": [7], "more": [7, 2]}


def losses(net: str) -> list[str]:
    """The layers with a loss weight, that may be named outright."""
    from caffelint.fix.finite.spots import spots
    from caffelint.lint.file import load

    found = load(net.encode()).net
    assert found is not None
    return list(dict.fromkeys(spot.layer.name for spot in spots(found) if spot.weight is not None))
