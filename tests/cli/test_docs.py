"""What is generated is fresh: pages of rules, the index of rules, sample output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_generated_files_are_fresh(root: Path) -> None:
    command = [sys.executable, root / "tools/docs.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
