from __future__ import annotations

from collections.abc import Iterator
from math import e, log

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, Related, source, sources, title
from caffelint.lint.built import FOCAL_LOSSES

from ._graph import class_count, first_alike, only, read_before


class SoftmaxTwice(LayerRule):
    """Softmax is applied to the output of a softmax: SoftmaxWithLoss contains one.

    ## Why is this bad?
    Probabilities lie between 0 and 1, so a second softmax can hardly tell them apart: with C classes even a perfect
    answer gets a probability of e / (e + C - 1), and its loss never falls below log(1 + (C - 1) / e), which is 5.9
    for 1000 classes. The gradient is small where it should be large, and learning is slow or stops.

    ## Example
    ```
    layer { name: "prob" type: "Softmax" bottom: "fc8" top: "prob" }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "prob" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }
    ```

    ## Fix safety
    Unsafe: the loss function changes. The layer whose result is no longer read stays, since
    its top may be of use elsewhere.

    ## Known problems
    FocalLoss is a layer of forks, of which some apply a Sigmoid instead and few nothing.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu; BVLC/caffe issue 4084;
      zimenglan-sysu-512/Focal-Loss issue 12
    """

    code = "O002"
    name = "softmax-twice"
    severity = WARNING
    # Where else a softmax is inside, as in InfogainLoss, older Caffes want probabilities.
    layer_types = ("SoftmaxWithLoss", "SoftmaxWithLossOHEM", "Softmax", *FOCAL_LOSSES)
    VALID = [
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
        ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }',
        'layer { name: "prob" type: "Softmax" bottom: "data" top: "prob" }'
        ' layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "prob" bottom: "label" top: "loss" }',
        # Over another axis: what a spatial attention does.
        'layer { name: "attention" type: "Softmax" bottom: "map" top: "attention" softmax_param { axis: 2 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "attention" bottom: "label" top: "loss" }',
        'layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" include { phase: TEST } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }'
            ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "prob" bottom: "label" top: "loss" }',
            span='bottom: "prob"',
            message='SoftmaxWithLoss "loss" applies softmax itself but its bottom "prob" is already a softmax: no'
            ' loss below 1.46 can be reached; set bottom: "fc"',
            fixed=(
                'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { '
                'num_output: 10 } } layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" } layer { '
                'name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
            ),
        ),
        Invalid(
            'layer { name: "prob" type: "Softmax" bottom: "scores" top: "scores" }'
            ' layer { name: "drop" type: "Dropout" bottom: "scores" top: "scores" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "scores" bottom: "label" top: "loss" }',
            span='bottom: "scores"',
            message='SoftmaxWithLoss "loss" applies softmax itself but its bottom "scores" is already a softmax;'
            ' remove Softmax "prob"',
        ),
        Invalid(
            'layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }'
            ' layer { name: "loss" type: "FocalLoss" bottom: "prob" bottom: "label" top: "loss" }',
            span='bottom: "prob"',
            message='FocalLoss "loss" applies softmax or sigmoid itself in nearly all Caffes that have it, but its'
            ' bottom "prob" is already a softmax; set bottom: "fc"',
            fixed='layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }'
            ' layer { name: "loss" type: "FocalLoss" bottom: "fc" bottom: "label" top: "loss" }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for (made_by, _), phases in sources(layer, 0):
            if made_by.type != "Softmax" or not made_by.bottoms:
                continue
            made_by = first_alike(made_by, phases[0])
            if made_by.message.softmax_param.axis != layer.message.softmax_param.axis:
                continue
            scores = source(made_by, 0, phases[0])
            classes = class_count(scores.layer) if scores else 0
            least = f": no loss below {log(1 + (classes - 1) / e):.2f} can be reached" if classes > 1 else ""
            better = f"remove {title(made_by)}" if made_by.in_place else f'set bottom: "{made_by.bottoms[0]}"'
            applies, where = "softmax itself" if layer.type != "Softmax" else "softmax", ""
            if layer.type in FOCAL_LOSSES:
                applies, where, least = "softmax or sigmoid itself", " in nearly all Caffes that have it,", ""
            yield self.finding(
                layer.at("bottom"),
                f"{title(layer)} applies {applies}{where} but its bottom"
                f' "{layer.bottoms[0]}" is already a softmax{least if layer.type != "Softmax" else ""}; {better}',
                certainty=LIKELY if where else None,
                evidence="the softmax of C probabilities is between 1 / (e + C - 1) and e / (e + C - 1)",
                phases=only(phases, layer),
                related=(Related("the first softmax", made_by.at("type")),),
                fixes=read_before(layer, made_by, phases),
            )
