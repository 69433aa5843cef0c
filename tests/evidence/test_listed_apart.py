"""Two lists of images, of which one is in the order of numbers, and the other in that of text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from data_sets import encoded, images, report_of

NET = """layer {{ name: "photo" type: "ImageData" top: "photo" top: "unused"
  image_data_param {{ source: "{folder}/photo.txt" batch_size: 4 }} }}
layer {{ name: "mask" type: "ImageData" top: "mask" top: "unused_too"
  image_data_param {{ source: "{folder}/mask.txt" batch_size: 4{more} }} }}
layer {{ name: "silence" type: "Silence" bottom: "unused" bottom: "unused_too" }}
layer {{ name: "conv" type: "Convolution" bottom: "photo" top: "conv"
  convolution_param {{ num_output: 3 kernel_size: 3 pad: 1 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "conv" bottom: "mask" top: "loss" }}
"""


@pytest.mark.parametrize(
    ("as_text", "more", "names"),
    [(True, "", "{}.png"), (False, "", "{}.png"), (True, " shuffle: true", "{}.png"), (True, "", "{:04}.png")],
)
def test_lists_in_two_orders(as_text: bool, more: str, names: str, tmp_path: Path) -> None:
    pictures = images(20)
    for kind in ("photo", "mask"):
        (tmp_path / kind).mkdir()
        for number, image in enumerate(pictures):
            (tmp_path / kind / names.format(number)).write_bytes(encoded(np.asarray(image)))
        order = sorted(range(20), key=names.format) if kind == "mask" and as_text else range(20)
        lines = (f"{tmp_path / kind / names.format(number)} 0\n" for number in order)
        (tmp_path / f"{kind}.txt").write_text("".join(lines))
    found = report_of(tmp_path, NET.format(folder=tmp_path, more=more))["json"]["findings"]
    told = [one["message"] for one in found if one["name"] == "paired-sources-in-other-order"]
    wanted = as_text and not more and names == "{}.png"
    assert len(told) == wanted
    assert not wanted or 'record 3 is "10.png" here and "2.png" there' in told[0]
    assert not wanted or told[0].endswith("; sort both lists alike")
