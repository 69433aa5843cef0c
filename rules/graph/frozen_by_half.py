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
    title,
    titles,
)

_LEAST = 4
"""How many other layers have to learn both their weights and their bias, or neither."""
_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'


def _net(odd: tuple[int, int]) -> str:
    """An example net: three frozen layers, one with these rates of weights and bias, and two that learn."""
    rates = [(0, 0)] * 3 + [odd] + [(1, 2)] * 2
    return _DATA + "".join(
        f' layer {{ name: "fc{i}" type: "InnerProduct" bottom: "data" top: "fc{i}" param {{ lr_mult: {weights} }}'
        f" param {{ lr_mult: {bias} }} inner_product_param {{ num_output: 9 }} }}"
        for i, (weights, bias) in enumerate(rates)
    )


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
    four others. It is silent about a Deconvolution, whose bilinear weights are often
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
        _net((1, 2)),
        # Biases alone are learned.
        _net((1, 2)).replace("lr_mult: 1 }", "lr_mult: 0 }"),
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
        Invalid(
            _net((0, 1)),
            span="lr_mult: 0",
            message='InnerProduct "fc3": lr_mult is 0 for its weights and 1 for its bias, as in no other layer of this'
            " net; set both to 0, or neither",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_trained:
            return
        found = [layer for layer in net.layers if _is_by_half(layer)]
        if found:
            whose = "its weights alone, so its bias goes" if len(found) == 1 else "their weights alone, so biases go"
            yield self.finding(
                found[0].at("param", 0, "lr_mult"),
                f"{titles(found)}: lr_mult is 0 for {whose} on learning; add a second param {{ lr_mult: 0 }}",
                phases=(TRAIN,),
                layers=found,
                fixes=fix("freeze the bias as well", UNSAFE, *map(_second, found)),
            )
        elif odd := _the_only_one(net):
            yield self.finding(
                odd.at("param", 0, "lr_mult"),
                f"{title(odd)}: lr_mult is 0 for its weights and {odd.message.param[1].lr_mult:g} for its bias, as in"
                " no other layer of this net; set both to 0, or neither",
                phases=(TRAIN,),
            )


def _second(layer: Layer) -> Edits:
    """One more param; in a list, an item has no name."""
    first = layer.at("param", 0)
    return (insert_before(first, "param { lr_mult: 0 } " if first.text.startswith("param") else "{ lr_mult: 0 }, "),)


def _is_by_half(layer: Layer) -> bool:
    specs = layer.message.param
    alone = len(specs) == 1 and layer.kind.param_count == 2 and not layer.kind.upsamples
    return bool(alone and TRAIN in layer.phases and specs[0].lr_mult == 0 and not specs[0].name)


def _the_only_one(net: Net) -> Layer | None:
    """The only layer that learns its bias and not its weights, where others learn both, or neither."""
    weighted = net.layers_that(lambda kind: kind.has_weights)
    layers = [layer for layer in weighted if layer.kind.param_count == 2 and TRAIN in layer.phases]
    rates = [[spec.lr_mult for spec in layer.message.param] for layer in layers]
    odd = [layer for layer, own in zip(layers, rates, strict=True) if len(own) == 2 and own[1] > own[0] == 0]
    others = sum(len(own) == 2 and bool(own[0]) == bool(own[1]) for own in rates)
    if len(odd) != 1 or others < _LEAST or others + 1 < len(layers) or odd[0].kind.upsamples:
        return None
    return None if any(spec.name for spec in odd[0].message.param) else odd[0]
