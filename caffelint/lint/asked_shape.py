"""What to ask for where the text does not give the shape of data."""

from __future__ import annotations

from collections.abc import Sequence


def asked_shape(image: Sequence[int | None] | None) -> tuple[str, str]:
    """What to give to --input-shape, with letters for what the text does not give, and a remark on it."""
    batch, channels, height, width = image or (None,) * 4
    if batch and height and width:
        remark = "" if channels else " (1 instead of 3 for grey images)"
        return f"{batch}x{channels or 3}x{height}x{width}", remark
    return f"{batch or 'N'}x{channels or 'C'}x{height or 'H'}x{width or 'W'}", " (with numbers for the letters)"
