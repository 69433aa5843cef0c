"""`caffelint log`: what it prints and writes, and how it ends."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import threading
import time
from pathlib import Path

import pytest
from cost import soon

from caffelint.cli.main import main

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
LINE = "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration {}, loss = {}\n"


@pytest.mark.parametrize(
    ("name", "rule", "words"),
    [
        ("nan_rate", "loss-became-nan", 'train output "loss" is nan in iteration 5'),
        ("nan_debug_info", "loss-became-nan", "debug_info: first, in the backward pass"),
        ("aborted_shape", "run-aborted", "bottom 1 is 16x8x8x8 but bottom 0 is 16x8x6x6"),
        ("stuck_at_chance", "missing-weight-filler", ""),
    ],
)
def test_tells_the_cause(name: str, rule: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["log", str(LOGS / f"{name}.log"), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = [one for one in report["findings"] if one["name"] == rule]
    assert found
    assert words in f"{found[0]['message']} {found[0]['evidence']}"
    assert found[0]["line"]


def test_a_packed_log_that_is_cut_is_read_to_where_it_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (LOGS / "nan_rate.log").read_bytes()
    packed = gzip.compress(whole + random.Random(1).randbytes(100_000))
    path = tmp_path / "train.log.gz"
    path.write_bytes(packed[:-50_000])
    assert main(["log", str(path), "-q"]) == 1
    assert 'train output "loss" is nan in iteration 5' in capsys.readouterr().out
    path.write_bytes(packed[:20])
    assert main(["log", str(path), "-q"]) == 2


def test_of_a_log_that_is_not_there_only_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(tmp_path / "no.log")]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert "no.log: cannot be read: no such file" in told.err


def test_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = tmp_path / "sound.log"
    sound.write_text("".join(LINE.format(20 * n, 2 / (n + 1)) for n in range(20)))
    assert main(["log", str(sound)]) == 0
    assert main(["log", str(LOGS / "nan_rate.log")]) == 1
    assert main(["log", str(LOGS / "nan_rate.log"), "--fail-on", "never"]) == 0
    (tmp_path / "junk").write_bytes(bytes(range(256)) * 100)
    capsys.readouterr()
    assert main(["log", str(tmp_path / "junk")]) == 2
    assert "holds nothing that Caffe prints" in capsys.readouterr().err
    assert main(["log", str(tmp_path / "gone.log")]) == 2
    assert main(["log", str(tmp_path)]) == 2
    assert main(["log", str(sound), "--until", "nan"]) == 2


def test_csv_holds_every_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress((LOGS / "nan_rate.log").read_bytes()))
    main(["log", str(path), "-q", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    losses = [(row["NumIters"], row["Value"]) for row in rows if row["Output"] == "smoothed_loss"]
    assert losses[:2] == [("0", "1.86805"), ("5", "nan")]
    assert {row["Phase"] for row in rows} == {"train"}
    assert {row["Output"] for row in rows} == {"smoothed_loss", "learning_rate", "loss"}


def test_solver_of_another_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solver = tmp_path / "solver.prototxt"
    solver.write_text('net: "train_val.prototxt"\nbase_lr: 0.5\nlr_policy: "fixed"\nmax_iter: 60\n')
    main(["log", str(LOGS / "nan_rate.log"), "--solver", str(solver), "--format", "concise", "-q"])
    out = capsys.readouterr().out
    assert f"{solver}:2:1: warning: base_lr is 0.5 here, but 1000 in the run of the log" in out


def test_net_of_another_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The net that was printed is the file's, layer by layer, until that is changed."""
    project = LOGS.parent / "smoke" / "broken" / "rate_softmax"
    for name in ("solver.prototxt", "train_val.prototxt"):
        (tmp_path / name).write_text((project / name).read_text())
    command = ["log", str(LOGS / "nan_rate.log"), "--solver", str(tmp_path / "solver.prototxt"), "-q"]
    main([*command, "--format", "concise"])
    assert "the net is another" not in capsys.readouterr().out
    net = tmp_path / "train_val.prototxt"
    net.write_text(net.read_text().replace('name: "loss"', 'name: "cost"'))
    main([*command, "--format", "concise"])
    assert 'the net is another than that of the log: layer "cost" was not there' in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".html"])
