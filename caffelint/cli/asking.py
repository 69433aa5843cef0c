"""`caffelint check --interactive`: shows a finding and what its fix would change, and asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from caffelint.cli.outputs import width
from caffelint.report.text import block
from caffelint.report.words import painter

if TYPE_CHECKING:
    from caffelint.fix.pick import Offer
    from caffelint.report import Look


class Asking:
    """Called with an offer and the texts that it changes; whether to make it. Remembers `all` and `quit`."""

    def __init__(self, look: Look):
        self._look = look._replace(width=width(sys.stdout))
        self._always: bool | None = None

    def __call__(self, offer: Offer, texts: dict[str, bytes]) -> bool:
        from caffelint.fix.diff import colored, diff
        from caffelint.fix.pick import apply

        if self._always is not None:
            return self._always
        for line in block(offer.finding, self._look, painter(self._look.color)):
            click.echo(line)
        then = apply(texts, [offer])
        for path in offer.edits:
            change = diff(path, texts[path], then[path])
            shown = (colored(change) if self._look.color else change).decode("utf-8", "replace")
            click.echo(shown.replace("\r", ""), nl=False)
        answer = self._answer(offer)
        if answer in ("a", "q"):
            self._always = answer == "a"
        return answer in ("y", "a")

    def _answer(self, offer: Offer) -> str:
        while True:
            click.echo(f"{offer.title} ({offer.safety})? [y]es, [n]o, [a]ll, [q]uit: ", nl=False)
            line = sys.stdin.readline()
            if not line:
                click.echo()
                return "q"
            answer = line.strip().lower()[:1]
            if answer and answer in "ynaq":
                return answer
