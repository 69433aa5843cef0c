"""Fixes that need more than a rule may see, by the name of their rule; made only where it is asked for by name."""

from __future__ import annotations

from collections.abc import Callable

from caffelint.lint.config import Config
from caffelint.lint.registry import find_rule
from caffelint.lint.select import names_outright


class Provider:
    """Turns the whole text of a file (its bytes, path and dialect) into one without the finding."""

    def __init__(self, title: str, rewrite: Callable[[bytes, str, str | None], bytes]):
        self.title = title
        self.rewrite = rewrite


def _upgrade(data: bytes, path: str, dialect: str | None) -> bytes:
    from caffelint.fix.upgrade import upgrade_text

    new: bytes = upgrade_text(data, path, dialect=dialect).data
    return new


PROVIDERS = {"legacy-format": Provider("write it in the current format", _upgrade)}


def asked_for(config: Config) -> frozenset[str]:
    """The rules of `PROVIDERS` that the settings name outright: nobody else wants a file written anew."""
    selectors = [*config.select, *config.extend_select]
    infos = filter(None, map(find_rule, PROVIDERS))
    return frozenset(info.name for info in infos if any(names_outright(info, name) for name in selectors))