def test_plot(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"loss{suffix}"
    main(["log", str(LOGS / "nan_rate.log"), str(LOGS / "stuck_at_chance.log"), "--plot", str(path), "-q"])
    first = path.read_bytes()
    assert len(first) > 5000
    main(["log", str(LOGS / "nan_rate.log"), "--plot", str(path), "-q"])
    assert path.read_bytes() != first


@pytest.mark.parametrize("value", ["1.7e308", "1e-320", "-1e300", "nan", "1" + "0" * 300])
def test_a_plot_of_numbers_that_no_axis_holds(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    rate = LINE.replace("loss", "lr")
    numbers = [(0, 1), (1, value), (2, value), (3, 1)]
    Path("train.log").write_text("".join(LINE.format(*one) + rate.format(*one) for one in numbers))
    assert main(["log", "train.log", "--plot", "loss.svg"]) in (0, 1)
    Path("solver.prototxt").write_text(f'base_lr: {value} lr_policy: "exp" gamma: 1e30 max_iter: 30')
    assert main(["lr", "solver.prototxt", "--plot", "rate.svg"]) in (0, 1)
    assert "please report it" not in capsys.readouterr().err


def test_follow_ends_at_the_first_nan(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(LINE.format(0, 2.3))

    def grow() -> None:
        for number in range(1, 100_000):
            time.sleep(0.02)
            with path.open("a") as log:
                log.write(LINE.format(number, 2.2 if number < 20 else "nan"))

    writer = threading.Thread(target=grow, daemon=True)
    writer.start()
    assert main(["log", "--follow", "--until", "nan,stuck", str(path), "-q"]) == 1
    assert writer.is_alive()


def test_a_rate_that_is_infinitely_many_times_the_schedules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    texts = TEXTS.replace("base_lr: 0.01", 'base_lr: 1e-40\nlr_policy: "fixed"')
    log.write_text(texts + LINE.replace("loss", "lr").format(0, "1.7e308") + LINE.format(0, 1))
    assert main(["log", str(log)]) in (0, 1)
    assert "the schedule of the solver gives" in capsys.readouterr().out


def test_hostile_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.log"
    name = "\x1b[31m##[error]x"
    line = "I0404 16:55:15.732383 72497 solver.cpp:313]     Train net output #0: {} = {} (* 1 = 1 loss)\n"
    path.write_text(LINE.format(0, 1) + line.format(name, "nan") + line.format("a::error::b", 1))
    main(["log", str(path)])
    main(["log", str(path), "--format", "csv"])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "##[" not in out


def test_a_hostile_name_of_the_log_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b]0;x\x07.log"
    path.write_text(LINE.format(0, 1))
    main(["log", str(path), "--format", "csv"])
    out = capsys.readouterr().out
    assert "smoothed_loss" in out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_a_pipe_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "train.log")
    assert main(["log", str(tmp_path / "train.log")]) == 2
    assert "is a pipe or a device" in capsys.readouterr().err


def test_what_is_packed_unlike_a_log_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(LINE.format(0, 1).encode() + b"Traceback (most recent\n" * 1_000_000))
    with soon():
        assert main(["log", str(path)]) == 2
        assert "unpacks to more than 50 times its size" in capsys.readouterr().err


