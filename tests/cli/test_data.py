"""`caffelint data`: what it finds in data sets of each kind, what it prints, and how it ends."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from data_sets import (
    data_layer,
    hdf5_layer,
    images,
    list_layer,
    records,
    report_of,
    rest,
    write_hdf5,
    write_leveldb,
    write_list,
    write_lmdb,
)
from jsonschema import Draft202012Validator

from caffelint.cli.data_at_hand import advice
from caffelint.cli.main import main
from caffelint.evidence.data.evidence import DataEvidence
from caffelint.evidence.data.look import look
from caffelint.evidence.data.scan import Scan
from caffelint.lint.config import Config
from caffelint.lint.disk import exists

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "check.schema.json"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command on the text of a net, and gives its report; nothing is written but to the cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(net: str, *options: str) -> Any:
        report = report_of(tmp_path, net, *options)
        Draft202012Validator(json.loads(SCHEMA.read_text())).validate(report["json"])
        return report

    return run


LABELS = [number % 10 for number in range(60)]


def plain(folder: Path, kind: str, pictures: Any, labels: Any) -> str:
    """The data layer of a source of that kind."""
    if kind == "lmdb":
        return data_layer(write_lmdb(folder / "set", records(pictures, labels)))
    if kind == "leveldb":
        return data_layer(write_leveldb(folder / "set", records(pictures, labels)), kind="LEVELDB")
    if kind == "hdf5":
        labelled = np.array(labels, np.float32)
        return hdf5_layer(write_hdf5(folder / "set.txt", data=pictures.astype(np.float32), label=labelled))
    return list_layer(write_list(folder / "set.txt", pictures, labels))


KINDS = pytest.mark.parametrize("kind", ["lmdb", "leveldb", "hdf5", "list"])


@KINDS
def test_finds_nothing_in_sound_data(kind: str, tmp_path: Path, found: Callable[..., Any]) -> None:
    report = found(plain(tmp_path, kind, images(60), LABELS) + rest())
    assert report["names"] == []
    assert report["status"] == 0
    train = report["json"]["data"][0]
    assert (train["records"], train["total"]) == (60, 60)
    image, label = train["tops"]
    assert image["shapes"] == {"3x8x8": 60}
    assert label["values"] == [[float(value), 6] for value in range(10)]
    assert image["channels"][0]["mean"] == pytest.approx(images(60)[:, 2 if kind == "list" else 0].mean(), rel=1e-6)


@KINDS
def test_finds_a_label_outside_of_the_classes(kind: str, tmp_path: Path, found: Callable[..., Any]) -> None:
    report = found(plain(tmp_path, kind, images(60), [*LABELS[:58], 10, 300]) + rest())
    assert "label-outside-classes" in report["names"]
    finding = next(one for one in report["json"]["findings"] if one["name"] == "label-outside-classes")
    assert "2 labels" in finding["message"]
    assert ": 10 (once, in " in finding["message"]
    assert ", 300 (once, in " in finding["message"]
    assert report["status"] == 1


@KINDS
def test_finds_a_blank_record(kind: str, tmp_path: Path, found: Callable[..., Any]) -> None:
    pictures = images(60)
    pictures[33] = 17
    report = found(plain(tmp_path, kind, pictures, LABELS) + rest())
    assert report["names"] == ["record-constant"]


def test_names_where_a_script_makes_zeros_of_all_records(tmp_path: Path, found: Callable[..., Any]) -> None:
    script = "env = lmdb.open('set', map_size=9)\nwith env.begin(write=True) as put:\n  put(a.astype(np.uint8))\n"
    (tmp_path / "make.py").write_text(script)
    net = plain(tmp_path, "lmdb", 0 * images(60), LABELS) + rest()
    told = [one["message"] for one in found(net)["json"]["findings"] if one["name"] == "record-constant"]
    assert len(told) == 1
    assert told[0].startswith('Data "data": all 60 records of')
    assert told[0].endswith("; multiply values of 0 to 1 by 255 before they become bytes, as at make.py:3")


def test_names_alpha_where_it_alone_shows_something(tmp_path: Path, found: Callable[..., Any]) -> None:
    """OpenCV decodes such files as black: imread of RGBA gives the colours without alpha."""
    drawn = images(60, (4, 8, 8))
    drawn[:, :3] = 0
    net = list_layer(write_list(tmp_path / "set.txt", drawn, LABELS)) + rest()
    told = [one["message"] for one in found(net)["json"]["findings"] if one["name"] == "record-constant"]
    assert len(told) == 1
    assert "are blank, all their values are the same but for alpha, which Caffe drops (" in told[0]
    assert told[0].endswith("; paste them on white, and write RGB without alpha")
    drawn[:, 3] = 255
    net = list_layer(write_list(tmp_path / "black.txt", drawn, LABELS)) + rest()
    told = [one["message"] for one in found(net)["json"]["findings"] if one["name"] == "record-constant"]
    assert told[0].endswith("; look at what made them")


def test_takes_only_images_for_blank(tmp_path: Path, found: Callable[..., Any]) -> None:
    source = write_hdf5(
        tmp_path / "set.txt",
        data=images(60).astype(np.float32),
        label=np.array(LABELS, np.float32),
        certainty=np.ones((60, 30), np.float32),
    )
    layer = hdf5_layer(source).replace('top: "label"', 'top: "label" top: "certainty"')
    mine = 'layer { name: "mine" type: "WeightedLoss" bottom: "fc" bottom: "certainty" top: "mine" }'
    assert found(layer + rest() + mine)["names"] == []


def test_finds_what_is_not_finite(tmp_path: Path, found: Callable[..., Any]) -> None:
    pictures = images(60).astype(np.float32)
    pictures[5, 0, 0, 0] = np.nan
    pictures[6, 0, 0, 0] = np.inf
    for layer in (
        data_layer(write_lmdb(tmp_path / "floats", records(pictures, LABELS))),
        hdf5_layer(write_hdf5(tmp_path / "set.txt", data=pictures, label=np.array(LABELS, np.float32))),
    ):
        report = found(layer + rest())
        assert report["names"] == ["value-not-finite"]
        assert "has nan" in report["json"]["findings"][0]["message"]
        assert "1 has inf" in report["json"]["findings"][0]["message"]


def test_writes_nothing_beside_the_data(tmp_path: Path, found: Callable[..., Any]) -> None:
    write_leveldb(tmp_path / "level", records(images(60), LABELS))
    write_lmdb(tmp_path / "lmdb", records(images(60), LABELS))
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.glob("l*/*")}
    os.chmod(tmp_path / "level", 0o555)
    os.chmod(tmp_path / "lmdb", 0o555)
    found(data_layer("level", kind="LEVELDB") + rest())
    found(data_layer("lmdb") + rest())
    os.chmod(tmp_path / "level", 0o755)
    os.chmod(tmp_path / "lmdb", 0o755)
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.glob("l*/*")} == before


def test_a_second_run_reads_what_was_kept(tmp_path: Path, found: Callable[..., Any]) -> None:
    net = plain(tmp_path, "lmdb", images(60), LABELS) + rest()
    first = found(net)
    data = tmp_path / "set" / "data.mdb"
    state = data.stat()
    whole = data.read_bytes()
    data.write_bytes(whole.replace(images(60)[7].tobytes(), bytes(192)))
    os.utime(data, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert found(net) == first
    assert found(net, "--no-cache")["names"] == ["record-constant"]
    os.utime(data)
    assert found(net)["names"] == ["record-constant"]


def test_names_what_it_does_not_read(tmp_path: Path, found: Callable[..., Any]) -> None:
    net = 'layer { name: "mine" type: "Python" top: "data" python_param { module: "m" layer: "L" } }\n'
    report = found(net)
    assert report["names"] == []
    assert "Python layer" in report["json"]["data"][0]["not_read"]
    report = found(data_layer("gone") + rest())
    assert report["names"] == ["source-not-readable"]


def test_exit_status(tmp_path: Path, found: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "gone.prototxt"]) == 2
    (tmp_path / "net.prototxt").write_text(rest())
    assert main(["data", "net.prototxt"]) == 2
    assert "no layer reads data" in capsys.readouterr().err


@KINDS
def test_plots_what_the_net_sees(kind: str, tmp_path: Path, found: Callable[..., Any]) -> None:
    pytest.importorskip("matplotlib")
    pictures = images(60)
    pictures[33] = 17
    out = tmp_path / "plot.svg"
    found(plain(tmp_path, kind, pictures, [*LABELS[:58], 12, 12]) + rest(), "--plot", str(out))
    text = out.read_text()
    assert "as the net sees them" in text
    assert "outside" in text
    assert text.count("<image") >= 24


@pytest.mark.parametrize("values", [[2.0**64], [2.0**60, 2.0**60 + 2.0**37], [3e38, -3e38], [0.0]])
def test_plots_values_that_are_as_good_as_one_or_as_far_as_floats_go(
    values: list[float], tmp_path: Path, found: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    pictures = np.resize(np.array(values, np.float32), (4, 1, 2, 2))
    net = hdf5_layer(write_hdf5(tmp_path / "set.txt", data=pictures, label=np.array([0, 1, 2, 3], np.float32)))
    found(net + rest(), "--plot", str(tmp_path / "plot.svg"))
    assert "as the net sees them" in (tmp_path / "plot.svg").read_text()
    assert "arning" not in capfd.readouterr().err


def test_a_sample_says_what_it_may_miss(
    tmp_path: Path, found: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    net = plain(tmp_path, "lmdb", images(60), LABELS) + rest()
    report = found(net, "--sample", "10")
    assert report["json"]["data"][0]["records"] == 10
    assert report["json"]["data"][0]["total"] == 60
    main(["data", "net.prototxt", "--sample", "10"])
    assert "a sample of 10 of 60 records; what is wrong in less than 46 % may be missed" in capsys.readouterr().out


def test_a_check_reports_what_was_found_before(
    tmp_path: Path, found: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """With read-data, of a database that has not changed since."""
    path = write_lmdb(tmp_path / "set", records(images(60), [*LABELS[:58], 10, 300]))
    net = data_layer(path) + rest()
    (tmp_path / "caffelint.toml").write_text("read-data = true\n")
    (tmp_path / "net.prototxt").write_text(net)
    command = ["check", "net.prototxt", "--config", "caffelint.toml", "--format", "concise"]
    main(command)
    assert "label-outside-classes" not in capsys.readouterr().out
    found(net)
    main(command)
    assert "label-outside-classes" in capsys.readouterr().out
    os.utime(path / "data.mdb")
    main(command)
    assert "label-outside-classes" not in capsys.readouterr().out


def test_read_data_says_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text('layer { name: "in" type: "HDF5Data" top: "data" hdf5_data_param { source: "x" batch_size: 1 } }')
    line = "HDF5: not read; pip install 'caffelint[data]' brings what reads them"
    main(["check", str(net), "--read-data"])
    assert line not in capsys.readouterr().err
    found = importlib.util.find_spec
    monkeypatch.setattr("caffelint.cli.errors.find_spec", lambda name: None if name == "h5py" else found(name))
    main(["check", str(net), "--read-data"])
    assert line in capsys.readouterr().err


def test_a_check_opens_no_label_map_or_mean_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """With read-data in the settings, only in the checkout and roots; and nothing of a file's text is quoted."""
    checkout, secret, mean = tmp_path / "checkout", tmp_path / "secret.txt", tmp_path / "mean.binaryproto"
    (checkout / ".git").mkdir(parents=True)
    secret.write_text("\ntopsecret value\n")
    mean.write_text("topsecret")
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = data_layer(
        write_lmdb(checkout / "set", records(images(60), LABELS)), f'transform_param {{ mean_file: "{mean}" }}'
    )
    out = f"""layer {{
  name: "out" type: "DetectionOutput" bottom: "data" bottom: "data" bottom: "label" top: "out"
  detection_output_param {{ num_classes: 3 save_output_param {{ label_map_file: "{secret}" }} }}
}}
"""
    (checkout / "caffelint.toml").write_text("read-data = true\n")
    (checkout / "net.prototxt").write_text(data + rest() + out)
    main(["data", "net.prototxt"])
    said = capsys.readouterr().out
    assert "cannot be parsed (line 2), so Caffe stops" in said
    assert "BlobProto" in said
    assert "topsecret" not in said
    command = ["check", "net.prototxt", "--format", "concise", "--select", "E119,mean-unlike-data"]
    main([*command, "--config", "caffelint.toml"])
    said = capsys.readouterr().out
    assert "secret" not in said
    assert "BlobProto" not in said
    (checkout / "caffelint.toml").write_text('read-data = true\nroots = [".."]\n')
    main([*command, "--config", "caffelint.toml"])
    said = capsys.readouterr().out
    assert "cannot be parsed (line 2), so Caffe stops" in said
    assert "BlobProto" in said


