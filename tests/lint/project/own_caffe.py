"""A repository that has a Caffe of its own, as the tests of this folder make it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import caffelint
from caffelint.lint.built import BVLC_TYPES
from caffelint.lint.config import Config

OWN = """
  optional MyParameter my_param = 9001;
  optional float gain = 9002;
}
message MyParameter {
  required uint32 count = 1;
  optional float rate = 2 [default = 0.5];
  enum Way { FAST = 0; SLOW = 1; }
  optional Way way = 3 [default = FAST];
  repeated MyParameter inner = 4;
  optional FillerParameter weight_filler = 5;
"""
NET = 'layer {{ name: "a" type: "Input" top: "a" input_param {{ shape {{ dim: 1 dim: 3 dim: 9 dim: 9 }} }} }} {}\n'
MINE = 'layer {{ name: "m" type: "My" bottom: "a" top: "m" my_param {{ {} }} }}'

Make = Callable[..., Path]


def caffe(folder: Path, text: str, types: str = "") -> None:
    layers = folder / "src/caffe/layers"
    layers.mkdir(parents=True)
    (folder / "src/caffe/proto").mkdir()
    (folder / "src/caffe/proto/caffe.proto").write_text(text)
    lines = [f"REGISTER_LAYER_CLASS({name});" for name in (*BVLC_TYPES, *types.split())]
    (layers / "all.cpp").write_text("\n".join(lines))


def found(config: Config | None = None, path: str = "net.prototxt") -> list[tuple[str, str, str]]:
    report = caffelint.check(path, config)
    assert not report.failures
    kept = ("unknown", "fork", "wrong", "missing", "repeated", "syntax")
    return [(one.severity, one.name, one.message) for one in report.findings if one.name.startswith(kept)]


def settings(**values: object) -> Config:
    config = Config()
    for name, value in values.items():
        setattr(config, name, value)
    return config
