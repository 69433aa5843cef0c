"""How sure `refused-by-caffe` is of what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.rules.layers.refused_by_caffe import RefusedByCaffe


@pytest.mark.parametrize(("stage", "severity"), [("deploy", "info"), ("other", "error")])
def test_what_digits_fills_in_is_no_error(stage: str, severity: str) -> None:
    net = RefusedByCaffe._DIGITS.replace('"deploy"', f'"{stage}"')
    net = net.replace("batch_size", 'source: "train_lmdb" batch_size')
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.name == RefusedByCaffe.name]
    assert [one.severity for one in found] == [severity]


@pytest.mark.parametrize(
    ("data", "outputs", "severity"), [("Data", 10, "warning"), ("Data", 4096, "error"), ("ImageData", 10, "error")]
)
def test_a_record_may_have_several_labels_in_a_changed_caffe(data: str, outputs: int, severity: str) -> None:
    """But not as many as a map has pixels."""
    block = (
        'data_param { source: "a" batch_size: 8 }'
        if data == "Data"
        else 'image_data_param { source: "a" batch_size: 8 new_height: 9 new_width: 9 }'
    )
    net = (
        f'layer {{ name: "data" type: "{data}" top: "data" top: "label" {block} }}'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {'
        f" num_output: {outputs}"
        ' weight_filler { type: "xavier" } } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.name == RefusedByCaffe.name]
    assert [one.severity for one in found] == [severity]


def test_what_is_read_past_the_end_of_a_list_has_no_shape() -> None:
    """Caffe makes up the last size of the input: what a Pooling would say of it depends on what lies there."""
    net = (
        'input: "data" input_dim: 3 input_dim: 224 input_dim: 224'
        ' layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 2 } }'
    )
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.severity == "error"]
    assert [one.line for one in found] == [1]
    assert "1 input need 4 input_dim but 3 are set" in found[0].message


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("net = caffe.Net('mine.prototxt', 'a.caffemodel', caffe.TEST)\n", "remove this layer and"),
        ("solver.net.forward()\n", ""),
    ],
)
def test_a_net_that_a_script_runs_needs_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, remedy: str
) -> None:
    shape = (
        'layer {{ name: "{0}" type: "Input" top: "{0}" input_param {{ shape {{ dim: 1 dim: 1 dim: {1} dim: 8 }} }} }}\n'
    )
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "label" top: "loss" }\n'
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "mine.prototxt").write_text(shape.format("data", 8) + shape.format("label", 9) + loss)
    (tmp_path / "run.py").write_text(code)
    (message,) = [one.message for one in caffelint.check(".").findings if one.name == RefusedByCaffe.name]
    assert remedy in message
    assert ("remove" in message) == bool(remedy)
