"""Small nets of five kinds that train within seconds: as LeNet, Inception, ResNet, an LSTM and siamese nets are built.

Data come from DummyData with random fillers, so a layer that draws a random number too many would change all weights.
"""

from __future__ import annotations

_FILLED = 'weight_filler { type: "xavier" }'


def _data(image: str, labels: str = "", phase: str = "") -> str:
    include = f"  include {{ phase: {phase} }}\n" if phase else ""
    return f"""layer {{
  name: "data"
  type: "DummyData"
  top: "data"
  top: "label"
{include}  dummy_data_param {{
    shape {{ {image} }}
    shape {{ dim: 4 {labels}}}
    data_filler {{ type: "gaussian" std: 1 }}
    data_filler {{ type: "uniform" min: 0 max: 4.99 }}
  }}
}}
"""


def _image(size: int) -> str:
    return f"dim: 4 dim: 3 dim: {size} dim: {size}"


LENET = (
    _data(_image(16), phase="TRAIN")
    + _data(_image(16), phase="TEST")
    + f"""
# The first convolution.
layer {{
  name: "conv1"
  type: "Convolution"
  bottom: "data"
  top: "conv1"
  convolution_param {{ num_output: 6 kernel_size: 5 {_FILLED} }}
}}  # 12 x 12

layer {{
  name: "pool1"
  type: "Pooling"
  bottom: "conv1"
  top: "pool1"
  pooling_param {{ pool: MAX kernel_size: 2 stride: 2 }}
}}

layer {{
  name: "ip1"
  type: "InnerProduct"
  bottom: "pool1"
  top: "ip1"
  inner_product_param {{ num_output: 20 {_FILLED} }}
}}

layer {{
  name: "relu1"
  type: "ReLU"
  bottom: "ip1"
  top: "ip1"
}}

layer {{
  name: "drop1"
  type: "Dropout"
  bottom: "ip1"
  top: "ip1"
}}

layer {{
  name: "ip2"
  type: "InnerProduct"
  bottom: "ip1"
  top: "ip2"
  inner_product_param {{ num_output: 5 {_FILLED} }}
}}

layer {{
  name: "accuracy"
  type: "Accuracy"
  bottom: "ip2"
  bottom: "label"
  top: "accuracy"
  include {{
    phase: TEST
  }}
}}

layer {{
  name: "loss"
  type: "SoftmaxWithLoss"
  bottom: "ip2"
  bottom: "label"
  top: "loss"
}}
"""
)


def _conv(name: str, bottom: str, outputs: int, kernel: int, in_place: str = 'type: "ReLU"') -> str:
    return f"""layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}"
  convolution_param {{ num_output: {outputs} kernel_size: {kernel} pad: {kernel // 2} {_FILLED} }} }}
layer {{ name: "{name}_relu" {in_place} bottom: "{name}" top: "{name}" }}
"""


def _inception(name: str, bottom: str) -> str:
    return (
        _conv(f"{name}_1", bottom, 4, 1)
        + _conv(f"{name}_3r", bottom, 3, 1)
        + _conv(f"{name}_3", f"{name}_3r", 4, 3)
        + _conv(f"{name}_5r", bottom, 3, 1)
        + _conv(f"{name}_5", f"{name}_5r", 4, 5)
        + f"""layer {{ name: "{name}_pool" type: "Pooling" bottom: "{bottom}" top: "{name}_pool"
  pooling_param {{ pool: MAX kernel_size: 3 stride: 1 pad: 1 }} }}
"""
        + _conv(f"{name}_proj", f"{name}_pool", 4, 1)
        + f"""layer {{ name: "{name}" type: "Concat" bottom: "{name}_1" bottom: "{name}_3" bottom: "{name}_5"
  bottom: "{name}_proj" top: "{name}" }}
"""
    )


def _head(name: str, bottom: str, weight: str) -> str:
    return f"""layer {{ name: "{name}_ip" type: "InnerProduct" bottom: "{bottom}" top: "{name}_ip"
  inner_product_param {{ num_output: 5 {_FILLED} }} }}
layer {{ name: "{name}" type: "SoftmaxWithLoss" bottom: "{name}_ip" bottom: "label" top: "{name}" {weight} }}
"""


INCEPTION = (
    _data(_image(12))
    + _conv("conv1", "data", 8, 3)
    + """layer { name: "norm1" type: "LRN" bottom: "conv1" top: "norm1" lrn_param { local_size: 5 alpha: 0.0001 } }
"""
    + _inception("a", "norm1")
    + _head("loss1", "a", "loss_weight: 0.3")
    + _inception("b", "a")
    + _head("loss2", "b", "loss_weight: 1.0")
)


def _normed(name: str, bottom: str) -> str:
    return f"""layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}"
  convolution_param {{ num_output: 6 kernel_size: 3 pad: 1 bias_term: false {_FILLED} }} }}
layer {{ name: "{name}_bn" type: "BatchNorm" bottom: "{name}" top: "{name}" }}
layer {{ name: "{name}_scale" type: "Scale" bottom: "{name}" top: "{name}" scale_param {{ bias_term: true }} }}
"""


