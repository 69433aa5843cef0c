from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, remove


class ClipGradientsZero(SolverRule):
    """`clip_gradients: 0` scales every gradient to 0; only a negative value switches clipping off.

    ## Why is this bad?
    Gradients are scaled down to a norm of `clip_gradients` whenever theirs is larger: with 0 that is always, and no
    weight learns. Weight decay, which comes afterwards, still shrinks them.

    ## Example
    ```
    base_lr: 0.01 clip_gradients: 0
    ```
    Use instead:
    ```
    base_lr: 0.01
    ```

    ## Fix safety
    Unsafe: the net learns, which it did not before.

    ## References
    - sgd_solver.cpp, ClipGradients
    """

    code = "S206"
    name = "clip-gradients-zero"
    severity = ERROR
    VALID = ["base_lr: 0.01 clip_gradients: 10", "base_lr: 0.01 clip_gradients: -1", "base_lr: 0.01"]
    INVALID = [
        Invalid(
            "base_lr: 0.01 clip_gradients: 0",
            span="clip_gradients: 0",
            message="clip_gradients is 0, which scales every gradient to 0: remove it to clip nothing (-1 is off)",
            fixed="base_lr: 0.01",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if solver.message.clip_gradients != 0:
            return
        yield self.finding(
            solver.at("clip_gradients"),
            "clip_gradients is 0, which scales every gradient to 0: remove it to clip nothing (-1 is off)",
            fixes=fix("remove it", UNSAFE, remove(solver, "clip_gradients")),
        )
