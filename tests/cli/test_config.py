"""`caffelint config`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_config(caffelint: Any, project: Path, root: Path, validate: Any) -> None:
    (project / "caffelint.toml").write_text('fail-on = "warning"\nper-file-ignores = { "a/*" = ["S101"] }\n', "utf-8")
    value = json.loads(caffelint("config", "--format", "json").out)
    validate(value, root / "docs/schema/config.schema.json")
    assert value["settings"]["fail-on"] == {"value": "warning", "source": str(project / "caffelint.toml")}
    assert value["settings"]["jobs"] == {"value": 0, "source": "default"}
    text = caffelint("config").out
    assert 'fail-on          = "warning"' in text
    assert 'per-file-ignores = {"a/*" = ["S101"]}' in text
