"""Write `proto/bvlc_sources.json`: how BVLC's layers looked in all versions that refuse what Caffe 1.0 refuses.

`python tools/bvlc_sources.py REPOSITORY.git`, a clone of BVLC/caffe with its history. For each source file of a layer
it holds the digests (`caffelint.lint.project.sources.digest`) of those versions whose CHECKs are those of 1.0 or of
master, and for each layer type the files that it is made of: its own and those of the classes that it derives from.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from caffelint.lint.project.sources import compiled, digest

ROOT = Path(__file__).resolve().parent.parent
LAYERS, HEADERS = "src/caffe/layers", "include/caffe"
REFERENCES = ("eeebdab16155d34ff8f5f42137da7df4d1c7eab0", "9b891540183ddc834a02b2bd81b31afae71b2153")
"""Caffe 1.0, and master."""
_CHECK = re.compile(r"\b(?:D?CHECK\w*|LOG\s*\(\s*FATAL)\s*\([^;]*;")
_CLASS = re.compile(r"\bclass (\w+)\s*:\s*public (\w+)<")
_BY_ENGINE = ("Convolution", "Deconvolution", "LRN", "Pooling", "ReLU", "Sigmoid", "Softmax", "TanH")
"""Types that layer_factory.cpp makes, as it chooses between engines; their classes are named after them as well."""
_REGISTERED = re.compile(r"REGISTER_LAYER_CLASS\((\w+)\)")
_CREATED = re.compile(r"REGISTER_LAYER_CREATOR\((\w+)")


class History:
    """A repository, bare or not."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def run(self, *arguments: str) -> str:
        found = subprocess.run(["git", "--git-dir", self.folder, *arguments], capture_output=True, check=True)
        return found.stdout.decode("utf-8", "replace")

    def tree(self, commit: str, folder: str) -> dict[str, str]:
        """The text of each file below a folder, by its bare name."""
        lines = self.run("ls-tree", "-r", commit, folder + "/").splitlines()
        rows = [line.split("\t") for line in lines]
        return {os.path.basename(path): self.run("cat-file", "blob", meta.split()[2]) for meta, path in rows}

    def versions(self, folder: str) -> dict[str, set[str]]:
        """All blobs that files below a folder ever were."""
        found: dict[str, set[str]] = defaultdict(set)
        log = self.run("log", "--all", "--no-renames", "--format=", "--raw", "--abbrev=40", "--", folder)
        for line in log.splitlines():
            meta, path = line.split("\t")
            blob = meta.split()[3]
            if blob.strip("0"):
                found[os.path.basename(path)].add(blob)
        return found


def checks(text: str) -> Counter[str]:
    """What a file refuses, without the words."""
    found = (re.sub(r"\s+", "", one.split("<<")[0]) for one in _CHECK.findall(compiled(text)))
    plain = (one.rstrip(";").replace("->num()", "->shape(0)") for one in found)
    return Counter("==".join(sorted(one[:-1].removeprefix("CHECK(").split("=="))) for one in plain)


def main(arguments: list[str]) -> int:
    history = History(arguments[0])
    references = [history.tree(commit, LAYERS) for commit in REFERENCES]
    wanted = {name: [checks(tree[name]) for tree in references if name in tree] for name in references[0]}
    files: dict[str, list[str]] = {}
    for name, blobs in sorted(history.versions(LAYERS).items()):
        if name in wanted and name.endswith(".cpp") and not name.startswith("cudnn_"):
            texts = [history.run("cat-file", "blob", blob) for blob in blobs]
            files[name] = sorted({digest(text) for text in texts if checks(text) in wanted[name]})
    types = made_of(references[0], history.tree(REFERENCES[0], HEADERS))
    text = json.dumps({"files": files, "types": types}, indent=0, sort_keys=True)
    (ROOT / "proto" / "bvlc_sources.json").write_text(text + "\n")
    return 0


def made_of(layers: dict[str, str], headers: dict[str, str]) -> dict[str, list[str]]:
    """The source files of each layer type."""
    text = compiled("\n".join(headers.values()))
    bases = dict(_CLASS.findall(text))
    homes = {name: file for file, body in layers.items() if file.endswith(".cpp") for name in own_classes(body)}
    types = {type_ for body in layers.values() for type_ in _REGISTERED.findall(compiled(body))}
    types |= {*_CREATED.findall("\n".join(layers.values())), *_BY_ENGINE}
    found: dict[str, list[str]] = {}
    for type_ in sorted(types):
        class_, files = f"{type_}Layer", []
        while class_:
            files += [homes[class_]] if class_ in homes else []
            class_ = bases.get(class_, "")
        if files:
            found[type_] = list(dict.fromkeys(files))
    return found


def own_classes(text: str) -> set[str]:
    """The classes whose methods a file defines."""
    return set(re.findall(r"\bvoid (\w+Layer)<", compiled(text)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
