"""Which layer makes a blob last, told from the text without caffelint, whose Python the converters need not share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path


def makers(path: Path, blobs: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The name of the layer that writes each of these blobs last, and the number of its top."""
    found: dict[str, tuple[str, int]] = {}
    for block in re.split(r"\blayers?\s*\{", path.read_text(encoding="utf-8", errors="replace"))[1:]:
        name = re.search(r'\bname\s*:\s*["\']([^"\']*)', block)
        for number, top in enumerate(re.findall(r'\btop\s*:\s*["\']([^"\']*)', block)):
            found[top] = (name[1] if name else "", number)
    return {blob: found[blob] for blob in blobs if blob in found}
