"""Which rules there are.

Rules come from the packages that the entry-point group `caffelint.rules` names, the built-in pack among them. A pack
may carry an `index.json`, which says what each of its rules looks at, so that a rule's module is imported only when
something of that kind is checked.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from caffelint.lint.packs import BUILT_IN, pack_names
from caffelint.lint.plugins import PluginError, forget, load
from caffelint.lint.read import ReadError
from caffelint.lint.trust import contents, digest, is_rule_file
from caffelint.text.records import NamedTuple

MISSING = "caffelint's rules are not installed: pip install -e ."


class NoRulesError(Exception):
    """The rules that are installed were not found, or not all of them: this run would prove nothing."""


class RuleInfo(NamedTuple):
    """What the engine needs to know of a rule before it imports it. checks: has it a `check`, beside refusals?"""

    code: str
    name: str
    kind: str
    severity: str
    certainty: str
    preview: bool
    aliases: tuple[str, ...]
    layer_types: tuple[str, ...]
    module: str
    class_name: str
    summary: str
    since: str
    options: tuple[str, ...]
    claims: tuple[str, ...] = ()
    checks: bool = True

    @property
    def family(self) -> str:
        return self.code.rstrip("0123456789")

    @property
    def is_built_in(self) -> bool:
        return self.module.startswith(f"{BUILT_IN}.")

    def load(self) -> Any:
        """The rule's class."""
        return getattr(importlib.import_module(self.module), self.class_name)


def describe(rule: Any) -> RuleInfo:
    """The info of a rule's class."""
    from caffelint.lint.rule import RefusalRule, kind_of

    return RuleInfo(
        rule.code,
        rule.name,
        kind_of(rule),
        rule.severity,
        rule.certainty,
        rule.preview,
        tuple(rule.aliases),
        tuple(getattr(rule, "layer_types", ())),
        rule.__module__,
        rule.__qualname__,
        (rule.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " "),
        rule.since,
        tuple(rule.OPTIONS),
        tuple(kind.value for kind in rule.claims),
        getattr(rule, "check", None) is not RefusalRule.check,
    )


def rules_of(package: ModuleType) -> Iterator[RuleInfo]:
    """The rules of a package, by importing all of it."""
    import pkgutil

    found = pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + ".")
    for module in [package, *(importlib.import_module(part.name) for part in found)]:
        yield from rules_in(module)


def rules_in(module: ModuleType) -> Iterator[RuleInfo]:
    """The rules that a module defines."""
    from caffelint.lint.rule import Rule

    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Rule) and value.code and value.__module__ == module.__name__:
            yield describe(value)


def _from_row(row: list[Any]) -> RuleInfo:
    return RuleInfo(*(tuple(value) if isinstance(value, list) else value for value in row))  # type: ignore[arg-type]


def _pack(name: str) -> list[RuleInfo]:
    try:
        package = importlib.import_module(name)
    except Exception as error:
        raise NoRulesError(f"the installed rules {name} cannot be imported: {type(error).__name__}: {error}") from error
    for folder in getattr(package, "__path__", []):
        index = Path(folder) / "index.json"
        if index.is_file():
            rows = json.loads(index.read_text("utf-8"))
            return [_from_row(row) for row in rows]
    return list(rules_of(package))


def claims(rules: Iterable[RuleInfo]) -> dict[str, RuleInfo]:
    """The rule that speaks of each kind of refusal; under "" the one that has all others.

    Raises `NoRulesError` where two rules claim one kind.
    """
    found: dict[str, RuleInfo] = {}
    for info in rules:
        for kind in info.claims or ([""] if info.kind == "refusal" else ()):
            if found.setdefault(kind, info) is not info:
                what = f"refusals of the kind {kind}" if kind else "all refusals that no other rule claims"
                raise NoRulesError(f"two rules claim {what}: {found[kind].name} and {info.name}")
    return found


@lru_cache(maxsize=1)
def all_rules() -> tuple[RuleInfo, ...]:
    """The rules of all installed packs, by code.

    Raises `NoRulesError` where some are missing, or two have one name or claim one kind of refusal.
    """
    names = pack_names()
    if BUILT_IN not in names:
        raise NoRulesError(MISSING)
    found: dict[str, RuleInfo] = {}
    for name in names:
        for info in _pack(name):
            if found.setdefault(info.name, info) is not info:
                modules = f"{found[info.name].module} and {info.module}"
                raise NoRulesError(f"two installed rules are called {info.name}: in {modules}")
    if not found:
        raise NoRulesError(MISSING)
    found |= {info.name: info for info in _plugged}
    claims(found.values())
    return tuple(sorted(found.values(), key=lambda info: info.code))


_plugged: list[RuleInfo] = []
_loaded: tuple[str, ...] = ()
_by_name: tuple[tuple[RuleInfo, ...], dict[str, RuleInfo]] = ((), {})
"""The plugins in use and, last, the digest of their content."""


def use_plugins(paths: Sequence[str], read: Mapping[str, Mapping[str, bytes]] = {}) -> None:
    """Load rules from files and folders of files, besides those that are installed. Raises `PluginError`.

    read: the content of all files of a plugin, where it was read, and perhaps found to be trusted, before. Plugins that
    were in use before and are not among these are so no more.
    """
    global _loaded
    if not (paths or _loaded):
        return
    try:
        code = {file: data for path in paths for file, data in (read.get(path) or contents([path])).items()}
    except ReadError as error:
        raise PluginError(str(error)) from error
    state = (*paths, digest(code))
    if state == _loaded:
        return
    _plugged.clear()
    _loaded = ()
    forget()
    all_rules.cache_clear()
    installed = all_rules()
    names = {name: "an installed rule" for info in installed for name in (info.name, info.code)}
    plugged: list[RuleInfo] = []
    for file in code:
        if file not in paths and not is_rule_file(file):
            continue
        for info in rules_in(load(file, code)):
            for what, name in (("code", info.code), ("name", info.name)):
                if name in names:
                    change = f"change {what} in {os.path.basename(file)}"
                    raise PluginError(f"{file}: {what} {name} is already used by {names[name]}; {change}")
            names |= dict.fromkeys((info.name, info.code), file)
            plugged.append(info)
    try:
        claims([*installed, *plugged])
    except NoRulesError as error:
        raise PluginError(f"{', '.join(paths)}: {error}") from error
    _plugged[:] = plugged
    _loaded = state
    all_rules.cache_clear()


def plugin_state() -> str:
    """Changes when a file of the plugins does."""
    return "".join(_loaded[-1:])


def find_rule(name: str) -> RuleInfo | None:
    """The rule of that code, name or alias, in any case."""
    global _by_name
    rules = all_rules()
    if _by_name[0] is not rules:
        # Of two with one code, name or alias, the first.
        names = ((name, info) for info in reversed(rules) for name in (info.code.lower(), info.name, *info.aliases))
        _by_name = rules, dict(names)
    return _by_name[1].get(name.lower())
