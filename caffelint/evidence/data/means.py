"""Mean files: what `mean_file` of transform_param subtracts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from caffelint.evidence.data.sources import Feed
from caffelint.lint.data_source import Unreadable
from caffelint.lint.reach import Reach
from caffelint.lint.source_shapes import find_source, is_there, places_of

_LARGEST = 1 << 30


class Mean(NamedTuple):
    """shape: channels, height, width. values: the mean of each channel. error: why there are none."""

    shape: tuple[int, int, int] = (0, 0, 0)
    values: tuple[float, ...] = ()
    error: str = ""
    path: str = ""


def means_of(found: Sequence[Feed], roots: Sequence[str], *, confined: bool = False) -> dict[str, Mean]:
    """The mean files that data layers name, by that name; none for one that is there and may not be read."""
    means: dict[str, Mean] = {}
    for feed in found:
        param = feed.layer.message.transform_param
        if feed.made.transforms and param.HasField("mean_file") and param.mean_file not in means:
            places = places_of(feed.net.path, roots, confined=confined)
            path = ""
            try:
                path = find_source(param.mean_file, places)
                means[param.mean_file] = _read(path, places.reach)
            except Unreadable as reason:
                if path or not is_there(param.mean_file, places):
                    means[param.mean_file] = Mean(error=str(reason))
    return means


def _read(path: str, reach: Reach | None) -> Mean:
    try:
        from caffelint.evidence.data.images import mean_of
    except ImportError as missing:
        raise Unreadable(f"mean_file {path} needs {missing.name} to be read; pip install 'caffelint[data]'") from None
    if os.path.getsize(path) > _LARGEST:
        raise Unreadable(f"mean_file {path} has {os.path.getsize(path):,} bytes, too many for a mean")
    values = mean_of(path, reach)
    channels, height, width = values.shape
    return Mean(
        (channels, height, width),
        tuple(float(plane.mean(dtype="float64")) for plane in values),
        path=os.path.abspath(path),
    )
