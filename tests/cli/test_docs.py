"""What is generated is fresh: pages of rules, the index of rules, sample output; and what is to be copied works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from caffelint.lint.config import load_config


def test_generated_files_are_fresh(root: Path) -> None:
    command = [sys.executable, root / "tools/docs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_settings_of_the_page_can_be_copied(root: Path, tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (root / "docs/settings.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "caffelint.toml").write_text(block, "utf-8")
    assert load_config(tmp_path).dialect == "ssd"


def test_the_readme_is_short(root: Path) -> None:
    assert len((root / "README.md").read_text("utf-8").splitlines()) <= 120
