"""How many test nets a solver has, and whether its Caffe counts them."""

from __future__ import annotations

from caffelint.lint import Solver, provenance, readers


def counts_test_nets(solver: Solver) -> bool:
    """Whether it is for a Caffe that compares the numbers of test_iters and test nets: one that has a field `net`."""
    if caffe := solver.bound.caffe:
        return caffe.has_net_for_both
    facts = provenance().field("SolverParameter", "net")
    if solver.dialect is not None or facts is None:
        return facts is None or solver.dialect in facts.forks
    known = [forks for use in solver.nets if (forks := readers(use.net.bound))]
    return not known or any(forks & facts.forks for forks in known)


def is_of_a_fork(solver: Solver) -> bool:
    return any(bound.fork_uses for bound in (solver.bound, *(use.net.bound for use in solver.nets)))
