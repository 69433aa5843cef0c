"""Which layers read what a data layer brings."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import bench_curves
import pytest

from caffelint.evidence.data import scan, signals
from caffelint.evidence.data.scan import Scan
from caffelint.evidence.data.sources import Feed, feeds
from caffelint.evidence.data.values import IMAGE, LABEL
from caffelint.lint.config import COMMAND_LINE, Config
from caffelint.lint.joined import load_joined

DATA = (
    'layer { name: "d" type: "ImageData" top: "d" top: "l" image_data_param { source: "l.txt" batch_size: 2 }\n'
    "  transform_param { crop_size: 4 } }\n"
)
LOSS = 'layer { name: "s" type: "SoftmaxWithLoss" bottom: "d" bottom: "%s" top: "s" }\n'


def feed_of(net: str, folder: Path) -> Feed:
    path = folder / "net.prototxt"
    path.write_text(DATA + net)
    (folder / "l.txt").write_text("a.png 1\n")
    (one,) = feeds(load_joined(str(path), Config())[str(path)])
    return one


def concats(count: int, ways: int) -> str:
    """Each joins the one before it with itself, so often that there are `ways ** count` ways down."""
    layer = 'layer {{ name: "c{0}" type: "Concat" {1} top: "c{0}" }}\n'
    names = ("d", *(f"c{one}" for one in range(count)))
    return "".join(layer.format(one, f'bottom: "{names[one]}" ' * ways) for one in range(count))


def test_a_layer_is_gone_through_once_however_many_ways_lead_to_it(tmp_path: Path) -> None:
    few, many = (feed_of(concats(count, 6), tmp_path) for count in (2, 6))
    small, large = (bench_curves.calls(lambda: [*one.readers(IMAGE)]) for one in (few, many))  # noqa: B023
    assert large < 4.6 * small


def test_layers_are_told_behind_any_number_of_others(tmp_path: Path) -> None:
    for count in (1, 12):
        flat = "".join(
            f'layer {{ name: "f{one}" type: "Flatten" bottom: "{f"f{one - 1}" if one else "l"}" top: "f{one}" }}\n'
            for one in range(count)
        )
        (reader,) = feed_of(flat + LOSS % f"f{count - 1}", tmp_path).readers(LABEL)
        assert (reader.layer.name, reader.bottom) == ("s", 1)


def test_data_of_a_check_is_measured_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One image may be named by a list again and again: the processes that read it are ended."""
    monkeypatch.chdir(tmp_path)
    ended = Event()
    real_ask, real_end = scan._Child.ask, Scan.end

    def ask(child: Any, question: Any, heard: Any = None) -> Any:
        assert ended.wait(60)
        return real_ask(child, question, heard)

    def end(one: Scan) -> None:
        real_end(one)
        ended.set()

    monkeypatch.setattr(scan._Child, "ask", ask)
    monkeypatch.setattr(Scan, "end", end)
    monkeypatch.setattr(signals, "SECONDS", 0.01)
    feed = feed_of("", tmp_path)
    config = Config()
    config.cache, config.read_data = False, True
    config.sources["read_data"] = COMMAND_LINE
    measuring = signals.Measuring()
    assert (measuring(feed.net, config), measuring(feed.net, config)) == ({}, {})
    assert ended.is_set()
