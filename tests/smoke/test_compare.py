"""Two runs of one net agree where they compute the same, and part where something else was planted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import NET, SOLVER, python_layer, write

from caffelint.caffe.build import build
from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.schema import Datum
from caffelint.smoke.compare import Side, compare, sides
from caffelint.smoke.engines import NoEngine
from caffelint.smoke.events import Compared
from caffelint.smoke.parting import Comparison, Parts, distance
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher

Compare = Callable[..., Session]
DROPPED = NET.replace(
    'layer { name: "loss"', 'layer { name: "drop" type: "Dropout" bottom: "fc" top: "fc" }\nlayer { name: "loss"'
)


@pytest.fixture
def runs(caffe_python: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    def run(solver: Path, text: str, iterations: int = 6) -> Session:
        monkeypatch.chdir(solver.parent)
        config = Config()
        config.cache = False
        config.jobs = 1
        pair = sides(text, Choice(caffe_python=str(caffe_python)))
        return compare(
            Request(solver.name, config, Wishes(iterations=iterations, timeout=60), force=True), Watcher(), pair
        )

    return run


def event_of(session: Session) -> Compared:
    assert session.run is not None
    event = session.run.first(Compared)
    assert event is not None, session.run.events
    return event


PLANTED = {
    "forward": ("if self.run == 4:\n    top[0].data[0, 0, 0, 0] *= 1.1", "", ("forward", -1, "mine", "mine")),
    "backward": ("", "if self.run == 4:\n    bottom[0].diff[...] *= 1.1", ("backward", -1, "mine", "conv")),
    "later": ("if self.run == 4 and self.calls > 4:\n    top[0].data[...] *= 0.5", "", ("update", 3, "", "")),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_in_the_second_run_is_found(tmp_path: Path, runs: Compare, name: str) -> None:
    forward, backward, wanted = PLANTED[name]
    net = python_layer(tmp_path, "").replace("include { phase: TEST }", "include { phase: TEST stage: 'never' }")
    source = (tmp_path / "mine.py").read_text()
    source = source.replace("self.calls = 0", "self.calls = 0\n        self.run = RUN")
    source = source.replace(
        "import caffe\n", "import caffe\n\nopen('starts', 'a').write('x')\nRUN = len(open('starts').read())\n"
    )

    def lines(text: str) -> str:
        return "".join(f"\n        {line}" for line in text.splitlines())

    source = source.replace(
        "top[0].data[...] = bottom[0].data\n", f"top[0].data[...] = bottom[0].data{lines(forward)}\n"
    )
    source = source.replace(
        "bottom[0].diff[...] = top[0].diff\n", f"bottom[0].diff[...] = top[0].diff{lines(backward)}\n"
    )
    (tmp_path / "mine.py").write_text(source)
    solver = write(tmp_path, net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    session = runs(solver, "caffe,caffe:cpu")
    assert (tmp_path / "starts").read_text() == "xxxx"
    event = event_of(session)
    assert (event.stage, event.iteration) == wanted[:2]
    found = [finding for finding in session.report.findings if finding.code.startswith("X")]
    assert [finding.name for finding in found] == ["runs-part"]
    if wanted[2]:
        assert (event.layer, event.name, found[0].layer) == (*wanted[2:], "mine")
        assert event.before < 1e-6 < 0.005 < event.distance < 0.12


def test_caffe_and_torch_agree_on_real_data(tmp_path: Path, runs: Compare) -> None:
    """Caffe crops and mirrors at random; both runs see what it made."""
    pytest.importorskip("torch")
    lmdb = pytest.importorskip("lmdb")
    random = np.random.RandomState(1)
    with lmdb.open(str(tmp_path / "db"), map_size=1 << 24) as database, database.begin(write=True) as at:
        for number in range(12):
            image = random.randint(0, 256, (3, 12, 12)).astype(np.uint8).tobytes()
            datum = Datum(channels=3, height=12, width=12, label=number % 5, data=image)
            at.put(b"%08d" % number, datum.SerializeToString())
    before = (tmp_path / "db" / "data.mdb").read_bytes()
    net = DROPPED.replace("no/such/lmdb", "db").replace("no/such/other_lmdb", "db")
    session = runs(write(tmp_path, net.replace("crop_size", "mirror: true crop_size")), "torch,caffe", 10)
    event = event_of(session)
    assert event.stage == ""
    assert 0 < event.distance < 1e-3
    assert [row[0] for row in event.rows] == ["forward", "backward", "gradient", *["update"] * 10]
    assert {row[2] for row in event.rows[2:]} == {4}
    assert session.run is not None
    assert not session.run.synthetic
    assert not [finding for finding in session.report.findings if finding.code.startswith("X")]
    assert (tmp_path / "db" / "data.mdb").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["db", "net.prototxt", "solver.prototxt"]


Key = tuple[str, int, str, int]


def computed(apart: list[float]) -> Parts:
    """A parameter that moves by 1 in each update, and in update i by `apart[i]` more."""
    keys: list[Key] = [("update", number, "fc", 0) for number in range(-1, len(apart))]

    def values(key: Key) -> Any:
        return np.full(4, 0.0 if key[1] < 0 else 1.0 + key[1] + apart[key[1]])

    return Parts(dict.fromkeys(keys, "0"), values)


@pytest.mark.parametrize(
    ("noise", "other", "parts_at", "chaos"),
    [
        ([1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0], [3e-6, 3e-5, 3e-4, 3e-3, 0.3, 2.0], -1, 4),
        ([1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0], [1e-6, 1e-5, 0.3, 0.3, 0.3, 2.0], 2, 4),
        ([1e-7] * 4, [1e-7, 1e-4, 2e-4, 5e-2], 3, -1),
        ([0.0] * 4, [0.0] * 4, -1, -1),
        ([0.2] * 3, [0.1, 3.0, 5.0], -1, 0),
    ],
)
def test_what_rounding_explains_parts_nothing(
    noise: list[float], other: list[float], parts_at: int, chaos: int
) -> None:
    file = load(NET.encode(), "net.prototxt")
    assert file.net is not None
    runs = [computed([0.0] * len(noise)), computed(noise), computed(other)]
    event = Comparison(runs, build(file.net.message, "TRAIN", assume_inputs=True)).event(("a", "b"), 1e-6)
    assert (event.iteration, event.chaos) == (parts_at, chaos)
    assert len(event.rows) == len(noise)


def test_distance() -> None:
    one, two = np.array([1.0, -4.0]), np.array([1.0, -3.0])
    assert distance(one, two) == 0.25
    assert distance(one, two, 10.0) == 0.1
    assert distance(one, np.array([1.0])) == distance(one, np.array([1.0, np.nan])) == float("inf")
    assert distance(np.array([np.nan, 1.0]), np.array([np.nan, 1.0])) == 0
    assert distance(np.zeros(2), np.zeros(2)) == 0


@pytest.mark.parametrize("text", ["cpu", "cpu,cpu", "cpu,gpu", "caffe,torch,cpu", ",", "caffe:gpu,torch"])
def test_sides_that_are_none(text: str) -> None:
    with pytest.raises(NoEngine, match="give two of cpu, cuda:N, caffe, torch"):
        sides(text, Choice())


def test_sides() -> None:
    assert sides("cpu,cuda:1", Choice("torch")) == (
        Side("cpu", Choice("torch", "cpu")),
        Side("cuda:1", Choice("torch", "cuda:1")),
    )
    assert [side.choice.device for side in sides("caffe,torch:cuda:0", Choice())] == ["cpu", "cuda:0"]


def test_the_command_shows_a_table(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    solver = write(tmp_path, NET)
    arguments = ["--compare", "caffe,caffe:cpu", "--iterations", "3", "--caffe-python", str(caffe_python)]
    assert main(["smoke", str(solver), *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "caffe and caffe:cpu with the same weights and data, and Dropout off" in lines
    assert any(line.endswith("0.0001 in blobs, or 0.001 in gradients and updates, are ignored") for line in lines)
    assert any(
        line.startswith("they agree: no difference is larger than rounding explains; the largest is ") for line in lines
    )
    assert [line.split("  ")[0] for line in lines if line.startswith(("blobs", "gradients", "update"))] == [
        "blobs",
        "gradients of blobs",
        "gradients of parameters",
        "update 0",
        "update 1",
        "update 2",
    ]
    assert main(["smoke", str(solver), *arguments, "--find-lr"]) == 2
