from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, title, write
from caffelint.lint.built import BuiltLayer

_MANY = 8
"""Times what is written, that a term counts for: with less, it may be meant."""


class SummedOverBatch(NetRule):
    """A term of the loss is summed over the batch, and another one is averaged over it.

    ## Why is this bad?
    A Reduction adds up all that it reads, the items of the batch as well, while the losses of Caffe divide by their
    number. So its loss_weight counts as often as the batch has items: the divergence of a VAE that is to weigh 0.5
    weighs 25 in a batch of 50, and the net learns nothing but to make it small.

    ## Fix safety
    Unsafe: the loss changes.

    ## References
    - reduction_layer.cpp, Forward_cpu; loss_layer.cpp and euclidean_loss_layer.cpp, which divide by the items
    """

    code = "O026"
    name = "summed-over-batch"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Reduction",)
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" top: "goal" input_param {{ shape {{ dim: 50 dim: 8 }} }} }}\n'
        'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 8 }} }}\n'
        'layer {{ name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "goal" top: "loss" }}\n'
        'layer {{ name: "kl" type: "Reduction" bottom: "fc" top: "kl" loss_weight: {} reduction_param {{ {} }} }}'
    )
    VALID = [
        _NET.format(0.01, "operation: SUM"),
        _NET.format(0.5, "operation: MEAN"),
        _NET.format(0.5, "axis: 1"),
        _NET.format(0.5, "").replace('"EuclideanLoss" bottom: "fc" bottom: "goal"', '"TanH" bottom: "fc"'),
    ]
    INVALID = [
        Invalid(
            _NET.format(0.5, "operation: SUMSQ"),
            span="loss_weight: 0.5",
            message='Reduction "kl" adds up the 50 items of a batch, but EuclideanLoss "loss" divides by their number,'
            " so loss_weight 0.5 counts 25 for each item; if 0.5 is meant, set loss_weight: 0.01",
            fixed=_NET.format(0.01, "operation: SUMSQ"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        one = next((one for one in net.states() if one.phase == TRAIN and net.is_plain), None)
        for layer in one.layers if one else ():
            if layer.type == "Reduction" and layer.index is not None and layer.bottoms:
                yield from self._of(net, layer, one.layers if one else [])

    def _of(self, net: Net, layer: BuiltLayer, layers: list[BuiltLayer]) -> Iterator[Finding]:
        param, weight = layer.parameters, max(layer.loss_weights, default=0.0)
        items = _items(layer, layers)
        if param.axis != 0 or param.operation == type(param).MEAN or abs(param.coeff) != 1 or weight * items < _MANY:
            return
        maker = layer.bottoms[0].producer
        if maker is not None and maker.factor not in (None, 1):  # which a loss_weight may lack
            return
        averaged = [one for one in layers if _averages(one) and _items(one, layers) == items]
        if not averaged:
            return
        mine, other = net.layers[layer.index or 0], net.layers[averaged[0].index or 0]
        better = f"{weight / items:.3g}"
        yield self.finding(
            mine.at("loss_weight"),
            f"{title(layer)} adds up the {items} items of a batch, but {title(other)} divides by their number, so"
            f" loss_weight {weight:g} counts {weight * items:g} for each item; if {weight:g} is meant, set"
            f" loss_weight: {better}",
            phases=(TRAIN,),
            fixes=fix(f"set loss_weight: {better}", UNSAFE, write(mine, "loss_weight", 0, value=better)),
        )


def _averages(loss: BuiltLayer) -> bool:
    """Is it a loss that compares, weighed as it is, and not told to divide by nothing?"""
    compares = loss.is_loss and len(loss.bottoms) > 1 and loss.index is not None
    param = loss.message.loss_param if compares else None
    return param is not None and 0 < max(loss.loss_weights, default=0) <= 1 and param.normalization != type(param).NONE


def _items(layer: BuiltLayer, layers: list[BuiltLayer]) -> int:
    """How many a layer reads at once: the batch of the data where the shape is not known; 0 for none."""
    if shape := layer.bottoms[0].shape:
        return shape[0]
    batches = {one.batch_size for one in layers if not one.bottoms and one.batch_size}
    return batches.pop() if len(batches) == 1 else 0