def test_csv_is_written_in_one_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.log").write_text(LINE.format(0, 1))
    Path("bad.log").write_text("nothing of Caffe\n")
    assert main(["log", "bad.log", "--format", "csv:out.csv"]) == 2
    assert not Path("out.csv").exists()
    for value in ("1", "2"):
        Path("good.log").write_text(LINE.format(0, value))
        assert main(["log", "good.log", "--format", "csv:out.csv"]) == 0
        assert f"smoothed_loss,{value}.0," in Path("out.csv").read_text()
    assert main(["log", "good.log", "--format", "csv:out.x", "--format", "json:out.x"]) == 2
    assert "csv and json both go to out.x" in capsys.readouterr().err
    Path("mine.csv").write_text("a,b\n")
    assert main(["log", "good.log", "--format", "csv:mine.csv"]) == 2
    assert Path("mine.csv").read_text() == "a,b\n"


def test_the_net_of_a_solver_is_not_read_outside_its_checkout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret").write_text('layer { name: "secret" }\n')
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "solver.prototxt").write_text(f'net: "{tmp_path}/secret"\nbase_lr: 0.02\n')
    (project / "train.log").write_text(TEXTS + LINE.format(0, 1))
    main(["log", str(project / "train.log"), "--solver", str(project / "solver.prototxt")])
    printed = capsys.readouterr()
    assert "base_lr is 0.02 here" in printed.out
    assert "secret" not in printed.out + printed.err
    (project / "net.prototxt").write_text('layer { name: "more" type: "ReLU" bottom: "d" top: "more" }\n')
    (project / "solver.prototxt").write_text('net: "net.prototxt"\n')
    main(["log", str(project / "train.log"), "--solver", str(project / "solver.prototxt")])
    assert '"more"' in capsys.readouterr().out


def test_findings_name_no_temporary_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_text(TEXTS.replace("phase: TRAIN", "phase: TRAIN\n  stage: 'a'") + LINE.format(0, 1))
    main(["log", str(log), "--format", "json", "-q", "-v"])
    assert "caffelint-log-" not in capsys.readouterr().out


TEXTS = """I0404 16:55:15.732383 72497 solver.cpp:48] Initializing solver from parameters:
base_lr: 0.01
net: "net.prototxt"
I0404 16:55:15.732383 72497 net.cpp:58] Initializing net from parameters:
state {
  phase: TRAIN
}
layer { name: "d" type: "Input" top: "d" top: "l" input_param { shape { dim: 1 dim: 2 } shape { dim: 1 } } }
layer { name: "p" type: "Python" bottom: "d" top: "p" python_param { module: "planted" layer: "P" } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "p" bottom: "l" top: "loss" }
"""


