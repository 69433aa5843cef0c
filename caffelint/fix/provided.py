"""Fixes that need more than a rule may see, by the name of their rule; made only where it is asked for by name."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from caffelint.lint.config import Config
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.registry import find_rule
from caffelint.lint.select import names_outright

if TYPE_CHECKING:
    from caffelint.fix.upgrade import Left
    from caffelint.fix.upgrade.neighbours import Neighbours


class Upgrader:
    """Writes files (all of them `paths`) in the current format, as `caffelint upgrade` does."""

    title = "write it in the current format"

    def __init__(self, config: Config, paths: Collection[str]):
        self._config = config
        self._paths = paths
        self._neighbours: Neighbours | None = None
        self._caffes = Caffes(config)
        self._left: dict[str, tuple[Left, ...]] = {}

    def rewrite(self, data: bytes, path: str) -> bytes:
        """The whole text of a file without the finding; unchanged if the file is left alone."""
        from caffelint.fix.upgrade import upgrade_text
        from caffelint.fix.upgrade.neighbours import Neighbours

        config = self._config
        if self._neighbours is None:
            self._neighbours = Neighbours(sorted(self._paths), config.exclude, config.folder_of("exclude"))
        taken = self._caffes.of(path)
        result = upgrade_text(data, path, dialect=taken.dialect, neighbours=self._neighbours, caffe=taken.caffe)
        self._left[path] = result.left
        return result.data

    @property
    def notes(self) -> list[str]:
        """Lines about what was left alone."""
        from caffelint.fix.upgrade import lines_about

        return lines_about((path, left) for path, lefts in sorted(self._left.items()) for left in lefts)


PROVIDERS = {"legacy-format": Upgrader}


def asked_for(config: Config, paths: Collection[str]) -> dict[str, Upgrader]:
    """Those of `PROVIDERS` whose rules the settings name: without that, nobody wants a whole file rewritten."""
    selectors = [*config.select, *config.extend_select]
    infos = filter(None, map(find_rule, PROVIDERS))
    named = [info.name for info in infos if any(names_outright(info, name) for name in selectors)]
    return {name: PROVIDERS[name](config, paths) for name in named}
