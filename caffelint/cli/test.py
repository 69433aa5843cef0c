"""`caffelint test`"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from caffelint.cli.settings import settings, settings_options
from caffelint.cli.status import FINDINGS, OK
from caffelint.cli.tell import say
from caffelint.text.visible import visible


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("-q", "--quiet", is_flag=True, help="Show only failures.")
@settings_options
def command(paths: tuple[Path, ...], quiet: bool, config_file: Path | None, isolated: bool) -> int:
    """Run the examples of rules.

    PATHS are Python files with rules, or folders of them; they are imported. Without PATHS, the
    examples of all installed rules and of plugins in trusted settings run.

    \b
    Exit status: 0 all examples pass
                 1 an example fails
                 2 a file cannot be imported, there is no rule, or wrong usage
    """
    from caffelint.cli.outputs import use_color
    from caffelint.lint.examples import failures
    from caffelint.report.words import count, painter

    paint = painter(use_color(sys.stdout))
    if not paths:
        settings(["."], {"config_file": config_file, "isolated": isolated})
    rules = list(_rules_in(paths) if paths else _installed())
    if not rules:
        raise click.UsageError(f"no rule in {', '.join(map(str, paths))}")
    failed = 0
    for rule in rules:
        wrong = failures(rule) + _missing(rule)
        failed += bool(wrong)
        if wrong:
            say(f"{paint('FAIL', 'error')} {rule.code} {rule.name}")
            for line in wrong:
                say("\n".join(f"     {visible(part)}" for part in line.split("\n")))
        elif not quiet:
            examples = f"{len(rule.VALID)} valid, {len(rule.INVALID)} invalid"
            say(f"{paint('ok  ', 'good')} {rule.code} {rule.name} {paint(f'({examples})', 'dim')}")
    say(f"{count(len(rules), 'rule')}, {failed or 'none'} failed")
    return FINDINGS if failed else OK


def _missing(rule: Any) -> list[str]:
    lists = {"VALID": rule.VALID, "INVALID": rule.INVALID}
    return [f"{name} has no example" for name, examples in lists.items() if not examples]


def _installed() -> Iterator[Any]:
    from caffelint.lint.registry import all_rules

    for info in all_rules():
        yield info.load()


def _rules_in(paths: tuple[Path, ...]) -> Iterator[Any]:
    from caffelint.lint.rule import Rule

    for path in paths:
        if not path.exists():
            raise click.ClickException(f"{path}: no such file or folder")
        if not path.is_dir() and path.suffix != ".py":
            raise click.ClickException(f"{path}: this is not a Python file")
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            module = _imported(file, path)
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                    if value.code:
                        yield value


def _imported(path: Path, named: Path) -> ModuleType:
    """The module in a file: by its name if its package is installed, or is `named` or in it, else with its neighbours.

    No folder is put on `sys.path`, and no `__init__.py` above what was named runs.
    """
    from importlib import import_module

    from caffelint.lint.plugins import PluginError, load, said
    from caffelint.lint.read import ReadError
    from caffelint.lint.trust import contents

    path, names = path.resolve(), [path.stem] * (path.stem != "__init__")
    packages = [folder for folder in _packages(path) if named.is_dir() and folder.is_relative_to(named.resolve())]
    if _is_installed(path):
        packages = list(_packages(path))
    elif not packages or not all(map(_enter, _dotted(packages), packages)):
        try:
            return load(str(path), contents(map(str, path.parent.glob("*.py"))))
        except (PluginError, ReadError) as error:
            raise click.ClickException(str(error)) from error
    try:
        return import_module(".".join([*(folder.name for folder in packages), *names]))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a module is made to raise
        raise click.ClickException(f"{path}: cannot be imported: {said(error)}") from error


def _packages(path: Path) -> Iterator[Path]:
    """The folders that a file is in as far up as they are packages, the outermost first."""
    if path.parent.name.isidentifier() and (path.parent / "__init__.py").exists():
        yield from _packages(path.parent)
        yield path.parent


def _dotted(packages: Sequence[Path]) -> Iterator[str]:
    return accumulate((folder.name for folder in packages), "{}.{}".format)


def _is_installed(path: Path) -> bool:
    top = next(_packages(path), None)
    if top is None or top.name == "__main__":
        return False
    module = sys.modules.get(top.name)
    origin = getattr(module, "__file__", None) if module else getattr(find_spec(top.name), "origin", None)
    return origin is not None and Path(origin).resolve().parent == top


def _enter(name: str, folder: Path) -> bool:
    """Import the package in a folder by a name, unless that is the name of another one."""
    if name not in sys.modules:
        spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            told = f"{folder}: cannot be imported: {type(error).__name__}: {error}"
            raise click.ClickException(told) from error
    return list(getattr(sys.modules[name], "__path__", [])) == [str(folder)]
