"""Write `proto/fork_files.json`: the prototxt files that well-known forks of Caffe ship below `examples` and `models`.

`python tools/fork_files.py OWNER/NAME=REPOSITORY.git ...`, clones with their histories, of forks and of projects that
bring a Caffe and the models for it, those first from which others were copied. For each of them and each name of a file
it holds the first digits of the names that git gives the contents, of all branches, less those of
`proto/bvlc_files.json` and of the projects before it (`caffelint.lint.project.shipped`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from caffelint.lint.project.shipped import DIGITS, HOMES

PROTO = Path(__file__).resolve().parent.parent / "proto"
_LOG = ["log", "--all", "-m", "--first-parent", "--no-renames", "--format=", "--raw", "--abbrev=40", "--", "*.prototxt"]


def main(arguments: list[str]) -> int:
    known = {blob for blobs in json.loads((PROTO / "bvlc_files.json").read_text()).values() for blob in blobs}
    table: dict[str, dict[str, list[str]]] = {}
    for argument in arguments:
        project, _, repository = argument.partition("=")
        log = subprocess.run(["git", "--git-dir", repository, *_LOG], capture_output=True, check=True, text=True).stdout
        found: dict[str, set[str]] = defaultdict(set)
        for line in log.splitlines():
            meta, path = line.split("\t")
            *folders, name = path.split("/")
            blob = meta.split()[3][:DIGITS]
            if blob.strip("0") and blob not in known and not HOMES.isdisjoint(folders):
                found[name].add(blob)
        table[project] = {name: sorted(blobs) for name, blobs in found.items()}
        known.update(*found.values())
    text = json.dumps(table, separators=(",", ":"), sort_keys=False)
    (PROTO / "fork_files.json").write_text(text.replace("],", "],\n") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
