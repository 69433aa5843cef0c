"""Write `proto/fork_files.json`: the prototxt files that well-known forks of Caffe ship below `examples` and `models`.

`python tools/fork_files.py OWNER/NAME=REPOSITORY.git ...`, clones with their histories, of forks and of projects that
bring a Caffe and the models for it, those first from which others were copied. For each of them and each name of a file
it holds the first digits of the names that git gives the contents at the ends of all branches: what a fork has mended
since is a mistake. Left out are those of `proto/bvlc_files.json` and of the projects before it
(`caffelint.lint.project.shipped`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from caffelint.lint.project.shipped import DIGITS, HOMES

PROTO = Path(__file__).resolve().parent.parent / "proto"


def main(arguments: list[str]) -> int:
    known = {blob for blobs in json.loads((PROTO / "bvlc_files.json").read_text()).values() for blob in blobs}
    table: dict[str, dict[str, list[str]]] = {}
    for argument in arguments:
        project, _, repository = argument.partition("=")
        git = ["git", "--git-dir", repository]
        found: dict[str, set[str]] = defaultdict(set)
        for branch in _lines([*git, "for-each-ref", "--format=%(objectname)"]):
            for line in _lines([*git, "ls-tree", "-r", branch]):
                meta, path = line.split("\t")
                *folders, name = path.split("/")
                blob = meta.split()[2][:DIGITS]
                if name.endswith(".prototxt") and blob not in known and not HOMES.isdisjoint(folders):
                    found[name].add(blob)
        table[project] = {name: sorted(blobs) for name, blobs in found.items()}
        known.update(*found.values())
    text = json.dumps(table, separators=(",", ":"), sort_keys=False)
    (PROTO / "fork_files.json").write_text(text.replace("],", "],\n") + "\n")
    return 0


def _lines(command: list[str]) -> list[str]:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
