"""Settings: from `caffelint.toml`, `pyproject.toml` or `setup.cfg`, the nearest one above what is checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caffelint.lint.finding import ERROR, SEVERITIES
from caffelint.lint.own import stranger, user_file, way_to_trust
from caffelint.lint.read import ReadError, read
from caffelint.lint.settings_text import ConfigError as ConfigError
from caffelint.lint.settings_text import entries, setup_cfg, shown, toml
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.reach import Reach

FILES = ("caffelint.toml", ".caffelint.toml", "pyproject.toml", "setup.cfg")
_SHARED = FILES[2:]
"""Other tools keep their settings there, too."""
COMMAND_LINE = "the command line"
SKIP, CHECK = "skip", "check"
CHOICES = {"fail_on": (*SEVERITIES, "never"), "templates": (SKIP, CHECK)}


class Config:
    """Effective settings. `sources` says where each that is not a default comes from, `skipped` for each that
    is not honoured why, in a line: a repository's own settings choose what runs, and what is read outside of it, only
    where the user trusts them (caffelint.lint.trust). `code` is the content of the files of each plugin, as it was
    read, and perhaps trusted.
    """

    def __init__(self) -> None:
        self.select: list[str] = []
        self.ignore: list[str] = []
        self.extend_select: list[str] = []
        self.preview = False
        self.severity: dict[str, str] = {}
        self.dialect: str | None = None
        self.target: list[str] = []
        self.proto: str | None = None
        self.caffe: str | None = None
        self.known_layer_types: list[str] = []
        self.templates = SKIP
        self.fail_on = ERROR
        self.max_warnings = -1
        self.per_file_ignores: dict[str, list[str]] = {}
        self.include: list[str] = []
        self.exclude: list[str] = []
        self.force_exclude = False
        self.roots: list[str] = []
        self.input_shape: dict[str, str] = {}
        self.read_data = False
        self.baseline: str | None = None
        self.caffe_python: str | None = None
        self.plugins: list[str] = []
        self.jobs = 0
        self.cache = True
        self.rules: dict[str, dict[str, Any]] = {}
        self.sources: dict[str, str] = {}
        self.skipped: dict[str, str] = {}
        self.code: dict[str, dict[str, bytes]] = {}

    def is_asked(self, setting: str) -> bool:
        """Does it stem from the command line, or from whoever calls caffelint, and not from a file?"""
        return self.sources.get(setting) == COMMAND_LINE

    def folder_of(self, setting: str) -> str:
        """The folder that a setting's globs start from: that of its file; empty for the working directory."""
        source = self.sources.get(setting, COMMAND_LINE)
        return "" if source == COMMAND_LINE else os.path.dirname(source)


NO_SETTINGS = ("sources", "skipped", "code")
"""What a `Config` holds besides the settings."""
TYPES: dict[str, type] = {
    name: type(value) if value is not None else str for name, value in vars(Config()).items() if name not in NO_SETTINGS
}
_GLOBS = ("include", "exclude", "per_file_ignores")
_PATHS = ("roots", "baseline", "plugins", "proto", "caffe")
_NEEDS_TRUST = {
    "caffe_python": ("it chooses what runs", "--caffe-python"),
    "plugins": ("it chooses what runs", "--config"),
    "read_data": ("it opens what a net names", "--read-data"),
}
"""Settings that a checkout sets only where it is trusted: why, and how else to give them."""
_LARGEST = 1 << 20
_LONGEST_CHAIN = 16
_MOST_ENTRIES = 1000
"""Of a setting, with all that its tables and lists hold: each is held against every rule, or every file."""
_MOST_OF_GLOBS = 1 << 14
"""Characters of all globs of a setting, of which each has a bit for every one of a path."""
_MOST_DIGITS = 10  # of a dimension; Caffe's are below 2^31


class _File(NamedTuple):
    """A file of settings as it was read, once: its bytes are what is trusted, and its table what they say."""

    path: Path
    data: bytes
    table: dict[str, Any]


def load_config(
    start: Path,
    explicit: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    isolated: bool = False,
) -> Config:
    """The settings for files at or below `start`: the user's own, then those of `explicit` or of the nearest file.

    `overrides` come last. `isolated`: no file is read. Raises `ConfigError`.
    """
    config = Config()
    if not isolated:
        own = user_file()
        if own is not None and own.is_file():
            chain = _chain(_file(own), None)
            if not_mine := next((path for path, *_ in chain if stranger(path) is not None), None):
                raise ConfigError(f"{not_mine}: belongs to another user; remove it, or give --isolated")
            _apply(config, own, chain, trusted=True)
        if explicit is not None:
            if not explicit.is_file():
                raise ConfigError(f"{explicit}: no such configuration file")
            _apply(config, explicit, _chain(_file(explicit), None), trusted=True)
        elif (file := _nearest(start)) is not None:
            _apply_repository(config, file)
    for name, value in (overrides or {}).items():
        if value is not None:
            _set(config, name, value, COMMAND_LINE)
    if config.plugins:
        _use_plugins(config)
    _check_names(config)
    return config


