"""What a stranger writes into names drives no terminal and commands no build server, whatever shows it."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from .conftest import Caffelint, Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="such names do not exist there")

WORD = "\x1b[31m\x9b2J\u202e##[error]owned ##vso[task.complete]"
"""ESC, CSI in one character, right to left, and commands of two build servers."""
NAME = f"{WORD}\r\n::error file=a,line=1::owned"
FILE = f"::error file=x::owned {NAME}.prototxt"
TEXT = NAME.replace("\x1b", "\\033").replace("\x9b", "\\302\\233").replace("\r\n", "\\r\\n")
"""The name as a prototxt's string has it."""
NET = f"""layer {{ name: "in" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 8 dim: 8 }} }} }}
layer {{ name: "{TEXT}" type: "Convolution" bottom: "data" top: "{TEXT}"
  convolution_param {{ num_output: 2 kernel_size: 3 weight_filler {{ type: "{TEXT}" }} }} }}
layer {{ name: "{TEXT}" type: "{TEXT}" bottom: "{TEXT} gone" top: "b" }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "{TEXT}" bottom: "{TEXT}" top: "loss" }}
  {WORD}: 1
 ::error::owned
# {WORD}
"""
SOLVER = f'net: "{TEXT}"\nbase_lr: 0.01\nlr_policy: "{TEXT}"\npower: 1 max_iter: 10\n# {WORD}\n'
OLD = f"""layers {{ name: "{TEXT}" type: INNER_PRODUCT bottom: "data" top: "{TEXT}"
  inner_product_param {{ num_output: 1 }} }}
# {WORD}
 # ::error::owned
"""
TRAIN = f"""layer {{ name: "{TEXT}" type: "DummyData" top: "{TEXT}" top: "label"
  dummy_data_param {{ shape {{ dim: 8 dim: 3 dim: 9 dim: 9 }} shape {{ dim: 8 }} }} }}
layer {{ name: "fc {TEXT}" type: "InnerProduct" bottom: "{TEXT}" top: "{TEXT} fc"
  inner_product_param {{ num_output: 5 axis: -3 }} }}
layer {{ name: "loss {TEXT}" type: "SoftmaxWithLoss" bottom: "{TEXT} fc" bottom: "label" top: "{TEXT} loss" }}
"""
DEPLOY = f"""layer {{ name: "{TEXT}" type: "Input" top: "{TEXT}"
  input_param {{ shape {{ dim: 1 dim: 3 dim: 9 dim: 9 }} }} }}
layer {{ name: "fc {TEXT}" type: "InnerProduct" bottom: "{TEXT}" top: "fc" inner_product_param {{ num_output: 6 }} }}
layer {{ name: "more {TEXT}" type: "InnerProduct" bottom: "fc" top: "more" inner_product_param {{ num_output: 6 }} }}
layer {{ name: "::no {TEXT}" type: "{TEXT}" bottom: "fc" top: "no" }}
"""
LOG = f"""I0404 16:55:15.732383 72497 solver.cpp:48] Initializing solver from parameters:
net: "{TEXT}" base_lr: 0.1 lr_policy: "{TEXT}" snapshot_prefix: "{TEXT}"
I0404 16:55:15.732383 72497 net.cpp:84] Creating Layer {WORD}
I0404 16:55:15.732383 72497 upgrade_proto.cpp:1] Finetuning from {WORD} ::error::owned
I0404 16:55:15.732383 72497 net.cpp:744] Ignoring source layer {WORD}
I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 0, loss = 2.3
I0404 16:55:15.732383 72497 solver.cpp:331]     Train net output #0: {WORD} = nan (* 1 = nan loss)
I0404 16:55:15.732383 72497 solver.cpp:331]     [Forward] Layer {WORD}, top blob {WORD} data: nan
I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 1, loss = nan
I0404 16:55:15.732383 72497 solver.cpp:448] Snapshotting to binary proto file {WORD}_iter_1.caffemodel
F0404 16:55:15.732383 72497 blob.cpp:15] Check failed: {WORD} ::error::owned (1 vs. 2)
*** Check failure stack trace: ***
"""


