"""Which rules run: chosen by code, prefix of a code, name, alias or family."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint.config import Config
from caffelint.lint.registry import RuleInfo, all_rules

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
    "resources": "R",
}
"""Names of the families of rules and the letter that their codes start with."""


def matches(info: RuleInfo, selector: str) -> bool:
    """Whether a selector means a rule: `S101`, `S1`, `S`, `solver`, `poly-without-max-iter`, `all`."""
    wanted = selector.lower()
    if wanted in ("all", info.name) or wanted in info.aliases:
        return True
    if wanted in FAMILIES:
        return info.family == FAMILIES[wanted]
    code = info.code.lower()
    return code == wanted or (wanted[1:].isdigit() or len(wanted) == 1) and code.startswith(wanted)


def known_selector(selector: str) -> bool:
    return any(matches(info, selector) for info in all_rules()) or selector.lower() in FAMILIES


def names_outright(info: RuleInfo, selector: str) -> bool:
    return selector.lower() in (info.name, info.code.lower(), *info.aliases)


def selected(config: Config) -> list[RuleInfo]:
    """The rules that a configuration turns on. A preview rule runs with `preview`, or where it is named outright."""
    chosen = []
    wanted = config.select or ["all"]
    for info in all_rules():
        naming = [*wanted, *config.extend_select]
        if not any(matches(info, selector) for selector in naming):
            continue
        if any(matches(info, selector) for selector in config.ignore):
            # The more exact one wins: --select S101 --ignore S
            if not any(names_outright(info, selector) for selector in naming) or any(
                names_outright(info, selector) for selector in config.ignore
            ):
                continue
        if info.preview and not config.preview and not any(names_outright(info, selector) for selector in naming):
            continue
        chosen.append(info)
    return chosen


def ignored(names: Iterable[str], code: str, name: str) -> bool:
    """Whether a finding of that rule is meant by one of the selectors."""
    for info in all_rules():
        if info.name == name and info.code == code:
            return any(matches(info, selector) for selector in names)
    return False
