"""The upgraded text against what Caffe's own programs make of the old one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from legacy_nets import LegacyNets, real_upgrade
from legacy_texts import without_lost_fields, written
from seeds import SEED, draws

from caffelint.caffe.old_formats import TRANSFORMED_TYPES, V0_TYPES, V1_TYPES
from caffelint.fix.upgrade import upgrade_text
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.text.comments import find_comments

NETS = draws(30, 500)

V1_LAYERS = "".join(
    f"""
# {name} begins
layers {{
  name: "{name.lower()}"  # its name
  type: {name}
  bottom: "a"
  top: "b"
  # rates
  blobs_lr: 1  # of the weights
  blobs_lr: 2
  weight_decay: 1
  # none on the bias
  weight_decay: 0
  loss_weight: 0.5
  include {{ phase: TRAIN }}
  exclude: {{ stage: "x" }}
}}
"""
    for name in V1_TYPES
)
V0_LAYERS = "".join(
    f"""
layers {{ # {name}
  layer {{
    name: "{name}"
    type: "{name}" # of 2013
  }} # done
  bottom: "a"
  top: "a"
}}
"""
    for name in V0_TYPES
)
V0_CONVOLUTION = """
name: "padded"
input: "data"
input_dim: 1
input_dim: 3
input_dim: 20
input_dim: 20
layers {
	layer {
		name: "conv1"
		type: "conv"
		num_output: 4
		# the window
		kernelsize: 3
		weight_filler {
			type: "gaussian" # as the paper has it
			std: 0.01
		}
		biasterm: false

		blobs_lr: 1.
		weight_decay: 1.
		# no more of it
	}
	bottom: "data"
	top: "conv1"
}
# two pixels
layers { layer { name: "pad2" type: "padding" pad: 2 } bottom: "conv1" top: "pad2" } # all around
layers { layer { name: "conv2" type: "conv" num_output: 4 kernelsize: 5 pad: 7 group: 2 } bottom: "pad2" top: "conv2" }
layers { layer { name: "pool2" type: "pool" pool: AVE kernelsize: 3 stride: 2 } bottom: "pad2" top: "pool2" }
layers {
  bottom: "conv2" layer { name: "ip" type: "innerproduct" num_output: 10
    weight_filler { type: "xavier" } blobs_lr: 1 blobs_lr: 2 }
  top: "ip" }
"""
V0_DATA = """
layers {
  layer {
    name: "data"
    type: "data"
    source: "a_leveldb"
    meanfile: "mean.binaryproto"  # of the training set
    batchsize: 2
    # no scale here
    cropsize: 8
    mirror: true
    rand_skip: 3
  }
  top: "data"
  top: "label"
}
layers { layer { name: "i" type: "images" source: "list" new_height: 8 new_width: 9 shuffle_images: true } top: "i" }
layers { layer { name: "w" type: "window_data" det_fg_threshold: 0.5 det_crop_mode: "warp" cropsize: 8 } top: "w" }
layers { layer { name: "o" type: "hdf5_output" hdf5_output_param { file_name: "out.h5" } } bottom: "data" }
"""
TRANSFORMS = "".join(
    f"""
layers {{
  name: "{layer_type}"
  type: {layer_type}
  top: "data"
  {block} {{
    source: "list"
    # from 0 to 1
    scale: 0.00390625  # 1/256
    batch_size: 4
    mean_file: "mean"

    crop_size: 20 mirror: true
  }}
}}
layers {{ name: "short" type: {layer_type} top: "short"
  {block} {{ source: "x" scale: 2 }} transform_param {{ scale: 3 }} }}
layers {{ name: "none" type: {layer_type} top: "none" {block} {{ source: "x" }} }}
"""
    for layer_type, block in TRANSFORMED_TYPES.items()
)
SHARED = """
layers {
    name: "ip" type: INNER_PRODUCT bottom: "a" top: "b"
    param: "w" param: "b"  # shared
    blob_share_mode: PERMISSIVE
    blobs_lr: [1, 2]; weight_decay: [ 1, # weights
      0 ]
    inner_product_param { num_output: 3 } }
