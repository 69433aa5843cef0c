"""`caffelint summary`: the JSON lines are what a real Caffe shows of the same files; every answer has its status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from caffelint.cli.main import main
from caffelint.lint.summary import Summary, summarize

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 9 dim: 9 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 stride: 2 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { kernel_size: 2 stride: 2 } }
layer { name: "sum" type: "Eltwise" bottom: "conv" bottom: "conv" top: "sum" include { phase: TEST } }
"""
ASK = """
import json, sys
import caffe
net = caffe.Net(sys.argv[1], getattr(caffe, sys.argv[2]))
print(json.dumps([{k: list(v.data.shape) for k, v in net.blobs.items()},
                  {k: [list(p.data.shape) for p in v] for k, v in net.params.items()}, list(net.outputs)]))
"""


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    main(["summary", "--format", "json", *arguments])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.caffe
@pytest.mark.parametrize("phase", ["TRAIN", "TEST"])
def test_same_as_a_real_caffe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caffe_python: Path, phase: str
) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET)
    (ours,) = lines(capsys, str(path), "--phase", phase.lower(), "--dialect", "bvlc")
    asked = subprocess.run([str(caffe_python), "-c", ASK, str(path), phase], capture_output=True, check=True, text=True)
    blobs, params, outputs = json.loads(asked.stdout)
    assert ours["loads"] is True
    assert (ours["blobs"], ours["params"], ours["outputs"]) == (blobs, params, outputs)
    data = next(line for line in reversed(asked.stderr.splitlines()) if "Memory required for data" in line)
    assert ours["memory"] == {"data": int(data.rpartition(":")[2]), "params": 4 * (4 * 27 + 4)}


def test_a_file_without_a_net_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "solver.prototxt"
    path.write_text("base_lr: 0.1 max_iter: 10")
    (tmp_path / "net.prototxt").write_text(NET)
    assert main(["summary", str(path), str(tmp_path / "net.prototxt")]) == 0
    assert capsys.readouterr().err == f"caffelint: {path}: not a net\n"


