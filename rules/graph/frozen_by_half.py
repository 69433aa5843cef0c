from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, title, titles

from ._half import by_half, frozen, keeps_another, left_learning, the_only_one

_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'


class FrozenByHalf(NetRule):
    """A layer freezes its weights, and another parameter goes on learning by default, or as in no other layer.

    ## Why is this bad?
    Each `param` block is for one parameter blob, and a blob without one has an `lr_mult` of 1. Who freezes a layer with
    a bias by a single `param { lr_mult: 0 }` lets the bias move away from what the weights were trained with. Where one
    layer has 0 and 1, and all others 0 and 0 or 1 and 2, it was forgotten when the first layers were frozen, or let go.

    ## Example
    ```
    param { lr_mult: 0 } scale_param { bias_term: true }
    ```
    Use instead:
    ```
    param { lr_mult: 0 } param { lr_mult: 0 } scale_param { bias_term: true }
    ```

    ## Known problems
    To train the bias alone may be what is wanted; written out, it is only reported of a single layer among at least
    four others. It is silent about a Deconvolution, whose bilinear weights are often kept while its bias learns, and
    about parameters that have a name, which another layer may own. Scales are an info where nothing else is frozen.

    ## Fix safety
    Unsafe: the biases no longer change.

    ## References
    - net.cpp, AppendParam; GBJim/py-faster-rcnn 6a3c271, which mends it
    """

    code = "G044"
    name = "frozen-by-half"
    severity = WARNING
    certainty = LIKELY
    _NET = _DATA + ' layer { name: "s" type: "Scale" bottom: "data" top: "s" %s scale_param { bias_term: %s } }'
    _CONV = ' layer { name: "c" type: "Convolution" bottom: "data" top: "c" param { lr_mult: 0 } param { lr_mult: 0 } }'
    _LSTM = (
        _DATA + ' layer { name: "s" type: "LSTM" bottom: "data" bottom: "label" top: "s" %s'
        " recurrent_param { num_output: 8 } }"
    )
    VALID = [
        _NET % ("param { lr_mult: 0 } param { lr_mult: 1 }", "true"),
        _NET % ("param { lr_mult: 0 }", "false"),
        _NET % ("param { lr_mult: 1 }", "true"),
        _NET % ('param { name: "w" lr_mult: 0 }', "true"),
    ]
    INVALID = [
        Invalid(
            _NET % ("param { lr_mult: 0 }", "true") + _CONV,
            span="lr_mult: 0",
            message='Scale "s": lr_mult is 0 for its weights alone, so its bias goes on learning; add a second'
            " param { lr_mult: 0 }",
            fixed=_NET % ("param { lr_mult: 0 } param { lr_mult: 0 }", "true") + _CONV,
        ),
        Invalid(
            _LSTM % "param { lr_mult: 0 }",
            span="lr_mult: 0",
            message='LSTM "s": lr_mult is 0 for 1 of its 3 parameters, so the others go on learning; add 2 more'
            " param { lr_mult: 0 }",
            fixed=_LSTM % "param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 }",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_trained:
            return
        half = [layer for layer in net.layers if left_learning(layer)]
        found = [layer for layer in half if not layer.kind.is_recurrent]
        for layers in [found, *([layer] for layer in half if layer.kind.is_recurrent)]:
            if layers:
                yield self.finding(
                    layers[0].at("param", 0, "lr_mult"),
                    f"{titles(layers)}: {by_half(layers)}",
                    severity=None if keeps_another(net, half) else INFO,
                    phases=(TRAIN,),
                    layers=layers,
                    fixes=fix("freeze the others as well", UNSAFE, *map(frozen, layers)),
                )
        if not half and (odd := the_only_one(net)):
            yield self.finding(
                odd.at("param", 0, "lr_mult"),
                f"{title(odd)}: lr_mult is 0 for its weights and {odd.message.param[1].lr_mult:g} for its bias, as in"
                " no other layer of this net; set both to 0, or neither",
                phases=(TRAIN,),
            )
