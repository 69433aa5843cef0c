"""Which datasets a script writes into HDF5 files, by name: h5py, and MATLAB's h5create and hdf5write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.text.patterns import compiled_later

_WORDS = ("_dataset(", "h5create(", "hdf5write(", "h5py.File(")
_WRITES = compiled_later(
    r"\b(?:(?:create|require)_dataset\(\s{0,9}(?:name[ \t]{0,9}=[ \t]{0,9})?|"
    r"(?:h5create|hdf5write)\([^,\n]{1,200},[ \t]{0,9})(?:[\"']/?(?P<name>\w{1,80})[\"'])?"
)
_OPENS = compiled_later(
    r"\b(?P<set>[A-Za-z_]\w{0,60})[ \t]{0,9}=[ \t]{0,9}h5py\.File\(|"
    r"\bh5py\.File\([^\n#]{0,300}?\)[ \t]{1,9}as[ \t]{1,9}(?P<bound>[A-Za-z_]\w{0,60})"
)
_PUTS = compiled_later(
    r"^[ \t]{0,40}(?P<file>[A-Za-z_]\w{0,60})\[(?:[\"']/?(?P<name>\w{1,80})[\"']\])?[^\n=]{0,80}=(?!=)", re.MULTILINE
)


def datasets(text: str) -> Iterator[tuple[str, int]]:
    """The name of each, and where it stands in the text; an empty name where the text does not have it."""
    if not any(word in text for word in _WORDS):
        return
    for found in _WRITES.finditer(text):
        yield found["name"] or "", found.start()
    files = {found["set"] or found["bound"] for found in _OPENS.finditer(text)}
    for found in _PUTS.finditer(text) if files else ():
        if found["file"] in files:
            yield found["name"] or "", found.start()
