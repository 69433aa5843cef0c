from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, title, titles

from ._half import frozen_bias, is_by_half, the_only_one

_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'


class FrozenByHalf(NetRule):
    """A layer freezes its weights, and its bias goes on learning by default, or as in no other layer.

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
    about parameters that have a name, which another layer may own.

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
    VALID = [
        _NET % ("param { lr_mult: 0 } param { lr_mult: 1 }", "true"),
        _NET % ("param { lr_mult: 0 }", "false"),
        _NET % ("param { lr_mult: 1 }", "true"),
        _NET % ('param { name: "w" lr_mult: 0 }', "true"),
    ]
    INVALID = [
        Invalid(
            _NET % ("param { lr_mult: 0 }", "true"),
            span="lr_mult: 0",
            message='Scale "s": lr_mult is 0 for its weights alone, so its bias goes on learning; add a second'
            " param { lr_mult: 0 }",
            fixed=_NET % ("param { lr_mult: 0 } param { lr_mult: 0 }", "true"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_trained:
            return
        found = [layer for layer in net.layers if is_by_half(layer)]
        if found:
            whose = "its weights alone, so its bias goes" if len(found) == 1 else "their weights alone, so biases go"
            yield self.finding(
                found[0].at("param", 0, "lr_mult"),
                f"{titles(found)}: lr_mult is 0 for {whose} on learning; add a second param {{ lr_mult: 0 }}",
                phases=(TRAIN,),
                layers=found,
                fixes=fix("freeze the bias as well", UNSAFE, *map(frozen_bias, found)),
            )
        elif odd := the_only_one(net):
            yield self.finding(
                odd.at("param", 0, "lr_mult"),
                f"{title(odd)}: lr_mult is 0 for its weights and {odd.message.param[1].lr_mult:g} for its bias, as in"
                " no other layer of this net; set both to 0, or neither",
                phases=(TRAIN,),
            )
