"""What the shell completes after an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names, codes and families of rules; after a comma, too."""
    from click.shell_completion import CompletionItem

    from caffelint.lint.registry import all_rules
    from caffelint.lint.select import FAMILIES

    begin, comma, last = incomplete.rpartition(",")
    known = [(info.name, info.summary) for info in all_rules()] + [(info.code, info.name) for info in all_rules()]
    known += [(family, f"rules {letter}...") for family, letter in FAMILIES.items()]
    return [
        CompletionItem(begin + comma + name, help=help_text)
        for name, help_text in known
        if name.lower().startswith(last.lower())
    ]


def dialects(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from caffelint.schema.provenance import provenance

    return [name for name in provenance().forks if name.startswith(incomplete.lower())]


def formats(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from caffelint.report import FORMATS

    return [CompletionItem(name, help=text) for name, text in FORMATS.items() if name.startswith(incomplete)]
