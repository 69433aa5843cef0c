"""Write `proto/mended_files.json`: what BVLC's Caffe and forks of it have mended in the prototxt files that they ship.

`python tools/mended_files.py REPOSITORY.git ...`, clones with their histories of those of `bvlc_files.py` and
`fork_files.py`. Each version of a file that none of them has today is checked in the tree of the first commit that has
it, with the proto that Caffe had then, and so is the last one at its path. For each content, by the first digits of the
name that git gives it, the file holds the rules whose errors and warnings are gone in the last one, and the commit of
that (`caffelint.lint.project.shipped`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.finding import INFO
from caffelint.lint.project import lowered
from caffelint.lint.project.shipped import DIGITS

PROTO = Path(__file__).resolve().parent.parent / "proto"
Version = tuple[str, str]
"""The commit and the content."""


def main(repositories: list[str]) -> int:
    lowered.shipped_by = lambda *_: ""  # here these files are told of like anybody's
    lasts = []
    shipped = set(_shipped())
    for repository in repositories:
        git = ["git", "--git-dir", repository]
        lasts.append({path: versions[0] for path, versions in _history(git, "HEAD").items()})
        shipped.difference_update(_todays(git))
    mended: dict[str, list[str]] = {}
    for repository, last in zip(repositories, lasts, strict=True):
        git = ["git", "--git-dir", repository]
        wanted: dict[str, set[str]] = defaultdict(set)
        contents: dict[tuple[str, str], str] = {}
        for path, versions in _history(git, "--all").items():
            if path not in last:
                continue
            first = {content: commit for commit, content in versions}
            for content in first.keys() & shipped - mended.keys():
                for commit, one in ((first[content], content), last[path]):
                    wanted[commit].add(path)
                    contents[commit, path] = one
        told = {(commit, path): names for commit, paths in wanted.items() for path, names in _told(git, commit, paths)}
        for (commit, path), content in contents.items():
            gone = told[commit, path].keys() - told[last[path][0], path].keys()
            loud = sorted(name for name in gone if told[commit, path][name])
            if content != last[path][1] and loud:
                mended[content] = [last[path][0][:DIGITS], *loud]
    text = json.dumps(dict(sorted(mended.items())), separators=(",", ":"))
    (PROTO / "mended_files.json").write_text(text.replace("],", "],\n") + "\n")
    return 0


def _shipped() -> Iterator[str]:
    for blobs in json.loads((PROTO / "bvlc_files.json").read_text()).values():
        yield from blobs
    for files in json.loads((PROTO / "fork_files.json").read_text()).values():
        for blobs in files.values():
            yield from blobs


def _history(git: list[str], branches: str) -> dict[str, list[Version]]:
    """The versions of each path, the newest first."""
    command = [*git, "log", "--no-renames", "--format=%H", "--raw", "--abbrev=40", branches, "--", "*.prototxt"]
    found: dict[str, list[Version]] = defaultdict(list)
    commit = ""
    for line in subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines():
        meta, _, path = line.partition("\t")
        if not path:
            commit = line or commit
        elif (blob := meta.split()[3]).strip("0"):
            found[path].append((commit, blob[:DIGITS]))
    return found


def _todays(git: list[str]) -> Iterator[str]:
    """The contents that there are today: the last one at a path that is gone may have been mended at another."""
    tree = subprocess.run([*git, "ls-tree", "-r", "HEAD"], capture_output=True, check=True, text=True).stdout
    for line in tree.splitlines():
        yield line.split()[2][:DIGITS]


def _told(git: list[str], commit: str, paths: set[str]) -> Iterator[tuple[str, dict[str, bool]]]:
    """What is told of each of the files of a commit: the names of rules, and whether louder than as infos."""
    config = Config()
    config.cache, config.jobs = False, 1
    here = os.getcwd()
    found: dict[str, dict[str, bool]] = {}
    with TemporaryDirectory() as folder:
        command = [*git, "archive", commit, ":(glob)**/*.proto*"]
        archive = subprocess.run(command, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        os.chdir(folder)
        for path in paths:
            names = found[path] = {}
            for one in caffelint.check([path], config).findings:
                if one.file == path:  # a solver is checked with its nets
                    names[one.name] = names.get(one.name, False) or one.severity != INFO
        os.chdir(here)
    yield from found.items()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
