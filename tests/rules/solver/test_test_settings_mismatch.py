"""What becomes of a test_iter without a test net depends on how old the Caffe is."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

CAFFE = """package caffe;
message BlobProto {{ optional int32 num = 1; }}
message NetParameter {{ optional string name = 1; repeated LayerParameter layers = 2; }}
message LayerParameter {{ optional string name = 2; repeated string bottom = 3; repeated string top = 4; }}
message SolverParameter {{
  optional string train_net = 1; {} optional int32 test_interval = 4; optional float base_lr = 5;
  optional string lr_policy = 8; optional int32 max_iter = 7; }}
"""
ONE = "optional string test_net = 2; optional int32 test_iter = 3;"
SEVERAL = "repeated string test_net = 2; repeated int32 test_iter = 3;"


@pytest.mark.parametrize(
    ("fields", "interval", "told"),
    [
        (ONE, 5, [("warning", "so Caffe stops at its first test; set test_net")]),
        (ONE, 0, []),
        (SEVERAL, 5, [("warning", "so nothing is ever tested; set test_net")]),
        (
            f"{SEVERAL} optional string net = 24;",
            5,
            [("error", "so Caffe stops at the start; set test_net, or use net instead of train_net")],
        ),
    ],
)
def test_the_age_of_a_caffe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: str, interval: int, told: list[tuple[str, str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    proto = tmp_path / "src/caffe/proto/caffe.proto"
    proto.parent.mkdir(parents=True)
    proto.write_text(CAFFE.format(fields))
    text = (
        f'train_net: "train.prototxt" test_iter: 9 test_interval: {interval} base_lr: 1 lr_policy: "fixed" max_iter: 9'
    )
    (tmp_path / "solver.prototxt").write_text(text)
    config = Config()
    config.cache, config.select = False, ["test-settings-mismatch"]
    found = caffelint.check(["solver.prototxt"], config).findings
    assert [(one.severity, one.message.partition(" test net, ")[2]) for one in found] == told


def test_c3d_does_not_count_test_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C3D 1.0 is of a Caffe in which a solver has no field `net` (C3D-v1.0/src/caffe/solver.cpp, Solve)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text('layers { name: "a" type: CONVOLUTION3D bottom: "b" top: "a" }')
    config = Config()
    config.cache, config.select = False, ["test-settings-mismatch"]
    told = []
    for interval in (0, 10):
        (tmp_path / "s.prototxt").write_text(f'train_net: "net.prototxt" test_iter: 9 test_interval: {interval}')
        told.append([one.message.partition("so ")[2] for one in caffelint.check(["."], config).findings])
    assert told == [[], ["Caffe stops at its first test; set test_net"]]