def test_no_net_at_all_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "solver.prototxt"
    path.write_text("base_lr: 0.1 max_iter: 10")
    for given in (path, tmp_path):
        assert main(["summary", str(given)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith(f"caffelint: there is no net in {given} (see caffelint summary --help)\n")


def test_a_solver_stands_for_its_nets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text('train_net: "net.prototxt" test_net: "net.prototxt" base_lr: 1')
    assert main(["summary", "solver.prototxt"]) == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if ": loads" in line] == [
        "net.prototxt, TRAIN: loads",
        "net.prototxt, TEST: loads",
    ]
    assert err == ""
    (tmp_path / "solver.prototxt").write_text('net: "gone/away.prototxt" base_lr: 1')
    assert main(["summary", "solver.prototxt"]) == 2
    assert capsys.readouterr() == ("", 'caffelint: solver.prototxt: net "gone/away.prototxt" does not exist\n')
    (tmp_path / "solver.prototxt").write_text('net: "solver.prototxt" base_lr: 1')
    assert main(["summary", "solver.prototxt"]) == 2
    assert "there is no net in solver.prototxt" in capsys.readouterr().err


def test_a_solver_builds_its_nets_in_its_own_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    staged = NET + 'layer { name: "on" type: "Silence" bottom: "pool" include { stage: "far" } }'
    (tmp_path / "net.prototxt").write_text(staged)
    solver = 'net: "net.prototxt" test_state { } test_state { stage: "far" } test_iter: 1 test_iter: 1'
    (tmp_path / "solver.prototxt").write_text(solver)
    assert [(line["phase"], line["outputs"]) for line in lines(capsys, "solver.prototxt")] == [
        ("TRAIN", ["pool"]),
        ("TEST", ["pool", "sum"]),
        ("TEST", ["sum"]),
    ]
    assert [line["phase"] for line in lines(capsys, "solver.prototxt", "--phase", "train")] == ["TRAIN"]
    (tmp_path / "solver.prototxt").write_text(f"net_param {{ {NET} }} base_lr: 1 test_iter: 1")
    assert [(line["file"], line["outputs"]) for line in lines(capsys, "solver.prototxt")] == [
        ("solver.prototxt", ["pool"]),
        ("solver.prototxt", ["pool", "sum"]),
    ]


def test_each_test_net_has_a_state_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """solver.cpp, InitTestNets: test_state(i) is that of test net i alone."""
    monkeypatch.chdir(tmp_path)
    here = 'layer { name: "on" type: "Silence" bottom: "%s" include { stage: "%s" } }'
    for stage in "ab":
        other = here % ("nothing_makes_it", "b" if stage == "a" else "a")
        (tmp_path / f"{stage}.prototxt").write_text(NET + here % ("pool", stage) + other)
    (tmp_path / "train.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(
        'train_net: "train.prototxt" test_net: "a.prototxt" test_net: "b.prototxt" test_iter: 1 test_iter: 1'
        ' test_state { stage: "a" } test_state { stage: "b" } test_interval: 1 base_lr: 1'
    )
    found = [(line["file"], line["phase"], line["loads"]) for line in lines(capsys, "solver.prototxt")]
    assert found == [("train.prototxt", "TRAIN", True), ("a.prototxt", "TEST", True), ("b.prototxt", "TEST", True)]
    assert main(["check", "solver.prototxt", "--select", "unknown-bottom"]) == 0


def test_of_a_thousand_nets_a_hundred_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    states = "".join(f'test_iter: 1 test_state {{ stage: "{number}" }}\n' for number in range(1000))
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" test_interval: 5 {states}')
    assert main(["summary", "--jobs", "1", "--format", "json", str(tmp_path / "solver.prototxt")]) == 2
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 100
    assert "builds 1001 nets, of which 100 are shown" in said.err


def test_of_many_states_of_a_large_net_some_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(NET + "# more\n" * 15_000)
    states = "".join(f'test_iter: 1 test_state {{ stage: "{number}" }}\n' for number in range(50))
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" test_interval: 5 {states}')
    assert main(["summary", "--jobs", "1", "--format", "json", str(tmp_path / "solver.prototxt")]) == 2
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 10
    assert "builds 51 nets, of which 10 are shown" in said.err


def test_a_net_is_shown_once_in_a_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    states = "test_iter: 1 test_state { }\n" * 300 + 'test_iter: 2 test_state { stage: "a" }\n'
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" test_interval: 5 {states}')
    assert [line["phase"] for line in lines(capsys, str(tmp_path / "solver.prototxt"))] == ["TRAIN", "TEST", "TEST"]


def test_an_input_shape_of_no_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET)
    for name in ("foo", "pool"):  # a layer with bottoms makes its own shape
        assert main(["summary", str(path), "--input-shape", f"{name}=1x2"]) == 2
        assert f'no input is called "{name}"; the inputs are data' in capsys.readouterr().err
    assert main(["summary", str(path), "--input-shape", "data=1x3x9x9"]) == 0


def test_how_to_tell_the_shape_of_data(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FIXTURES / "right" / "lenet" / "train_val.prototxt")
    hint = (
        '  hint: the shape of "data" is not in the text; give --phase train --input-shape data=64xCxHxW (with'
        " numbers for the letters), or --read-data to read it from the data\n"
    )
    assert main(["summary", path]) == 0
    assert hint in capsys.readouterr().out
    assert main(["summary", path, "--phase", "train", "--input-shape", "data=64x1x28x28"]) == 0
    assert "hint" not in capsys.readouterr().out


def test_a_hint_holds_what_the_text_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    data = 'layer { name: "d" type: "Data" top: "x" data_param { source: "s" batch_size: 90 } transform_param { %s } }'
    path.write_text(data % "crop_size: 227")
    for phase in ("train", "test"):
        assert main(["summary", str(path), "--phase", phase]) == 0
        given = f"--phase {phase} --input-shape x=90x3x227x227"
        out = capsys.readouterr().out
        assert f'note: the shape of "x" is not in the text and taken as 90x3x227x227; give --phase {phase}' in out
        assert "may load" in out
        assert main(["summary", str(path), *given.split()]) == 0
        assert ": loads" in capsys.readouterr().out
    path.write_text(data % "crop_size: 227 mean_value: [1, 2, 3]")
    assert main(["summary", str(path)]) == 0
    assert "taken as 90x3x227x227; give" in capsys.readouterr().out


