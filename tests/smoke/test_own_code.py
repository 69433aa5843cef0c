"""What Python layers take of the time, and what numpy warns of in them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import python_layer, write

from caffelint.smoke.events import Warned
from caffelint.smoke.own_code import Own
from caffelint.smoke.session import Session


class Told(list[tuple[str, dict[str, Any]]]):
    def __call__(self, event: str, **fields: Any) -> None:
        self.append((event, fields))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.setattr(warnings, "showwarning", lambda *_: None)
    return Told()


def spent(told: Told, work: Callable[[], object]) -> dict[str, Any]:
    own = Own(told)  # type: ignore[no-untyped-call]
    for _ in range(3):
        own.timed("layer", work, True)()  # type: ignore[no-untyped-call]
    own.report()  # type: ignore[no-untyped-call]
    return told[-1][1]


def sleep() -> None:
    time.sleep(0.1)


def test_sleep_is_idle(told: Told) -> None:
    found = spent(told, sleep)
    assert found["calls"] == 3
    assert found["seconds"] >= 0.29
    assert found["idle"] >= 0.2
    assert (Path(found["file"]).name, found["line"]) == ("test_own_code.py", sleep.__code__.co_firstlineno + 1)


def test_computing_is_not_idle(told: Told) -> None:
    found = spent(told, lambda: sum(range(2_000_000)))
    assert found["idle"] < 0.5 * found["seconds"]


def test_what_raises_is_raised_and_timed(told: Told) -> None:
    own = Own(told)  # type: ignore[no-untyped-call]
    with pytest.raises(ZeroDivisionError):
        own.timed("layer", lambda: 1 / 0, True)()  # type: ignore[no-untyped-call]
    own.report()  # type: ignore[no-untyped-call]
    assert told[-1][1]["calls"] == 1


BALANCED = "import numpy\nn = numpy.zeros(2)\nself.weight = 1 / n / (1 / n).sum()"


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_numpys_warnings_come_with_their_line(engine: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    session = in_engine(write(tmp_path, python_layer(tmp_path, BALANCED)), engine, iterations=3, diagnose="off")
    assert session.run is not None
    found = [(Path(event.file).name, event.line, event.said.split()[0]) for event in session.run.all(Warned)]
    assert sorted(set(found)) == [("mine.py", 19, "divide"), ("mine.py", 19, "invalid")]
