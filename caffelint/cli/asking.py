"""`caffelint check --interactive`: shows a finding and what its fix would change, and asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from caffelint.cli.outputs import width
from caffelint.lint.finding import SAFE, UNSAFE
from caffelint.report.paths import slashed
from caffelint.report.text import block
from caffelint.report.words import painter
from caffelint.text.visible import visible, visible_lines

if TYPE_CHECKING:
    from caffelint.fix.pick import Offer
    from caffelint.report import Look

_TIMES, _LONGEST = 100, 1000
"""How often a question is asked again where what comes is no answer; the characters of the longest one."""
_HELP = {
    SAFE: """\
y  make this fix
n  skip it
a  make this and all later safe fixes; ask about unsafe ones
q  skip this and all later fixes, and write those that you said yes to
""",
    UNSAFE: """\
y  make this fix, which is unsafe: it may change what is trained
n  skip it
a  make this and all later fixes, safe or not
q  skip this and all later fixes, and write those that you said yes to
""",
}


class Asking:
    """Called with an offer and the texts that it changes; whether to make it. Remembers `all` and `quit`.

    `declined` are the findings that were shown and whose fix was not wanted; `ended`: whether stdin has ended.
    """

    def __init__(self, look: Look):
        self._look = look._replace(width=width(sys.stdout))
        self._all: set[str] = set()
        self._quit = False
        self.declined: list[tuple[str, ...]] = []
        self.ended = False

    def __call__(self, offer: Offer, texts: dict[str, bytes]) -> bool:
        from caffelint.fix.diff import colored, diff
        from caffelint.fix.pick import apply

        if self._quit or offer.safety in self._all:
            return not self._quit
        try:
            then = apply(texts, [offer])
        except ValueError:
            return True  # edits that overlap: it cannot be made, and the report says why
        for line in block(slashed(offer.finding), self._look, painter(self._look.color)):
            click.echo(line)
        for path in offer.edits:
            change = diff(path, texts[path], then[path])
            change = visible_lines(change)
            shown = (colored(change) if self._look.color else change).decode("utf-8", "replace")
            click.echo(shown.replace("\r", ""), nl=False)
        answer = self._answer(offer)
        if answer == "a":
            self._all |= {SAFE, offer.safety}
        self._quit = answer == "q"
        if answer in ("y", "a"):
            return True
        self.declined.append(offer.finding.identity)
        return False

    def _answer(self, offer: Offer) -> str:
        many = "[a]ll" if offer.safety == UNSAFE else "[a]ll safe"
        for _ in range(_TIMES):
            click.echo(f"{visible(offer.title)} ({offer.safety})? [y]es, [n]o, {many}, [q]uit, [?]: ", nl=False)
            line = _line()
            if not line:
                click.echo("\ncaffelint: stdin has ended, so this fix and all later ones are skipped", err=True)
                self.ended = True
                return "q"
            answer = line.strip().lower()
            if answer in ("y", "yes", "n", "no", "a", "all", "q", "quit"):
                return answer[0]
            click.echo(_HELP[UNSAFE if offer.safety == UNSAFE else SAFE], nl=False)
        click.echo("caffelint: stdin holds no answers, so this fix and all later ones are skipped", err=True)
        self.ended = True
        return "q"


def _line() -> str:
    """A line of stdin, empty at its end or where it is closed."""
    sys.stdout.flush()
    try:
        return sys.stdin.readline(_LONGEST) if sys.stdin else ""
    except UnicodeDecodeError:
        return "?"
