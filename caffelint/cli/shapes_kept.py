"""`caffelint data --write-shapes`: the shapes of data in the settings, so that the other commands know them as well."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli.overwriting import misplaced
from caffelint.cli.tell import tell
from caffelint.fix.write import SaveError, save
from caffelint.lint.config import FILES, nearest
from caffelint.lint.settings_text import ConfigError, toml

if TYPE_CHECKING:
    from caffelint.evidence.data.evidence import DataEvidence

_TABLE = re.compile(r"^\[input-shape\][ \t]*(?:#.*)?$", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_KEY = "input-shape"


def keep_shapes(found: Sequence[DataEvidence], path: str, config: Path | None) -> None:
    """Write them into the settings that hold for a solver or net, beside it where there are none, or into the file that
    was named. Raises `click.ClickException`.
    """
    shapes = _shapes(found)
    if not shapes:
        raise click.ClickException("--write-shapes: no shape of data was found")
    target = config or nearest(Path(path)) or Path(path).parent / FILES[0]
    if target.name in ("pyproject.toml", "setup.cfg"):
        given = ", ".join(f'{top} = "{dims}"' for top, dims in shapes.items())
        raise click.ClickException(f"--write-shapes does not write into {target.name}; add to its input-shape: {given}")
    if reason := misplaced(str(target)):
        raise click.ClickException(f"--write-shapes: {target}: {reason}")
    try:
        before = target.read_bytes() if target.exists() else None
        save(target, before, _with_shapes(target, before or b"", shapes))
    except SaveError as error:
        raise click.ClickException(f"--write-shapes: {target}: {error}") from error
    except (OSError, UnicodeDecodeError, ConfigError) as error:
        raise click.ClickException(f"--write-shapes: {error}") from error
    tell(f"{target}: input-shape of {', '.join(f'{top} is {dims}' for top, dims in shapes.items())}")


def _with_shapes(target: Path, before: bytes, shapes: Mapping[str, str]) -> bytes:
    """The new bytes of a file, with its byte-order mark and its line ends."""
    text = before.removeprefix(BOM_UTF8).decode()
    ends = "\r\n" if "\r\n" in text else "\n"
    new = with_shapes(str(target), text.replace("\r\n", "\n"), shapes).replace("\n", ends)
    return before[: len(BOM_UTF8) * before.startswith(BOM_UTF8)] + new.encode()


def with_shapes(path: str, text: str, shapes: Mapping[str, str]) -> str:
    """The text of settings with these shapes by top. Raises `ConfigError`."""
    given = toml(Path(path), text)
    new = text if _TABLE.search(text) else f"{text.rstrip()}\n\n[{_KEY}]\n".lstrip()
    for top, dims in shapes.items():
        new = _with_shape(new, top, dims)
    try:
        wanted = {**given, _KEY: {**given.get(_KEY, {}), **shapes}}
        fits = toml(Path(path), new) == wanted
    except (ConfigError, TypeError):
        fits = False
    if not fits:
        raise ConfigError(f"{path}: its {_KEY} cannot be changed; write it as a table of its own, [{_KEY}]")
    return new


def _with_shape(text: str, top: str, dims: str) -> str:
    found = _TABLE.search(text)
    assert found is not None
    start = found.end()
    end = text.find("\n[", start)
    end = len(text) if end < 0 else end
    name = top if _BARE.fullmatch(top) else json.dumps(top)
    line = f'{name} = "{dims}"'
    table = text[start:end].split("\n")
    keys = [row.partition("=")[0].strip() if "=" in row else "" for row in table]
    there = next((number for number, key in enumerate(keys) if key in (name, json.dumps(top))), None)
    if there is None:
        table.insert(1, line)
    else:
        table[there] = line
    return text[:start] + "\n".join(table) + text[end:]


def _shapes(found: Sequence[DataEvidence]) -> dict[str, str]:
    """Of each top by name, that of TRAIN where several nets or phases give one."""
    from caffelint.caffe.states import TRAIN
    from caffelint.evidence.data.evidence import shapes_of

    read = [(feed, facts) for data in found for feed, facts in data.read]
    shapes: dict[str, str] = {}
    for feed, facts in sorted(read, key=lambda one: TRAIN not in one[0].phases):
        for top, shape in shapes_of(feed, facts).items():
            shapes.setdefault(top, "x".join(map(str, shape)))
    return shapes
