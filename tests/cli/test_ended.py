"""A command that is ended by SIGTERM takes its temporary files with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("signals of POSIX", allow_module_level=True)

SCRIPT = """
import time
from tempfile import TemporaryDirectory
from caffelint.cli import explain
from caffelint.cli.main import main

def wait(*arguments, **options):
    with TemporaryDirectory(prefix="caffelint-"):
        print("here", flush=True)
        time.sleep(600)

explain.command.callback = wait
main(["explain", "E101"])
"""


def test_it_ends_as_an_exception_does(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=300) == 143
    assert os.listdir(tmp_path) == []


def test_ctrl_c_while_python_still_imports_is_no_traceback() -> None:
    """The first module that the console script imports for itself raises what Ctrl-C does."""
    script = """
import sys
from caffelint.cli.main import main

class Interrupted:
    def find_spec(self, name, *arguments):
        if name == "caffelint.search_path":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
sys.exit(main())
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"")


LOST = """
import time, weakref
from caffelint.cli import explain
from caffelint.cli.main import main

class Thing:
    pass

def late(reference):
    print("here", flush=True)
    time.sleep(1)

def wait(*arguments, **options):
    thing = Thing()
    reference = weakref.ref(thing, late)
    del thing
    time.sleep(600)

explain.command.callback = wait
main(["explain", "E101"])
"""


def test_what_python_loses_is_raised_again() -> None:
    """An exception in the callback of a weak reference goes nowhere."""
    process = subprocess.Popen([sys.executable, "-c", LOST], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    try:
        said = process.communicate(timeout=20)[1]
    finally:
        process.kill()
    assert (process.returncode, said) == (143, b"")
