"""What is said of Normalize, Permute and PriorBox is what converters were seen to do.

`ssd.json`: nets, and for each target "right", "refused" or "wrong", as its outputs were beside those that the layers of
Caffe SSD compute (normalize_layer.cpp, permute_layer.cpp, prior_box_layer.cpp), written again in numpy.
"""

from __future__ import annotations

import json
from pathlib import Path

from caffelint.deploy.facts import MISREAD, REFUSED, target
from caffelint.deploy.judge import judge
from caffelint.lint.file import load

CASES = json.loads((Path(__file__).parent / "ssd.json").read_text())


def test_says_what_was_seen() -> None:
    unlike = []
    for case in CASES:
        net = load(case["net"].encode(), "<text>").net
        assert net is not None
        for name, seen in case["seen"].items():
            verdicts = {one.fact.verdict for one in judge(net, target(name))}
            said = "refused" if REFUSED in verdicts else "wrong" if MISREAD in verdicts else "right"
            if said != seen:
                unlike.append((name, seen, said, case["net"]))
    assert not unlike
    assert {seen for case in CASES for seen in case["seen"].values()} == {"right", "refused", "wrong"}
