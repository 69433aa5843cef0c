"""`caffelint data`: one damaged file of a data set, and all that is said of it.

The first byte says of which data set. What reads it runs in a process of its own, as in the command, and may be ended
by what a library makes of a damaged file; an exception of caffelint's own code, or too much time or memory, fails.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from data_files import RECORD, cases

from caffelint.evidence.data import child
from caffelint.evidence.data.look import look
from caffelint.evidence.data.scan import Scan
from caffelint.evidence.data.table import as_json
from caffelint.evidence.data.told import lines_of
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.joined import load_joined

SEEDS = "data"
SECONDS, BYTES = 10, 3 << 30
"""What a question to a reader may take: an image of 64 million pixels is decoded."""
TRANSFORMS = ("", 'transform_param { crop_size: 5 mean_file: "mean" scale: 0.1 }', "transform_param { mean_value: 9 }")
NET = """layer {{ name: "data" type: "{}" top: "data" top: "label" {} {} }}
layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 4 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}
"""


class Near(Scan):
    """Reads in this process, or, where a library may end it, in a fork of it; each has imported what a reader needs."""

    is_risky = False

    def _ask(self, question: Mapping[str, Any], heard: Callable[[Any], None] | None = None) -> dict[str, Any]:
        asked = json.dumps(question)
        if not self.is_risky:
            return json.loads(_answered(asked))
        answer, told = os.pipe()
        process = os.fork()
        if process == 0:
            _answer(asked, told)
        os.close(told)
        with os.fdopen(answer, "rb") as pipe:
            said = pipe.read()
        _, status, used = os.wait4(process, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code != -signal.SIGXCPU, "a reader took too long"
        assert code != 1, said.decode()
        assert used.ru_maxrss << 10 < BYTES, f"a reader took {used.ru_maxrss >> 10} MiB"
        return json.loads(said) if code == 0 else {"error": f"is damaged: {code}"}


def _answer(question: str, told: int) -> None:
    """Answer in a child. Ends with 1 and what went wrong if that is caffelint's own fault."""
    status, said = 1, ""
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    try:
        said, status = _answered(question), 0
    except BaseException:
        said = traceback.format_exc()
    finally:
        with os.fdopen(told, "wb") as pipe:
            pipe.write(said.encode())
        os._exit(status)


def _answered(question: str) -> str:
    with patch.object(child, "_damaged", _not_ours), patch.object(child, "_tell", lambda _: None):
        return json.dumps(child._answer(json.loads(question)))


def _not_ours(error: Exception, path: str) -> str:
    """What a library raises for a damaged file is as it should be; what Python does in caffelint's own code is not."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_ours = "/caffelint/" in last.filename and not (last.line or "").startswith("raise")
    if is_ours and type(error).__module__ == "builtins" and not isinstance(error, OSError):
        raise error
    return str(error)[:300]


def run(data: bytes) -> None:
    known = cases()
    layer, files, damaged = known[(data[0] if data else 0) % len(known)]
    for folder in ("lmdb", "leveldb"):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    for name, content in {**files, damaged: data[1:]}.items():
        if name == RECORD:
            _write_lmdb([files[RECORD], content, files[RECORD]])
        else:
            Path(name).write_bytes(content)
    Path("net.prototxt").write_text(NET.format(*layer, TRANSFORMS[len(data) % len(TRANSFORMS)]))
    config = Config()
    config.cache = False
    with Near(jobs=1, sample=len(data) // 3 % 2, keep=False) as scan:
        scan.is_risky = damaged.startswith(("lmdb/", "leveldb/", "set.h5", "image"))
        net = load_joined("net.prototxt", config)
        found = look(net["net.prototxt"], scan)
        findings, _ = Checker(config).evidence("dataset", found, net)
        for source in found.scanned:
            scan.samples(source, "crop_size: 3 mirror: true", "TRAIN", 3, ["image", "00000001"])
    assert all(finding.message and "\n" not in finding.message for finding in findings)
    "\n".join(lines_of(found)).encode()
    json.dumps(list(as_json(found))).encode()


def _write_lmdb(values: list[bytes]) -> None:
    import lmdb

    with (
        lmdb.open("lmdb", map_size=1 << 22, sync=False, metasync=False, lock=False) as database,
        database.begin(write=True) as transaction,
    ):
        for number, value in enumerate(values):
            transaction.put(b"%08d" % number, value)
