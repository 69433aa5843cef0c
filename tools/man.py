"""The man page and the page of commands, from the commands' own help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from caffelint import __version__
from caffelint.cli.group import COMMANDS, cli
from caffelint.lint.site import SITE

_FILES = {
    "caffelint.toml": "Settings, or those of pyproject.toml or setup.cfg; the nearest above what is checked.",
    "~/.cache/caffelint": "Results of earlier runs, or below $XDG_CACHE_HOME; caffelint clean removes them.",
    "~/.local/share/caffelint": "Which settings are trusted, or below $XDG_DATA_HOME.",
}
_ENVIRONMENT = {
    "NO_COLOR": "No colours, if set.",
    "FORCE_COLOR": "Colours even if the output is not a terminal, if set.",
    "COLUMNS": "The width of the window.",
}


def man_page() -> str:
    """`caffelint.1`, in the macros of man(7)."""
    top = click.Context(cli, info_name="caffelint")
    lines = [
        '.\\" Written by tools/docs.py from the commands; change those, then run `make docs`.',
        f'.TH CAFFELINT 1 "" "caffelint {__version__}" "User Commands"',
        ".SH NAME",
        "caffelint \\- find mistakes in Caffe solvers and nets before a GPU hour is spent on them",
        ".SH SYNOPSIS",
        ".B caffelint",
        "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...",
        ".SH DESCRIPTION",
        *_prose(cli.help or ""),
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        context, command = _command(top, name)
        usage = " ".join(command.collect_usage_pieces(context))
        lines += [f".SS caffelint {_plain(name)} {_plain(usage)}", *_prose(command.help or "")]
        for options, text in _records(context, command):
            lines += [".TP", f".B {_plain(options)}", _plain(text)]
    for heading, table in (("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT)):
        lines.append(f".SH {heading}")
        for what, text in table.items():
            lines += [".TP", f".I {_plain(what)}", _plain(text)]
    lines += [".SH SEE ALSO", _plain(SITE)]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """`docs/commands.md`: the help of each command."""
    top = click.Context(cli, info_name="caffelint")
    parts = [
        "<!-- Written by tools/docs.py from the commands; change those, then run `make docs`. -->",
        "",
        "# Commands",
        "",
        "`caffelint COMMAND --help` shows the same, and `man caffelint` all of it.",
        "",
    ]
    for name, summary in COMMANDS.items():
        context, command = _command(top, name)
        context.terminal_width = context.max_content_width = 100
        parts += [
            f"## caffelint {name}",
            "",
            f"{summary}.",
            "",
            "```text",
            command.get_help(context).rstrip(),
            "```",
            "",
        ]
    return "\n".join(parts)


def _command(top: click.Context, name: str) -> tuple[click.Context, click.Command]:
    command = cli.get_command(top, name)
    assert command
    return click.Context(command, info_name=name, parent=top, help_option_names=["-h", "--help"]), command


def _records(context: click.Context, command: click.Command) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            yield record


def _prose(text: str) -> Iterator[str]:
    """Paragraphs; those that click does not wrap are left as they are here, too."""
    for number, part in enumerate(re.split(r"\n\s*\n", cleandoc(text))):
        if number:
            yield ".PP"
        if part.startswith("\b"):
            yield ".nf"
            yield from (_plain(line) for line in part.split("\n")[1:])
            yield ".fi"
        else:
            yield from (_plain(line.strip()) for line in part.split("\n"))


def _plain(text: str) -> str:
    """A text without meaning to roff: backslashes, dashes, and a dot or a quote at the begin of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
