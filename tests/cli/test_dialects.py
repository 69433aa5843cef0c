"""`caffelint dialects`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_dialects(caffelint: Any, root: Path, validate: Any) -> None:
    value = json.loads(caffelint("dialects", "--format", "json").out)
    validate(value, root / "docs/schema/dialects.schema.json")
    names = [dialect["name"] for dialect in value["dialects"]]
    assert names[0] == "bvlc"
    table = caffelint("dialects").out.splitlines()
    assert [line.split()[0] for line in table[1 : len(names) + 1]] == names
    ssd = next(line for line in table if line.startswith("ssd "))
    assert ssd.split()[1:4] == ["weiliu89/caffe", "layer", "SSD:"]
    for name in ("bvlc", names[-1]):
        assert caffelint("check", "--dialect", name, "net.prototxt").status in (0, 1)
    assert "caffelint dialects" in caffelint("check", "--dialect", "keras", "net.prototxt").err
