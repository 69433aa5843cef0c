"""Values and gradients that fade or grow through the layers, as the real Caffe has them, too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint import check
from caffelint.caffe.states import State
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.numerics.depth import GRADIENTS, VALUES, depth
from caffelint.numerics.start import start

_LAYERS = 8
_BEND = 'layer {{ name: "act{0}" type: "{1}" bottom: "fc{0}" top: "fc{0}" }}\n'


def _net(filler: str, bend: str = "ReLU") -> str:
    text = (
        'layer { name: "data" type: "DummyData" top: "fc0" top: "label" dummy_data_param { shape { dim: 16 dim: 64 }'
        ' shape { dim: 16 } data_filler { type: "gaussian" } data_filler { type: "constant" value: 1 } } }\n'
    )
    for number in range(1, _LAYERS + 1):
        text += (
            f'layer {{ name: "fc{number}" type: "InnerProduct" bottom: "fc{number - 1}" top: "fc{number}"'
            f" inner_product_param {{ num_output: 64 weight_filler {{ {filler} }} }} }}\n"
        ) + _BEND.format(number, bend)
    return text + f'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc{_LAYERS}" bottom: "label" top: "loss" }}'


CASES = {
    (_net('type: "gaussian" std: 0.01'), VALUES, True),
    (_net('type: "gaussian" std: 2'), GRADIENTS, False),
    (_net('type: "msra"'), "", False),
    (_net('type: "xavier"', "TanH"), "", False),
}


@pytest.mark.parametrize(("text", "what", "fades"), sorted(CASES))
def test_what_is_lost(text: str, what: str, fades: bool) -> None:
    net = load(text.encode(), "net.prototxt").net
    solver = load(b'base_lr: 0.01 lr_policy: "fixed"', "solver.prototxt", "solver").solver
    assert net is not None
    assert solver is not None
    built = net.likely(State("TRAIN"))
    found = depth(built, start(built), solver.message)
    assert (found.what, found.fades) == (what, fades) if found else not what
    solver.message.type = "Adam"
    assert depth(built, start(built), solver.message) is None


@pytest.mark.parametrize("weight", [1, 1e-4])
def test_losses_of_very_different_weights_say_nothing(weight: float) -> None:
    """The gradients of what only the small one reads are small by intent."""
    text = _net('type: "msra"') + (
        'layer { name: "side" type: "InnerProduct" bottom: "fc1" top: "side" inner_product_param { num_output: 3'
        ' weight_filler { type: "gaussian" std: 1e-9 } } }\n'
        f'layer {{ name: "aux" type: "SoftmaxWithLoss" bottom: "side" bottom: "label" loss_weight: {weight} }}'
    )
    net = load(text.encode(), "net.prototxt").net
    solver = load(b'base_lr: 0.01 lr_policy: "fixed"', "solver.prototxt", "solver").solver
    assert net is not None
    assert solver is not None
    built = net.likely(State("TRAIN"))
    assert (depth(built, start(built), solver.message) is None) == (weight != 1)


_TRAIN = """
import json, os, sys
os.environ["GLOG_minloglevel"] = "3"
import caffe
caffe.set_mode_cpu()
solver = caffe.get_solver(sys.argv[1])
losses = []
for _ in range(400):
    solver.step(1)
    losses.append(float(solver.net.blobs["loss"].data))
print(json.dumps(losses))
"""


def test_the_change_that_is_advised_lets_the_real_caffe_learn(caffe_python: Path, tmp_path: Path) -> None:
    """The first number of a sample is to be found out from all of them."""
    target = 'layer { name: "part" type: "Slice" bottom: "fc0" top: "t" top: "rest" slice_param { slice_point: 1 } }\n'
    small = _net('type: "gaussian" std: 0.01').replace('layer { name: "fc1"', f'{target}layer {{ name: "fc1"')
    head = 'layer { name: "out" type: "InnerProduct" bottom: "fc8" top: "out" inner_product_param { num_output: 1'
    head += ' weight_filler { type: "gaussian" std: 0.01 } } }\n'
    small = small[: small.rindex("layer")] + head
    small += 'layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "t" top: "loss" }'
    solver = tmp_path / "s.prototxt"
    solver.write_text(
        f'net: "{tmp_path}/n.prototxt" base_lr: 0.01 lr_policy: "fixed" momentum: 0.9 solver_mode: CPU random_seed: 1'
    )
    ends = []
    for text in (small, small.replace('type: "gaussian" std: 0.01', 'type: "msra"')):
        (tmp_path / "n.prototxt").write_text(text)
        config = Config()
        config.select, config.cache = ["N108"], False
        found = check([str(solver)], config).findings
        done = subprocess.run([caffe_python, "-c", _TRAIN, solver], capture_output=True, check=True)
        losses = json.loads(done.stdout)
        ends.append(sum(losses[-100:]) / sum(losses[:5]) * 5 / 100)
        assert bool(found) == (text == small)
        assert all('set weight_filler { type: "msra" }' in one.message for one in found)
    assert ends[0] > 0.7
    assert ends[1] < 0.4
