"""Makes cases of real nets: `python take.py FOLDER FILES...`, each with a batch of 1.

Taken are the nets that Caffe builds for TEST from inputs alone, no two of the same layers, of at most so many
multiply-adds and parameters that a run takes seconds.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

from caffelint.lint.file import load
from caffelint.lint.summary import summarize

_MULTIPLY_ADDS, _PARAMETERS = 4e9, 2e7
_NUMBER = r"(\s*:\s*)\d+"


def of_one(text: str) -> str:
    """The text with a batch of 1, where an input has four axes."""
    four = r"(?=\s+dim\s*:\s*\d+\s+dim\s*:\s*\d+\s+dim\s*:\s*\d+\s*\})"
    text = re.sub(rf"(\b(?:input_)?shape\s*:?\s*\{{\s*dim){_NUMBER}{four}", r"\g<1>\g<2>1", text)
    if len(re.findall(r"\binput_dim\b", text)) == 4:
        text = re.sub(rf"(\binput_dim){_NUMBER}", r"\g<1>\g<2>1", text, count=1)
    return text


def main() -> None:
    out, *names = sys.argv[1:]
    files = sorted(
        path for name in names for path in (Path(name).rglob("*.prototxt") if Path(name).is_dir() else [Path(name)])
    )
    seen = set()
    for path in files:
        data = of_one(path.read_text(encoding="utf-8", errors="replace")).encode()
        net = load(data, str(path)).net
        if net is None or not net.layers:
            continue
        shape = hashlib.sha256(
            repr([(layer.type, str(layer.message).replace(layer.name, "")) for layer in net.layers]).encode()
        )
        found = list(summarize(data, str(path), ("TEST",)))
        if not found or not found[0].loads or shape.hexdigest() in seen:
            continue
        made = found[0]
        if not made.outputs or (made.multiply_adds or 0) > _MULTIPLY_ADDS or (made.parameters or 0) > _PARAMETERS:
            continue
        if any(row.type.endswith("Data") or "Loss" in row.type for row in made.layers):
            continue
        seen.add(shape.hexdigest())
        case = Path(out) / f"{len(seen):04d}_{re.sub(r'[^A-Za-z0-9_.-]', '_', path.stem)[:60]}"
        case.mkdir(parents=True)
        (case / "net.prototxt").write_bytes(data)
        (case / "from.txt").write_text(f"{path}\n", encoding="utf-8")
    print(len(seen), "nets of", len(files), "files")


if __name__ == "__main__":
    main()
