"""Settings: from `caffelint.toml`, `pyproject.toml` or `setup.cfg`, the nearest one above what is checked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from caffelint.lint.finding import ERROR, SEVERITIES

FILES = ("caffelint.toml", ".caffelint.toml", "pyproject.toml", "setup.cfg")
COMMAND_LINE = "the command line"
_FAIL_ON = (*SEVERITIES, "never")


class ConfigError(ValueError):
    """A setting that is wrong: the message names the file, the value, and what would be right."""


class Config:
    """Effective settings. `sources` tells for each that is no default where it comes from."""

    def __init__(self) -> None:
        self.select: list[str] = []
        self.ignore: list[str] = []
        self.extend_select: list[str] = []
        self.preview = False
        self.severity: dict[str, str] = {}
        self.dialect: str | None = None
        self.fail_on = ERROR
        self.per_file_ignores: dict[str, list[str]] = {}
        self.exclude: list[str] = []
        self.roots: list[str] = []
        self.input_shape: dict[str, str] = {}
        self.read_data = False
        self.baseline: str | None = None
        self.caffe_python: str | None = None
        self.jobs = 0
        self.cache = True
        self.rules: dict[str, dict[str, Any]] = {}
        self.sources: dict[str, str] = {}

    def folder_of(self, setting: str) -> str:
        """The folder that a setting's globs start from: that of its file; empty for the working directory."""
        source = self.sources.get(setting, COMMAND_LINE)
        return "" if source == COMMAND_LINE else os.path.dirname(source)


_TYPES: dict[str, type] = {
    name: type(value) if value is not None else str for name, value in vars(Config()).items() if name != "sources"
}
_PATHS = ("roots", "baseline")
_MOST_DIGITS = 10
"""Of a dimension; Caffe's are below 2^31."""


def load_config(start: Path, explicit: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Config:
    """The settings for files at or below `start`: of `explicit`, else of the nearest file, then `overrides`.

    Raises `ConfigError`.
    """
    config = Config()
    if explicit is not None:
        if not explicit.is_file():
            raise ConfigError(f"{explicit}: no such configuration file")
        path: Path | None = explicit
    else:
        path = _nearest(start)
    if path is not None:
        _apply_file(config, path, [])
    for name, value in (overrides or {}).items():
        if value is not None:
            _set(config, name, value, COMMAND_LINE)
    _check_names(config)
    return config


def _nearest(start: Path) -> Path | None:
    folder = start.resolve()
    if not folder.is_dir():
        folder = folder.parent
    for above in (folder, *folder.parents):
        for name in FILES:
            path = above / name
            if path.is_file() and _table(path) is not None:
                return path
    return None


def _table(path: Path) -> dict[str, Any] | None:
    """The table that is caffelint's in a file; None where it has none."""
    shared = path.name in ("pyproject.toml", "setup.cfg")
    try:
        data = path.read_bytes()
        marks = (b"[caffelint",) if path.suffix == ".cfg" else (b"[tool.caffelint", b"\ncaffelint")
        if shared and not any(mark in data for mark in marks):
            return None  # parsing it would cost more than reading a small net
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8") from error
    if path.suffix == ".cfg":
        return _setup_cfg(path, text)
    table = _toml(path, text)
    if shared:
        tool = table.get("tool")
        own = tool.get("caffelint") if isinstance(tool, dict) else None
        if not isinstance(own, dict | None):
            raise ConfigError(f"{path}: tool.caffelint is {own!r}; it takes a table")
        return own
    return table


def _toml(path: Path, text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {str(error)[:1].lower()}{str(error)[1:]}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: is nested too deep") from error


def _setup_cfg(path: Path, text: str) -> dict[str, Any] | None:
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None)
    # As written: a key may be a glob.
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except Error as error:
        raise ConfigError(f"{path}: {str(error).splitlines()[0].lower()}") from error
    if not any(section.partition(":")[0] == "caffelint" for section in parser.sections()):
        return None
    table: dict[str, Any] = {}
    for section in parser.sections():
        head, _, rest = section.partition(":")
        if head != "caffelint":
            continue
        target = table
        for part in rest.split(":") if rest else ():
            target = target.setdefault(part.replace("-", "_") if target is table else part, {})
            if not isinstance(target, dict):
                raise ConfigError(f"{path}: [{section}] is a table, and {part} is set to {target!r} above")
        for key, raw in parser[section].items():
            name = key.replace("-", "_")
            wanted = _TYPES.get(name) if target is table else None
            target[name if target is table else key] = _from_ini(raw, wanted)
    return table


def _from_ini(raw: str, wanted: type | None) -> Any:
    if wanted is list or (wanted is None and "\n" in raw.strip()):
        return [item.strip() for line in raw.splitlines() for item in line.split(",") if item.strip()]
    lowered = raw.strip().lower()
    if lowered in ("true", "yes", "on"):
        return True
    if lowered in ("false", "no", "off"):
        return False
    for number in (int, float):
        try:
            return number(raw)
        except ValueError:
            continue
    return raw.strip()


def _apply_file(config: Config, path: Path, chain: list[Path]) -> None:
    resolved = path.resolve()
    if resolved in chain:
        raise ConfigError(f"{path}: extends itself: {' -> '.join(str(link) for link in [*chain, resolved])}")
    table = dict(_table(path) or {})
    parent = table.pop("extend", None)
    if parent is not None:
        base = path.parent / str(parent)
        if not base.is_file():
            raise ConfigError(f"{path}: extend names {parent}, which does not exist")
        _apply_file(config, base, [*chain, resolved])
    for key, value in table.items():
        _set(config, key.replace("-", "_"), value, str(path), path.parent)


def _set(config: Config, name: str, value: Any, source: str, base: Path | None = None) -> None:
    wanted = _TYPES.get(name)
    if wanted is None:
        raise ConfigError(f"{source}: unknown setting {name.replace('_', '-')}{_did_you_mean(name, _TYPES)}")
    if wanted is list and isinstance(value, str):
        value = [item.strip() for item in value.split(",") if item.strip()]
    right: bool = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))
    if not right:
        kinds = {list: "a list", dict: "a table", bool: "true or false", int: "a whole number", str: "a text"}
        raise ConfigError(f"{source}: {name.replace('_', '-')} is {value!r}; it takes {kinds[wanted]}")
    if wanted is list and not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{source}: {name.replace('_', '-')} is {value!r}; it takes a list of texts")
    if name in _PATHS and base is not None:
        value = [str(base / item) for item in value] if wanted is list else str(base / value)
    if name == "fail_on" and value not in _FAIL_ON:
        raise ConfigError(f"{source}: fail-on is {value!r}; it takes one of {', '.join(_FAIL_ON)}")
    if name == "input_shape":
        value = {top: _shape(top, dims, source) for top, dims in value.items()}
    if name == "dialect":
        value = _dialect(value, source)
    if name == "per_file_ignores":
        value = {glob: _rules_ignored(glob, names, source) for glob, names in value.items()}
    if isinstance(value, dict):
        # What is set last stands last, and so wins over a selector that means the same rule.
        value = {key: old for key, old in getattr(config, name).items() if key not in value} | value
    setattr(config, name, value)
    config.sources[name] = source


