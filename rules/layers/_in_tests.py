"""Layers of the nets that the solvers of a net test with its weights."""

from __future__ import annotations

from caffelint.lint import Layer, file_name, listed, quoted


def in_tests(layer: Layer, block: str) -> list[Layer]:
    """Those of its name in other files that have the same settings: what is wrong with it is wrong with them, too."""
    uses = [use for solver in layer.net.solvers for use in solver.nets if use.tests]
    nets = {use.net.path: use.net for use in uses if use.net is not layer.net}
    return [
        other
        for net in nets.values()
        for other in net.by_type.get(layer.type, ())
        if other.name == layer.name and other.param(block) == layer.param(block)
    ]


def also_in(others: list[Layer]) -> str:
    """Where the same is to be done."""
    files = listed([quoted(file_name(other.net.path)) for other in others])
    return f", in {files} too" if others else ""
