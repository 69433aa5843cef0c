"""Which layers lose their gradient to a Flatten, asked of a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

_DATA = (
    'layer { name: "data" type: "DummyData" top: "data" top: "label" top: "cont" dummy_data_param {'
    ' shape { dim: 4 dim: 3 dim: 5 } shape { dim: 4 } shape { dim: 4 dim: 3 } data_filler { type: "gaussian" }'
    ' data_filler { type: "constant" } data_filler { type: "constant" value: 1 } } }\n'
)
_FILLED = 'num_output: 6 weight_filler { type: "xavier" }'
_FIRST = {
    "InnerProduct": f'type: "InnerProduct" bottom: "data" inner_product_param {{ {_FILLED} }}',
    "LSTM": f'type: "LSTM" bottom: "data" bottom: "cont" recurrent_param {{ {_FILLED} }}',
    "RNN": f'type: "RNN" bottom: "data" bottom: "cont" recurrent_param {{ {_FILLED} }}',
}
_BETWEEN = {
    "Reshape": 'type: "Reshape" reshape_param { shape { dim: 4 dim: 2 dim: -1 } }',
    "Concat": 'type: "Concat"',
    "Slice": 'type: "Slice"',
    "Flatten": 'type: "Flatten"',
    "Dropout": 'type: "Dropout"',
    "ReLU in place": 'type: "ReLU"',
}
_ASK = """
import json, sys
import caffe
lost = {}
for name, text in json.load(open(sys.argv[1])).items():
    open("net.prototxt", "w").write(text)
    net = caffe.Net("net.prototxt", caffe.TRAIN)
    net.forward(), net.backward()
    lost[name] = not abs(net.params["first"][0].diff).max()
json.dump(lost, open(sys.argv[2], "w"))
"""


def net(first: str, between: tuple[str, ...]) -> str:
    text, blob = f'{_DATA}layer {{ name: "first" {_FIRST[first]} top: "first" }}\n', "first"
    for number, one in enumerate(between):
        top = blob if one.endswith("in place") else f"t{number}"
        text += f'layer {{ name: "l{number}" {_BETWEEN[one]} bottom: "{blob}" top: "{top}" }}\n'
        blob = top
    text += (
        f'layer {{ name: "fc" type: "InnerProduct" bottom: "{blob}" top: "fc" inner_product_param {{ {_FILLED} }} }}\n'
    )
    return f'{text}layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}\n'


NETS = {
    f"{first} {', '.join(between)}": net(first, between)
    for first in _FIRST
    for between in [
        *((one,) for one in _BETWEEN),
        *((one, "Flatten") for one in _BETWEEN),
        ("Reshape", "ReLU in place", "Flatten"),
        ("Reshape", "Dropout", "Flatten"),
        ("Flatten", "Reshape"),
        ("Reshape", "Reshape", "Flatten"),
    ]
}


@pytest.fixture(scope="module")
def lost(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    folder = tmp_path_factory.mktemp("nets")
    (folder / "ask.py").write_text(_ASK)
    (folder / "nets.json").write_text(json.dumps(NETS))
    command = [caffe_python, "ask.py", "nets.json", "lost.json"]
    subprocess.run(command, cwd=folder, check=True, timeout=300, capture_output=True)
    found: dict[str, bool] = json.loads((folder / "lost.json").read_text())
    return found


def test_is_told_where_caffe_loses_it_and_nowhere_else(lost: dict[str, bool]) -> None:
    told = {
        name: any(one.name == "flatten-loses-gradient" for one in caffelint.check_text(text, kind="net").findings)
        for name, text in NETS.items()
    }
    assert told == lost
    assert {True, False} == set(lost.values())
