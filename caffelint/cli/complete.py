"""What the shell completes after an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from click.shell_completion import CompletionItem

    Completing = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def words(**known: str) -> Completing:
    """Each of these, with what it means. After a comma, too."""

    def found(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        begin, comma, last = incomplete.rpartition(",")
        names = {name.replace("_", "-"): text for name, text in known.items()}
        return [
            CompletionItem(begin + comma + name, help=text) for name, text in names.items() if name.startswith(last)
        ]

    return found


levels = words(
    error="Caffe refuses the file, or training certainly breaks or learns nothing",
    warning="very likely not what was meant",
    info="worth knowing",
)
fail_on = words(
    error="exit with 1 for errors",
    warning="exit with 1 for warnings and errors",
    info="exit with 1 for any finding",
    never="exit with 0 whatever is found",
)
devices = words(**{"auto": "a GPU only for torch", "cpu": "the processor", "cuda:0": "the first GPU"})
engines = words(caffe="the real Caffe", torch="the built-in engine", cpu="the processor", **{"cuda:0": "the first GPU"})

clusters = words(
    **{"tcp://": "that of a scheduler", "local:2": "two processes on this machine", "slurm:": "so many jobs of Slurm"}
)


def severities(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Levels; after `RULE=`, too. Rules, once some letters of one are there."""
    from click.shell_completion import CompletionItem

    rule, equal, level = incomplete.rpartition("=")
    found = [CompletionItem(f"{rule}{equal}{one.value}", help=one.help) for one in levels(context, parameter, level)]
    return found or [CompletionItem(f"{one.value}=", help=one.help) for one in rules(context, parameter, incomplete)]


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What the shell itself completes."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


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


def families(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from caffelint.lint.select import FAMILIES

    known = [(name, f"rules {letter}...") for name, letter in FAMILIES.items()]
    return [CompletionItem(name, help=text) for name, text in known if name.startswith(incomplete.lower())]


def dialects(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from caffelint.schema.provenance import provenance

    names = [name for name in provenance().forks if name.startswith(incomplete.lower())]
    return [CompletionItem(name, help=provenance().about(name).title) for name in names]


def targets(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """After a comma, too."""
    from caffelint.deploy.facts import names

    begin, comma, last = incomplete.rpartition(",")
    return [begin + comma + name for name in names() if name.startswith(last.lower())]


def formats(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from caffelint.report import FORMATS

    return [CompletionItem(name, help=text) for name, text in FORMATS.items() if name.startswith(incomplete)]
