"""A deploy net whose images have another size than in training: what the text tells, held against a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

BODY = "".join(
    f'layer {{ name: "c{number}" type: "Convolution" bottom: "b{number}" top: "b{number + 1}"'
    " convolution_param { num_output: 2 kernel_size: 3 pad: 1 stride: 2 } }\n"
    for number in range(3)
)
BODY += 'layer { name: "fc" type: "InnerProduct" bottom: "b3" top: "fc" inner_product_param { num_output: 4 } }\n'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "l" top: "loss" }\n'
DATA = 'layer {{ name: "d" type: "{}" top: "b0" top: "l" {} }}\n'
DUMMY = DATA.format("DummyData", "dummy_data_param { shape { dim: 2 dim: 3 dim: 24 dim: 32 } shape { dim: 2 } }")
INPUT = 'layer {{ name: "b0" type: "Input" top: "b0" input_param {{ shape {{ dim: 1 dim: {} dim: {} dim: {} }} }} }}\n'
LISTED = 'image_data_param { source: "a" batch_size: 2 new_height: 24 new_width: 32 %s }'
SIZED = {
    "dummy": DUMMY,
    "memory": DATA.format("MemoryData", "memory_data_param { batch_size: 2 channels: 3 height: 24 width: 32 }"),
    "list": DATA.format("ImageData", LISTED % ""),
    "boxes": DATA.format(
        "AnnotatedData",
        'data_param { source: "a" batch_size: 2 } transform_param { resize_param { prob: 1 height: 24 width: 32 } }',
    ),
}


def found(folder: Path, train: str, deploy: str) -> list[tuple[str, str]]:
    (folder / "train.prototxt").write_text(train + BODY + LOSS)
    (folder / "deploy.prototxt").write_text(deploy + BODY)
    config = Config()
    config.cache = False
    report = caffelint.check(folder, config)
    assert not report.failures
    return [(one.severity, one.message) for one in report.findings if one.name == "deploy-mismatch"]


@pytest.mark.parametrize("data", SIZED)
def test_where_the_text_tells_the_size(tmp_path: Path, data: str) -> None:
    assert found(tmp_path, SIZED[data], INPUT.format(3, 24, 32)) == []
    assert found(tmp_path, SIZED[data], INPUT.format(3, 48, 64)) == [
        (
            "error",
            'Input "b0": shape is 48x64 but "train.prototxt" was trained on images of 24x32, so Caffe refuses the'
            ' weights of InnerProduct "fc"; set the last two dim to 24 and 32',
        )
    ]


def test_where_it_does_not(tmp_path: Path) -> None:
    assert (
        found(tmp_path, DATA.format("Data", 'data_param { source: "a" batch_size: 2 }'), INPUT.format(3, 48, 64)) == []
    )
    cut = DATA.format("ImageData", f"{LISTED % ''} transform_param {{ crop_h: 20 crop_w: 28 }}")
    assert found(tmp_path, cut, INPUT.format(3, 48, 64)) == []
    grey = DATA.format("ImageData", LISTED % "is_color: false")
    assert found(tmp_path, grey, INPUT.format(1, 24, 32)) == []
    assert found(tmp_path, SIZED["list"], INPUT.format(3, 23, 31)) == []  # which three strides make as large a map


@pytest.mark.parametrize(("sides", "loads"), [((24, 32), True), ((48, 64), False), ((23, 31), True)])
def test_what_a_real_caffe_loads(caffe_python: Path, tmp_path: Path, sides: tuple[int, int], loads: bool) -> None:
    weights, deploy = str(tmp_path / "a.caffemodel"), INPUT.format(3, *sides)
    jobs = [
        {"net": DUMMY + BODY + LOSS, "phase": "TRAIN", "save": weights},
        {"net": deploy + BODY, "phase": "TEST", "load": weights, "values": str(tmp_path / "values.npz")},
    ]
    oracle = Path(__file__).parents[2] / "caffe/weights_oracle.py"
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run([caffe_python, oracle], input=lines.encode(), capture_output=True, check=True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert loaded["ok"] == loads
    assert loads or "Cannot copy param 0 weights from layer 'fc'" in loaded["error"]
    assert bool(found(tmp_path, DUMMY, deploy)) != loads
