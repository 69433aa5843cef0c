"""The JSON of a run, against its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from project_files import write

from caffelint.cli.main import main


@pytest.mark.parametrize("more", [[], ["--find-lr"]])
def test_a_run(tmp_path: Path, root: Path, more: list[str], capsys: Any) -> None:
    arguments = ["smoke", str(write(tmp_path)), "--engine", "torch", "--force", "--iterations", "2", "--format", "json"]
    main([*arguments, *more])
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, json.loads((root / "docs/schema/check.schema.json").read_text()))
    smoke = value["smoke"]
    assert (smoke["engine"], smoke["device"], smoke["synthetic"]) == ("torch", "cpu", True)
    if more:
        assert 0 < smoke["rate"]["suggested"] <= smoke["rate"]["largest"]
    else:
        assert smoke["iterations"] == len(smoke["losses"]) == 2
        assert set(smoke["test"][0]["outputs"]) == {"loss"}
        assert smoke["verdict"].startswith("it runs on synthetic data: 2 iterations")
        assert {one["phase"] for one in smoke["made_up"]} == {"TRAIN", "TEST"}
        assert smoke["seen"] is None
