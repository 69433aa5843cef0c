"""Puts a new text in the place of an old one, or says in one line why not; then the old one is there, whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from caffelint.lint.discover import relative
from caffelint.lint.ignored import checkout_of
from caffelint.lint.reach import is_below
from caffelint.text.writing import ChangedOnDisk, write_atomically


class SaveError(Exception):
    """Why a file was left as it is: one line, without its name."""


def save(path: str | os.PathLike[str], old: bytes | None, new: bytes) -> None:
    """Write `new` to `path`, where `old` was read. `None` for `old`: whatever is there is replaced, or a file made.

    The file is replaced in one step in its own folder: it holds the old or the new text at any moment. Its mode is
    kept, its owner where we may change it; a symbolic link stays and its target is replaced; another hard link keeps
    the old text. Encoding, line ends and a byte-order mark are those of `new`, so the caller keeps them.

    Raises `SaveError` where the file changed since it was read, is read-only, is no regular file, or the system
    refuses (no permission, full disk); nothing is changed then, and no temporary file left.
    """
    target = Path(path)
    try:
        if reason := objection(target):
            raise SaveError(reason)
        write_atomically(target, new, old)
    except ChangedOnDisk as error:
        raise SaveError("it changed on disk since it was read, and was left alone; run again") from error
    except OSError as error:
        raise SaveError(f"it cannot be written, and was left alone: {_reason(error)}") from error
    except RuntimeError as error:  # links in a ring, in Python before 3.13
        raise SaveError("it cannot be written: too many levels of symbolic links") from error


def objection(path: str | os.PathLike[str]) -> str:
    """Why a file is not to be replaced although the system would allow it; empty where it may."""
    if link := _link_out(path):
        return f"{link} is a link out of the checkout or the working directory; name the file that it leads to"
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"it cannot be written: {_reason(error)}"
    if not stat.S_ISREG(mode):
        return "it is a folder, a pipe or a device, and was left alone"
    # To replace a file takes leave to write its folder alone, and root may do anything: the mode says what was meant.
    if not mode & 0o222 or not os.access(path, os.W_OK):
        return "it is read-only, and was left alone"
    return ""


def leads_out(path: str, named: Iterable[str | os.PathLike[str]]) -> bool:
    """Whether a file that was found below a named folder is a link to one that neither was named nor is below any."""
    if not os.path.islink(path) or any(os.path.normpath(one) == os.path.normpath(path) for one in named):
        return False
    real = os.path.realpath(path)
    return not any(os.path.join(real, "").startswith(os.path.join(os.path.realpath(one), "")) for one in named)


def _link_out(path: str | os.PathLike[str]) -> str:
    """The file or a folder above it that is a link out of the checkout or the working directory in which the link lies.

    Whoever wrote these made it, and it may lead anywhere; also where a user, or a glob of the shell, named it.
    """
    absolute = os.path.abspath(path)
    steps = [absolute, *map(str, Path(absolute).parents)]
    for step in filter(os.path.islink, reversed(steps)):
        folder = os.path.realpath(os.path.dirname(step))
        checkout, here = checkout_of(folder), os.path.realpath(os.curdir)
        home = checkout.top if checkout else here if is_below(folder, here) else None
        if home is not None and not is_below(os.path.realpath(step), home):
            return relative(step)
    return ""


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