def test_nothing_beside_the_temporary_files_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write to the folder for temporary files could else say which Caffe reads the nets of a log."""
    log = tmp_path / "train.log"
    log.write_text(TEXTS + LINE.format(0, 1))
    main(["log", str(log), "--format", "json", "-q"])
    alone = json.loads(capsys.readouterr().out)["findings"]
    planted = tmp_path / "tmp"
    proto = planted / "src/caffe/proto/caffe.proto"
    proto.parent.mkdir(parents=True)
    (planted / ".git").mkdir()
    proto.write_text("message SolverParameter {} message NetParameter { optional int32 layer = 1; }")
    (planted / "planted.py").write_text("class Other: pass")
    monkeypatch.setattr("tempfile.tempdir", str(planted))
    main(["log", str(log), "--format", "json", "-q"])
    assert json.loads(capsys.readouterr().out)["findings"] == alone


def test_the_loss_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(LINE.format(20 * n, 2 / (n + 1) if n < 15 else "nan") for n in range(20)))
    main(["log", str(path)])
    lines = capsys.readouterr().out.splitlines()
    drawn = lines[lines.index("  loss over the iterations") + 1 :][:8]
    assert drawn[0].startswith("  \u2588")
    assert drawn[-1].endswith("!!!!!")
    main(["log", str(path), "-q"])
    assert "over the iterations" not in capsys.readouterr().out


def test_epochs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from caffelint.rules.log._example import NET, SOLVER, losses

    path = tmp_path / "train.log"
    net = NET.replace('type: "Input"', 'type: "ImageData"').replace("input_param", "image_data_param")
    net = net.replace("shape { dim: 8 dim: 4 }", "batch_size: 8").replace("shape { dim: 8 }", 'source: "list"')
    at = "I1122 13:11:02.19 17644 "
    made = f"{at}net.cpp:84] Creating Layer data\n{at}image_data_layer.cpp:60] A total of 100 images.\n"
    made += f"{at}net.cpp:131] Top shape: 8 4 1 1 (32)\n{at}net.cpp:131] Top shape: 8 (8)\n"
    path.write_text(SOLVER + net + made + losses([2.3] * 11))
    main(["log", str(path)])
    assert "8 epochs of 100 images" in capsys.readouterr().out


def test_a_run_that_only_tests_has_no_fault_of_its_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from caffelint.rules.log._example import NET, SOLVER, losses

    path = tmp_path / "test.log"
    solver = SOLVER.replace("max_iter: 400", "max_iter: 0").replace('"fixed"', '"poly"\npower: 1')
    end = "I1122 13:12:00.00 17644 solver.cpp:322] Optimization Done.\n"
    path.write_text(solver + NET + losses([2.3], rate=None) + end)
    assert main(["log", str(path), "--isolated"]) == 0
    assert "S101" not in capsys.readouterr().out


def test_a_log_without_texts_is_explained_by_the_solver_that_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, solver = tmp_path / "train.log", tmp_path / "mine.prototxt"
    log.write_text("".join(LINE.format(10 * at, 2 + 0.2 * at**2) for at in range(12)))
    solver.write_text('net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmomentum: 1.05\nmax_iter: 500\n')
    (tmp_path / "net.prototxt").write_text('layer { name: "d" type: "Input" top: "d" }\n')
    main(["log", str(log)])
    printed = capsys.readouterr().out
    assert f"--solver {solver}" in printed
    assert "momentum" not in printed
    main(["log", str(log), "--solver", str(solver), "--format", "json"])
    printed = capsys.readouterr().out
    assert "--solver" not in printed
    found = {one["name"]: one for one in json.loads(printed)["findings"]}
    assert "most likely, momentum 1.05 is not below 1" in found["loss-rises"]["message"]
    assert f"({solver}:4)" in found["loss-rises"]["message"]
    assert found["momentum-out-of-range"]["line"] == 4
    main(["log", str(log), "--solver", str(solver), "--no-check"])
    assert "momentum-out-of-range" not in capsys.readouterr().out


def test_the_net_of_that_solver_tells_the_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, solver = tmp_path / "train.log", tmp_path / "solver.prototxt"
    values = [2.4, 2.35, 2.41, 2.34, *[2.45, 2.38, 2.39, 2.52] * 2]
    output = "I0404 16:55:15.732383 72497 solver.cpp:258]     Train net output #0: loss = {0} (* 1 = {0} loss)\n"
    log.write_text("".join(LINE.format(10 * at, one) + output.format(one) for at, one in enumerate(values)))
    solver.write_text('net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 500\n')
    (tmp_path / "net.prototxt").write_text(
        'layer { name: "d" type: "Input" top: "d" top: "l" input_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "d" top: "fc" inner_product_param { num_output: 10 } }\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "l" top: "loss" }\n'
    )
    main(["log", str(log), "--solver", str(solver), "--no-check"])
    assert "as if the net guessed among 10 classes, for 70 iterations, which are too few" in capsys.readouterr().out
    main(["log", str(log)])
    assert "1 info not shown" in capsys.readouterr().out
    main(["log", str(log), "-v"])
    assert "classes" not in capsys.readouterr().out
    log.write_text(LINE.format(0, 2.4) + "".join(LINE.format(10 * at, 2.4 / at) for at in range(1, 12)))
    main(["log", str(log), "-v"])
    assert "T103" not in capsys.readouterr().out