@pytest.mark.parametrize(("phase", "other"), [("TRAIN", "TEST"), ("TEST", "TRAIN")])
def test_a_net_of_one_phase_is_shown_in_that_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], phase: str, other: str
) -> None:
    path = tmp_path / "net.prototxt"
    sound = NET.replace("include { phase: TEST } ", "")
    path.write_text(sound.replace("dim: 9 } } }", f"dim: 9 }} }} include {{ phase: {phase} }} }}"))
    assert main(["summary", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"{path}, {phase}: loads\n  note: this net is for {phase} only: it has no layers for {other}" in out
    assert f", {other}:" not in out
    assert main(["summary", str(path), "--phase", other.lower()]) == 1
    assert f", {other}: does not load\n" in capsys.readouterr().out
    assert [line["loads"] for line in lines(capsys, str(path))] == [phase == "TRAIN", phase == "TEST"]


def test_a_net_for_both_phases_is_held_to_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.replace('bottom: "conv" top: "conv" }', 'bottom: "cnv" top: "conv" include { phase: TRAIN } }'))
    assert main(["summary", str(path)]) == 1
    assert capsys.readouterr().out.count(", TRAIN: does not load\n") == 1


def test_a_failure_of_its_own_names_the_file_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(data: bytes, path: str, **more: object) -> list[Summary]:
        if path.endswith("a.prototxt"):
            raise KeyError("x")
        return list(summarize(data, path))

    monkeypatch.setattr("caffelint.lint.summary.summarize", fail)
    for name in ("a", "b"):
        (tmp_path / f"{name}.prototxt").write_text(NET)
    assert main(["summary", str(tmp_path)]) == 3
    out, err = capsys.readouterr()
    assert "b.prototxt, TRAIN: loads" in out
    assert err.startswith(f"caffelint: {tmp_path / 'a.prototxt'}: caffelint failed in test_summary.py:")
    assert err.count("\n") == 1


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET)
    assert main(["summary", str(path), "--phase", "test"]) == 0
    out = capsys.readouterr().out
    assert ", TEST: loads\n" in out
    rows = {line.split()[0]: line.split() for line in out.splitlines()[2:7]}
    assert rows["conv"] == ["conv", "Convolution", "data", "conv", "2x4x4x4", "112", "3,456", "512", "B"]
    assert rows["sum"][2:5] == ["conv,", "conv", "sum"]
    assert "112 parameters" in out


