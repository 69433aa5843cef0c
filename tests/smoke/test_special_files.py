"""What a net names is not read where it leads to a pipe, a device or what shows the running system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 1\n'
LOSS = """
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "InfogainLoss" bottom: "ip" bottom: "label" infogain_loss_param { source: "it" } }
"""
LAYERS = {
    "ImageData": 'image_data_param { source: "it" batch_size: 2 new_height: 4 new_width: 4 }',
    "HDF5Data": 'hdf5_data_param { source: "it" batch_size: 2 }',
    "WindowData": 'window_data_param { source: "it" batch_size: 2 } transform_param { crop_size: 4 mean_file: "it" }',
}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no such files")
@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("where", ["/proc/self/environ", "/dev/zero", "a pipe"])
def test_smoke_neither_quotes_it_nor_waits_for_it(tmp_path: Path, kind: str, where: str) -> None:
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    data = f'layer {{ name: "d" type: "{kind}" top: "data" top: "label" {LAYERS[kind]} }}'
    (tmp_path / "net.prototxt").write_text(data + LOSS)
    if where == "a pipe":
        os.mkfifo(tmp_path / "it")
    else:
        (tmp_path / "it").symlink_to(where)
    arguments = ["smoke", "solver.prototxt", "--isolated", "--engine", "torch", "--iterations", "1", "--force"]
    ran = subprocess.run(
        [sys.executable, "-m", "caffelint", *arguments],
        cwd=tmp_path,
        env={**os.environ, "CAFFELINT_TEST": "it-is-secret"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode in (1, 2), ran.stderr
    assert "secret" not in ran.stdout + ran.stderr
