from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    ProjectRule,
    Solver,
    fix,
    title,
    write,
)

_NET = 'layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "h" recurrent_param { num_output: 9 } }'
_CLIPPED = _NET.replace("LSTM", "Lstm").replace("recurrent_param {", "lstm_param { clipping_threshold: 0.1")
_HIGH = 0.01
_FROZEN = _NET.replace(
    " recurrent_param", " param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } recurrent_param"
)


class RecurrentWithoutClipGradients(ProjectRule):
    """A recurrent layer is trained without `clip_gradients`.

    ## Why is this bad?
    Gradients multiply through the time steps of a recurrent layer, and now and then one explodes: the loss is fine for
    thousands of iterations, then nan. Clipping the norm of the gradients is the usual cure; Caffe's own recurrent
    examples clip at 5 to 10.

    ## Example
    ```
    net: "lstm.prototxt" base_lr: 0.01
    ```
    Use instead:
    ```
    net: "lstm.prototxt" base_lr: 0.01 clip_gradients: 10
    ```

    ## Known problems
    With an adaptive solver, or a base_lr of 0.01 or less, it seldom happens, and is an info.

    A layer that clips its own gradients, with the `clipping_threshold` of forks, is not reported.

    ## Fix safety
    Shown and never applied: how large gradients may grow is for you to say.

    ## References
    - sgd_solver.cpp, ClipGradients
    - github.com/junhyukoh/caffe-lstm, issues 3 and 18
    """

    code = "S207"
    name = "recurrent-without-clip-gradients"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"solver.prototxt": 'net: "n.prototxt" base_lr: 0.1 clip_gradients: 10', "n.prototxt": _NET},
        {"solver.prototxt": 'net: "n.prototxt" base_lr: 0.1 clip_gradients: 0', "n.prototxt": _NET},
        {"solver.prototxt": 'net: "n.prototxt" base_lr: 0.1', "n.prototxt": _FROZEN},
        {"solver.prototxt": 'net: "n.prototxt" base_lr: 0.1', "n.prototxt": 'layer { name: "x" type: "ReLU" }'},
        {"solver.prototxt": 'net: "n.prototxt" base_lr: 0.1', "n.prototxt": _CLIPPED},
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": 'net: "n.prototxt"\nbase_lr: 0.1', "n.prototxt": _NET},
            span='net: "n.prototxt"',
            message='LSTM "lstm" is trained without clip_gradients, so its gradients may explode; set'
            " clip_gradients: 10",
        ),
        Invalid(
            {"solver.prototxt": 'net: "n.prototxt"\nbase_lr: 0.1', "n.prototxt": _NET + _NET.replace("lstm", "lstm2")},
            span='net: "n.prototxt"',
            message='LSTM "lstm" and 1 more are trained without clip_gradients, so their gradients may explode; set'
            " clip_gradients: 10",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        net = solver.train_net
        if net is None or solver.message.clip_gradients >= 0:
            return
        recurrent = net.once(_recurrent)
        if not recurrent:
            return
        one = len(recurrent) == 1
        more = " is" if one else f" and {len(recurrent) - 1} more are"
        whose = "its" if one else "their"
        use = next(use for use in solver.nets if use.trains)
        message = solver.message
        # Adaptive solvers and low rates keep the steps small; there it seldom happens.
        is_risky = solver.type in ("SGD", "Nesterov") and message.base_lr > _HIGH
        yield self.finding(
            solver.at("clip_gradients" if solver.has("clip_gradients") else use.field),
            f"{title(recurrent[0])}{more} trained without clip_gradients, so {whose} gradients may explode;"
            " set clip_gradients: 10",
            severity=None if is_risky else INFO,
            fixes=fix("set clip_gradients: 10", DISPLAY, write(solver, "clip_gradients", value="10")),
        )


def _recurrent(net: Net) -> list[Layer]:
    """The recurrent layers that learn in training and do not clip."""
    return [
        layer
        for layer in net.layers
        if layer.kind.is_recurrent
        and "TRAIN" in layer.phases
        and not (layer.message.param and all(param.lr_mult == 0 for param in layer.message.param))
        and not _clips(layer)
    ]


def _clips(layer: Layer) -> bool:
    """Whether the layer clips its own gradients."""
    return any(getattr(layer.message, block).clipping_threshold > 0 for block in ("lstm_param", "recurrent_param"))
