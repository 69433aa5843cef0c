"""What float16 cannot hold of a net, held against what it makes of the real Caffe's values and gradients."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.half import lost, overflow
from caffelint.numerics.start import start

_ASK = """
import json, os, sys
os.environ["GLOG_minloglevel"] = "3"
import caffe, numpy
caffe.set_mode_cpu()
for path in sys.argv[1:]:
    caffe.set_random_seed(3)
    net = caffe.Net(path, caffe.TRAIN)
    net.forward()
    net.backward()
    gone, beyond = {}, {}
    with numpy.errstate(over="ignore"):
        for name, blob in net.blobs.items():
            some = blob.diff[blob.diff != 0]
            gone[name] = float((some.astype("float16") == 0).mean()) if some.size else 0.0
            beyond[name] = int(numpy.isinf(blob.data.astype("float16")).sum())
    print(json.dumps([gone, beyond]))
"""


def _net(spread: float, filler: str, weight: float, more: str = "") -> str:
    text = "default_forward_type: FLOAT16 default_backward_type: FLOAT16\n" + more
    text += (
        'layer { name: "data" type: "DummyData" top: "x" top: "label" dummy_data_param { shape { dim: 32 dim: 3 dim: 12'
        f' dim: 12 }} shape {{ dim: 32 }} data_filler {{ type: "gaussian" std: {spread} }}'
        ' data_filler { type: "constant" value: 1 } } }\n'
    )
    bottom = "x"
    for name in ("a", "b", "c"):
        text += (
            f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" convolution_param {{'
            f" num_output: 12 kernel_size: 3 weight_filler {{ {filler} }} }} }}\n"
            f'layer {{ name: "{name}_bend" type: "ReLU" bottom: "{name}" top: "{name}_bent" }}\n'
        )
        bottom = f"{name}_bent"
    return text + (
        f'layer {{ name: "d" type: "InnerProduct" bottom: "{bottom}" top: "d" inner_product_param {{ num_output: 20'
        f" weight_filler {{ {filler} }} }} }}\n"
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "d" bottom: "label" top: "loss"'
        f" loss_weight: {weight} }}"
    )


_MSRA, _SMALL, _LARGE = 'type: "msra"', 'type: "gaussian" std: 0.01', 'type: "gaussian" std: 1'
NETS = [_net(1, _MSRA, 1), _net(1, _SMALL, 1), _net(1, _MSRA, 1e-7), _net(3e4, _MSRA, 1), _net(300, _LARGE, 1)]


def test_as_float16_makes_of_the_real_caffe(caffe_python: Path, tmp_path: Path) -> None:
    paths = []
    for number, text in enumerate(NETS):
        paths.append(tmp_path / f"{number}.prototxt")
        paths[-1].write_text(text.partition("\n")[2])  # Caffe 1.0 knows no types
    done = subprocess.run([caffe_python, "-c", _ASK, *paths], capture_output=True, check=True)
    spoke = 0
    for text, line in zip(NETS, done.stdout.splitlines(), strict=True):
        gone, beyond = json.loads(line)
        net = load(text.encode(), "net.prototxt").net
        assert net is not None
        built = net.likely(State("TRAIN"))
        begin = start(built)
        large, small = overflow(built, begin), lost(built, begin)
        named = {layer.name for layer in small.layers} if small else set()
        assert named == {name for name in "abcd" if gone[name] > 0.5}
        assert (large.layer.tops[0].name if large else None) == next((name for name in beyond if beyond[name]), None)
        spoke += bool(large) + bool(small)
    assert spoke == 3


def test_the_scale_that_is_advised_saves_the_gradients() -> None:
    net = load(_net(1, _MSRA, 1e-7).encode(), "net.prototxt").net
    assert net is not None
    built = net.likely(State("TRAIN"))
    found = lost(built, start(built))
    assert found is not None
    assert found.scale
    net = load(_net(1, _MSRA, 1e-7, f"global_grad_scale: {found.scale}\n").encode(), "net.prototxt").net
    assert net is not None
    built = net.likely(State("TRAIN"))
    assert lost(built, start(built)) is None
