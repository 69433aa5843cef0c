from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Edits,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    insert_before,
    titles,
)

_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'


class FrozenByHalf(NetRule):
    """A layer freezes its weights, and its bias goes on learning by default.

    ## Why is this bad?
    Each `param` block is for one parameter blob, and a blob without one has an `lr_mult` of 1. Who freezes a layer with
    a bias by a single `param { lr_mult: 0 }` lets the bias move away from what the weights were trained with.

    ## Example
    ```
    param { lr_mult: 0 } scale_param { bias_term: true }
    ```
    Use instead:
    ```
    param { lr_mult: 0 } param { lr_mult: 0 } scale_param { bias_term: true }
    ```

    ## Known problems
    To train the bias alone may be what is wanted. It is silent about a Deconvolution, whose bilinear weights are often
    kept while its bias learns, and about parameters that have a name, which another layer may own.

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
        found = [layer for layer in net.layers if _is_by_half(layer)] if net.is_trained else []
        if found:
            whose = "its weights alone, so its bias goes" if len(found) == 1 else "their weights alone, so biases go"
            yield self.finding(
                found[0].at("param", 0, "lr_mult"),
                f"{titles(found)}: lr_mult is 0 for {whose} on learning; add a second param {{ lr_mult: 0 }}",
                phases=(TRAIN,),
                layers=found,
                fixes=fix("freeze the bias as well", UNSAFE, *map(_second, found)),
            )


def _second(layer: Layer) -> Edits:
    """One more param; in a list, an item has no name."""
    first = layer.at("param", 0)
    return (insert_before(first, "param { lr_mult: 0 } " if first.text.startswith("param") else "{ lr_mult: 0 }, "),)


def _is_by_half(layer: Layer) -> bool:
    specs = layer.message.param
    alone = len(specs) == 1 and layer.kind.param_count == 2 and not layer.kind.upsamples
    return bool(alone and TRAIN in layer.phases and specs[0].lr_mult == 0 and not specs[0].name)
