"""Hold `caffelint upgrade` to Caffe's own upgrade tools over a folder of real prototxt files, and print the figures.

tools/compare_upgrades.py DIR [--caffe-exec .caffe/caffe-exec]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.discover import discover
from caffelint.schema.detect import NET, SOLVER, detect
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.text.comments import find_comments
from caffelint.text.parser import parse

PROGRAMS: dict[str, tuple[str, Any]] = {
    NET: ("upgrade_net_proto_text", NetParameter),
    SOLVER: ("upgrade_solver_proto_text", SolverParameter),
}


def comments(data: bytes) -> Counter[str]:
    text = data.decode("latin-1")
    return Counter(text[start:end] for start, end in find_comments(text))


def compare(path: str, caffe_exec: Path, folder: Path, figures: Counter[str]) -> None:
    data = Path(path).read_bytes()
    kind = detect(parse(data)).kind
    result = upgrade_text(data, path, kind)
    figures["left alone, wholly or in part"] += bool(result.left)
    if not result.changed:
        return
    figures["changed"] += 1
    figures["comments kept"] += comments(result.data) == comments(data)
    figures["same after a second run"] += not upgrade_text(result.data, path, kind).changed
    program, message = PROGRAMS[kind]
    target = folder / "new.prototxt"
    target.unlink(missing_ok=True)
    done = subprocess.run([caffe_exec, program, path, target], capture_output=True, check=False)
    if done.returncode or not target.exists():
        return
    figures["taken by Caffe's tool"] += 1
    same = text_format.Parse(target.read_bytes(), message()) == text_format.Parse(result.data, message())
    figures["same message as Caffe's"] += same
    if not same:
        print(f"differs: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--caffe-exec", type=Path, default=Path(".caffe/caffe-exec"))
    arguments = parser.parse_args()
    figures: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in discover([arguments.folder]).files:
            compare(path, arguments.caffe_exec, Path(folder), figures)
    for what, number in figures.items():
        print(f"{number:6} {what}")


if __name__ == "__main__":
    main()
