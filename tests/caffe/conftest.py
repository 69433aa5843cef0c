"""Lets the tests here import what they share: `asking` and `random_nets`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