@pytest.fixture
def hostile(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of such files; the working directory."""
    folder = project / "hostile"
    for name, text in {
        FILE: NET,
        f"solver {FILE}".replace("/", "_"): SOLVER,
        f"::old{FILE}": OLD,
        "net.prototxt": 'input: "data" ' + NET.replace("::error::owned", ""),
        "solver.prototxt": f'net: "net.prototxt" {SOLVER[SOLVER.index("base_lr") :]}',
        "inner.prototxt": OLD,
        f"{WORD}.pt": NET,
        "train.prototxt": TRAIN,
        "deploy.prototxt": DEPLOY,
        f"::made {WORD}.prototxt": DEPLOY.replace("::no", "::more"),
        "train.log": LOG,
        f"::{WORD}.log": LOG,
    }.items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8", newline="")
    monkeypatch.chdir(folder)
    return folder


def harmless(text: str, allowed: str = "\n\t") -> None:
    for line in text.split("\n"):
        wrong = [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in allowed]
        assert not wrong, (wrong, line)
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line
        assert "##vso[" not in line, line


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."),
        ("check", ".", "-v", "--format", "concise"),
        ("check", ".", "-v", "--format", "json"),
        ("check", ".", "-v", "--format", "sarif"),
        ("check", ".", "-v", "--format", "gitlab"),
        ("check", ".", "-v", "--format", "junit"),
        ("check", ".", "-v", "--format", "statistics"),
        ("check", ".", "--diff", "--unsafe-fixes"),
        ("check", ".", "--add-ignores", "--diff"),
        ("check", ".", "--fix", "--unsafe-fixes"),
        ("check", ".", "--write-baseline", f"{WORD}.json"),
        ("check", FILE),
        ("check", f"{FILE}.gone"),
        ("check", FILE, "--select", NAME),
        ("check", FILE, "--baseline", NAME),
        ("check", FILE, "--config", NAME),
        ("check", FILE, "--dialect", NAME),
        ("check", FILE, "--format", NAME),
        ("check", FILE, f"--{WORD}"),
        ("upgrade", ".", "-v", "--diff"),
        ("upgrade", ".", "-v"),
        ("summary", "."),
        ("summary", ".", "--format", "json"),
        ("summary", "solver.prototxt"),
        ("summary", FILE, "--input-shape", f"{WORD}=1x1"),
        ("lr", "solver.prototxt"),
        ("lr", f"solver {FILE}"),
        ("lr", "gone" + NAME),
        ("patch", "inner.prototxt", "--check-finite", "all", "--diff"),
        ("patch", "net.prototxt", "--check-finite"),
        ("patch", FILE, "--check-finite"),
        ("patch", f"::old{FILE}", "--check-finite", "all", "--in-place"),
        ("patch", f"::old{FILE}", "--check-finite", "all", "-o", f"::out {WORD}.prototxt"),
        ("deploy", "train.prototxt", "--check", "deploy.prototxt"),
        ("deploy", "deploy.prototxt", "--check", f"::made {WORD}.prototxt"),
        ("deploy", "train.prototxt", "-o", f"::out {WORD}.prototxt", "--card", f"::out {WORD}.json"),
        ("deploy", "train.prototxt", "-o", f"::made {WORD}.prototxt"),
        ("deploy", FILE),
        ("deploy", "train.prototxt", "--input-shape", f"{WORD}=1x1"),
        ("targets", NAME),
        ("check", "deploy.prototxt", "--target", "ncnn,tensorrt", "-v"),
        ("check", "deploy.prototxt", "--target", NAME),
        ("log", "train.log"),
        ("log", f"::{WORD}.log", "--format", "json"),
        ("log", f"::{WORD}.log", "--follow", "--until", "nan"),
        ("log", f"::gone {WORD}.log"),
        ("scales", "train.prototxt"),
        ("scales", "train.prototxt", "--format", "json"),
        ("data", "train.prototxt"),
        ("weights", "train.prototxt", f"::made {WORD}.prototxt"),
        ("config", "."),
        ("explain", NAME),
        ("test", NAME),
        ("new-rule", NAME),
        (NAME,),
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "replace").decode()[:40],
)
def test_nothing_of_a_name_is_obeyed(hostile: Path, caffelint: Caffelint, arguments: tuple[str, ...]) -> None:
    run: Run = caffelint(*arguments)
    assert run.status in (0, 1, 2), run.err
    assert run.out or run.err
    harmless(run.out)
    harmless(run.err)


def test_of_settings(hostile: Path, caffelint: Caffelint) -> None:
    key = "".join(f"\\u{ord(c):04x}" for c in NAME)
    (hostile / "caffelint.toml").write_text(f'exclude = ["{key}"]\n[input-shape]\n"{key}" = "1x1"\n', "utf-8")
    run = caffelint("config")
    assert "owned" in run.out
    harmless(run.out)
    (hostile / "caffelint.toml").write_text(f'"{key}" = 1\n', "utf-8")
    run = caffelint("check", ".")
    assert run.status == 2
    assert "owned" in run.err
    harmless(run.err)


def test_github_obeys_what_caffelint_says_and_no_more(hostile: Path, caffelint: Caffelint) -> None:
    run = caffelint("check", ".", "-v", "--format", "github")
    lines = run.out.removesuffix("\n").split("\n")
    assert len(lines) > 10
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) file=[^:\n]*::[^\n]*", line), line
        harmless(line.partition("::")[2].partition("::")[2])
        harmless(line.removeprefix("::"))


def test_a_diff_in_a_file_is_exact(hostile: Path) -> None:
    """It is to be applied by `patch`; only what people and build servers read is changed."""
    import subprocess

    command = [sys.executable, "-P", "-m", "caffelint", "upgrade", "--diff", "inner.prototxt"]
    with (hostile / "a.diff").open("wb") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert WORD.encode() in (hostile / "a.diff").read_bytes()
    piped = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONUTF8": "1"})
    assert b'type: "InnerProduct"' in piped.stdout
    harmless(piped.stdout.decode())
