import json
import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config


def crops(*offsets: int) -> str:
    """A net that enlarges maps of stride 2, 4, 8 and so on, and crops each; half of the stride is the right offset."""
    text = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 64 dim: 64 } } }'
    for step, offset in enumerate(offsets, 1):
        stride = 2**step
        text += (
            f' layer {{ name: "pool{step}" type: "Pooling" bottom: "{"data" if step == 1 else f"pool{step - 1}"}"'
            f' top: "pool{step}" pooling_param {{ pool: MAX kernel_size: 2 stride: 2 }} }}'
            f' layer {{ name: "up{step}" type: "Deconvolution" bottom: "pool{step}" top: "up{step}" convolution_param'
            f" {{ num_output: 3 kernel_size: {2 * stride} stride: {stride} }} }}"
            f' layer {{ name: "crop{step}" type: "Crop" bottom: "up{step}" bottom: "data" top: "crop{step}"'
            f" crop_param {{ axis: 2 offset: {offset} }} }}\n"
        )
    return text


def told(text: str) -> list[str]:
    config = Config()
    config.preview = True
    found = caffelint.check_text(text, config=config).findings
    return [one.message for one in found if one.name == "upsampling-geometry"]


def test_a_crop_is_held_against_the_others() -> None:
    """Half a pixel of a coarse map says nothing, unless all other Crops are exact."""
    assert told(crops(1, 2, 4, 8)) == []
    assert told(crops(1, 2, 4, 4)) == [
        'Crop "crop4": "up4" aligns with "data" at offset 8 but crop_param has offset 4, so the map is shifted by 4'
        " pixels; set offset: 8"
    ]
    assert told(crops(0, 2, 4, 4)) == []


def fused(offset: int) -> str:
    """A net that adds two maps, of strides 2 and 4, and crops the sum; offset: of the second one before it is added."""
    first, second = (
        f' layer {{ name: "up{step}" type: "Deconvolution" bottom: "pool{step}" top: "up{step}" convolution_param'
        f" {{ num_output: 3 kernel_size: {4 * step} stride: {2 * step} }} }}"
        for step in (1, 2)
    )
    return (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 64 dim: 64 } } }'
        ' layer { name: "pool1" type: "Pooling" bottom: "data" top: "pool1" pooling_param { kernel_size: 2 stride: 2 }'
        ' } layer { name: "pool2" type: "Pooling" bottom: "pool1" top: "pool2" pooling_param { kernel_size: 2'
        f" stride: 2 }} }} {first} {second}"
        ' layer { name: "cut2" type: "Crop" bottom: "up2" bottom: "up1" top: "cut2" crop_param { axis: 2 offset:'
        f" {offset} }} }}"
        ' layer { name: "sum" type: "Eltwise" bottom: "up1" bottom: "cut2" top: "sum" }'
        ' layer { name: "crop" type: "Crop" bottom: "sum" bottom: "data" top: "crop" crop_param { axis: 2 offset: 9 }'
        " }"
    )


def test_a_sum_of_maps_is_judged_as_one() -> None:
    """Where they are shifted against each other, an offset that is right for one is wrong for the other."""
    said = [message for message in told(fused(1)) if message.startswith('Crop "crop"')]
    assert said == [
        'Crop "crop": "sum" aligns with "data" at offset 1 but crop_param has offset 9, so the map is shifted by 8'
        " pixels; set offset: 1"
    ]
    assert not [message for message in told(fused(7)) if message.startswith('Crop "crop"')]


def test_the_test_net_that_has_the_same_offset_is_named_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the weights of training: its map moves if that one alone is mended."""
    loss = ' layer { name: "loss" type: "EuclideanLoss" bottom: "crop4" bottom: "crop3" top: "loss" }\n'
    monkeypatch.chdir(tmp_path)
    (tmp_path / "solver.prototxt").write_text(
        'train_net: "train.prototxt" test_net: "val.prototxt" test_iter: 9 test_interval: 9 base_lr: 0.1\n'
    )
    for name in ("train", "val"):
        (tmp_path / f"{name}.prototxt").write_text(crops(1, 2, 4, 4) + loss)
    (found,) = [one for one in caffelint.check(".").findings if one.name == "upsampling-geometry"]
    assert found.file == "train.prototxt"
    assert found.message.endswith('set offset: 8, in "val.prototxt" too')


# The offsets that pycaffe's coord_map.py finds for a net, with the text of the net.
ASK = """
import json, sys
import caffe
from caffe import layers as L, params as P
from caffe.coord_map import crop
found = []
for kernel, pad, deep, size, stride, out in json.loads(sys.argv[1]):
    n = caffe.NetSpec()
    n.data = L.Input(input_param=dict(shape=dict(dim=[1, 3, 64, 64])))
    n.conv = L.Convolution(n.data, num_output=2, kernel_size=kernel, pad=pad)
    top = n.conv
    for step in range(deep):
        top = L.Pooling(top, pool=P.Pooling.MAX, kernel_size=2, stride=2)
    n.up = L.Deconvolution(top, convolution_param=dict(num_output=2, kernel_size=size, stride=stride, pad=out))
    n.crop = crop(n.up, n.data)
    found.append([int(n.crop.fn.params["crop_param"]["offset"][0]), str(n.to_proto())])
print(json.dumps(found))
"""


def test_offsets_are_those_of_coord_map(caffe_python: Path) -> None:
    nets = [(3, 100, 5, 64, 32, 0), (3, 100, 5, 64, 32, 4), (3, 50, 4, 32, 16, 0), (3, 20, 1, 4, 2, 1)]
    done = subprocess.run([caffe_python, "-c", ASK, json.dumps(nets)], capture_output=True, text=True, check=True)
    for offset, text in json.loads(done.stdout.splitlines()[-1]):
        assert told(text) == []
        (message,) = told(text.replace(f"offset: {offset}", "offset: 500"))
        assert f" at offset {offset} but crop_param has offset 500" in message
        (message,) = told(text.partition("crop_param")[0] + "}")
        assert f" at offset {offset} but there is no crop_param" in message