def chain_of(path: Path) -> tuple[dict[str, bytes], list[str]]:
    """The content of the files that settings are made of, the nearest first, and of what they run; and the plugins.

    This is what trust is about: what runs are the plugins, and each word of `caffe-python` that is a file. Raises
    `ConfigError`.
    """
    from caffelint.lint.trust import contents

    settings, plugins, programs = _runs(_chain(_file(path), None))
    try:
        return settings | contents([*plugins, *programs]), plugins
    except ReadError as error:
        raise ConfigError(str(error)) from error


def _runs(chain: list[_File]) -> tuple[dict[str, bytes], list[str], list[str]]:
    """The content of settings, the plugins that they name, and the programs."""
    import shlex

    config = Config()
    _apply(config, chain[0].path, chain, trusted=True)
    programs = [word for word in shlex.split(config.caffe_python or "") if _is_program(word)]
    return {str(file.path): file.data for file in chain}, config.plugins, programs


def _is_program(word: str) -> bool:
    """Whether a word of a command may name what runs: a file, or a folder that Python runs as a program."""
    return os.path.isfile(word) or os.path.isfile(os.path.join(word, "__main__.py"))


def _apply_repository(config: Config, first: _File) -> None:
    """What a checkout holds: what runs is honoured where it is trusted."""
    from caffelint.lint.reach import Reach

    if trusted := _trusted(first):
        chain, code = trusted
        _apply(config, first.path, chain, trusted=True)
        config.code = code
        return
    chain = _chain(first, Reach(str(first.path.parent)))
    for file in chain:
        _of_a_known_user(file.path, first.path)
    _apply(config, first.path, chain, trusted=False)


def _trusted(first: _File) -> tuple[list[_File], dict[str, dict[str, bytes]]] | None:
    """The settings and the code of their plugins, if they are as the user has trusted them."""
    from caffelint.lint.trust import contents, is_known, is_trusted

    if not is_known(str(first.path)):
        return None
    try:
        chain = _chain(first, None)
        settings, plugins, programs = _runs(chain)
        code = {plugin: contents([plugin]) for plugin in plugins}
        for files in (*code.values(), contents(programs)):
            settings |= files
        return (chain, code) if is_trusted(settings) else None
    except (ConfigError, ReadError):
        return None


def _use_plugins(config: Config) -> None:
    """Load the rules that the settings name, and keep their code, for other processes to use the same."""
    from caffelint.lint.plugins import PluginError
    from caffelint.lint.registry import use_plugins
    from caffelint.lint.trust import contents

    try:
        config.code |= {plugin: contents([plugin]) for plugin in config.plugins if plugin not in config.code}
        use_plugins(config.plugins, config.code)
    except (PluginError, ReadError) as error:
        raise ConfigError(f"{config.sources.get('plugins', COMMAND_LINE)}: plugins: {error}") from error


def _of_a_known_user(path: Path, first: Path) -> None:
    """Raise `ConfigError` for a file of neither this user nor root, as git does; `first` is it, or extends it."""
    if (owner := stranger(path)) is not None:
        raise ConfigError(
            f"{path}: belongs to another user (uid {owner}) and is not read; allow it with --config {first.name} or"
            f" {way_to_trust(first.parent)}, or leave it out with --isolated"
        )


def _chain(first: _File, reach: Reach | None) -> list[_File]:
    """A file and those that it extends; `reach` is where these may lie."""
    found: list[_File] = []
    seen: list[Path] = []
    file = first
    while True:
        path = file.path
        seen.append(path.resolve())
        table = dict(file.table)
        parent = table.pop("extend", None)
        found.append(file._replace(table=table))
        if parent is None:
            return found
        if not isinstance(parent, str) or "\0" in parent:
            raise ConfigError(f"{path}: extend is {shown(parent)}; it takes a string, the path of a file")
        base = path.parent / parent
        if reach is not None and not reach.holds(str(base)):
            raise ConfigError(
                f"{path}: extend names {shown(parent, str)}, which is outside the checkout; allow it with --config"
                f" or {way_to_trust(path.parent)}"
            )
        try:
            is_file = base.is_file()
        except OSError:
            is_file = False
        if not is_file:
            raise ConfigError(f"{path}: extend names {shown(parent, str)}, which does not exist")
        if base.resolve() in seen:
            raise ConfigError(f"{path}: extends itself: {' -> '.join(str(link) for link in [*seen, base.resolve()])}")
        if len(found) >= _LONGEST_CHAIN:
            raise ConfigError(f"{path}: extends a chain of more than {_LONGEST_CHAIN} files")
        file = _file(base)
        if sum(len(link.data) for link in [*found, file]) > _LARGEST:
            raise ConfigError(f"{path}: extends files that are larger than {_LARGEST >> 20} MiB together")


