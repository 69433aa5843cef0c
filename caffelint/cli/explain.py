"""`caffelint explain`"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.errors import unknown
from caffelint.cli.settings import plug_in, settings_options

if TYPE_CHECKING:
    from caffelint.lint.registry import RuleInfo
    from caffelint.report.words import Paint


@click.command("explain")
@click.argument("rule", shell_complete=complete.rules)
@settings_options
def command(rule: str, config_file: Path | None, isolated: bool) -> None:
    """Explain a rule: what it finds, why that is bad, and how to fix it. RULE is a code or a name."""
    from caffelint.cli.outputs import use_color
    from caffelint.report.words import painter

    plug_in(config_file, isolated)
    info = named(rule)
    paint = painter(use_color(sys.stdout))
    click.echo(f"{paint(f'{info.code} {info.name}', 'bold')}  {paint(_facts(info), 'dim')}\n")
    click.echo("\n".join(_styled(inspect.cleandoc(info.load().__doc__ or ""), paint)))
    options = info.load().OPTIONS
    if options:
        click.echo(f"\n{paint('Options', 'bold')}")
        for name, option in options.items():
            click.echo(f"  {name} = {option.default!r}  {option.help}")
    click.echo(f"\n{paint('Silence it', 'bold')}\n  # caffelint: ignore[{info.name}] REASON")


def named(rule: str) -> RuleInfo:
    """The rule of that code, name or alias. Raises `click.UsageError` with what was probably meant."""
    from caffelint.lint.registry import all_rules, find_rule

    info = find_rule(rule)
    if info is None:
        known = [name for other in all_rules() for name in (other.name, other.code, *other.aliases)]
        raise unknown(f'no such rule "{rule}"', rule, known, "; caffelint rules lists them")
    return info


def _facts(info: RuleInfo) -> str:

    facts = [info.severity, info.certainty, f"since {info.since}"]
    if info.preview:
        facts.append("preview")
    if any(example.fixed is not None for example in info.load().INVALID):
        facts.append("fixable")
    return ", ".join(facts)


def _styled(text: str, paint: Paint) -> list[str]:
    """Markdown for a terminal: headings stand out, code is indented, fences go."""
    lines, code = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
        elif line.startswith("## ") and not code:
            lines.append(paint(line[3:], "bold"))
        else:
            lines.append(f"    {line}".rstrip() if code else line)
    return lines
