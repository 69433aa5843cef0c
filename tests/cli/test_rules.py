"""`caffelint rules`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from caffelint.lint.registry import all_rules


def test_rules(caffelint: Any, root: Path, validate: Any) -> None:
    run = caffelint("rules", "--format", "json")
    value = json.loads(run.out)
    validate(value, root / "docs/schema/rules.schema.json")
    assert [rule["code"] for rule in value["rules"]] == [info.code for info in all_rules()]
    table = caffelint("rules").out
    assert all(f"{info.code:<5} {info.name} " in table for info in all_rules())


def test_rules_of_a_family(caffelint: Any) -> None:
    for name in ("S", "s", "solver"):
        rules = json.loads(caffelint("rules", "--family", name, "--format", "json").out)["rules"]
        assert rules
        assert all(rule["code"].startswith("S") for rule in rules)
    assert "did you mean solver?" in caffelint("rules", "--family", "sovler").err