def _apply(config: Config, first: Path, chain: list[_File], trusted: bool) -> None:
    for path, _, table in reversed(chain):
        for key, value in table.items():
            name = key.replace("-", "_")
            if not trusted and name in _NEEDS_TRUST and value is not False:
                why, way = _NEEDS_TRUST[name]
                config.skipped[name] = (
                    f"{path}: {key} is not honoured, as {why}; give it by {way}, or, if you trust what is there,"
                    f" {way_to_trust(first.parent)}"
                )
                continue
            before = getattr(config, name, None), config.sources.get(name)
            _set(config, name, value, str(path), path.parent)
            if not trusted and name in ("roots", "baseline", "proto", "caffe"):
                _confine(config, name, path, key, first, before)


def _confine(config: Config, name: str, path: Path, key: str, first: Path, before: tuple[Any, str | None]) -> None:
    """Take back what leads out of the checkout, or to what git keeps: a file there would be quoted or written."""
    from caffelint.lint.reach import Reach

    reach = Reach(str(first.parent))
    value = getattr(config, name)
    items = [value] if isinstance(value, str) else value
    inside = [item for item in items if reach.holds(item)]
    if value in (inside, *inside):
        return
    config.skipped[name] = (
        f"{path}: {key} leads out of the checkout, or into .git, and is not honoured there; give it by --config, or, if"
        f" you trust what is there, {way_to_trust(first.parent)}"
    )
    if name == "roots":
        setattr(config, name, inside)
    else:
        setattr(config, name, before[0])
        if before[1] is None:
            config.sources.pop(name, None)
        else:
            config.sources[name] = before[1]


def nearest(start: Path) -> Path | None:
    """The settings file in a folder or the nearest one above it. Raises `ConfigError`."""
    file = _nearest(start)
    return file.path if file else None


def _nearest(start: Path) -> _File | None:
    """The same with what it holds. A link out of the checkout is an error, or passed over where the file is shared."""
    from caffelint.lint.reach import Reach

    folder = start.resolve()
    if not folder.is_dir():
        folder = folder.parent
    for above in (folder, *folder.parents):
        for name in FILES:
            path = above / name
            if path.is_symlink() and not Reach(str(above)).holds(str(path)):
                if name in _SHARED:
                    continue
                raise ConfigError(f"{path}: is a link that leads out of the checkout, and was not read; use --config")
            if path.is_file():
                if (file := _read(path)) is not None:
                    return file
            elif path.exists() and not path.is_dir():
                raise ConfigError(f"{path}: is a pipe or a device, so no settings are read from it")
    return None


def _file(path: Path) -> _File:
    """A file of settings that was named, which may hold none."""
    return _read(path) or _File(path, b"", {})


def _read(path: Path) -> _File | None:
    """A file with the table that is caffelint's in it; None where it has none."""
    shared = path.name in _SHARED
    try:
        data = read(str(path), _LARGEST)
        marks = (b"[caffelint",) if path.suffix == ".cfg" else (b"[tool.caffelint", b"\ncaffelint")
        if shared and not any(mark in data for mark in marks):
            return None  # parsing it would cost more than reading a small net
        text = data.decode("utf-8-sig")
    except ReadError as error:
        raise ConfigError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8") from error
    table = setup_cfg(path, text, TYPES) if path.suffix == ".cfg" else toml(path, text)
    if shared and path.suffix != ".cfg":
        tool = table.get("tool") if table else None
        own = tool.get("caffelint") if isinstance(tool, dict) else None
        if not isinstance(own, dict | None):
            raise ConfigError(f"{path}: tool.caffelint is {shown(own)}; it takes a table")
        table = own
    return None if table is None else _File(path, data, table)


