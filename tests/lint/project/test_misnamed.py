"""Names of nets in scripts that no file has but for a slip."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'


@pytest.mark.parametrize(
    ("script", "there", "told"),
    [
        ('net = caffe.Net("deploynet.prototxt", caffe.TEST)', "deploy_net", True),
        ('net = caffe.Net("models/delpoy.prototxt", caffe.TEST)', "models/deploy", True),
        ("caffe time --model=deploys.prototxt", "deploy", True),
        # Two networks, what the script writes, and what is no path.
        ('net = caffe.Net("rcnn.prototxt", caffe.TEST)', "cnn", False),
        ('net = caffe.Net("vgg_faster.prototxt", caffe.TEST)', "vgg_fast", False),
        ('net = caffe.Net("deploy2.prototxt", caffe.TEST)', "deploy1", False),
        ('open("deploys.prototxt", "w").write(x)\nnet = caffe.Net("deploys.prototxt", caffe.TEST)', "deploy", False),
        ('net = caffe.Net("%s/deploys.prototxt" % root, caffe.TEST)', "deploy", False),
        # Elsewhere there is one.
        ('net = caffe.Net("other.prototxt", caffe.TEST)', "others", False),
    ],
)
def test_slips_in_names(tmp_path: Path, script: str, there: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / f"{there}.prototxt").write_text(NET)
    (tmp_path / "models/other.prototxt").write_text(NET)
    (tmp_path / ("run.py" if "(" in script else "run.sh")).write_text(f"import caffe\n{script}\n")
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-opens-other-name"]
    assert [one.file for one in found] == [str(tmp_path / f"{there}.prototxt")] * told
