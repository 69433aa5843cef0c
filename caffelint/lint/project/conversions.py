"""Of which lists of images in the project data bases are made, as its scripts tell."""

from __future__ import annotations

import os

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import folders_with, scripts_below
from caffelint.project.mentions import Made
from caffelint.project.script_conversions import bare, conversions

_SHELL = (".sh", ".bash")


@remembered(4)
def made_in(top: str) -> tuple[Made, ...]:
    """Each data base of the project with that top whose list is there; none that scripts make of several lists."""
    found: dict[str, Made | None] = {}
    for script in scripts_below(top, top):
        if script.is_shipped or not script.path.endswith(_SHELL):
            continue
        for one in conversions(script.text):
            name = bare(one.base)
            there = [os.path.join(folder, bare(one.list)) for folder in folders_with(top, bare(one.list))]
            here = os.path.join(script.folder, one.list)
            listed = here if here in there else there[0] if len(there) == 1 else ""
            known = found.get(name)
            is_other = name in found and (known is None or known.list != listed)
            found[name] = Made(name, listed, script.mention(one.start)) if listed and not is_other else None
    return tuple(one for one in found.values() if one)
