"""Nothing that is fed to caffelint brings it down, or takes it longer than its size allows."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import fuzz
import pytest
from seeds import NIGHTLY, SEED, draws

SHARES = dict.fromkeys(("check", "fix", "patch", "summary", "upgrade"), 2000) | {"text": 1000}
"""How many inputs a target gets, a hundred times as many at night: these five a million, in less than an hour."""
REST = 200


PATIENCE = 20
"""How many times as long as fuzz.py allows an input may take here, on a machine that may be slow and busy."""


def _hold(name: str, inputs: int, seed: int, out: Path) -> None:
    failed = []
    for number, data, reason in fuzz.fuzz(name, inputs, seed, jobs=2):
        saved = out / f"{name}-{seed}-{number}"
        saved.write_bytes(data)
        failed.append(f"input {number} of seed {seed}, {data[:300]!r}, in {saved}: {reason}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_bears_mutants(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", fuzz.SECONDS if NIGHTLY else PATIENCE * fuzz.SECONDS)
    _hold(name, draws(1, 100) * SHARES.get(name, REST), SEED + 1, tmp_path)


def test_same_input_for_the_same_number() -> None:
    assert fuzz.input_of("check", 1, 7, None) == fuzz.input_of("check", 1, 7, None)
    assert fuzz.input_of("check", 1, 7, None) != fuzz.input_of("check", 1, 8, None)


def _raise(data: bytes) -> None:
    raise ValueError(data)


def _wait(data: bytes) -> None:
    end = time.process_time() + 1.2
    while time.process_time() < end:
        pass


def _fill(data: bytes) -> None:
    bytearray(b"x") * (200 << 20)


def _interrupt(data: bytes) -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("run", "reason"),
    [(_raise, "ValueError"), (_wait, "took 1.2 s"), (_fill, "MiB"), (_interrupt, "KeyboardInterrupt")],
)
def test_tells_what_went_wrong(monkeypatch: pytest.MonkeyPatch, run: object, reason: str) -> None:
    import targets.text

    monkeypatch.setattr(targets.text, "run", run)
    (failed,) = fuzz.fuzz("text", 1, 1)  # in a process of its own, whose peak of memory is not that of another test
    assert reason in failed.reason


def test_tells_what_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    import targets.text

    def end(data: bytes) -> None:
        if data == fuzz.input_of("text", 1, 3, None):
            signal.raise_signal(signal.SIGKILL)

    monkeypatch.setattr(targets.text, "run", end)
    assert [(one.number, one.reason) for one in fuzz.fuzz("text", 6, 1)] == [(3, "ended the process with status -9")]
