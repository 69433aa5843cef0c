"""Which rules run: chosen by code, prefix of a code, name, alias or family."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint.registry import RuleInfo, all_rules

if TYPE_CHECKING:
    from caffelint.lint.config import Config

FAMILIES = {
    "prototxt": "P",
    "solver": "S",
    "graph": "G",
    "layers": "L",
    "initialisation": "I",
    "batchnorm": "B",
    "objective": "O",
    "numerics": "N",
    "data": "D",
    "python": "Y",
    "resources": "R",
    "deploy": "C",
    "smoke": "X",
    "log": "T",
    "dataset": "E",
    "weights": "W",
}
"""Names of the families of rules and the letter that their codes start with."""


def matches(info: RuleInfo, selector: str) -> bool:
    """Whether a selector means a rule: `S101`, `S1`, `S`, `solver`, `poly-without-max-iter`, `all`."""
    wanted = selector.lower()
    if wanted in ("all", info.name) or wanted in info.aliases:
        return True
    if wanted in FAMILIES:
        return info.family == FAMILIES[wanted]
    family = info.family.lower()
    begins = wanted == family or (wanted.startswith(family) and wanted[len(family) :].isdigit())
    return begins and info.code.lower().startswith(wanted)


def known_selector(selector: str) -> bool:
    return any(matches(info, selector) for info in all_rules()) or selector.lower() in FAMILIES


def names_outright(info: RuleInfo, selector: str) -> bool:
    return selector.lower() in (info.name, info.code.lower(), *info.aliases)


def most_exact(info: RuleInfo, selectors: Iterable[str]) -> str | None:
    """The selector that means a rule most exactly, of equals the last; None where none means it."""
    fitting = [selector for selector in selectors if matches(info, selector)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    return max(reversed(fitting), key=partial(_exactness, info))


def _exactness(info: RuleInfo, selector: str) -> int:
    """From 0 for `all` over a family and ever longer prefixes to the rule's own name."""
    if names_outright(info, selector):
        return 1000
    wanted = selector.lower()
    return 0 if wanted == "all" else len(info.family) if wanted in FAMILIES else len(wanted)


def selected(config: Config) -> list[RuleInfo]:
    """The rules that a configuration turns on. A preview rule runs with `preview`, or where it is named outright.

    Where a rule is selected and ignored, the more exact one wins, as in --select S101 --ignore S; of equals the
    ignoring, unless it is in a file and the selecting on the command line.
    """
    chosen = []
    margin = int(config.is_asked("select") and not config.is_asked("ignore"))
    for info in all_rules():
        naming = most_exact(info, [*(config.select or ["all"]), *config.extend_select])
        if naming is None:
            continue
        ignoring = most_exact(info, config.ignore)
        if ignoring is not None and _exactness(info, ignoring) >= _exactness(info, naming) + margin:
            continue
        if info.preview and not config.preview and not names_outright(info, naming):
            continue
        chosen.append(info)
    return chosen
