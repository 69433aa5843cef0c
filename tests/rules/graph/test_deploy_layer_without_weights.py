"""Layers of a deploy net that have other names than in training: what Caffe loads into them, and long chains."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import bench_curves
import pytest

import caffelint
from caffelint.lint.config import Config

DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }\n'
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }\n'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "last" bottom: "label" top: "loss" }\n'


def body(prefix: str, chain: int) -> str:
    text, bottom = "", "data"
    names = ["a", "b", "c", "d", *(f"{prefix}{number}" for number in range(chain)), "last"]
    for name in names:
        of = "BatchNorm" if name.startswith(prefix) else "InnerProduct"
        param = "" if of == "BatchNorm" else "inner_product_param { num_output: 8 }"
        text += f'layer {{ name: "{name}" type: "{of}" bottom: "{bottom}" top: "{name}" {param} }}\n'
        bottom = name
    return text


def renamed(folder: Path, chain: int, trained: str = "norm") -> list[str]:
    (folder / "train.prototxt").write_text(DATA + body(trained, chain) + LOSS)
    (folder / "deploy.prototxt").write_text(INPUT + body("bn", chain))
    config = Config()
    config.cache, config.preview = False, True
    report = caffelint.check(folder, config)
    assert not report.failures
    return [one.message for one in report.findings if one.name == "deploy-layer-without-weights"]


def test_one_twin_is_a_layer_renamed(tmp_path: Path) -> None:
    assert [message.partition(",")[0] for message in renamed(tmp_path, 1)] == [
        'BatchNorm "bn0" is called "norm0" in "train.prototxt"'
    ]
    assert renamed(tmp_path, 2) == [], "any of several may be it"
    assert renamed(tmp_path, 2, "train_bn") == [
        'BatchNorm "bn0", "bn1" are called "train_bn0", "train_bn1" in "train.prototxt", so they get none of the'
        " trained weights; give them the names of training"
    ]


@pytest.mark.parametrize(("name", "told"), [("fc1_new", 1), ("new-fc1", 1), ("fc10", 0), ("xfc1", 0)])
def test_of_several_twins_it_is_the_one_whose_name_holds_all_words(tmp_path: Path, name: str, told: int) -> None:
    layer = (
        'layer {{ name: "{0}" type: "InnerProduct" bottom: "last" top: "{0}" inner_product_param {{ num_output: 8 }} }}'
    )
    (tmp_path / "train.prototxt").write_text(DATA + body("bn", 0) + LOSS + layer.format(name) + layer.format("fc2"))
    (tmp_path / "deploy.prototxt").write_text(INPUT + body("bn", 0) + layer.format("fc1"))
    config = Config()
    config.cache, config.preview = False, True
    found = [one.name for one in caffelint.check(tmp_path, config).findings]
    assert found.count("deploy-layer-without-weights") == told


def test_a_net_of_the_names_of_training_beside_it(tmp_path: Path) -> None:
    """Of the same sizes, no other training explains the name."""
    (tmp_path / "train.prototxt").write_text(DATA + body("bn", 0) + LOSS)
    (tmp_path / "test.prototxt").write_text(INPUT + body("bn", 0))
    for outputs, told in ((8, 1), (9, 0)):
        other = body("bn", 0).replace('name: "last"', 'name: "final"')
        at = other.index('name: "final"')
        other = other[:at] + other[at:].replace("num_output: 8", f"num_output: {outputs}")
        (tmp_path / "deploy.prototxt").write_text(INPUT + other)
        config = Config()
        config.cache = False
        found = [one.name for one in caffelint.check(tmp_path, config).findings]
        assert found.count("deploy-layer-without-weights") == told


THIN = (
    'layer {{ name: "thin{0}{1}" type: "{2}" bottom: "{3}" top: "thin{0}" convolution_param {{ num_output: 8 group: 8'
    " kernel_size: 3 }} }}\n"
)
AFTER = (
    'layer {{ name: "end{0}" type: "Convolution" bottom: "thin{0}" top: "end{0}" convolution_param {{ num_output: 8'
    " kernel_size: 1 }} }}\n"
)


@pytest.mark.parametrize(
    ("ends", "after", "told"),
    [(("/dw",) * 4, AFTER, 1), (("/dw", "/dw", "/dw", "_dw"), AFTER, 0), (("_new",) * 4, "", 0)],
)
def test_more_layers_are_renamed_in_one_way(tmp_path: Path, ends: tuple[str, ...], after: str, told: int) -> None:
    """Two Caffes have each a type of their own for the layer, and the same weights. A head is renamed to be learned."""
    numbered = [*enumerate(zip(ends, "abcd", strict=True))]
    trained = [THIN.format(number, end, "DepthwiseConvolution", of) for number, (end, of) in numbered]
    deployed = [THIN.format(number, "", "ConvolutionDepthwise", of) for number, (_, of) in numbered]
    more = "".join(after.format(number) for number, _ in numbered)
    (tmp_path / "train.prototxt").write_text(DATA + body("bn", 0) + "".join(trained) + more + LOSS)
    (tmp_path / "deploy.prototxt").write_text(INPUT + body("bn", 0) + "".join(deployed) + more)
    config = Config()
    config.cache, config.preview = False, True
    found = [one for one in caffelint.check(tmp_path, config).findings if one.name == "deploy-layer-without-weights"]
    assert len(found) == told
    if told:
        assert found[0].message == (
            'ConvolutionDepthwise "thin0", "thin1", "thin2" and 1 more are called "thin0/dw" and so on in'
            ' "train.prototxt", so they get none of the trained weights; give them the names of training'
        )


def test_chains_take_time_with_their_length(tmp_path: Path) -> None:
    assert renamed(tmp_path, 2) == [], "what is imported at first is not counted"
    small, large = (bench_curves.calls(lambda: renamed(tmp_path, chain)) for chain in (100, 400))  # noqa: B023
    assert large < 4.6 * small


# Weights of the first net are saved and loaded into the second: does each layer of the latter hold those of training?
ASK = """
import json, sys
import numpy as np
import caffe
train, deploy, weights = sys.argv[1:]
net = caffe.Net(train, caffe.TRAIN)
for blobs in net.params.values():
    blobs[0].data[...] = 7
net.save(weights)
net = caffe.Net(deploy, caffe.TEST)
net.copy_from(weights)
print(json.dumps({name: bool((blobs[0].data == 7).all()) for name, blobs in net.params.items()}))
"""


def layers(last: str, outputs: int) -> str:
    text, bottom = INPUT, "data"
    for name in ("a", "b", last):
        size = outputs if name == last else 8
        text += f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        text += f" inner_product_param {{ num_output: {size} }} }}\n"
        bottom = name
    return text


@pytest.mark.parametrize(
    ("last", "outputs", "loaded"), [("c", 8, True), ("other", 8, False), ("other", 1000, False), ("c", 1000, None)]
)
def test_what_caffe_loads(tmp_path: Path, caffe_python: Path, last: str, outputs: int, loaded: bool | None) -> None:
    train, deploy = tmp_path / "train.prototxt", tmp_path / "deploy.prototxt"
    train.write_text(layers("c", 8))
    deploy.write_text(layers(last, outputs))
    done = subprocess.run(
        [caffe_python, "-c", ASK, train, deploy, tmp_path / "w.caffemodel"], capture_output=True, text=True
    )
    if loaded is None:
        assert done.returncode != 0, "another shape is refused"
        assert "shape mismatch" in done.stderr
    else:
        assert json.loads(done.stdout.splitlines()[-1]) == {"a": True, "b": True, last: loaded}
