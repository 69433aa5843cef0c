from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, remove

_MESSAGE = "clip_gradients 0 scales every gradient to 0, so no weight learns; remove it to turn clipping off"


class ClipGradientsZero(SolverRule):
    """`clip_gradients: 0` scales every gradient to 0; only a negative value switches clipping off.

    ## Why is this bad?
    Caffe scales the gradients down to a norm of `clip_gradients` whenever their norm is larger. With 0 that is always
    so, and no weight learns. Weight decay, which is applied afterwards, still shrinks the weights.

    ## Example
    ```
    base_lr: 0.01 clip_gradients: 0
    ```
    Use instead:
    ```
    base_lr: 0.01
    ```

    ## Fix safety
    Unsafe: the net starts to learn.

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
            message=_MESSAGE,
            fixed="base_lr: 0.01",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if solver.message.clip_gradients != 0:
            return
        yield self.finding(
            solver.at("clip_gradients"),
            _MESSAGE,
            fixes=fix("remove clip_gradients", UNSAFE, remove(solver, "clip_gradients")),
        )
