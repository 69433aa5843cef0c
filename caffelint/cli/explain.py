"""`caffelint explain`"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.errors import unknown
from caffelint.cli.settings import plug_in, settings_options
from caffelint.cli.status import USAGE
from caffelint.cli.tell import say, tell
from caffelint.text.visible import json_text

if TYPE_CHECKING:
    from caffelint.lint.registry import RuleInfo
    from caffelint.report.words import Paint


@click.command("explain")
@click.argument("rule", required=False, shell_complete=complete.rules)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="For reading, or JSON.")
@settings_options
def command(rule: str | None, every: bool, format_: str, config_file: Path | None, isolated: bool) -> int:
    """Explain a rule: what it finds, why that is bad, and how to fix it. RULE is a code or a name.

    If no rule has that name, the rules that are about these words are listed.

    \b
    Exit status: 0 explained
                 2 no such rule, or wrong usage
    """
    if (rule is not None) == every:
        raise click.UsageError("give a RULE or --all" + ", not both" * every)
    plug_in(config_file, isolated)
    from caffelint.lint.registry import all_rules, find_rule

    if rule and format_ == "text" and find_rule(rule) is None and (about := _about(rule)):
        tell(f'no rule is called "{rule}"; about it:')
        for info in about:
            say(f"{info.code} {info.name}  {info.summary}", indent=4)
        return USAGE
    infos = list(all_rules()) if rule is None else [named(rule)]
    if format_ == "json":
        from caffelint.cli.rules import row

        rules = [{**row(info), "explanation": inspect.cleandoc(info.load().__doc__ or "")} for info in infos]
        click.echo(json_text({"version": 1, "rules": rules}))
        return 0
    for number, info in enumerate(infos):
        click.echo("\n" if number else "", nl=False)
        _explain(info)
    return 0


def _about(words: str) -> list[RuleInfo]:
    """The rules with these words in their name or summary, else those with them in their explanation."""
    from caffelint.lint.registry import all_rules

    wanted = words.lower()
    found = [info for info in all_rules() if wanted in f"{info.name} {info.summary}".lower()]
    return found or [info for info in all_rules() if wanted in (info.load().__doc__ or "").lower()]


def _explain(info: RuleInfo) -> None:
    from caffelint.cli.outputs import PROSE, use_color, width
    from caffelint.report.fit import hanging
    from caffelint.report.words import painter

    room = width(sys.stdout) or PROSE
    paint = painter(use_color(sys.stdout))
    say(f"{paint(f'{info.code} {info.name}', 'bold')}  {paint(_facts(info), 'dim')}\n")
    for line, indent in _styled(inspect.cleandoc(info.load().__doc__ or ""), paint):
        for part in hanging(line, room, indent):
            click.echo(part)
    options = info.load().OPTIONS
    if options:
        say(f"\n{paint('Options', 'bold')}")
        for name, option in options.items():
            say(f"  {name} = {option.default!r}  {option.help}", indent=4)
    say(f"\n{paint('Silence it', 'bold')}\n  # caffelint: ignore[{info.name}] REASON")


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


def _styled(text: str, paint: Paint) -> Iterator[tuple[str, int]]:
    """Markdown for a terminal, each line with the indent of those that it is wrapped to: headings stand out, code is
    indented, fences go, and the lines of a paragraph are one."""
    code, paragraph = False, ""
    for line in text.splitlines():
        goes_on = bool(line) and not code and not line.startswith(("#", "```", "- ", "* ", "|", " ", "1. "))
        if goes_on and paragraph:
            paragraph += f" {line}"
            continue
        if paragraph:
            yield paragraph, 2 if paragraph.startswith(("- ", "* ")) else 0
            paragraph = ""
        if line.startswith("```"):
            code = not code
        elif code:
            yield f"    {line}".rstrip(), 4
        elif line.startswith("## "):
            yield paint(line[3:], "bold"), 0
        elif line:
            paragraph = line
        else:
            yield "", 0
    if paragraph:
        yield paragraph, 2 if paragraph.startswith(("- ", "* ")) else 0
