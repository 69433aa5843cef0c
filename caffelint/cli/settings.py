"""From options to settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli import complete
from caffelint.cli.errors import Helpful, unknown
from caffelint.cli.tell import tell

if TYPE_CHECKING:
    from caffelint.lint.config import Config

LEVELS = ("error", "warning", "info")
fail_on_option = click.option(
    "--fail-on",
    metavar="LEVEL",
    shell_complete=complete.fail_on,
    help="Exit with 1 for findings of this severity or a higher one: error (default), warning, info; or never.",
)


def format_option(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option of a command whose findings go where those of `check` go; `more` says what it adds to its formats."""
    return click.option(
        "--format",
        "formats",
        multiple=True,
        metavar="FORMAT[:FILE]",
        shell_complete=complete.formats,
        help="; ".join(["As in caffelint check", *more]) + ".",
    )


dialect_option = click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=complete.dialects,
    help="The Caffe that the files are for (default: inferred from their fields and layer types); caffelint dialects"
    " lists the names.",
)
caffe_python_option = click.option(
    "--caffe-python",
    metavar="COMMAND",
    shell_complete=complete.files,
    help="The Python that imports caffe: a path, or docker run ... python.",
)
force_exclude_option = click.option(
    "--force-exclude", is_flag=True, help="Leave out what `exclude` of the settings names, even if it is named here."
)
input_shape_option = click.option(
    "--input-shape",
    "shapes",
    multiple=True,
    metavar="TOP=NxCxHxW",
    help="The shape of an input or of a data layer's top, as in data=32x3x224x224. Repeat for several.",
)


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that reads settings: `config_file` and `isolated`, for `settings` below."""
    command = click.option("--isolated", is_flag=True, help="Ignore all settings files.")(command)
    path = click.Path(path_type=Path)
    help_text = "Read settings from FILE instead of those found by search."
    return click.option("--config", "config_file", type=path, metavar="FILE", help=help_text)(command)


def settings(paths: Sequence[str], options: Mapping[str, Any], unused: Sequence[str] = ("caffe_python",)) -> Config:
    """The settings for `paths`: from the file that `config_file` names or the nearest one, then from the options.

    A line on stderr names each setting that is not honoured, except `unused` ones, which the command does not need.
    """
    from caffelint.lint.config import load_config

    overrides = {
        "select": _names(options.get("select")),
        "extend_select": _names(options.get("extend_select")),
        "ignore": _names(options.get("ignore")),
        "preview": options.get("preview"),
        "severity": _severities(options.get("severity") or ()),
        "dialect": options.get("dialect"),
        "target": _targets(options.get("target")),
        "fail_on": _fail_on(options.get("fail_on")),
        "max_warnings": options.get("max_warnings"),
        "include": _names(options.get("include")),
        "exclude": _names(options.get("exclude")),
        "force_exclude": options.get("force_exclude") or None,
        "read_data": options.get("read_data") or None,
        "templates": options.get("templates"),
        "baseline": options.get("baseline"),
        "jobs": options.get("jobs"),
        "cache": False if options.get("no_cache") else None,
    }
    isolated = bool(options.get("isolated"))
    if isolated and options.get("config_file"):
        raise click.UsageError("--isolated and --config cannot be combined; give one")
    config = load_config(shared_folder(paths), options.get("config_file"), overrides, isolated=isolated)
    for name, line in config.skipped.items():
        if name not in unused:
            tell(line)
    return config


def level_of(values: Iterable[str]) -> str | None:
    """The lowest severity to report, from `--severity LEVEL`; None where it is not given."""
    levels = [value.lower() for value in values if "=" not in value]
    for level in levels:
        if level not in LEVELS:
            text = f'--severity "{level}" is not a severity; give {", ".join(LEVELS)}'
            raise unknown(text, level, LEVELS, ", or RULE=LEVEL")
    return levels[-1] if levels else None


def by_name_alone(config: Config) -> bool:
    """Whether the settings select rules by their names or codes alone: then their infos are wanted, too."""
    from caffelint.lint.registry import find_rule

    return bool(config.select) and all(find_rule(name) for name in config.select)


def input_shapes(values: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """From `--input-shape TOP=NxCxHxW` to shapes by top."""
    shapes = {}
    for value in values:
        name, _, dims = value.rpartition("=")
        try:
            shapes[name] = tuple(int(dim) for dim in dims.lower().split("x"))
        except ValueError:
            shapes[name] = (-1,)
        if not name or not all(0 < dim < 2**31 for dim in shapes[name]):
            raise click.UsageError(f"--input-shape {value} is not a shape; write it as data=32x3x224x224")
    return shapes


def only_inputs(names: Iterable[str], inputs: Iterable[str]) -> None:
    """Raises `click.UsageError` where `--input-shape` names what no layer without bottoms makes."""
    known = [*dict.fromkeys(inputs)]
    for name in names:
        if name not in known:
            there = f"the inputs are {', '.join(known)}" if known else "there are none"
            raise click.UsageError(f'--input-shape: no input is called "{name}"; {there}')


def dialect(name: str | None) -> str | None:
    """The fork that `--dialect` means."""
    if name is None:
        return None
    from caffelint.schema.provenance import provenance

    try:
        return provenance().dialect(name)
    except ValueError as error:
        raise Helpful(str(error)) from error


def _severities(values: Iterable[str]) -> dict[str, str] | None:
    pairs = [value.partition("=") for value in values if "=" in value]
    return {rule.strip(): level.strip().lower() for rule, _, level in pairs} or None


def _fail_on(value: str | None) -> str | None:
    known = (*LEVELS, "never")
    if value is not None and value.lower() not in known:
        raise unknown(f'--fail-on "{value}" is not a severity; give {", ".join(known)}', value, known)
    return value.lower() if value else None


def _names(values: Sequence[str] | None) -> list[str] | None:
    return [name.strip() for value in values for name in value.split(",") if name.strip()] if values else None


def _targets(values: Sequence[str] | None) -> list[str] | None:
    """An empty --target, as of a variable that is not set in CI, must not pass for a net that its target takes."""
    found = _names(values)
    if found == []:
        raise click.UsageError('--target "" names no target; caffelint targets lists the names')
    return found


def shared_folder(paths: Sequence[str]) -> Path:
    """The folder that all paths share: where to look for a settings file, and for git."""
    try:
        os.getcwd()
        places = [os.path.abspath(path) for path in paths]
    except FileNotFoundError as error:
        raise click.UsageError("the working directory is gone") from error
    folders = [place if os.path.isdir(place) else os.path.dirname(place) for place in places]
    try:
        shared = Path(os.path.commonpath(folders))
    except ValueError:  # on several drives of Windows
        return Path.cwd()
    return next(folder for folder in (shared, *shared.parents) if os.path.isdir(folder))


def plug_in(config_file: Path | None, isolated: bool) -> None:
    """Load the rules that the settings of the working directory, or `config_file`, name, for commands that list rules.

    Wrong settings are no error here: whoever looks for the right name of a rule needs the list.
    """
    from caffelint.lint.config import ConfigError

    with suppress(ConfigError):
        settings(["."], {"config_file": config_file, "isolated": isolated})
