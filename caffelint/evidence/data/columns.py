"""The sums of the values of records, one by one or together (values.py, Columns). Needs numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caffelint.evidence.data.values import MOST_COLUMNS, Columns


def columns_of(rows: NDArray[Any]) -> Columns:
    """Of records of a file, however many axes they have; those that hold what is not finite are left out."""
    flat = rows.reshape(len(rows), -1).astype(np.float64)
    flat = flat[np.isfinite(flat).all(axis=1)]
    if flat.shape[1] > MOST_COLUMNS:
        flat = flat.mean(axis=1, keepdims=True)
    return Columns(len(flat), flat.sum(axis=0).tolist(), (flat**2).sum(axis=0).tolist())
