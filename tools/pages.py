"""What commands print, in the pages: between `<!-- output: COMMAND -->` and `<!-- end -->`.

A command runs in the top folder, or, on a page that says so before it, in a copy of a folder that is made for it:

- `<!-- in: FOLDER -->` copies FOLDER, or makes an empty one under that name if there is none.
- `<!-- write: FILE -->` writes the block after it there, as the reader is asked to.
- `<!-- proto: FILE -->` writes BVLC's caffe.proto there, with what the messages in the block after it add.
- `<!-- sample: COMMAND -->` is like `output`, for figures that differ a little between machines: it is run only if
  its page is named.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from caffelint.cli.main import main as caffelint

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 100
_STEP = re.compile(r"<!-- (in|write|proto|output|sample): (.*?) -->\n")
_FENCE = re.compile(r"(`{3,})\w*\n(.*?)^\1", re.DOTALL | re.MULTILINE)
_END = "<!-- end -->"
_OVERWRITTEN = re.compile(r"^.*\r(?:\x1b\[K)?", re.MULTILINE)
"""What a terminal no longer shows: how far a long command was."""


class _Terminal(io.StringIO):
    """Where a command prints as it does for people: wrapped."""

    def isatty(self) -> bool:
        return True


def filled(page: str, samples: bool = False) -> str:
    """The page with what its commands print now; with `samples`, those that are run only if asked are run, too."""
    parts: list[str] = []
    at = 0
    with _scratch() as scratch:
        folder = ROOT
        for step in _STEP.finditer(page):
            what, name = step[1], step[2]
            if what == "in":
                folder = scratch / Path(name).name
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, folder)
                folder.mkdir(exist_ok=True)
                (folder / ".git").mkdir()  # so that nothing above it counts
            elif what in ("write", "proto"):
                block = _FENCE.match(page, step.end())
                if not block or folder == ROOT:
                    raise ValueError(f"{step[0].strip()} needs a block after it, and an `in` before it")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_with(block[2]) if what == "proto" else block[2], "utf-8")
            else:
                end = page.index(_END, step.end())
                if what == "output" or samples:
                    parts += [page[at : step.end()], printed(name, folder)]
                    at = end
    return "".join([*parts, page[at:]])


def samples(page: str) -> Iterator[tuple[str, str]]:
    """The sample commands of a page, and the blocks that show what they print."""
    for step in _STEP.finditer(page):
        if step[1] == "sample":
            yield step[2], page[step.end() : page.index(_END, step.end())]


def printed(command: str, folder: Path = ROOT) -> str:
    """A command and what it prints, as a fenced block."""
    program, *arguments = shlex.split(command)
    if program != "caffelint":
        raise ValueError(f"only caffelint's own output is generated, not that of {program}")
    out = _Terminal()
    with redirect_stdout(out), redirect_stderr(out), _in(folder):
        caffelint(arguments)
    text = _OVERWRITTEN.sub("", out.getvalue())
    if folder != ROOT:
        text = text.replace(str(folder.parent), "/home/me")
    return f"```text\n$ {command}\n{text.strip()}\n```\n"


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for copies, with a home for settings, trust and cache."""
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[name] = f"{folder}/{name}"
        os.environ.update(NO_COLOR="1", COLUMNS=str(WIDTH))
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(environment)


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _with(added: str) -> str:
    """BVLC's caffe.proto, with what the messages of a text add to its messages of the same names."""
    proto = (ROOT / "proto/caffe.proto").read_text("utf-8")
    for name, fields in re.findall(r"^message (\w+) \{\n(.*?)^\}", added, re.DOTALL | re.MULTILINE):
        begin = f"message {name} {{\n"
        proto = proto.replace(begin, begin + fields) if begin in proto else f"{proto}\n{begin}{fields}}}\n"
    return proto


def main(paths: list[str]) -> int:
    """Write pages with all that their commands print, samples too."""
    for path in map(Path, paths):
        path.write_text(filled(path.read_text("utf-8"), samples=True), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