layers: [ { name: "x" type: RELU bottom: "b" top: "b" }, < name: "y" type: 21 bottom: "b" bottom: "a" top: "l" > ]
"""
INPUTS = {
    "dims": 'input: "a" # A\ninput_dim: 1\ninput_dim: 2 # two\ninput_dim: 3\n# last\ninput_dim: 4\n',
    "one line": 'name: "n" input: "a" input_dim: [1, 2, 3, 4] layer { name: "r" type: "ReLU" bottom: "a" top: "b" }',
    "shapes": '# one\ninput: "a"\ninput_shape {\n  dim: 1\n}\n\n# two\ninput: "b"  # B\ninput_shape { dim: [1, 2] }\n',
    "behind layers": 'layer { name: "r" type: "ReLU" bottom: "a" top: "b" }\n# c\ninput: "a"\ninput_shape { dim: 1 }',
    "too many dims": 'input: "a"\ninput_dim: 1 input_dim: 2 input_dim: 3 input_dim: 4\n# five\ninput_dim: 5\n',
    "shapes and dims": 'input: "a"\ninput_dim: 1 # no\ninput_shape { dim: 1 }\n',
    "windows": 'input: "a"\r\n# c\r\ninput_dim: 1\r\ninput_dim: 2\r\ninput_dim: 3\r\ninput_dim: 4',
}
BATCH_NORM = """
layer {
  name: "bn" type: "BatchNorm" bottom: "a" top: "a"
  param { lr_mult: 1 decay_mult: 1 }
  param { decay_mult: 2 }  # c
  param {
  }
}
"""
TEXTS = {
    "V1 types": V1_LAYERS,
    "V0 types": 'input: "a"\ninput_dim: 1\ninput_dim: 1\ninput_dim: 1\ninput_dim: 1\n' + V0_LAYERS,
    "V0 convolution": V0_CONVOLUTION,
    "V0 data": V0_DATA,
    "transforms": TRANSFORMS,
    "shared": SHARED,
    "batch norm": BATCH_NORM,
    **{f"inputs, {name}": text for name, text in INPUTS.items()},
}


def comments(data: bytes) -> Counter[str]:
    text = data.decode("latin-1")
    return Counter(text[start:end] for start, end in find_comments(text))


def meaning(text: bytes) -> Any:
    """The message, without what Caffe's upgrade adds to no effect: empty blocks in data layers, a decay at rate 0."""
    net = text_format.Parse(text, NetParameter())
    for layer in net.layer:
        if layer.type == "BatchNorm" and all(param.HasField("lr_mult") and not param.lr_mult for param in layer.param):
            for param in layer.param:
                param.ClearField("decay_mult")
        for name in ("transform_param", *TRANSFORMED_TYPES.values()):
            if layer.HasField(name) and not getattr(layer, name).ListFields():
                layer.ClearField(name)
    return net


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(caffe_exec: Callable[..., Any], tmp_path: Path, name: str, windows: bool) -> None:
    text = TEXTS[name].replace("\n", "\r\n") if windows else TEXTS[name]
    real, log = real_upgrade(caffe_exec, "upgrade_net_proto_text", text, tmp_path)
    assert real is not None, log
    result = upgrade_text(text.encode())
    assert result.changed
    assert not result.left
    assert meaning(result.data) == meaning(real)
    assert comments(result.data) == comments(text.encode())
    if "\r\n" in text:
        assert result.data.count(b"\n") == result.data.count(b"\r\n")
    assert not upgrade_text(result.data).changed


def test_random_texts(caffe_exec: Callable[..., Any], tmp_path: Path) -> None:
    wrong = []
    changed = 0
    for seed in range(SEED, SEED + NETS):
        net = without_lost_fields(LegacyNets(seed).net())
        text = written(net, seed)
        result = upgrade_text(text.encode(), kind="net")
        if not result.changed or result.left:
            continue
        changed += 1
        real, log = real_upgrade(caffe_exec, "upgrade_net_proto_text", text, tmp_path)
        if real is None and net.layer and net.layers:
            # Caffe refuses a net of both forms; what became of it, it takes as it is.
            taken, log = real_upgrade(caffe_exec, "upgrade_net_proto_text", result.data.decode(), tmp_path)
            if taken is None or meaning(result.data) != meaning(taken):
                wrong.append(f"seed {seed}: {result.data.decode()}\n{log[-300:]}")
        elif real is None:
            wrong.append(f"seed {seed}: Caffe refuses: {log[-300:]}")
        elif meaning(result.data) != meaning(real):
            wrong.append(f"seed {seed}: {result.data.decode()}\nCaffe says\n{real.decode()}")
        elif comments(result.data) != comments(text.encode()):
            wrong.append(f"seed {seed}: comments lost\n{result.data.decode()}")
        elif upgrade_text(result.data).changed:
            wrong.append(f"seed {seed}: a second run changes it again\n{result.data.decode()}")
    assert not wrong, "\n".join(wrong[:3])
    assert changed > NETS / 4


@pytest.mark.parametrize("solver_type", ["SGD", "NESTEROV", "ADAGRAD", "RMSPROP", "ADADELTA", "ADAM", "5"])
def test_solvers(caffe_exec: Callable[..., Any], tmp_path: Path, solver_type: str) -> None:
    text = f'# solver\nnet: "n.prototxt"\nbase_lr: 0.1\nsolver_type: {solver_type}  # not SGD\n'
    real, _ = real_upgrade(caffe_exec, "upgrade_solver_proto_text", text, tmp_path)
    assert real is not None
    result = upgrade_text(text.encode())
    assert text_format.Parse(result.data, SolverParameter()) == text_format.Parse(real, SolverParameter())
    before, _, after = text.partition(f"solver_type: {solver_type}")
    assert result.data.decode().startswith(before + 'type: "')
    assert result.data.decode().endswith(after)
