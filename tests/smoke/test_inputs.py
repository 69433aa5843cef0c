"""Shapes that nothing in the text tells are guessed so that the net runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffelint.caffe.net import Net
from caffelint.lint.read import read
from caffelint.schema import NetParameter
from caffelint.schema.bind import bind
from caffelint.smoke.inputs import plan_inputs
from caffelint.smoke.job import SYNTHETIC, JobNet
from caffelint.text.parser import parse

VIDEO = """layer { name: "data" type: "VideoData" top: "data" top: "label" transform_param { crop_size: 56 }
  video_data_param { batch_size: 2 new_length: 8 } }
layer { name: "conv" type: "Convolution3D" bottom: "data" top: "conv"
  convolution3d_param { num_output: 4 kernel_size: 3 kernel_depth: 3 } }
layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" inner_product_param { num_output: 5 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
SENTENCES = """layer { name: "data" type: "ImageData" top: "data" top: "unused"
  transform_param { crop_size: 32 mean_value: 1 mean_value: 2 mean_value: 3 } image_data_param { batch_size: 6 } }
layer { name: "words" type: "HDF5Data" top: "cont" top: "input" top: "target" hdf5_data_param { batch_size: 4 } }
layer { name: "silence" type: "Silence" bottom: "unused" }
layer { name: "embed" type: "Embed" bottom: "input" top: "embed" embed_param { input_dim: 20 num_output: 7 } }
layer { name: "image" type: "InnerProduct" bottom: "data" top: "image" inner_product_param { num_output: 3 } }
layer { name: "lstm" type: "LSTM" bottom: "embed" bottom: "cont" bottom: "image" top: "lstm"
  recurrent_param { num_output: 5 } }
layer { name: "fc" type: "InnerProduct" bottom: "lstm" top: "fc" inner_product_param { num_output: 20 axis: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "target" top: "loss" softmax_param { axis: 2 } }
"""
FLAT = """layer { name: "data" type: "HDF5Data" top: "image" top: "moved" hdf5_data_param { batch_size: 6 } }
layer { name: "fc" type: "InnerProduct" bottom: "image" top: "fc" inner_product_param { num_output: 7 } }
layer { name: "flat" type: "Flatten" bottom: "moved" top: "flat" }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "flat" top: "loss" }
"""
SLICED = """layer { name: "data" type: "Data" top: "data"
  transform_param { crop_size: 32 } data_param { batch_size: 2 } }
layer { name: "label" type: "Data" top: "label" data_param { batch_size: 2 } }
layer { name: "cut" type: "Slice" bottom: "label" top: "cover" top: "box" top: "size" slice_param { slice_point: 1
  slice_point: 5 } }
layer { name: "times" type: "Eltwise" bottom: "box" bottom: "size" top: "boxes" eltwise_param { operation: PROD } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 4 stride: 4 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "conv" bottom: "boxes" top: "loss" }
layer { name: "rest" type: "Silence" bottom: "cover" }
"""
FLAT_SHAPES = {"moved": (6, 7)}
SLICED_SHAPES = {"label": (2, 9, 8, 8)}
VIDEO_SHAPES = {"data": (2, 3, 8, 56, 56), "label": (2,)}
SENTENCE_SHAPES = {"data": (6, 3, 32, 32), "cont": (4, 6), "input": (4, 6), "target": (4, 6, 1)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(VIDEO, VIDEO_SHAPES), (SENTENCES, SENTENCE_SHAPES), (FLAT, FLAT_SHAPES), (SLICED, SLICED_SHAPES)],
)
def test_guessed_shapes_fit(text: str, wanted: dict[str, tuple[int, ...]], tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(text)
    net = Net(bind(parse(read(str(path)), str(path)), NetParameter()))
    plan = plan_inputs(0, JobNet(str(path), "TRAIN"), net, SYNTHETIC)
    assert not plan.built.refusals
    assert {item.top: item.shape for item in plan.inputs if item.top in wanted} == wanted
    assert all(blob.shape is not None for blob in plan.built.blobs.values())


def test_where_sources_lie_that_are_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Most nets name their data from the root of Caffe, and are checked from anywhere."""
    from caffelint.cli.main import main

    net = 'layer { name: "data" type: "HDF5Data" top: "data" hdf5_data_param { source: "examples/data/train.txt"'
    net += ' batch_size: 4 } }\nlayer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
    net += ' inner_product_param { num_output: 3 } }\nlayer { name: "loss" type: "Reduction" bottom: "fc" top: "loss"'
    net += " loss_weight: 1 }\n"
    folder = tmp_path / "examples" / "models"
    (tmp_path / "examples" / "data").mkdir(parents=True)
    (tmp_path / "examples" / "data" / "train.txt").write_text("examples/data/train.h5\n")
    folder.mkdir()
    (folder / "net.prototxt").write_text(net)
    (folder / "solver.prototxt").write_text('net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 9\n')
    monkeypatch.chdir(folder)
    arguments = ["smoke", "solver.prototxt", "--engine", "torch", "--data", "real", "--force"]
    assert main(arguments) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert '"examples/data/train.txt" does not exist here, but in "../..": start smoke there' in told
