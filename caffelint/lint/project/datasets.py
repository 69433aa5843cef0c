"""The datasets that the scripts of a project write into HDF5 files."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import scripts_below
from caffelint.project.mentions import Mention
from caffelint.project.script_datasets import datasets
from caffelint.project.scripts import Script


@remembered(4)
def datasets_in(top: str) -> tuple[tuple[str, Mention], ...]:
    """Those of the project with that top."""
    return datasets_of(scripts_below(top, top))


def datasets_of(scripts: Iterable[Script]) -> tuple[tuple[str, Mention], ...]:
    """The names of all datasets, each with where it is written first in each script; none if one is not known."""
    found: dict[tuple[str, str], tuple[str, Mention]] = {}
    for script in scripts:
        for name, start in () if script.is_shipped else datasets(script.code):
            if not name:
                return ()
            found.setdefault((script.path, name), (name, script.mention(start)))
    return tuple(found.values())
