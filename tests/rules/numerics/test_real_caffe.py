"""What the rules about values say of their own examples is what a real Caffe computes: nan or inf, or neither."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint.lint.examples import accepted, findings_of
from caffelint.lint.finding import ERROR
from caffelint.lint.registry import RuleInfo, all_rules

RULES = [info for info in all_rules() if info.code in ("N001", "N002", "N003", "N004")]
# A batch of values of both signs; then what went forward and back is looked at, as far as a gradient goes.
ASK = """
import json, sys
import numpy as np
import caffe
for path in sys.argv[1:]:
    caffe.set_random_seed(1)
    np.random.seed(1)
    net = caffe.Net(path, caffe.TRAIN)
    for layer, name in zip(net.layers, net._layer_names):
        if layer.type == "Input":
            for top in net.top_names[name]:
                net.blobs[top].data[...] = np.random.randn(*net.blobs[top].shape)
        if layer.type == "InnerProduct" and not layer.blobs[0].data.any():
            layer.blobs[0].data[...] = np.random.randn(*layer.blobs[0].shape)
    net.forward()
    net.backward()
    seen = [b.data for b in net.blobs.values()] + [p.diff for ps in net.params.values() for p in ps]
    print(json.dumps(all(bool(np.isfinite(values).all()) for values in seen)))
"""


def finite(caffe_python: Path, folder: Path, texts: list[str]) -> list[bool]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.prototxt")
        # A large batch, so that no sign or zero is missing by chance.
        paths[-1].write_text(text.replace("dim: 4", "dim: 64"))
    done = subprocess.run([str(caffe_python), "-c", ASK, *map(str, paths)], capture_output=True, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.name)
def test_errors_are_nan_or_inf(info: RuleInfo, caffe_python: Path, tmp_path: Path) -> None:
    rule = info.load()
    texts = [str(example.text) for example in rule.INVALID]
    certain = [text for text in texts if any(f.severity == ERROR for f in findings_of(rule, text))]
    assert certain
    assert finite(caffe_python, tmp_path, certain) == [False] * len(certain)


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.name)
def test_what_is_right_is_finite(info: RuleInfo, caffe_python: Path, tmp_path: Path) -> None:
    texts = [str(example.text) for example in accepted(info.load()) if "dim:" in str(example.text)]
    assert texts
    assert finite(caffe_python, tmp_path, texts) == [True] * len(texts)
