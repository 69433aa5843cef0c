"""Rewrites the text of older formats in the current one, with every comment and the layout kept.

`upgrade_text` does what Caffe's upgrade_net_proto_text and upgrade_solver_proto_text do to the message, to the text.
"""

from __future__ import annotations

from caffelint.fix.upgrade.left import lines_about
from caffelint.fix.upgrade.text import Left, UpgradeResult, upgrade_text

__all__ = ["Left", "UpgradeResult", "lines_about", "upgrade_text"]
