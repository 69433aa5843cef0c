"""Reads the text of settings, TOML or INI, to tables: soon and with one line of error, whatever a stranger wrote."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from caffelint.text.patterns import compiled_later

_MOST_PARTS = 32
"""Of a key. The time of tomllib grows with the square of their number."""
_MOST_LINES = 2000
"""Of all sections. The time of configparser grows with the square of the number of those that it cannot parse."""
_BLANKS = compiled_later(r"\s{81}")
"""Too many in a row in a key. The time of configparser grows with the square of their number."""
_NO_KEY = compiled_later(
    r'"""(?:\\[\s\S]|[^\\])*?(?:"""|\\?\Z)|'
    r"'''[\s\S]*?(?:'''|\Z)|"
    r'"(?:\\.|[^"\\\n])*"?|'
    r"'[^'\n]*'?|#[^\n]*"
)
"""Strings and comments of TOML, closed or not."""
_BETWEEN_KEYS = compiled_later(r"[=\[\]{},\n]")
_MOST_SHOWN = 80
_LARGEST = 1 << 63
"""What a number of TOML stays below; in base 16 Python reads one of any length."""
_TOO_LARGE = "contains a number with too many digits"


class ConfigError(ValueError):
    """A setting that is wrong: the message names the file, the value, and what would be right."""


def shown(value: Any, form: Callable[[Any], str] = repr) -> str:
    """A value as a message has it, of bounded length: a number of 5,000 digits has no text in Python."""
    try:
        text = form(value)
    except (ValueError, RecursionError):
        return "a number of very many digits"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def toml(path: Path, text: str) -> dict[str, Any]:
    """The table of a TOML file. Raises `ConfigError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    if any(key.count(".") >= _MOST_PARTS for key in _BETWEEN_KEYS.split(_NO_KEY.sub('""', text))):
        raise ConfigError(f"{path}: has a key of more than {_MOST_PARTS} parts; no setting is nested that deeply")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {str(error)[:1].lower()}{str(error)[1:]}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: is nested too deeply") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {_TOO_LARGE}") from error
    if any(isinstance(value, int) and abs(value) >= _LARGEST for value in _values(table)):
        raise ConfigError(f"{path}: {_TOO_LARGE}")
    return table


def _values(table: dict[str, Any]) -> Iterator[Any]:
    stack: list[Any] = [table]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            stack += value
        else:
            yield value


def setup_cfg(path: Path, text: str, types: Mapping[str, type]) -> dict[str, Any] | None:
    """The table of the sections that begin with `caffelint`; None if there are none. Raises `ConfigError`.

    types: of the settings by name, for INI has only text.
    """
    from configparser import ConfigParser, Error

    lines = _own_lines(text)
    if sum(map(bool, lines)) > _MOST_LINES:
        raise ConfigError(f"{path}: has more than {_MOST_LINES} lines of settings")
    if any(_BLANKS.search(re.split("[=:]", line.strip(), maxsplit=1)[0]) for line in lines):
        raise ConfigError(f"{path}: has a key with more than 80 blanks in a row")
    parser = ConfigParser(interpolation=None)
    # As written: a key may be a glob.
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string("\n".join(lines))
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
                raise ConfigError(f"{path}: [{section}] is a table, but {part} is set to {shown(target)} above")
        for key, raw in parser[section].items():
            name = key.replace("-", "_")
            wanted = types.get(name) if target is table else None
            target[name if target is table else key] = _from_ini(raw, wanted)
    return table


def _own_lines(text: str) -> list[str]:
    """The lines, those of the sections of others empty. As for configparser, only a line feed ends a line."""
    lines, own = [], False
    for line in text.split("\n"):
        if line.startswith("["):
            own = line.startswith("[caffelint")
        lines.append(line if own else "")
    return lines


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


def entries(value: Any) -> int:
    """How many values lists and tables hold, on all levels."""
    count, level = 0, [value]
    while level:
        inner = (part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list))
        level = [item for items in inner for item in items]
        count += len(level)
    return count
