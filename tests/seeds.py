"""The seed of all tests that draw at random, and how much they draw.

A plain `pytest` draws the same small sample each time. `make nightly` sets `CAFFELINT_SEED=random` for a fresh seed and
larger samples; `CAFFELINT_SEED=` and the number that such a run names in its first lines repeats it.
"""

from __future__ import annotations

import os
import random

NIGHTLY = bool(os.environ.get("CAFFELINT_SEED"))
if os.environ.get("CAFFELINT_SEED") == "random":
    # Settled here once, for the processes that share the work too.
    os.environ["CAFFELINT_SEED"] = str(random.SystemRandom().randrange(1 << 31))
SEED = int(os.environ["CAFFELINT_SEED"]) if NIGHTLY else 0
"""Add your own number to it, so that no two tests draw the same."""


def draws(usual: int, nightly: int) -> int:
    """How many cases to draw: `usual`, or `nightly` where a seed was set."""
    return nightly if NIGHTLY else usual
