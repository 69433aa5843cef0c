"""`caffelint config`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.group import COMMANDS, cli


def test_config(caffelint: Any, project: Path, root: Path, validate: Any) -> None:
    (project / "caffelint.toml").write_text('fail-on = "warning"\nper-file-ignores = { "a/*" = ["S101"] }\n', "utf-8")
    value = json.loads(caffelint("config", "--format", "json").out)
    validate(value, root / "docs/schema/config.schema.json")
    assert value["settings"]["fail-on"] == {"value": "warning", "source": str(project / "caffelint.toml")}
    assert value["settings"]["jobs"] == {"value": 0, "source": "default"}
    text = caffelint("config").out
    assert 'fail-on            = "warning"' in text
    assert 'per-file-ignores   = {"a/*" = ["S101"]}' in text


def test_every_command_that_reads_settings_takes_others_or_none() -> None:
    takes = set()
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        if {"config_file", "isolated"} <= {parameter.name for parameter in command.params}:
            takes.add(name)
    assert takes == set(COMMANDS) - {"lr", "dialects", "init", "trust", "clean", "new-rule", "completion", "targets"}


@pytest.mark.parametrize(
    "command",
    ["check --fail-on never", "summary", "upgrade --diff", "patch --check-finite", "config", "rules", "explain S101"],
)
def test_isolated_reads_no_settings(caffelint: Any, project: Path, command: str) -> None:
    (project / "caffelint.toml").write_text('plugins = ["missing"]\nfail-on = "sometimes"\n', "utf-8")
    net = [] if command.split()[0] in ("rules", "explain") else ["net.prototxt"]
    run = caffelint(*command.split(), *net, "--isolated")
    assert "caffelint.toml" not in run.err
    assert run.status == 0
    other = project / "other.toml"
    other.write_text("", "utf-8")
    assert caffelint(*command.split(), *net, "--config", other).status == 0
    run = caffelint(*command.split(), *net, "--config", other, "--isolated")
    assert run.status == 2
    assert run.err.startswith("caffelint: --isolated and --config cannot be combined; give one")
