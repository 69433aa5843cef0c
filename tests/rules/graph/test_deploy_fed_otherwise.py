"""What is to be set where a script scales its images in two places wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.examples import findings_of
from caffelint.lint.registry import find_rule

DATA = (
    'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train" }'
    " transform_param { scale: 0.0078 mean_value: 127.5 } }"
)
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 64 } } }'
BODY = "".join(
    f' layer {{ name: "{top}" type: "InnerProduct" bottom: "{bottom}" top: "{top}"'
    " inner_product_param { num_output: 8 } }"
    for bottom, top in (("data", "a"), ("a", "b"), ("b", "c"))
)
LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
SCRIPT = """
t = caffe.io.Transformer({'data': (1, 64)})
t.set_mean('data', numpy.array([127.5]))
t.set_raw_scale('data', 127.5)
net.blobs['data'].data[...] = t.preprocess('data', cv2.imread(path))
"""


def test_both_scales_are_told() -> None:
    info = find_rule("deploy-fed-otherwise")
    assert info is not None
    files = {"README.md": "", "train.prototxt": DATA + BODY + LOSS, "deploy.prototxt": INPUT + BODY, "a.py": SCRIPT}
    (found,) = findings_of(info.load(), files)
    assert found.message.endswith("; leave raw_scale out and call set_input_scale('data', 0.0078)")


ORDERED = """import caffe
t = caffe.io.Transformer({'data': (1, 64)})
t.set_raw_scale('data', 255)
%snet.blobs['data'].data[...] = t.preprocess('data', caffe.io.load_image(path))
"""
SWAP = "t.set_channel_swap('data', (2, 1, 0))\n"
READS = 'layer { name: "data" type: "%s" top: "data" top: "label" %s { source: "train" %s} }'


@pytest.mark.parametrize(
    ("data", "swap", "told"),
    [
        (READS % ("ImageData", "image_data_param", ""), "", True),
        (READS % ("ImageData", "image_data_param", ""), SWAP, False),
        (READS % ("ImageData", "image_data_param", "is_color: false "), "", False),
        (READS % ("Data", "data_param", ""), "", True),
        (READS.replace('"train"', '"other"') % ("Data", "data_param", ""), "", False),
    ],
)
def test_what_opencv_reads_is_blue_green_and_red(tmp_path: Path, data: str, swap: str, told: bool) -> None:
    (tmp_path / "README.md").touch()
    (tmp_path / ".gitignore").touch()
    (tmp_path / "make.sh").write_text("convert_imageset data/ list.txt train\n")
    (tmp_path / "train.prototxt").write_text(data + BODY + LOSS)
    (tmp_path / "deploy.prototxt").write_text(INPUT + BODY)
    (tmp_path / "a.py").write_text('net = caffe.Net("deploy.prototxt")\n' + ORDERED % swap)
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "deploy-fed-otherwise"]
    assert ["in the order RGB" in one.message for one in found] == [True] * told


BY_HAND = """import caffe
net = caffe.Net("deploy.prototxt", caffe.TEST)
im = %s
net.blobs["data"].data[...] = im
"""


def _told(tmp_path: Path, data: str, script: str) -> list[str]:
    (tmp_path / "README.md").touch()
    (tmp_path / ".gitignore").touch()
    (tmp_path / "train.prototxt").write_text(data + BODY + LOSS)
    (tmp_path / "deploy.prototxt").write_text(INPUT + BODY)
    (tmp_path / "a.py").write_text(script)
    found = caffelint.check([str(tmp_path)]).findings
    return [one.message.partition("(line 4) ")[2] for one in found if one.name == "deploy-fed-otherwise"]


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("(cv2.imread(path) - 127.5) * 0.0078", ""),
        ("cv2.imread(path) / 128.0 - 127.5 / 128.0", ""),
        ("cv2.imread(path) - 127.5", "it puts them into the blob as it opens them, but"),
        ("caffe.io.load_image(path) * 0.0078", "it multiplies them by 0.0078, from 0 to 1, but"),
        ("cv2.imread(path) * 0.0078", 'gives "data" images as they are, but "train.prototxt" subtracts a mean'),
        ("(cv2.imread(path) - 127.5) * 8.5", "it multiplies them by 8.5, but"),
    ],
)
def test_what_a_script_calculates_itself(tmp_path: Path, image: str, told: str) -> None:
    found = _told(tmp_path, DATA, BY_HAND % image)
    assert [told in one for one in found] == [True] * bool(told)


PAIRS = DATA.replace('"data" top: "label"', '"pair" top: "label"') + (
    ' layer { name: "slice" type: "Slice" bottom: "pair" top: "data" top: "other" slice_param { slice_dim: 1 } }'
)


def test_parts_of_what_is_read_are_scaled_as_that_is(tmp_path: Path) -> None:
    (found,) = _told(tmp_path, PAIRS, BY_HAND % "cv2.imread(path)")
    assert "128 times as large as in training" in found


def test_colours_of_a_picture_opened_by_pil(tmp_path: Path) -> None:
    data, image = READS % ("ImageData", "image_data_param", ""), "np.array(Image.open(path))%s"
    (found,) = _told(tmp_path, data, BY_HAND % image % "")
    assert found.endswith('in the order RGB, but "train.prototxt" reads BGR; reverse the channels')
    assert not _told(tmp_path, data, BY_HAND % image % "[:, :, ::-1]")
