"""What the rules' own examples and the fixtures hold: a real Caffe and the model say the same of every net."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import ask, disagreement

from caffelint.caffe.build import build
from caffelint.caffe.layers import BVLC_TYPES
from caffelint.caffe.refusal import Refusal
from caffelint.caffe.upgrade import upgrade_net
from caffelint.lint.examples import texts_of
from caffelint.lint.file import load
from caffelint.lint.registry import all_rules

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NEEDS_A_FILE = frozenset(["Data", "ImageData", "HDF5Data", "WindowData", "HDF5Output", "InfogainLoss", "Python"])


def texts() -> Iterator[str]:
    for info in all_rules():
        for example in texts_of(info.load()):
            files = {"": example} if isinstance(example, str) else example
            # A file of weights is a message of the same type, but nothing that Caffe builds.
            yield from (text for name, text in files.items() if not name.endswith((".caffemodel", ".solverstate")))
    for path in sorted(FIXTURES.glob("*/*/*.prototxt")):
        yield path.read_text("utf-8")


def is_askable(text: str) -> bool:
    """A net that Caffe 1.0 can read, of layers that need no file."""
    file = load(text.encode("utf-8", "surrogateescape"), kind=None, dialect="bvlc")
    if file.net is None or file.problems or not text.isprintable() and "\0" in text:
        return False
    refusals: list[Refusal] = []
    layers = upgrade_net(file.net.written, None, refusals).layer
    types = {layer.type for layer in layers}
    return not refusals and bool(types) and types <= BVLC_TYPES and types.isdisjoint(NEEDS_A_FILE)


@pytest.mark.caffe
def test_examples_and_fixtures(caffe_python: Path) -> None:
    nets = [text for text in dict.fromkeys(texts()) if is_askable(text)]
    jobs = [{"net": text, "phase": phase} for text in nets for phase in ("TRAIN", "TEST")]
    assert len(nets) > 200
    wrong = []
    for job, real in zip(jobs, ask(caffe_python, jobs), strict=True):
        net = load(job["net"].encode()).net
        assert net is not None
        if difference := disagreement(build(net.message, job["phase"], dialect="bvlc"), real):
            wrong.append(f"{job['phase']}: {difference}\n  {job['net'][:400]}")
    assert not wrong, "\n".join(wrong)
