"""What the tests of the checks share: a Python 2.7."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def python2() -> Path:
    path = ROOT / ".cache/python2/python2"
    if not path.exists():
        reason = "no Python 2.7 to ask: run tools/install_python2.sh"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return path
