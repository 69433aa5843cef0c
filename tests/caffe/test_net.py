"""What a net knows of its layers by type, by field and by blob, against a look at every layer."""

from __future__ import annotations

import ntpath
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.caffe.net import PHASES, Net
from caffelint.lint.file import load

CaffeExec = Callable[..., "subprocess.CompletedProcess[bytes]"]
FIXTURES = Path(__file__).parents[2] / "fixtures"
OLD = """
layers { name: "data" type: DATA top: "data" include { phase: TRAIN } data_param { batch_size: 8 } }
layers { name: "conv" type: CONVOLUTION bottom: "data" top: "conv" blobs_lr: 1 blobs_lr: 2
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "gaussian" } bias_filler { } } }
layers { name: "relu" type: RELU bottom: "conv" top: "conv" }
layers { name: "loss" type: EUCLIDEAN_LOSS bottom: "conv" bottom: "data" loss_weight: 2 }
"""


def nets() -> list[Net]:
    texts = [OLD.encode(), *(path.read_bytes() for path in sorted(FIXTURES.rglob("*.prototxt")))]
    return [net for text in texts if (net := load(text).net) is not None]


def test_layers_of_types() -> None:
    for net in nets():
        types = {layer.type for layer in net.layers if layer.index % 2}
        assert net.layers_of(types) == [layer for layer in net.layers if layer.type in types]


@pytest.mark.parametrize("field", ["param", "include", "loss_weight", "convolution_param"])
def test_layers_having_a_field(field: str) -> None:
    found = 0
    for net in nets():
        having = net.layers_having(field)
        assert having == [layer for layer in net.layers if layer.has(field)]
        found += len(having)
    assert found


def test_fillers_by_type() -> None:
    for net in nets():
        given = [(layer.index, written.path) for layer in net.layers for written in layer.fillers()]
        by_type = [(layer.index, written.path) for found in net.fillers.values() for layer, written in found]
        assert sorted(by_type) == sorted(given)
        for type_, found in net.fillers.items():
            assert all(written.filler.type == type_ for _, written in found)
    (old, *_) = nets()
    assert [layer.name for layer, _ in old.fillers["gaussian"]] == ["conv"]


def test_the_maker_of_a_bottom_is_the_nearest_layer_above_in_the_phase() -> None:
    for net in nets():
        for phase in PHASES:
            made = {}
            for layer in net.layers:
                for number, bottom in enumerate(layer.bottoms):
                    maker = layer.maker(number, phase)
                    assert made.get(bottom) == (maker and (maker.layer, maker.layer.tops[maker.top]))
                if phase in layer.phases:
                    made |= {top: (layer, top) for top in layer.tops}


def test_the_folder_of_a_native_path_says_nothing_of_the_net(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "basename", ntpath.basename)
    text = 'layer { name: "d" type: "Data" top: "x" include { phase: TRAIN } data_param { source: "s" } }'
    for path, trained in (("C:\\test\\net.prototxt", True), ("C:\\net\\test.prototxt", False)):
        net = load(text.encode(), path).net
        assert net is not None
        assert net.is_trained is trained


TRAINED = """
layer { name: "d" type: "DummyData" top: "d" top: "l" dummy_data_param { shape { dim: 2 dim: 3 } shape { dim: 2 } } }
layer { name: "f" type: "InnerProduct" bottom: "d" top: "f" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "f" bottom: "l" top: "loss" }
"""


@pytest.mark.parametrize(
    "settings",
    [
        "max_iter: 0 test_iter: 2 test_interval: 5 test_initialization: false",
        "max_iter: 4 test_iter: 2 test_interval: 5 test_initialization: false",
        "max_iter: 5 test_iter: 2 test_interval: 5 test_initialization: false",
        "max_iter: 4 test_iter: 2 test_interval: 5",
        "max_iter: 4",
    ],
)
def test_a_solver_tests_where_caffe_does(settings: str, caffe_exec: CaffeExec, tmp_path: Path) -> None:
    net, path = tmp_path / "net.prototxt", tmp_path / "solver.prototxt"
    net.write_text(TRAINED)
    text = f'net: "{net}" base_lr: 0.1 lr_policy: "fixed" snapshot_prefix: "{tmp_path}/x" solver_mode: CPU {settings}'
    path.write_text(text)
    done = caffe_exec("caffe", "train", f"--solver={path}")
    assert done.returncode == 0
    file = load(text.encode(), str(path))
    assert file.solver is not None
    assert file.solver.tests is (b"Testing net" in done.stderr)


def test_a_solver_that_reads_no_batch_for_testing_does_not_test() -> None:
    file = load(b'net: "net.prototxt" max_iter: 4 test_iter: 0 test_interval: 2', "solver.prototxt")
    assert file.solver is not None
    assert not file.solver.tests
