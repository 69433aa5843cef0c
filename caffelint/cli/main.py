"""`caffelint`: what the console script calls, and how every command ends."""

from __future__ import annotations

import codecs
import gc
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from caffelint.cli.status import BROKEN_PIPE, INTERNAL, INTERRUPTED, OK, USAGE

_LONGEST = 900
_PLAIN = dict(zip("▁▂▃▄▅▆▇█━─…“”", '.:-=+*%#=-~""', strict=True))
"""What stands for the characters that caffelint draws with: one column each, as they have."""
_COMPLETE = "_CAFFELINT_COMPLETE"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status; `argv` without the program's name, None for the real one."""
    try:
        if argv is None:
            _own_the_process()
        _open_what_is_closed()
        _never_fail_to_encode()
        status = _run(list(sys.argv[1:] if argv is None else argv))
        if argv is None:
            gc.freeze()  # nothing is worth collecting on the way out
        return status
    except BrokenPipeError:
        _forget(sys.stdout)
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:  # while another error was put into words
        os.write(2, b"caffelint: not enough memory\n")
        return INTERNAL


def _own_the_process() -> None:
    from caffelint.search_path import command_path, search_path

    gc.set_threshold(200_000, 20, 100)  # a process of our own: imports alone make it look a hundred times
    sys.path[:] = search_path()
    os.environ["PATH"] = command_path()


def _run(arguments: list[str]) -> int:
    import click

    from caffelint.cli.group import cli
    from caffelint.text.signals import ENDING, ending_once

    try:
        if _COMPLETE in os.environ:
            return _completed()
        if word := _also_a_file(arguments):
            _say(f'"{word}" is an option, and a file here has this name; write "./{word}" for the file, or remove it')
            return USAGE
        with ending_once(*ENDING), cli.make_context("caffelint", arguments or ["--help"]) as context:
            status = int(cli.invoke(context) or OK)
        sys.stdout.flush()
        return status
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        from caffelint.cli.errors import one_line

        _say(one_line(error))
        return USAGE
    except click.Abort:
        return INTERRUPTED
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:
        from caffelint.cli.errors import status_and_line

        status, line = status_and_line(error)
        _say(line)
        if isinstance(error, OSError):
            _forget(sys.stdout)
        return status


def _also_a_file(arguments: list[str]) -> str | None:
    """An option that a file is called as: `check *` and pre-commit hand over whatever a checkout holds."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return next((word for word in options if word.startswith("-") and word != "-" and os.path.lexists(word)), None)


def _completed() -> int:
    """Tell a shell what may follow; its function sets the line and the number of the word in the environment."""
    from click.shell_completion import shell_complete

    from caffelint.cli.group import cli

    try:
        return shell_complete(cli, {}, "caffelint", _COMPLETE, os.environ[_COMPLETE])
    except (KeyError, IndexError, ValueError):
        _say("COMP_WORDS and COMP_CWORD are not what a shell sets for completion")
        return USAGE


def _say(line: str) -> None:
    from caffelint.text.visible import visible

    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 200]} ... {line[-200:]}"
    lines = [f"caffelint: {visible(line)}"]
    if sys.stderr.isatty():
        from caffelint.cli.outputs import width
        from caffelint.report.fit import hanging

        lines = hanging(lines[0], width(sys.stderr))
    try:
        print("\n".join(lines), file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        _forget(sys.stderr)


def _open_what_is_closed() -> None:
    """Without an open stdout or stderr (`>&-`) Python has None in its place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _never_fail_to_encode() -> None:
    """Of what the terminal's encoding lacks, charts are drawn in ASCII; the rest of messages and paths is escaped."""
    codecs.register_error("caffelint", _plain)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="caffelint")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        if all(character in _PLAIN for character in text):
            return "".join(_PLAIN[character] for character in text), error.end
    return codecs.backslashreplace_errors(error)


def _forget(stream: TextIO) -> None:
    """Python flushes it at exit: into the void, as nobody listens any more, or the disk is full."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


if __name__ == "__main__":
    sys.exit(main())