@KINDS
def test_a_check_looks_into_data(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the option, of the solvers below a folder; without, it says how, and opens nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "net.prototxt").write_text(plain(tmp_path, kind, images(60), [*LABELS[:59], 10]) + rest())
    command = ["check", ".", "--format", "concise", "--fail-on", "never"]
    main([*command, "--read-data"])
    assert "label-outside-classes" not in capsys.readouterr().out
    for name in ("solver.prototxt", "again.prototxt"):
        (tmp_path / name).write_text('net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100\n')
    main([*command, "--read-data"])
    assert capsys.readouterr().out.count("label-outside-classes") == 1
    main(["check", "."])
    told = capsys.readouterr()
    assert "label-outside-classes" not in told.out
    assert "is here and was not read: check --read-data looks into it" in told.err
    main(["check", "solver.prototxt"])
    main(["check", ".", "--quiet"])
    main(command)
    assert "was not read" not in capsys.readouterr().err


def test_a_check_reads_data_for_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("caffelint.evidence.data.sampled.SECONDS", 0.01)
    ended = Event()

    def end(scan: Scan) -> None:
        real_end(scan)
        ended.set()

    def slow_look(*given: Any) -> DataEvidence:
        """As of an image that a list names again and again."""
        assert ended.wait(60)
        return look(*given)

    real_end = Scan.end
    monkeypatch.setattr(Scan, "end", end)
    monkeypatch.setattr("caffelint.evidence.data.sampled.look", slow_look)
    (tmp_path / "net.prototxt").write_text(plain(tmp_path, "lmdb", images(60), LABELS) + rest())
    main(["check", "net.prototxt", "--read-data"])
    assert "the data of net.prototxt was not read: caffelint data net.prototxt does" in capsys.readouterr().err


def test_data_at_hand_is_not_looked_for_elsewhere_or_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To look for a folder of another machine may log in there, and what shows the running system is no data."""
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    monkeypatch.setattr("caffelint.cli.data_at_hand.exists", lambda path: asked.append(path) or exists(path))
    nets = 'net: "net.prototxt"\n' + 'test_net: "net.prototxt"\n' * 100
    for one in range(10):
        (tmp_path / f"{one}solver.prototxt").write_text(f"{nets}base_lr: 0.1\n")
    (tmp_path / "net.prototxt").write_text('layer { data_param {\nsource: "//host/share"\nsource: "/proc/self" } }\n')
    assert advice(["."], Config()) == ""
    assert len(asked) == 4
    (tmp_path / "net.prototxt").write_text("".join(f'source: "{one}"\n' for one in range(3000)))
    assert advice(["."], Config()) == ""
    assert len(asked) < 2100
