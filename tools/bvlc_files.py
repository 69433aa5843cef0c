"""Write `proto/bvlc_files.json` and `proto/bvlc_scripts.json`: the prototxt files and the scripts that BVLC's Caffe
ships, in all versions that its master had.

`python tools/bvlc_files.py REPOSITORY.git`, a clone of BVLC/caffe with its history. For each path they hold the first
digits of the names that git gives the contents (`caffelint.lint.project.shipped`). Scripts that nothing is looked for
in are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from caffelint.lint.project.scripts import SUFFIXES, is_of_caffe
from caffelint.lint.project.shipped import DIGITS

SCRIPTS = [f"*{suffix}" for suffix in SUFFIXES]
ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    git = ["git", "--git-dir", arguments[0]]
    nets = {path: sorted(blob[:DIGITS] for blob in blobs) for path, blobs in versions(git, "*.prototxt").items()}
    (ROOT / "proto" / "bvlc_files.json").write_text(json.dumps(nets, indent=0, sort_keys=True) + "\n")
    scripts = {}
    for path, blobs in versions(git, *SCRIPTS).items():
        if told := sorted(blob[:DIGITS] for blob in blobs if speaks_of_caffe(git, blob)):
            scripts[path] = " ".join(told)
    (ROOT / "proto" / "bvlc_scripts.json").write_text(json.dumps(scripts, indent=0, sort_keys=True) + "\n")
    return 0


def versions(git: list[str], *names: str) -> dict[str, set[str]]:
    """The contents that files of these names have had, by their paths."""
    command = [*git, "log", "--no-renames", "--format=", "--raw", "--abbrev=40", "--", *names]
    log = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    found: dict[str, set[str]] = defaultdict(set)
    for line in log.splitlines():
        meta, path = line.split("\t")
        if (blob := meta.split()[3]).strip("0"):
            found[path].add(blob)
    return found


def speaks_of_caffe(git: list[str], blob: str) -> bool:
    data = subprocess.run([*git, "cat-file", "blob", blob], capture_output=True, check=True).stdout
    return is_of_caffe(data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