def _rules_ignored(glob: str, names: Any, source: str) -> list[str]:
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ConfigError(f"{source}: per-file-ignores for {glob} is {names!r}; it takes a list of rules")
    return names


def _shape(top: str, dims: Any, source: str) -> str:
    parts = str(dims).lower().split("x")
    if not all(part.isdecimal() and len(part) <= _MOST_DIGITS for part in parts):
        raise ConfigError(f"{source}: input-shape of {top} is {dims!r}; it takes a shape like '32x3x224x224'")
    return "x".join(parts)


def _dialect(value: str, source: str) -> str:
    from caffelint.schema.provenance import provenance

    try:
        return provenance().dialect(value)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from error


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1, 0.6)
    return f"; did you mean {near[0].replace('_', '-')}?" if near else ""


def _check_names(config: Config) -> None:
    """Every rule that the settings name exists, and its options fit."""
    lists = {"select": config.select, "ignore": config.ignore, "extend_select": config.extend_select}
    if not any(lists.values()) and not (config.severity or config.rules or config.per_file_ignores):
        return
    from caffelint.lint.registry import all_rules, find_rule
    from caffelint.lint.select import FAMILIES, known_selector

    def check(name: str, setting: str) -> None:
        if not known_selector(name):
            names = [info.name for info in all_rules()] + [info.code for info in all_rules()] + list(FAMILIES)
            source = config.sources.get(setting, "the settings")
            raise ConfigError(
                f"{source}: no rule or family {name!r} in {setting.replace('_', '-')}{_did_you_mean(name, names)}"
            )

    for setting, names in lists.items():
        for name in names:
            check(name, setting)
    for names in config.per_file_ignores.values():
        for name in names:
            check(name, "per_file_ignores")
    for name, severity in config.severity.items():
        check(name, "severity")
        if severity not in SEVERITIES:
            source = config.sources.get("severity", "the settings")
            raise ConfigError(f"{source}: severity of {name} is {severity!r}; it takes one of {', '.join(SEVERITIES)}")
    for name, options in config.rules.items():
        info = find_rule(name)
        source = config.sources.get("rules", "the settings")
        if info is None:
            check(name, "rules")
            raise ConfigError(f"{source}: {name} is a family; options are set for one rule")
        if not isinstance(options, dict):
            raise ConfigError(f"{source}: rules.{name} is {options!r}; it takes a table of options")
        rule = info.load()
        for option, value in options.items():
            if option not in rule.OPTIONS:
                raise ConfigError(f"{source}: {name} has no option {option}{_did_you_mean(option, rule.OPTIONS)}")
            default = rule.OPTIONS[option].default
            fits = isinstance(value, type(default)) and not (isinstance(value, bool) and not isinstance(default, bool))
            if not fits and not (isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool)):
                raise ConfigError(f"{source}: {name}.{option} is {value!r}; it takes a value like {default!r}")
