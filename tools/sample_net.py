"""Writes a residual net of a hundred layers, with a solver and some mistakes, to show and to test pages with."""

from __future__ import annotations

from pathlib import Path

DATA = """name: "sample"
layer { name: "data" type: "ImageData" top: "data" top: "label" include { phase: TRAIN }
  transform_param { mirror: true crop_size: 224 }
  image_data_param { source: "train.txt" batch_size: 32 shuffle: true } }
layer { name: "data" type: "ImageData" top: "data" top: "label" include { phase: TEST }
  transform_param { crop_size: 224 }
  image_data_param { source: "val.txt" batch_size: 25 } }
"""
HEAD = """layer { name: "pool5" type: "Pooling" bottom: "%s" top: "pool5"
  pooling_param { pool: AVE global_pooling: true } }
layer {
  name: "fc"
  type: "InnerProduct"
  bottom: "pool5"
  top: "fc"
  inner_product_param { num_output: 100 weight_filler { type: "gaussian" std: 10 } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
layer { name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy" include { phase: TEST } }
"""
SOLVER = """net: "train_val.prototxt"
base_lr: 8
lr_policy: "multistep"
gamma: 0.1
stepvalue: 30000
stepvalue: 60000
stepvalue: 120000
momentum: 0.9
weight_decay: 0.0001
max_iter: 90000
test_iter: 200
test_interval: 2000
snapshot: 10000
snapshot_prefix: "sample"
type: "SGD"
"""


def write_sample(folder: Path, stages: tuple[int, ...] = (3, 4, 6, 3)) -> Path:
    """The path of the solver. stages: how many blocks each has."""
    text, bottom = [DATA, convolution("conv1", "data", 64, 7, stride=2)], "conv1"
    text.append(
        f'layer {{ name: "pool1" type: "Pooling" bottom: "{bottom}" top: "pool1"'
        " pooling_param { pool: MAX kernel_size: 2 stride: 3 } }\n"
    )
    bottom = "pool1"
    for stage, blocks in enumerate(stages, start=2):
        for number in range(blocks):
            name = f"res{stage}{chr(ord('a') + number)}" if blocks < 26 else f"res{stage}b{number}"
            text.append(_block(name, bottom, 64 << (stage - 2), number == 0, stage > 2))
            bottom = name
    (folder / "train_val.prototxt").write_text("".join(text) + HEAD % bottom, "utf-8")
    solver = folder / "solver.prototxt"
    solver.write_text(SOLVER, "utf-8")
    return solver


def _block(name: str, bottom: str, width: int, is_first: bool, has_stride: bool) -> str:
    stride = 2 if is_first and has_stride else 1
    text, shortcut = "", bottom
    if is_first:
        shortcut = f"{name}_branch1"
        text += convolution(shortcut, bottom, 4 * width, 1, stride=stride, relu=False)
    text += convolution(f"{name}_branch2a", bottom, width, 1, stride=stride)
    text += convolution(f"{name}_branch2b", f"{name}_branch2a", width, 3)
    text += convolution(f"{name}_branch2c", f"{name}_branch2b", 4 * width, 1, relu=False)
    text += f'layer {{ name: "{name}" type: "Eltwise" bottom: "{shortcut}" bottom: "{name}_branch2c" top: "{name}" }}\n'
    return text + f'layer {{ name: "{name}_relu" type: "ReLU" bottom: "{name}" top: "{name}" }}\n'


def convolution(name: str, bottom: str, width: int, kernel: int, stride: int = 1, relu: bool = True) -> str:
    """With BatchNorm and Scale in place, and ReLU."""
    pad = f" pad: {kernel // 2}" if kernel > 1 else ""
    text = f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}"\n'
    text += f"  convolution_param {{ num_output: {width} kernel_size: {kernel} stride: {stride}{pad} bias_term: false"
    text += ' weight_filler { type: "msra" } } }\n'
    text += f'layer {{ name: "bn_{name}" type: "BatchNorm" bottom: "{name}" top: "{name}" }}\n'
    text += f'layer {{ name: "scale_{name}" type: "Scale" bottom: "{name}" top: "{name}" scale_param {{ bias_term: true'
    text += " } }\n"
    if relu:
        text += f'layer {{ name: "{name}_relu" type: "ReLU" bottom: "{name}" top: "{name}" }}\n'
    return text
