from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    compiled_later,
    fix,
    titles,
    write,
)

from ._dead import dead_before_a_relu
from ._fillers import MANY, WEIGHTED, blocks_with_weights, is_last, random_filler

_OF_PUBLISHED = compiled_later(r"(?:conv|fc|ip)\d+(?:_\d+)?")
"""Names that AlexNet, VGG and others have, whose weights everybody loads."""
_FASTER = 5.0
_SHARE = 0.3
"""Of the layers without a filler, which learn so much slower: those whose weights are loaded."""


class NewLayerWithoutFiller(NetRule):
    """A layer that the weights which are loaded do not have has no filler, and never learns.

    ## Why is this bad?
    A layer that loaded weights do not have starts from its filler, which is the constant 0 if there is none. A ReLU
    after it returns no gradient for a 0, so its weights stay 0, and all that comes after it learns from its biases
    alone.

    ## Example
    ```
    layer { name: "fc6_new" type: "InnerProduct" bottom: "pool5" top: "fc6" param { lr_mult: 10 }
      inner_product_param { num_output: 1024 } }
    ```
    Use instead:
    ```
    layer { name: "fc6_new" type: "InnerProduct" bottom: "pool5" top: "fc6" param { lr_mult: 10 }
      inner_product_param { num_output: 1024 weight_filler { type: "xavier" } } }
    ```

    ## Known problems
    A layer is taken to be new where it learns far faster than the others, or where scripts train from snapshots of
    another net of the project, which lacks it. A net of a second stage, which starts from the weights of the first, may
    keep its rates and lack all fillers.

    ## Fix safety
    Unsafe: the weights start from other values.

    ## References
    - liu-xb/RAM, prototxt/train_BN+R.prototxt; inner_product_layer.cpp, LayerSetUp; relu_layer.cpp, Backward_cpu
    """

    code = "I011"
    name = "new-layer-without-filler"
    severity = WARNING
    certainty = LIKELY
    layer_types = WEIGHTED
    _LAYERS = (
        'layer {{ name: "data" type: "Data" top: "a0" top: "label" include {{ phase: TRAIN }} }}'
        + "".join(
            f' layer {{{{ name: "fc{i}" type: "InnerProduct" bottom: "a{i}" top: "a{i + 1}"'
            f' inner_product_param {{{{ num_output: 9 }}}} }}}} layer {{{{ type: "ReLU" bottom: "a{i + 1}"'
            f' top: "a{i + 1}" }}}}'
            for i in range(4)
        )
        + ' layer {{ name: "{}" type: "InnerProduct" bottom: "a4" top: "b" param {{ lr_mult: {} }}'
        " inner_product_param {{ num_output: 9{} }} }}"
        ' layer {{ name: "relu" type: "ReLU" bottom: "b" top: "b" }}'
        ' layer {{ name: "score" type: "InnerProduct" bottom: "b" top: "c" param {{ lr_mult: 10 }}'
        " inner_product_param {{ num_output: 9 }} }}"
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }}'
    )
    VALID = [
        _LAYERS.format("new", 1, ""),
        # It may be that of published weights, which are meant to change more.
        _LAYERS.format("fc6", 10, ""),
        _LAYERS.format("new", 10, ' weight_filler { type: "xavier" }'),
    ]
    INVALID = [
        Invalid(
            _LAYERS.format("new", 10, ""),
            span="inner_product_param",
            message='InnerProduct "new": lr_mult 10, against 1 of most others, tells that it is new, but weight_filler'
            " is missing, so its weights start at 0 and the ReLU after it returns no gradient: it never learns; add"
            ' weight_filler { type: "msra" }',
            fixed=_LAYERS.format("new", 10, ' weight_filler { type: "msra" }'),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if found := [*self._unlike_base(net)]:
            yield from found
            return
        weighted = net.once(blocks_with_weights)
        rates = {layer.index: _rate(layer) for layer, _ in weighted}
        missing = [layer for layer, block in weighted if not block.HasField("weight_filler")]
        if len(missing) < MANY or not net.is_trained:
            return
        # Those right before a loss learn from 0, and may be slow for the size of their gradient.
        loaded = sorted(rates[one.index] for one in missing if not (one.kind.upsamples or is_last(one)))
        usual = loaded[int(_SHARE * len(loaded))] if loaded else 0.0
        fast = [layer for layer in missing if rates[layer.index] >= _FASTER * usual]
        new = [layer for layer in fast if not _OF_PUBLISHED.fullmatch(layer.name)]
        dead = dead_before_a_relu(net, new)
        if not dead or usual <= 0:
            return
        they = "it is" if len(dead) == 1 else "they are"
        why = f"lr_mult {rates[dead[0].index]:g}, against {usual:g} of most others, tells that {they} new"
        yield self._told(dead, why)

    def _unlike_base(self, net: Net) -> Iterator[Finding]:
        """What the net of the project lacks whose snapshot every training of this one starts from."""
        bases = [solver.runs.base if solver.runs else None for solver in net.solvers]
        known = {name for base in bases for name in (base.layers if base else ())}
        weighted = [(layer, block) for layer, block in net.once(blocks_with_weights) if layer.name not in known]
        empty = [layer for layer, block in weighted if not block.HasField("weight_filler")]
        if bases and (first := bases[0]) and all(bases) and net.is_trained and (dead := dead_before_a_relu(net, empty)):
            has = f'"{first.weights}" ({first.place}) is of "{first.net}", which has no layer of'
            yield self._told(dead, f"{has} {'that name' if len(dead) == 1 else 'these names'}")

    def _told(self, dead: list[Layer], why: str) -> Finding:
        whose, it, learns = (
            ("its", "it", "it never learns") if len(dead) == 1 else ("their", "them", "they never learn")
        )
        filler = random_filler(dead[0])
        return self.finding(
            dead[0].at(dead[0].kind.block),
            f"{titles(dead)}: {why}, but weight_filler is missing, so {whose} weights start at 0 and the ReLU after"
            f" {it} returns no gradient: {learns}; add weight_filler {{ type: {filler[0][1]} }}",
            fixes=fix(
                f"add weight_filler {{ type: {filler[0][1]} }}",
                UNSAFE,
                *(write(one, one.kind.block, "weight_filler", value=random_filler(one)) for one in dead),
            ),
            layers=dead,
        )


def _rate(layer: Layer) -> float:
    return layer.message.param[0].lr_mult if layer.message.param else 1.0
