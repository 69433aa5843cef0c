"""Diffs: git makes the new text of them, they show no line that is the same, and large files take no time."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from cost import soon

from caffelint.fix.diff import diff


def test_git_applies_them(tmp_path: Path) -> None:
    chance = random.Random(3)
    words = ["{", "}", "a", "b", " c", "\r", "é", *map(str, range(9))]
    tried = 0
    while tried < 60:
        old = chance.choices(words, k=chance.randrange(40))
        new = list(old)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(new) + 1)
            new[at : at + chance.randrange(3)] = chance.choices(words, k=chance.randrange(3))
        before, after = ("\n".join(lines).encode() + chance.choice([b"", b"\n"]) for lines in (old, new))
        if before == after or not before or not after:
            continue
        tried += 1
        (tmp_path / "net").write_bytes(before)
        change = diff("net", before, after)
        subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn"], input=change, cwd=tmp_path, check=True)
        assert (tmp_path / "net").read_bytes() == after


def test_what_is_the_same_is_not_shown_as_changed() -> None:
    layer = 'layer {\n  name: "n%d"\n  type: %s\n}\n'
    old = "".join(layer % (number, '"ReLU"') for number in range(200)).encode()
    new = old[: -len('"ReLU"\n}\n')] + b"RELU\n}\n"
    changed = [line for line in diff("net", old, new).splitlines()[2:] if line[:1] in b"-+"]
    assert changed == [b'-  type: "ReLU"', b"+  type: RELU"]


def test_ten_thousand_layers_with_one_more_behind_each() -> None:
    layer = 'layer {\n  name: "n%s"\n  type: "ReLU"\n  bottom: "b"\n  top: "b"\n}\n'
    old = "".join(layer % number for number in range(10_000)).encode()
    new = "".join(layer % number + layer % f"{number}_check" for number in range(10_000)).encode()
    with soon():
        change = diff("net", old, new).splitlines()
    assert sum(line.startswith(b"+") for line in change) == 1 + 6 * 10_000
    assert sum(line.startswith(b"-") for line in change) == 1


def test_lines_that_are_all_alike_take_no_cube_of_their_number() -> None:
    old = b'layers { type: RELU bottom: "x" top: "x" }\n#\n' * 2000
    new = b'layer { type: "ReLU" bottom: "x" top: "x" }\n#\n' * 2000
    with soon(20):
        change = diff("net", old, new).splitlines()
    assert sum(line.startswith(b"+") for line in change) == 1 + 2000
