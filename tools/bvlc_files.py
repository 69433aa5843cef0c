"""Write `proto/bvlc_files.json`: the prototxt files that BVLC's Caffe ships, in all versions that its master had.

`python tools/bvlc_files.py REPOSITORY.git`, a clone of BVLC/caffe with its history. For each path it holds the first
digits of the names that git gives the contents (`caffelint.lint.project.shipped`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from caffelint.lint.project.shipped import DIGITS

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    command = ["git", "--git-dir", arguments[0], "log", "--no-renames", "--format=", "--raw", "--abbrev=40"]
    log = subprocess.run([*command, "--", "*.prototxt"], capture_output=True, check=True, text=True).stdout
    found: dict[str, set[str]] = defaultdict(set)
    for line in log.splitlines():
        meta, path = line.split("\t")
        if (blob := meta.split()[3]).strip("0"):
            found[path].add(blob[:DIGITS])
    table = {path: sorted(blobs) for path, blobs in found.items()}
    (ROOT / "proto" / "bvlc_files.json").write_text(json.dumps(table, indent=0, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
