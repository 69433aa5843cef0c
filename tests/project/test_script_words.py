"""Which words make Caffe print its usage, as Caffe itself has it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffelint.project.script_words import stray_word

COMMANDS = {
    "--solver=s.prototxt $": "$",
    "--solver=s.prototxt x": "x",
    "x --solver=s.prototxt": "x",
    "--solver= s.prototxt": "s.prototxt",
    "--solver = s.prototxt": "s.prototxt",
    "--solver=s.prototxt x > log": "x",
    "--solver=s.prototxt": "",
    "-solver s.prototxt --iterations 2": "",
    "--solver=s.prototxt > log 2>&1": "",
    "--solver=s.prototxt $NONE ; echo x": "",
    '--solver="s.prototxt" "$@" | tee log': "",
    "--solver=s.prototxt $(echo)": "",
    "--solver=s.prototxt & wait": "",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_words_of_no_option(tmp_path: Path, caffe_python: Path, command: str) -> None:
    assert stray_word(f"caffe train {command}") == COMMANDS[command]
    layer = 'layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 2 } } }'
    (tmp_path / "n.prototxt").write_text(layer)
    solver = 'net: "n.prototxt" base_lr: 0.1 lr_policy: "fixed" solver_mode: CPU max_iter: 1'
    (tmp_path / "s.prototxt").write_text(solver)
    program = caffe_python.with_name("caffe-exec")
    run = f'caffe() {{ "{program}" caffe "$@" 2>> said; }}\ncaffe train {command}\nwait\n'
    done = subprocess.run(["sh", "-c", run], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + "".join(one.read_text() for one in (tmp_path / "said", tmp_path / "log") if one.exists())
    assert ("usage: caffe <command>" in said) == bool(COMMANDS[command])
    assert ("Optimization Done" in said) != bool(COMMANDS[command])


@pytest.mark.parametrize(
    "command",
    [
        "echo caffe train --solver=s.prototxt x",
        "sh -c 'caffe train --solver=s.prototxt x'",
        "caffe train --solver=s.prototxt --logtostderr x",
        "caffe train --solver=s.prototxt [0-9]*",
        "caffe train --solver=s.prototxt `echo x`",
        "caffe trainer x",
    ],
)
def test_what_is_not_sure(command: str) -> None:
    assert not stray_word(command)
