"""What is generated is fresh: pages of rules, the index of rules, sample output; and what is to be copied works."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from caffelint.cli.group import COMMANDS, cli
from caffelint.lint.config import load_config


def test_generated_files_are_fresh(root: Path) -> None:
    command = [sys.executable, root / "tools/docs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_settings_of_the_page_can_be_copied(root: Path, tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (root / "docs/settings.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "caffelint.toml").write_text(block, "utf-8")
    assert load_config(tmp_path).dialect == "ssd"


def test_the_man_page_has_no_mistakes_and_names_every_option(root: Path) -> None:
    page = root / "docs/caffelint.1"
    if not (groff := shutil.which("groff")):
        pytest.skip("no groff to read the man page")
    done = subprocess.run([groff, "-man", "-ww", "-Tascii", "-P-cbou", page], capture_output=True, check=True)
    assert done.stderr == b""
    shown = done.stdout.decode()
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command
        section = shown.split(f"\n   caffelint {name}")[1].split("\n   caffelint ")[0]
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(re.search(rf"(?m)^ *.*{option}\b", section) for option in parameter.opts), parameter.opts


def test_the_readme_is_short(root: Path) -> None:
    assert len((root / "README.md").read_text("utf-8").splitlines()) <= 120
