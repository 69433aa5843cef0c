"""Lets the tests here import `legacy_texts`, and `legacy_nets` of the tests of the message's upgrade."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "caffe")]
