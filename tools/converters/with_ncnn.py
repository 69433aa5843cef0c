"""ncnn's caffe2ncnn, which is compiled from its sources, and its runtime: `python with_ncnn.py FOLDER...`.

`CAFFE2NCNN` names the program; the package `ncnn` is the runtime.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import ncnn
import numpy as np
from common import Refused, run_all
from makers import makers


def run(case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    made = [case / "net.param", case / "net.bin"]
    try:
        program = [os.environ["CAFFE2NCNN"], case / "net.prototxt", case / "net.caffemodel", *made]
        done = subprocess.run(program, capture_output=True, text=True, timeout=100, check=False)
        if done.returncode:
            raise Refused(f"caffe2ncnn ends with {done.returncode}: {done.stderr[-200:]}")
        net = ncnn.Net()
        options = net.opt
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        options.num_threads = 1
        if net.load_param(str(made[0])):
            raise Refused("load_param fails")
        if net.load_model(str(made[1])):
            raise Refused("load_model fails")
        return _forward(net, case, inputs, outputs)
    finally:
        for path in made:
            path.unlink(missing_ok=True)


def _forward(net: Any, case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    running = net.create_extractor()
    for name, value in inputs.items():
        one = value[0] if value.ndim > 1 and value.shape[0] == 1 else value
        if running.input(name, ncnn.Mat(np.ascontiguousarray(one)).clone()):
            raise Refused(f"no input {name}")
    blobs = [blob.name for blob in net.blobs()]
    found = {}
    for name, (layer, _) in makers(case / "net.prototxt", outputs).items():
        # A blob that a layer overwrites is written on under the name BLOB_LAYER.
        versions = [blob for blob in blobs if blob in (name, f"{name}_{layer}")]
        if not versions:
            continue
        failed, value = running.extract(versions[-1])
        if failed:
            raise Refused(f"extract fails with {failed}")
        found[name] = np.array(value)
    return found


if __name__ == "__main__":
    run_all("ncnn", run)
