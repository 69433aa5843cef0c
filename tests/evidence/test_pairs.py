"""Records of an HDF5 source with several tops: repeated are those of which all are."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.cli.main import main

NET = """
layer {
  name: "pairs" type: "HDF5Data" top: "left" top: "right" top: "same"
  hdf5_data_param { source: "pairs.txt" batch_size: 4 }
}
layer { name: "a" type: "InnerProduct" bottom: "left" top: "a" inner_product_param { num_output: 2 } }
layer { name: "b" type: "InnerProduct" bottom: "right" top: "b" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "same" top: "loss" }
"""


@pytest.mark.parametrize("again", [False, True])
def test_a_pair_repeats_only_if_both_of_it_do(
    again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    draws = np.random.default_rng(1).random((20, 5)).astype("f4")
    with h5py.File("pairs.h5", "w") as file:
        file["left"] = draws[np.arange(40) // 2 % 20]
        file["right"] = (
            draws[np.arange(40) // 2 % 20] if again else draws[np.arange(40) * 7 % 20] + np.arange(40)[:, None]
        )
        file["same"] = np.arange(40, dtype="f4") % 2
    Path("pairs.txt").write_text("pairs.h5\n")
    Path("net.prototxt").write_text(NET)
    main(["data", "net.prototxt"])
    assert ("20 of 40 records" in capsys.readouterr().out) == again
