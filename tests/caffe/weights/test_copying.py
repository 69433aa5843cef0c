"""What of a file a net takes, held against a real Caffe that loads the same file into the same net."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_nets import Generator, to_text
from random_weights import Mutator
from seeds import SEED, draws

from caffelint.caffe.build import build
from caffelint.caffe.refusal import Kind
from caffelint.caffe.weights.copying import copied
from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable

NETS = draws(60, 500)
FILES = 6
BEFORE = -7.5
WITH_PARAMS = ["Convolution", "InnerProduct", "BatchNorm", "Scale", "PReLU", "Bias", "Embed", "Deconvolution", "LSTM"]
OTHERS = ["ReLU", "Pooling", "Eltwise", "Split", "Concat", "Flatten"]


def ask(python: Path, jobs: list[dict[str, str]]) -> list[dict[str, Any]]:
    oracle = Path(__file__).parent.with_name("weights_oracle.py")
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run([python, oracle], input=lines.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def nets() -> list[tuple[Any, str]]:
    generator = Generator(SEED + 4711, [*WITH_PARAMS, *WITH_PARAMS, *OTHERS])
    found = []
    while len(found) < NETS:
        net, phase = generator.net()
        built = build(net, phase, dialect="bvlc")
        if not built.refusals and sum(bool(layer.params) for layer in built.layers) > 1:
            found.append((net, phase))
    return found


def shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def disagreement(net: Any, phase: str, path: Path, real: dict[str, Any], values: Path, kinds: Counter[str]) -> str:
    """How the model differs from what the real Caffe did; "" if it does not."""
    built = build(net, phase, dialect="bvlc")
    try:
        weights = read_weights(str(path))
    except Unreadable as error:
        kinds["unreadable"] += 1
        return f"model cannot read it: {error}" if real["ok"] else ""
    found = copied(weights, built)
    if weights.refusals:
        kinds["upgrade"] += 1
        if all(refusal.kind is Kind.INPUT_SHAPE_COUNT for refusal in weights.refusals):
            return ""  # Caffe reads beyond the end of an array
        return "model refuses the upgrade" if real["ok"] else ""
    if found.misfits:
        first = found.misfits[0]
        kinds[first.kind.name] += 1
        if real["ok"]:
            return f"model refuses {first.source.name}: {first.kind}"
        # A blob of gigabytes is made before its values are counted.
        reasons = (first.kind.value, "host allocation of size")
        return (
            ""
            if any(reason in real["error"] for reason in reasons)
            else f"{first.kind}, but Caffe says {real['error']}"
        )
    if not real["ok"] and weights.rest and "BackUp() can only be called after Next()" in real["error"]:
        kinds["protobuf fails"] += 1  # a message that ends before its file, where pieces of 8 KiB of this meet
        return ""
    if not real["ok"]:
        return f"model takes it, but Caffe says {real['error']}"
    kinds["copied"] += 1
    if [shown(layer.name) for layer in found.ignored] != real["ignored"]:
        return f"ignored {[layer.name for layer in found.ignored]} and {real['ignored']}"
    memory: dict[Any, Any] = {}
    for layer in built.layers:
        for param in layer.params or ():
            memory.setdefault(param.owner or param, np.full(int(np.prod(param.shape)), BEFORE, "f4"))
    for copy in found.copies:
        memory[copy.param.owner or copy.param][:] = copy.blob.values()
    theirs = np.load(values)
    ours = {
        f"{number}/{param.index}": memory[param.owner or param].reshape(param.shape)
        for number, layer in enumerate(built.layers)
        for param in layer.params or ()
    }
    if ours.keys() != set(theirs):
        return f"parameters {sorted(ours)} and {sorted(theirs)}"
    wrong = [name for name, blob in ours.items() if not np.array_equal(blob, theirs[name], equal_nan=True)]
    return f"values of {wrong} differ" if wrong else ""


def test_copies_what_caffe_copies(caffe_python: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mutator = Mutator(SEED + 4712)
    made = nets()
    saved = [tmp_path / f"{number}.caffemodel" for number in range(NETS)]
    jobs = [
        {"net": to_text(net), "phase": phase, "save": str(path)} for (net, phase), path in zip(made, saved, strict=True)
    ]
    answers = ask(caffe_python, jobs)
    assert not [answer for answer in answers if not answer["ok"]]
    cases = []
    for (net, phase), path in zip(made, saved, strict=True):
        for number in range(FILES):
            changed = tmp_path / f"{path.stem}-{number}.caffemodel"
            if number == FILES - 1 and Path(f"{path}.h5").exists():
                shutil.copy(f"{path}.h5", changed)
                done = mutator.hdf5(changed)
            else:
                done, data = mutator.binary(path.read_bytes())
                changed.write_bytes(data)
            cases.append((net, phase, changed, done))
    jobs = [
        {"net": to_text(net), "phase": phase, "load": str(path), "values": f"{path}.npz"}
        for net, phase, path, _ in cases
    ]
    wrong = []
    kinds: Counter[str] = Counter()
    for (net, phase, path, done), real in zip(cases, ask(caffe_python, jobs), strict=True):
        assert real["loading"], real
        difference = disagreement(net, phase, path, real, Path(f"{path}.npz"), kinds)
        if difference:
            wrong.append(f"{path.name} ({done}): {difference}")
    with capsys.disabled():
        print(f" [seed {SEED}: {len(cases)} pairs: {dict(kinds)}] ", end="")
    assert kinds["copied"] > len(cases) / 5
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])


ODD = {
    "empty": b"",
    "zeros": bytes(10_000),
    "page": b"<!DOCTYPE html><html><head><title>404 Not Found</title></head></html>",
    "text": b"layer { }",
    "state": b"\x08\x0a\x12\x05a.net\x1a\x07\x2a\x00\x3a\x03\x0a\x01\x03",
    "zip": b"PK\x03\x04" + bytes(60),
    "pointer": b"version https://git-lfs.github.com/spec/v1\n",
}
NET = """layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 } } }
layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: 2 } }"""


@pytest.mark.parametrize("name", ODD)
def test_files_that_are_something_else(caffe_python: Path, tmp_path: Path, name: str) -> None:
    """Some of them Caffe takes for a net without layers, and says nothing."""
    file = tmp_path / "x.caffemodel"
    file.write_bytes(ODD[name])
    (real,) = ask(caffe_python, [{"net": NET, "phase": "TRAIN", "load": str(file), "values": str(tmp_path / "x.npz")}])
    assert real["loading"]
    try:
        weights = read_weights(str(file))
    except Unreadable:
        assert not real["ok"], real
    else:
        assert real["ok"], real
        assert not weights.layers
        assert weights.seems
