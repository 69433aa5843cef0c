"""A net that was rewritten for a target is the same net to a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from converters.generate import Draw, net
from seeds import SEED, draws

from caffelint.deploy.facts import names
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.registry import find_rule
from caffelint.lint.summary import summarize
from caffelint.text.edits import Edit, OverlappingEdits, apply_edits

NETS = draws(220, 10)
RULES = ("target-refuses", "target-misreads")

ASK = """
import json, os, sys
import numpy as np
import caffe
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
for old, new in json.load(sys.stdin):
    outputs = []
    shared = {}
    for path in (old, new):
        net = caffe.Net(path, caffe.TEST)
        for name, params in net.params.items():
            for number, param in enumerate(params):
                draw = np.random.RandomState(len(name) + number).rand(*param.data.shape) + 0.5
                param.data[...] = shared.setdefault((name, number), draw)
        for name in net.inputs:
            shape = net.blobs[name].data.shape
            net.blobs[name].data[...] = np.random.RandomState(len(name)).rand(*shape) + 0.1
        outputs.append({name: value.copy() for name, value in net.forward().items()})
    was, now = outputs
    worst = [float(np.abs(was[n] - now[n]).max() / max(np.abs(was[n]).max(), 1e-6)) for n in was if n in now]
    print(json.dumps([sorted(was) == sorted(now), max(worst, default=0)]))
"""


POOLED = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 9 dim: 8 } } }
layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { pool: AVE %s } }
"""
PADDED = (
    "kernel_size: 3 stride: 1 pad: 1",
    "kernel_size: 4 stride: 3 pad_h: 3 pad_w: 0",
    "kernel_h: 5 kernel_w: 2 stride: 2 pad: 1",  # the last window of a row would begin in the zeros
    "kernel_size: 2 stride: 2 pad: 1",
    "kernel_size: 3 stride: 3 pad: 2",
)


def rewritten(text: str, target: str) -> str:
    """The text with every fix of the rules on targets, one after the other."""
    config = Config()
    config.target = [target]
    infos = [info for name in RULES if (info := find_rule(name)) is not None]
    for _ in range(4):
        found = Checker(config, infos=infos).text(text.encode(), "<text>", "net", None).findings
        fixes = [fix for finding in found for fix in finding.fixes]
        if not fixes:
            return text
        try:
            edits = {Edit(edit.start, edit.end, edit.text) for _, edit in fixes[0].edits}
            text = apply_edits(text.encode(), edits).decode()
        except OverlappingEdits as error:
            raise AssertionError(f"{text}: {fixes[0]}") from error
    return text


def bad(answer: tuple[bool, float]) -> bool:
    return not answer[0] or answer[1] > 1e-5


def test_computes_the_same(caffe_python: Path, tmp_path: Path) -> None:
    pairs = []
    padded = [POOLED % window for window in PADDED]
    assert all("pad" not in rewritten(text, "ncnn").rpartition("pooling_param")[2] for text in padded)
    drawn = [net(Draw(f"rewrite {SEED} {number}")) for number in range(NETS)]
    for number, text in enumerate(padded + drawn):
        if not next(summarize(text.encode(), "<text>", ("TEST",))).loads:
            continue
        for target in names():
            if (new := rewritten(text, target)) != text:
                paths = tmp_path / f"{number}.prototxt", tmp_path / f"{number}_{target}.prototxt"
                for path, data in zip(paths, (text, new), strict=True):
                    path.write_text(data)
                pairs.append([str(path) for path in paths])
    script = tmp_path / "ask.py"
    script.write_text(ASK)
    done = subprocess.run(
        [caffe_python, script], input=json.dumps(pairs), capture_output=True, text=True, timeout=300, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(pairs) > 40, Path(pairs[len(answers)][1]).read_text()
    asked = zip(pairs, answers, strict=True)
    wrong = [f"{answer} {Path(new).read_text()}" for (_, new), answer in asked if bad(answer)]
    assert not wrong, "\n".join(wrong[:5])