RESNET = (
    _data(_image(8))
    + _normed("conv0", "data")
    + _normed("conv1", "conv0")
    + """layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
"""
    + _normed("conv2", "conv1")
    + f"""layer {{ name: "sum" type: "Eltwise" bottom: "conv0" bottom: "conv2" top: "sum" }}
layer {{ name: "relu" type: "ReLU" bottom: "sum" top: "sum" }}
layer {{ name: "pool" type: "Pooling" bottom: "sum" top: "pool" pooling_param {{ pool: AVE global_pooling: true }} }}
layer {{ name: "flat" type: "Flatten" bottom: "pool" top: "flat" }}
layer {{ name: "ip" type: "InnerProduct" bottom: "flat" top: "ip" inner_product_param {{ num_output: 5 {_FILLED} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 }}
"""
)

LSTM = f"""layer {{
	name: "data"
	type: "DummyData"
	top: "data"
	top: "cont"
	top: "target"
	dummy_data_param {{
		shape {{ dim: 5 dim: 2 dim: 3 }}
		shape {{ dim: 5 dim: 2 }}
		shape {{ dim: 5 dim: 2 dim: 1 }}
		data_filler {{ type: "gaussian" std: 1 }}
		data_filler {{ type: "constant" value: 1 }}
		data_filler {{ type: "gaussian" std: 1 }}
	}}
}}
layer {{
	name: "lstm"
	type: "LSTM"
	bottom: "data"
	bottom: "cont"
	top: "lstm"
	recurrent_param {{
		num_output: 4
		weight_filler {{ type: "uniform" min: -0.1 max: 0.1 }}
		bias_filler {{ type: "constant" }}
	}}
}}
layer {{
	name: "ip"
	type: "InnerProduct"
	bottom: "lstm"
	top: "ip"
	inner_product_param {{ num_output: 1 axis: 2 {_FILLED} }}
}}
layer {{
	name: "loss"
	type: "EuclideanLoss"
	bottom: "ip"
	bottom: "target"
	top: "loss"
}}
"""


def _branch(suffix: str, bottom: str) -> str:
    return f"""layer {{ name: "ip1{suffix}" type: "InnerProduct" bottom: "{bottom}" top: "ip1{suffix}"
  param {{ name: "w1" }} param {{ name: "b1" }} inner_product_param {{ num_output: 8 {_FILLED} }} }}
layer {{ name: "relu1{suffix}" type: "ReLU" bottom: "ip1{suffix}" top: "ip1{suffix}" }}
layer {{ name: "feat{suffix}" type: "InnerProduct" bottom: "ip1{suffix}" top: "feat{suffix}"
  param {{ name: "w2" }} param {{ name: "b2" }} inner_product_param {{ num_output: 2 {_FILLED} }} }}
"""


SIAMESE = (
    """layer { name: "data" type: "DummyData" top: "pair" top: "same" dummy_data_param {
  shape { dim: 4 dim: 2 dim: 5 } shape { dim: 4 }
  data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 } } }
layer { name: "slice" type: "Slice" bottom: "pair" top: "one" top: "two" slice_param { axis: 1 } }
"""
    + _branch("", "one")
    + _branch("_p", "two")
    + """layer { name: "loss" type: "ContrastiveLoss" bottom: "feat" bottom: "feat_p" bottom: "same" top: "loss" }
"""
)

ALL = {"lenet": LENET, "inception": INCEPTION, "resnet": RESNET, "lstm": LSTM, "siamese": SIAMESE}

EXTRA_LOSS = f"""layer {{ name: "extra_ip" type: "InnerProduct" bottom: "%s" top: "extra_ip"
  inner_product_param {{ num_output: 1 {_FILLED} }} }}
layer {{ name: "extra" type: "Reduction" bottom: "extra_ip" top: "extra" loss_weight: 0.25
  reduction_param {{ operation: SUMSQ }} }}
"""
"""A second loss, of a layer that is one by its weight alone."""


def variants() -> dict[str, str]:
    """Each net as it is, with the loss weight written out or left out, and with one more loss."""
    found = {"inception, gradients everywhere": "force_backward: true\n" + INCEPTION}
    for name, net in ALL.items():
        found[name] = net
        weight = "loss_weight: 1" if name == "resnet" else "" if name == "inception" else None
        if weight is None:
            found[f"{name}, weight written"] = net.replace('top: "loss"', 'top: "loss" loss_weight: 2')
        elif weight:
            found[f"{name}, weight left out"] = net.replace(weight, "")
        blob = {"lenet": "ip1", "inception": "a", "resnet": "flat", "lstm": "lstm", "siamese": "feat"}[name]
        found[f"{name}, one more loss"] = net + EXTRA_LOSS % blob
    return found
