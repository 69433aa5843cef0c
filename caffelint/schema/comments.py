"""What the comments of `proto/` say of messages, fields and enum values."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from caffelint.text.patterns import compiled_later

_OPENS = compiled_later(r"\s*(?:message|enum|oneof)\s+(\w+)\s*\{")
_DECLARES = compiled_later(r" *(?:(?:optional|required|repeated) [\w.]+ )?(\w+) = -?\w+(?: \[[^\]]*\])?;(.*)")
_COMMENT = compiled_later(r"\s*//\s?(.*)")
_BASE = "caffe.proto"


def comment(name: str) -> str:
    """Of `PoolingParameter`, of a field (`PoolingParameter.pool`) or of a value (`PoolingParameter.PoolMethod.MAX`).

    Empty if there is none.
    """
    found = _comments(_BASE).get(name)
    if found is not None:
        return found
    return next((told for file in _overlays() if (told := _comments(file).get(name))), "")


@cache
def _overlays() -> tuple[str, ...]:
    folder = os.path.join(_folder(), "forks")
    return tuple(os.path.join("forks", name) for name in sorted(os.listdir(folder)) if name.endswith(".proto"))


def _folder() -> str:
    return str(import_module("caffelint.proto").__path__[0])


@cache
def _comments(file: str) -> dict[str, str]:
    """By name. The lines right above a declaration speak of it, and so does what follows it on its line."""
    with open(os.path.join(_folder(), file), encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    found: dict[str, str] = {}
    blocks: list[str] = []
    above: list[str] = []
    for line in lines:
        if told := _COMMENT.match(line):
            above.append(told[1])
            continue
        if opens := _OPENS.match(line):
            blocks.append(opens[1])
            found.setdefault(".".join(blocks), _joined(above))
        elif declares := _DECLARES.match(line):
            after = _COMMENT.match(declares[2])
            found[".".join([*blocks, declares[1]])] = _joined([*above, after[1]] if after else above)
        if line.strip().startswith("}"):
            blocks = blocks[:-1]
        above = []
    return found


def _joined(lines: list[str]) -> str:
    """Indented lines are tables and stay as they are."""
    return "\n".join(lines) if any(line.startswith("  ") for line in lines) else " ".join(lines)
