"""What training and testing read, and what is judged of it."""

from __future__ import annotations

from caffelint.lint import Layer, Net, Solver

from ._layers import Pair, beside_its_role, same_path, source_of, tested_sources


def are_a_pair(path: str, others: list[str]) -> bool:
    """Do sources differ only in what they are for? Of several sets, one was chosen on purpose."""
    return all(beside_its_role(path) == beside_its_role(other) for other in others)


def is_named_for_both(net: Net) -> bool:
    """Whether a solver names the net as its test net as well as its train_net, which nobody writes by mistake."""
    fields = ({use.field for use in solver.uses_of(net)} for solver in net.solvers)
    return any({"train_net", "test_net"} <= named for named in fields)


def is_judged(net: Net, phase: str) -> bool:
    """Whether a layer of the phase may hold the answers of the net against labels."""
    kinds = {type_: layers[0].kind for type_, layers in net.by_type.items()}
    judging = [
        type_ for type_, kind in kinds.items() if kind.looks_like_a_loss or "Accuracy" in type_ or not kind.known
    ]
    return any(phase in layer.phases for type_ in judging for layer in net.by_type[type_])


def trained_layers(pair: Pair) -> dict[str, Layer]:
    """The layers that training reads, by their sources."""
    return {same_path(path): layer for layer in pair.training if (path := source_of(layer)[1])}


def tested_paths(pair: Pair) -> set[str]:
    """The sources that testing reads."""
    return {same_path(source_of(layer)[1]) for layer in pair.testing}


def tested_by(solver: Solver, blob: str) -> set[str]:
    return solver.once(tested_sources).get(blob, set())
