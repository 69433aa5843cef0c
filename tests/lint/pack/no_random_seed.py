from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, SAFE, WARNING, Finding, Invalid, Solver, SolverRule, fix, write


class NoRandomSeed(SolverRule):
    """Without `random_seed` no two runs are the same.

    ## Why is this bad?
    Our reviews compare runs.
    """

    code = "H101"
    name = "no-random-seed"
    severity = WARNING
    certainty = LIKELY
    VALID = ["base_lr: 0.1 random_seed: 1"]
    INVALID = [
        Invalid(
            "base_lr: 0.1\n",
            span="base_lr: 0.1",
            message="random_seed is missing; set it",
            fixed="base_lr: 0.1\nrandom_seed: 1\n",
        )
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if not solver.has("random_seed"):
            fixes = fix("set random_seed: 1", SAFE, write(solver, "random_seed", value="1"))
            yield self.finding(solver.at("base_lr"), "random_seed is missing; set it", fixes=fixes)