def test_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.replace("kernel_size: 3", ""))
    assert main(["summary", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.count("does not load") == 2
    assert "layer conv: " in out


def test_unknown_type_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.replace('"ReLU"', '"MyOwn"'))
    (ours,) = lines(capsys, str(path), "--phase", "train")
    assert ours["loads"] is None
    assert ours["blobs"] == {"data": [2, 3, 9, 9], "conv": None, "pool": None}
    (strict,) = lines(capsys, str(path), "--phase", "train", "--dialect", "bvlc")
    assert strict["loads"] is False
    assert strict["error"]["layer"] == "relu"  # type: ignore[index]


def test_lines_keep_to_their_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str], root: Path) -> None:
    import jsonschema

    schema = json.loads((root / "docs/schema/summary.schema.json").read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    (tmp_path / "refused.prototxt").write_text(NET.replace("kernel_size: 3", ""))
    (tmp_path / "unknown.prototxt").write_text(NET.replace('"ReLU"', '"MyOwn"'))
    found = lines(capsys, str(FIXTURES / "right"), str(FIXTURES / "wrong"), str(tmp_path), "--read-data")
    assert {line["loads"] for line in found} == {True, False, None}
    assert any(line["notes"] for line in found)
    for line in found:
        validator.validate(line)
        for field in line:
            assert not validator.is_valid({name: value for name, value in line.items() if name != field})


def test_read_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import h5py

    with h5py.File(tmp_path / "first.h5", "w") as file:
        file["data"] = [[1.0, 2.0, 3.0]]
    (tmp_path / "list.txt").write_text("first.h5")
    path = tmp_path / "net.prototxt"
    path.write_text(
        'layer { name: "data" type: "HDF5Data" top: "data" hdf5_data_param { source: "list.txt" batch_size: 5 } }'
    )
    assert main(["summary", str(path), "--read-data", "--phase", "train"]) == 0
    out = capsys.readouterr().out
    assert ", TRAIN: loads\n" in out
    assert " 5x3 " in out
    (tmp_path / "first.h5").unlink()
    assert main(["summary", str(path), "--read-data", "--phase", "train"]) == 0
    source = tmp_path / "list.txt"
    note = f'  note: the shape of "data" stays unknown: "{source}" names a missing file\n'
    assert note in capsys.readouterr().out


def test_input_shape(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FIXTURES / "right" / "lenet" / "train_val.prototxt")
    (unknown,) = lines(capsys, path, "--phase", "train")
    assert unknown["loads"] is None
    (known,) = lines(capsys, path, "--phase", "train", "--input-shape", "data=64x1x28x28")
    assert known["loads"] is True
    assert known["params"]["conv1"] == [[20, 1, 5, 5], [20]]  # type: ignore[index]


def test_a_shape_that_is_given_holds_where_only_a_fork_takes_the_layer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FlowNet's ImageData has one top; of BVLC's it needs two."""
    path = tmp_path / "net.prototxt"
    path.write_text(
        'layer { name: "i" type: "ImageData" top: "img0" image_data_param { source: "a" batch_size: 4 } }\n'
        'layer { name: "m" type: "Mean" bottom: "img0" top: "b" mean_param { operation: SUBTRACT value: 1 } }\n'
    )
    main(["summary", "--phase", "train", "--input-shape", "img0=4x3x8x8", str(path)])
    out = capsys.readouterr().out
    assert "4x3x8x8" in out
    assert "hint" not in out


def test_input_shape_leaves_each_phase_its_batch(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FIXTURES / "right" / "lenet" / "train_val.prototxt")
    train, test = lines(capsys, path, "--input-shape", "data=64x1x28x28")
    assert (train["loads"], test["loads"]) == (True, True)
    assert train["blobs"]["data"] == [64, 1, 28, 28]  # type: ignore[index]
    assert test["blobs"]["data"] == [100, 1, 28, 28]  # type: ignore[index]


def test_folder_has_a_line_for_each_net_and_phase(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, str(FIXTURES / "right"))
    assert len(found) == 2 * len({line["file"] for line in found}) == 8
    assert all(line["loads"] is not False for line in found)


@pytest.mark.skipif(os.name != "posix", reason="processes start otherwise elsewhere")
def test_a_process_that_is_killed_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.prototxt").write_text(NET)
    monkeypatch.setattr("caffelint.lint.summary.summarize", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
    assert main(["summary", str(tmp_path), "--jobs", "2"]) == 3
    said = "this file or one after it ended a process, perhaps for lack of memory: 9 files were not shown; try --jobs 1"
    assert f"0.prototxt: {said}\n" in capsys.readouterr().err


@pytest.mark.parametrize("shape", ["data", "data=", "=1x2", "data=1xtwo", "data=-1x3"])
def test_wrong_shape_option(tmp_path: Path, capsys: pytest.CaptureFixture[str], shape: str) -> None:
    assert main(["summary", str(FIXTURES), "--input-shape", shape]) == 2
    assert "is not a shape" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1000000000000000000 dim: 9 } } }',
        'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 0 dim: -3 } } }',
        'layer { name: "a" type: "ReLU" bottom: "b" top: "b" } layer { name: "b" type: "ReLU" bottom: "b" top: "a" }',
        'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 } } }'
        ' layer { name: "i" type: "InnerProduct" bottom: "a" top: "i" inner_product_param { num_output: 1000000000 } }',
        "layer { type: }",
    ],
)
def test_hostile_nets_end_soon(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(text)
    assert len(lines(capsys, str(path))) == 2