def _set(config: Config, name: str, value: Any, source: str, base: Path | None = None) -> None:
    wanted = TYPES.get(name)
    if wanted is None:
        unknown = shown(name, str)
        raise ConfigError(f"{source}: unknown setting {unknown.replace('_', '-')}{_did_you_mean(unknown, TYPES)}")
    key = name.replace("_", "-")
    if wanted is list and isinstance(value, str):
        value = [item.strip() for item in value.split(",") if item.strip()]
    right: bool = isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))
    if not right:
        kinds = {list: "a list", dict: "a table", bool: "true or false", int: "a whole number", str: "a string"}
        raise ConfigError(f"{source}: {key} is {shown(value)}; it takes {kinds[wanted]}")
    if wanted is list and not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{source}: {key} is {shown(value)}; it takes a list of strings")
    if name in (*_PATHS, "caffe_python") and any("\0" in item for item in ([value] if wanted is str else value)):
        raise ConfigError(f"{source}: {key} is {shown(value)}; a path cannot contain NUL")
    if name == "max_warnings" and not -1 <= value < 2**31:
        raise ConfigError(f"{source}: max-warnings is {shown(value)}; it takes a number below 2^31, or -1 for any")
    if name == "jobs" and value < 0:
        raise ConfigError(f"{source}: jobs is {shown(value)}; it takes 0, for all processors, or more")
    if name == "caffe_python" and base is not None:
        # A name without a slash is looked for on PATH, whatever is beside the settings.
        import shlex

        try:
            words = shlex.split(value)
        except ValueError as error:
            why = str(error).lower()
            raise ConfigError(f"{source}: caffe-python is {shown(value)}, not a command: {why}") from error
        own = [str(base / word) if "/" in word and _is_program(str(base / word)) else word for word in words]
        value = value if own == words else shlex.join(own)
    if name in _PATHS and base is not None:
        value = [str(base / item) for item in value] if wanted is list else str(base / value)
    if name in CHOICES and value not in CHOICES[name]:
        raise ConfigError(f"{source}: {key} is {shown(value)}; it takes one of {', '.join(CHOICES[name])}")
    if name == "input_shape":
        value = {top: _shape(top, dims, source) for top, dims in value.items()}
    if name == "dialect":
        from caffelint.schema.provenance import provenance

        value = _known(provenance().dialect, value, source)
    if name == "target":
        from caffelint.deploy.facts import known

        value = [_known(known, one, source) for one in value]
    if name == "per_file_ignores":
        value = {glob: _rules_ignored(glob, names, source) for glob, names in value.items()}
    if isinstance(value, dict):
        # What is set last comes last, and so wins over a selector for the same rule.
        value = {key: old for key, old in getattr(config, name).items() if key not in value} | value
    if isinstance(value, list):
        value = list(dict.fromkeys(value))
    if (count := entries(value)) > _MOST_ENTRIES:
        raise ConfigError(f"{source}: {key} has {count} entries, more than {_MOST_ENTRIES}")
    if name in _GLOBS and (count := sum(map(len, value))) > _MOST_OF_GLOBS:
        raise ConfigError(f"{source}: {key} has {count} characters, more than {_MOST_OF_GLOBS}")
    setattr(config, name, value)
    config.sources[name] = source


def _rules_ignored(glob: str, names: Any, source: str) -> list[str]:
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ConfigError(f"{source}: per-file-ignores for {glob} is {shown(names)}; it takes a list of rules")
    return list(dict.fromkeys(names))


def _shape(top: str, dims: Any, source: str) -> str:
    parts = shown(dims, str).lower().split("x")
    if not all(part.isdecimal() and len(part) <= _MOST_DIGITS and 0 < int(part) < 2**31 for part in parts):
        raise ConfigError(
            f"{source}: input-shape of {shown(top, str)} is {shown(dims)}; it takes a shape like '32x3x224x224'"
        )
    return "x".join(parts)


def _known(find: Callable[[str], str], value: str, source: str) -> str:
    try:
        return find(value)
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
            # A rule of a plugin that is not trusted (any more) is the likeliest one to be missing.
            hint = f" ({config.skipped['plugins']})" if "plugins" in config.skipped else _did_you_mean(name, names)
            raise ConfigError(f'{source}: no rule or family "{name}" in {setting.replace("_", "-")}{hint}')

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
            raise ConfigError(
                f"{source}: severity of {name} is {shown(severity)}; it takes one of {', '.join(SEVERITIES)}"
            )
    for name, options in config.rules.items():
        info = find_rule(name)
        source = config.sources.get("rules", "the settings")
        if info is None:
            check(name, "rules")
            raise ConfigError(f"{source}: {name} is a family; options are set for one rule")
        if not isinstance(options, dict):
            raise ConfigError(f"{source}: rules.{name} is {shown(options)}; it takes a table of options")
        rule = info.load()
        for option, value in options.items():
            if option not in rule.OPTIONS:
                raise ConfigError(f"{source}: {name} has no option {option}{_did_you_mean(option, rule.OPTIONS)}")
            default = rule.OPTIONS[option].default
            fits = isinstance(value, type(default)) and not (isinstance(value, bool) and not isinstance(default, bool))
            if not fits and not (isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool)):
                raise ConfigError(f"{source}: {name}.{option} is {shown(value)}; it takes a value like {default!r}")
