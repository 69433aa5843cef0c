"""What is known of a label map, and what is said of one that is none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from data_sets import data_layer, images, records, report_of, rest, write_lmdb

from caffelint.evidence.data.label_maps import label_map_of


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("label: " + "9" * 6000, f"holds {'9' * 40}... as a label, which is no int32"),
        ("label { a: 1 }", "holds a block as a label, which is no int32"),
        ('label: "3"', 'holds "3" as a label, which is no int32'),
    ],
)
def test_says_which_label_is_none(label: str, said: str) -> None:
    assert label_map_of(f"item {{ {label} }}".encode()).error == said


def test_reads_numbers_and_names_as_protobuf_does() -> None:
    found = label_map_of(rb"""item { name: "a\"b'" label: 0x10 } item { name: 'c' 'd' label: 010 }""")
    assert found.names == {16: "a\"b'", 8: "cd"}


def test_quotes_nothing_of_what_cannot_be_parsed() -> None:
    assert label_map_of(b"\n\ntopsecret value").error == "cannot be parsed (line 3)"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_says_why_a_map_was_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    os.mkfifo(tmp_path / "map")
    out = f"""layer {{
  name: "out" type: "DetectionOutput" bottom: "data" bottom: "data" bottom: "label" top: "out"
  detection_output_param {{ num_classes: 3 save_output_param {{ label_map_file: "{tmp_path / "map"}" }} }}
}}
"""
    layer = data_layer(write_lmdb(tmp_path / "set", records(images(20), [0, 1] * 10)))
    report: Any = report_of(tmp_path, layer + rest() + out)
    assert "is a pipe or a device and was not read" in str(report)
    assert 'map" does not exist' not in str(report)
