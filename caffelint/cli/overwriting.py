"""Which existing files an output may replace: an earlier output of the same kind, never somebody's net."""

from __future__ import annotations

import os
import re
from pathlib import Path

from caffelint.lint.reach import is_below
from caffelint.text.writing import is_device

_HEADS = {
    "json": re.compile(rb'\{\n  "version": 1,\n  "findings": \[(?:\]|\n    \{\n      "code": ")'),
    "sarif": re.compile(
        rb'\{\n  "\$schema": "[^"\n]*",\n  "version": "2\.1\.0",\n  "runs": \[\n    \{\n      "tool": \{\n'
        rb'        "driver": \{\n          "name": "caffelint",'
    ),
    "gitlab": re.compile(
        rb'\[(?:\]\n\Z|\n  \{\n    "description": "[^\n]*",\n'
        rb'    "check_name": "(?:[A-Z]+\d+ [a-z0-9-]+|not checked)",\n)'
    ),
    "junit": re.compile(rb'<\?xml version="1\.0" encoding="utf-8"\?>\n<testsuites name="caffelint" '),
    "rdjson": re.compile(rb'\{\s*"source": \{\s*"name": "caffelint"'),
    "checkstyle": re.compile(rb'<\?xml version="1\.0" encoding="utf-8"\?>\n<checkstyle version="4\.3">'),
    "csv": re.compile(rb"NumIters,Seconds,LearningRate,Run,Phase,Net,Output,Value,LossWeight,Log\n"),
    ".png": re.compile(rb"\x89PNG[^I]{4,12}IHDR[\0-\xff]{21}tEXtSoftware\0caffelint"),
    ".svg": re.compile(rb"<\?xml [\0-\xff]{1,2000}<(?:dc:title>caffelint</dc:title|metadata>caffelint</metadata)>"),
    "page": re.compile(rb'<!doctype html><meta charset=utf-8><meta name=generator content="caffelint report">'),
    ".html": re.compile(rb"<!doctype html><meta charset=utf-8><meta name=generator content=caffelint>"),
}
"""How what is written in a format begins: by more than what other tools write in it, too."""
_LONGEST_HEAD = 1 << 16
_COUNTS = re.compile(
    rb"(?m)^(?:no findings|no errors or warnings|\d+ (?:error|warning|info)s?(?:, \d+ (?:error|warning|info)s?)*)"
    rb" in \d+ files?\b[^\n]*(?:\n[^\n]+){0,3}\n\Z"
)
_ENDS = {"text": _COUNTS, "statistics": _COUNTS, ".pdf": re.compile(rb"/Creator \(caffelint\)")}
"""How what is written for people ends, and a PDF."""
_LINES = {
    "concise": (re.compile(rb": (?:error|warning|info): "), re.compile(rb" \[[A-Z]+\d{3} [a-z0-9-]+\]\n\Z")),
    "github": (
        re.compile(rb"\A::(?:error|warning|notice) "),
        re.compile(rb"title=(?:[A-Z]+\d{3} [a-z0-9-]+|not checked)::"),
    ),
}
"""What is in each line of what is written for programs that read lines."""
_FIRST = {
    "text": re.compile(
        rb"\A(?:[^\n]+: (?:error|warning|info): |[^\n]+\n +\d+:\d+  (?:error|warning|info) "
        rb"|(?:no findings|no errors or warnings|\d+ (?:error|warning|info)s?)[^\n]* in \d)"
    ),
    "statistics": re.compile(
        rb"\A(?:findings +files +severity +rule\n"
        rb"|(?:no findings|no errors or warnings|\d+ (?:error|warning|info)s?)[^\n]* in \d)"
    ),
}
"""How what is written for people begins: with a finding, or with what counts them."""
_OF_GIT = frozenset([".git", ".gitignore", ".gitattributes", ".gitmodules"])
_SHORT = re.compile(r"\.?gi[a-z0-9]{1,4}~\d")
"""The name that Windows may have for `.git` and the like, as git~1."""
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""What macOS leaves out where it compares names (git's core.protectHFS)."""
_PYTHON = (".py", ".pyc", ".pyd", ".pyi", ".pyo", ".pyw", ".pyz", ".pyzw", ".pth", ".egg-link", ".ipynb")
_CODE = (*_PYTHON, ".so", ".dll", ".dylib", ".toml", ".cfg", ".ini", ".yaml", ".yml")
"""What Python or a tool beside it runs, loads or is set by."""
_NETS = (".prototxt", ".prototxt.txt", ".pt")
_WEIGHTS = (".caffemodel", ".solverstate", ".h5", ".hdf5", ".npy", ".npz")


def objection(path: str | os.PathLike[str], format: str) -> str:
    """Why nothing in this format may be written to a path; empty if it may. A device may always be written to."""
    path = os.fspath(path)
    if is_device(path):
        return ""
    if why := no_place_for("report", path):
        return why
    if not os.path.exists(path):
        return ""
    head = _head(path)
    if head is None:
        return ""  # a pipe; or writing fails, with the reason
    if head and not _is_ours(path, format, head):
        return f"this file exists and was not written by caffelint as {format.lstrip('.')}; remove it first"
    from caffelint.lint.discover import looks_like_prototxt

    if looks_like_prototxt(path):
        return "this is a net or a solver, which is not overwritten; give another name"
    if is_tracked(path):
        return "git tracks this file, or may track it, so it is not overwritten; remove it first"
    return ""


def no_place_for(what: str, path: str) -> str:
    """Why no `net`, `report`, `card` or `baseline` may be written to a path, whatever is there; empty if it may."""
    others = (*_CODE, *_WEIGHTS) if what == "net" else (*_CODE, *_WEIGHTS, *_NETS)
    if _as_elsewhere(os.path.basename(path)).endswith(others):
        return f"a {what} is not written to a file of this kind; give another name"
    return misplaced(path)


def no_place_for_baseline(path: str) -> str:
    """Why no baseline may be written there; empty if no file exists, or an empty one of nobody's, or a baseline."""
    from caffelint.lint import baseline

    if not os.path.exists(path) or is_free(path):
        return no_place_for("baseline", path)
    if why := misplaced(path):
        return why
    try:
        is_one = all(":" in key for keys in baseline.read(Path(path)).values() for key in keys)
    except baseline.BaselineError:
        is_one = False
    return "" if is_one else "this is not a baseline and would be overwritten; remove it first"


def is_free(path: str) -> bool:
    """Whether a file is empty, and none that git tracks: an empty `__init__.py` is somebody's."""
    return os.path.isfile(path) and os.path.getsize(path) == 0 and not is_tracked(path)


def misplaced(path: str) -> str:
    """Why nothing may be written to a path that leads through a link, or that git reads; empty if it may."""
    real = os.path.realpath(path)
    parts = [_as_elsewhere(part) for part in re.split(r"[\\/]", real)]
    if not _OF_GIT.isdisjoint(parts) or any(map(_SHORT.fullmatch, parts)) or _is_in_a_git_directory(real):
        return "git reads this file, or may run it; give another name"
    if os.path.islink(path):
        return "this is a link, which is not followed; name the file that it leads to"
    if link := _link_above(path):
        return f"{link} is a link, which is not followed; name the folder that it leads to"
    return ""


def _as_elsewhere(name: str) -> str:
    """A name as Windows and macOS compare it: without case, a stream after ":", blanks and dots at its end."""
    drive, rest = os.path.splitdrive(name)
    return drive + _UNSEEN.sub("", rest).lower().partition(":")[0].rstrip(" .")


def _is_in_a_git_directory(path: str) -> bool:
    """A bare repository and what a file `.git` leads to are directories of git by other names."""
    while (folder := os.path.dirname(path)) != path:
        if all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")):
            return True
        path = folder
    return False


def _link_above(path: str) -> str:
    """The first link between the working directory and a file below it: a link in a checkout may lead anywhere."""
    here = os.getcwd()
    step = os.sep if os.path.isabs(path) else here
    for part in os.path.dirname(path).split(os.sep):  # `link/..` is not where the link is
        step = os.path.normpath(os.path.join(step, part))
        if is_below(step, here) and os.path.islink(step):
            return os.path.relpath(step)
    return ""


def is_tracked(path: str) -> bool:
    """Whether a file is in the index of a checkout around it, or may be in one that cannot be read."""
    from caffelint.lint.ignored import checkout_of

    real = os.path.realpath(path)
    checkout = checkout_of(os.path.dirname(real))
    while checkout is not None:
        if checkout.may_track(os.path.relpath(real, checkout.top).replace(os.sep, "/")):
            return True
        checkout = checkout_of(os.path.dirname(checkout.top)) if checkout.top != os.path.dirname(checkout.top) else None
    return False


def _is_ours(path: str, format: str, head: bytes) -> bool:
    """head: the first bytes of what is there, by which, and by its end, an earlier output of that format is known."""
    if format in _LINES:
        lines = head.splitlines(keepends=True)
        whole = lines[:-1] if len(head) == _LONGEST_HEAD else lines
        return bool(whole) and all(pattern.search(line) for line in whole for pattern in _LINES[format])
    if format in _ENDS:
        begins = _FIRST.get(format)
        return (begins is None or begins.match(head) is not None) and _ends_so(path, _ENDS[format])
    return format in _HEADS and _HEADS[format].match(head) is not None


def _ends_so(path: str, pattern: re.Pattern[bytes]) -> bool:
    try:
        with open(path, "rb") as file:
            file.seek(max(os.path.getsize(path) - 4096, 0))
            return pattern.search(file.read()) is not None
    except OSError:
        return False


def _head(path: str) -> bytes | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read(_LONGEST_HEAD)
    except OSError:
        return None
