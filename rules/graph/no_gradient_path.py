from __future__ import annotations

from collections.abc import Collection, Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    fix,
    remove,
    speaks_of_weights,
    starts_from_weights,
    title,
    titles,
    write,
)
from caffelint.lint.built import BuiltLayer, BuiltNet

from ._gradient_paths import dangling, layers_below, leads_elsewhere, silenced, switched_off
from ._one_value import may_be_loss

_MOST = 100
"""Layers that stop the gradient, for each of which all ways to a loss are gone through."""


class NoGradientPath(NetRule):
    """A layer that should learn gets no gradient, or a loss is cut off from the layers that it should train.

    ## Why is this bad?
    `propagate_down: false` stops the gradient of a loss at that layer, and a layer whose result is read only by layers
    without a gradient (an Accuracy, a Silence) is left out of the backward pass. Caffe logs one line, "does not need
    backward computation", and trains the rest.

    ## Example
    ```
    layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" propagate_down: false }
    ```
    Use instead:
    ```
    layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" }
    ```

    ## Known problems
    A `propagate_down: false` that stops a gradient on purpose looks the same; a finding about it is likely, not
    certain. About a layer with weights of its own it is silent where those before it may be loaded: no filler, a word
    of fine-tuning. Where the layer above or below says the same, as in a
    branch that only chooses examples, it is taken as meant. So is a loss_weight of 0, unless an Accuracy measures what
    only that loss would train; of several such losses it is an info.

    ## References
    - net.cpp, Init
    """

    code = "G007"
    name = "no-gradient-path"
    severity = WARNING
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET + ' layer { name: "top1" type: "Accuracy" bottom: "fc" bottom: "label" top: "top1" }',
        # The label needs no gradient anyway.
        _NET.replace('top: "loss"', 'top: "loss" propagate_down: true propagate_down: false'),
        # What a Silence takes is not to learn now.
        _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
        " inner_product_param { num_output: 9 } }"
        ' layer { name: "join" type: "Concat" bottom: "aux" bottom: "fc" top: "both" }'
        ' layer { name: "quiet" type: "Silence" bottom: "both" }',
        # wrong-blob-count reports what is missing; with it, the loss is reached.
        _NET.replace('name: "fc" type: "InnerProduct" bottom: "data"', 'name: "fc" type: "InnerProduct"'),
        # Above the cut, all is frozen anyway.
        _NET.replace('top: "fc"', 'top: "fc" param { lr_mult: 0 } param { lr_mult: 0 }')
        + ' layer { name: "act" type: "TanH" bottom: "fc" top: "act" propagate_down: false }'
        ' layer { name: "aux" type: "InnerProduct" bottom: "act" top: "aux" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "loss2" }',
        # A branch of layers that all keep the gradient from those above.
        _NET + ' layer { name: "act" type: "TanH" bottom: "fc" top: "act" propagate_down: false }'
        ' layer { name: "drop" type: "Dropout" bottom: "act" top: "act" propagate_down: false }'
        ' layer { name: "aux" type: "InnerProduct" bottom: "act" top: "aux" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "loss2" }',
    ]
    INVALID = [
        Invalid(
            _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "far" type: "Eltwise" bottom: "aux" bottom: "fc" top: "far" }'
            ' layer { name: "l1" type: "Reduction" bottom: "far" top: "l1" }',
            span='name: "l1"',
            message='InnerProduct "aux": no loss sends it a gradient, so it learns nothing in TRAIN; Reduction "l1",'
            " which it leads to, is one value without loss_weight; if it is a loss, set loss_weight: 1",
            fixed=_NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "far" type: "Eltwise" bottom: "aux" bottom: "fc" top: "far" }'
            ' layer { name: "l1" type: "Reduction" bottom: "far" top: "l1" loss_weight: 1 }',
        ),
        Invalid(
            _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" loss_weight: 0 }'
            ' layer { name: "top1" type: "Accuracy" bottom: "aux" bottom: "label" include { phase: TEST } }',
            span="loss_weight: 0",
            message='SoftmaxWithLoss "loss2": loss_weight 0 keeps InnerProduct "aux" from learning, but Accuracy "top1"'
            " measures what they tell; set loss_weight: 1 if they should learn",
        ),
        Invalid(
            _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "top1" type: "Accuracy" bottom: "aux" bottom: "label" top: "top1" }',
            span='name: "aux"',
            message='InnerProduct "aux": no loss sends it a gradient, so it learns nothing in TRAIN; connect it to a'
            " loss, or keep it out of TRAIN",
        ),
        Invalid(
            _NET + ' layer { name: "act" type: "TanH" bottom: "fc" top: "act" propagate_down: false }'
            ' layer { name: "aux" type: "InnerProduct" bottom: "act" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "loss2" }',
            span="propagate_down: false",
            message='TanH "act": propagate_down: false stops the gradient, so InnerProduct "fc" and all earlier'
            " layers learn nothing from the losses after it; remove propagate_down: false if they should learn",
        ),
        # From fillers on, what is below such a layer stays random.
        Invalid(
            _NET.replace("num_output: 9", 'num_output: 9 weight_filler { type: "xavier" }')
            .replace('bottom: "fc" bottom', 'bottom: "out" bottom')
            .replace(
                ' layer { name: "loss"',
                ' layer { name: "out" type: "InnerProduct" bottom: "fc" top: "out" propagate_down: false'
                ' inner_product_param { num_output: 9 } } layer { name: "loss"',
            ),
            span="propagate_down: false",
            message='InnerProduct "out": propagate_down: false stops the gradient, so InnerProduct "fc" and all earlier'
            " layers learn nothing from the losses after it; remove propagate_down: false if they should learn",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            if one.phase != TRAIN or not one.is_wired or not one.has_loss:
                continue
            if net.role == "train":
                yield from self._cuts(net, one)
                yield from self._without(net, one)
            return

    def _cuts(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        from_scratch = bool(net.fillers) and not starts_from_weights(net) and not speaks_of_weights(net)
        cuts = {layer.index for layer in net.layers_having("propagate_down") if False in layer.message.propagate_down}
        for layer in one.layers if cuts else ():
            if layer.index not in cuts or len(layer.bottoms) != 1 or not layer.known:
                continue
            message = net.layers[layer.index].message
            blob = layer.bottoms[0]
            above = blob.maker
            if list(message.propagate_down) != [False] or above is None or layer.learns and not from_scratch:
                continue
            if above.index in cuts or any(reader.index in cuts for top in layer.tops for reader, _ in top.consumers):
                continue  # a chain in which every layer says so is meant
            below = [part for part in blob.depends_on if part.learns]
            if not blob.need_backward or not below:
                continue
            if layer.learns and (len(cuts) > _MOST or not leads_elsewhere(one, layer).isdisjoint(below)):
                continue  # a head that another loss does not train with
            if layer.learns or any(below.need_backward and below.learns for below in layers_below(one, [layer])):
                yield self.finding(
                    net.layers[layer.index].at("propagate_down"),
                    f"{title(layer)}: propagate_down: false stops the gradient, so {title(above)} and all earlier"
                    " layers learn nothing from the losses after it; remove propagate_down: false if they should learn",
                    certainty=LIKELY,
                    phases=(TRAIN,),
                    fixes=fix("remove propagate_down", DISPLAY, remove(net.layers[layer.index], "propagate_down")),
                )

    def _without(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        if any(False in layer.message.propagate_down for layer in net.layers_having("propagate_down")):
            return
        yield from self._measured(net, one)
        idle = [layer for layer in one.layers if not layer.need_backward and layer.known and layer.learns]
        if idle:
            explained = dangling(one) | silenced(one) | switched_off(net, one)
            # Of a layer that Caffe refuses nobody knows what it would learn.
            explained |= {layer for layer in idle if any(layer.index == refusal.index for refusal in one.refusals)}
            idle = [layer for layer in idle if layer not in explained]
        if idle:
            it, learns = ("them", "they learn") if idle[1:] else ("it", "it learns")
            text = f"{titles(idle)}: no loss sends {it} a gradient, so {learns} nothing in TRAIN"
            names = {layer.index for layer in idle}
            ends = [layer for layer in net.likely(one.state).layers if _may_be_loss(layer, names)]
            if len(ends) == 1:
                end = net.layers[ends[0].index or 0]
                yield self.finding(
                    end.at("name"),
                    f"{text}; {title(end)}, which {'they lead' if idle[1:] else 'it leads'} to, is one value without"
                    " loss_weight; if it is a loss, set loss_weight: 1",
                    phases=(TRAIN,),
                    fixes=fix("set loss_weight: 1", UNSAFE, write(end, "loss_weight", value="1")),
                )
                return
            yield self.finding(
                net.layers[idle[0].index or 0].at("name"),
                f"{text}; connect {it} to a loss, or keep {it} out of TRAIN",
                phases=(TRAIN,),
                layers=[net.layers[layer.index or 0] for layer in idle],
            )

    def _measured(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        """Layers that lead to a loss with a weight of 0 alone, although an Accuracy tells how well they learn."""
        measures = {layer.bottoms[0]: layer for layer in net.by_type.get("Accuracy", ()) if layer.bottoms}
        weights = [layer.message.loss_weight for layer in net.layers_having("loss_weight") if layer.kind.is_loss]
        several = sum(not any(weight) for weight in weights) > 1  # who leaves out all but the last one means it
        for built in one.layers if measures else ():
            if built.index is None or not built.is_loss or not built.bottoms:
                continue
            layer = net.layers[built.index]
            if not layer.message.loss_weight or any(layer.message.loss_weight):
                continue
            reads = measures.get(layer.bottoms[0])
            before = built.bottoms[0].depends_on
            idle = [part for part in before if part.learns and part.known and not part.need_backward]
            if reads is not None and idle:
                yield self.finding(
                    layer.at("loss_weight"),
                    f"{title(layer)}: loss_weight 0 keeps {titles(idle)} from learning, but {title(reads)} measures"
                    f" what they tell; set loss_weight: 1 if they should learn",
                    severity=INFO if several else None,
                    certainty=LIKELY,
                    phases=(TRAIN,),
                    fixes=fix("set loss_weight: 1", DISPLAY, write(layer, "loss_weight", 0, value="1")),
                )


def _may_be_loss(layer: BuiltLayer, idle: Collection[int | None]) -> bool:
    """Does it make one value, which nobody reads, of what all layers of these numbers give, and has it a gradient?"""
    if layer.index is None or layer.is_loss or not layer.has_backward or len(layer.tops) != 1 or not layer.bottoms:
        return False
    top = layer.tops[0]
    is_end = not top.consumers and may_be_loss(top)
    return is_end and any({one.index for one in blob.depends_on}.issuperset(idle) for blob in layer.bottoms)
