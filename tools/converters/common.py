"""What the scripts of this folder share: cases, children that may die, and the comparison of outputs.

A case is a folder: `net.prototxt`; of the real Caffe (`with_caffe.py`) `net.caffemodel`, `in.npz` and `out.npz`, or
`refused.txt` with its last words; and of each target `TARGET.json`: `{"verdict": "right" | "refused" | "wrong",
"why": ...}`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

RIGHT, REFUSED, WRONG, GONE = "right", "refused", "wrong", "gone"
_TOLERANCE = 1e-3  # of the range of the values and 0
_NOISE = 1e-3  # a smaller range is that of rounding
_SECONDS = 120


class Gone(Exception):
    """Nothing is left of the net to compare: the converter knows that its layers do nothing."""


class Refused(Exception):
    """A converter or its runtime does not take the net; says why."""


def cases(folder: str, target: str) -> Iterator[Path]:
    """The cases that the real Caffe ran and this target did not yet."""
    for case in sorted(Path(folder).iterdir()):
        if (case / "out.npz").exists() and not (case / f"{target}.json").exists():
            yield case


def difference(expected: Any, got: Any) -> str:
    """What differs between two arrays, "" if nothing that matters: axes of size 1 do not."""
    got = np.asarray(got, dtype=np.float64)
    expected = np.asarray(expected, dtype=np.float64)
    if got.size != expected.size or [n for n in got.shape if n > 1] != [n for n in expected.shape if n > 1]:
        return f"the shape is {got.shape}, not {expected.shape}"
    if not np.isfinite(got).all():
        return "values that are not finite"
    off = float(np.abs(got.ravel() - expected.ravel()).max(initial=0))
    spread = max(float(expected.max(initial=0) - expected.min(initial=0)), _NOISE)
    return f"values differ by {off / spread:.2g} of their range" if off > _TOLERANCE * spread else ""


def compare(case: Path, run: Callable[[Path, dict[str, Any], dict[str, Any]], dict[str, Any]]) -> dict[str, str]:
    """What a target makes of a case: `run` takes the case, its inputs and the expected outputs, and gives its own."""
    with np.load(case / "in.npz") as file:
        inputs = dict(file)
    with np.load(case / "out.npz") as file:
        outputs = dict(file)
    try:
        got = run(case, inputs, outputs)
    except Gone:
        return {"verdict": GONE, "why": ""}
    except Refused as error:
        return {"verdict": REFUSED, "why": str(error)[:300]}
    wrong = [f"{name}: {said}" for name in outputs if name in got and (said := difference(outputs[name], got[name]))]
    if not got:
        return {"verdict": REFUSED, "why": "it gives none of the outputs"}
    if wrong:
        return {"verdict": WRONG, "why": "; ".join(wrong)[:300]}
    return {"verdict": RIGHT, "why": ""}


def apart(call: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Call in a child whose words are kept: the libraries abort, and print what they would not raise."""
    reading, writing = os.pipe()
    hearing, speaking = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)
        os.dup2(speaking, 1)
        os.dup2(speaking, 2)
        try:
            said = call()
        except BaseException as error:
            said = {"verdict": REFUSED, "why": f"{type(error).__name__}: {error}"[:300]}
        os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    os.close(speaking)
    os.set_blocking(hearing, False)
    heard, said = b"", b""
    import select

    open_ends = {reading, hearing}
    while reading in open_ends:
        for end in select.select(list(open_ends), [], [])[0]:
            data = os.read(end, 65536)
            if not data:
                open_ends.discard(end)
            elif end == reading:
                said += data
            else:
                heard = (heard + data)[-2000:]
    os.close(reading)
    os.close(hearing)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return {"verdict": GONE, "why": f"it took more than {_SECONDS} s"}
    if not said:
        return {"verdict": REFUSED, "why": f"it died with status {status}: {_last(heard)}"}
    result: dict[str, str] = json.loads(said)
    if result["verdict"] != RIGHT and heard:
        result["said"] = _last(heard)
    return result


def _last(heard: bytes) -> str:
    lines = [line.strip() for line in heard.decode(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-4:])[-400:]


def run_all(target: str, run: Callable[[Path, dict[str, Any], dict[str, Any]], dict[str, Any]]) -> None:
    """Give every case of the folders in the arguments to a target, each in a child of its own."""
    for folder in sys.argv[1:]:
        for case in cases(folder, target):
            found = apart(lambda case=case: compare(case, run))
            (case / f"{target}.json").write_text(json.dumps(found))
