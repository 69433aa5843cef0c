"""Options of `caffe train` that a shell takes for a command of its own, as sh itself shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffelint.project.script_cuts import cuts

TEXTS = {
    "whole": "caffe train \\\n  --solver=s.prototxt \\\n  --weights=w\n",
    "comment": "caffe train --solver=s.prototxt \\\n  # --gpu 1\n  --weights=w\n",
    "blank": "caffe train --solver=s.prototxt \\ \n  --weights=w\n",
    "no backslash": "caffe train --solver=s.prototxt\n  --weights=w\n",
    "behind a comment": "caffe train --solver=s.prototxt --gpu 0 # --gpu 1 \\\n  --weights=w\n",
    "an array": 'args=(\ncaffe train\n  --solver=s.prototxt\n  --weights=w\n)\n"${args[@]}"\n',
    "a string": 'caffe train --solver=s.prototxt "a\n--weights=w"\n',
    "a comment alone": "caffe train --solver=s.prototxt\n# --weights=w\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_as_a_shell_does(name: str, tmp_path: Path) -> None:
    program = tmp_path / "caffe"
    program.write_text('#!/bin/sh\necho "given: $*"\n')
    program.chmod(0o755)
    (tmp_path / "train.sh").write_text(TEXTS[name])
    run = subprocess.run(
        ["bash", "train.sh"], cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True
    )
    is_lost = "--weights" in run.stderr
    found = list(cuts(TEXTS[name]))
    assert [one.option for one in found] == ["weights"] * is_lost
    assert all(one.solver == "s.prototxt" for one in found)


def test_a_here_document_is_not_read() -> None:
    assert not list(cuts("cat <<END\ncaffe train --solver=s.prototxt\n--weights=w\nEND\n"))
