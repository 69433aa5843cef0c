"""With `--read-data`, what the numbers lead to is judged by the data as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import COMMAND_LINE, Config

SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" momentum: 0.9 max_iter: 1000'
NET = (
    'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "list" batch_size: 16 } }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 20'
    ' weight_filler { type: "xavier" } } }'
    ' layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }'
    ' layer { name: "score" type: "InnerProduct" bottom: "fc" top: "score" inner_product_param { num_output: 5'
    ' weight_filler { type: "xavier" } } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }'
)
RULE = "first-updates-too-large"


def found(folder: Path, read_data: bool) -> list[str]:
    config = Config()
    config.cache, config.select, config.read_data = False, [RULE], read_data
    config.sources["read_data"] = COMMAND_LINE
    report = caffelint.check([folder / "solver.prototxt"], config)
    assert not report.failures
    return [finding.message for finding in report.findings]


@pytest.fixture
def there(tmp_path: Path) -> Path:
    (tmp_path / "solver.prototxt").write_text(SOLVER, "utf-8")
    (tmp_path / "net.prototxt").write_text(NET, "utf-8")
    (tmp_path / "list").write_text("a.h5\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(("spread", "breaks"), [(300.0, True), (1.0, False)])
def test_by_the_scale_that_they_have(there: Path, spread: float, breaks: bool) -> None:
    h5py, numpy = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    random = numpy.random.RandomState(1)
    with h5py.File(there / "a.h5", "w") as file:
        file["data"] = random.normal(0, spread, (200, 40)).astype("f4")
        file["label"] = random.randint(0, 5, 200).astype("f4")
    assert found(there, read_data=False) == []
    messages = found(there, read_data=True)
    assert len(messages) == breaks
    assert all('the values of "data" are about 300' in message for message in messages)


def test_data_that_cannot_be_read_are_taken_as_before(there: Path) -> None:
    (there / "a.h5").write_bytes(b"no HDF5")
    assert found(there, read_data=True) == found(there, read_data=False) == []
