"""Which nets `caffelint summary` shows, and what `--input-shape` may name in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from caffelint.lint.report import Failure
    from caffelint.lint.summary import Summary


class Tops:
    """The tops of the nets shown, to hold `--input-shape` against; unknown where a net was not built to its end."""

    def __init__(self) -> None:
        self.seen = False
        self.all: dict[str, bool] = {}
        self.known = True

    def see(self, summary: Summary) -> None:
        self.seen = True
        self.known = self.known and summary.error is None
        for layer in summary.layers:
            for top in layer.tops:
                self.all[top] = self.all.get(top, False) or not layer.bottoms

    def hold(self, names: Iterable[str]) -> None:
        for name in names:
            if self.known and name not in self.all:
                inputs = ", ".join(top for top, is_input in self.all.items() if is_input)
                raise click.UsageError(f"--input-shape {name}: no net here has such a top; inputs are {inputs}")


def nets(file: str, named: bool, roots: Sequence[str], failed: list[Failure]) -> Iterator[str]:
    """The nets that a solver names where it was itself named, else the file; what is not there goes to `failed`."""
    from caffelint.lint.discover import named_nets, names_a_net
    from caffelint.lint.report import Failure

    found = named_nets(file, roots) if named and names_a_net(file) else []
    for net in found:
        if net.path is None:
            failed.append(Failure(file, f"{net.field} {net.name} is not there"))
        else:
            yield net.path
    if not found:
        yield file
