from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, TRAIN, UNSAFE, Finding, Invalid, Layer, Net, NetRule, fix, titles, write

from ._norms import feeding, global_stats, norms


class FrozenLayersMovingStatistics(NetRule):
    """A BatchNorm after a frozen layer still updates its running statistics.

    ## Why is this bad?
    `lr_mult: 0` keeps the weights, but a BatchNorm in TRAIN normalises by the current batch and keeps averaging its
    mean and variance. So a part of the net that should not change moves towards the statistics of the new data, and
    validation drifts.

    ## Example
    ```
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: 0 } }
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
    ```
    Use instead:
    ```
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: 0 } }
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" batch_norm_param { use_global_stats: true } }
    ```

    ## Known problems
    Many fine-tune so on purpose: statistics of the new data are a way to adapt to it. It is an info.

    ## Fix safety
    Unsafe: training then uses the stored statistics, which are what the frozen layers were trained with. It is offered
    only if weights are loaded for sure: by `weights` in the solver, or because the frozen layers have no fillers.
    Without weights, the stored statistics are 0, and use_global_stats makes training break.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; shicai/DenseNet-Caffe#8
    """

    code = "B006"
    name = "frozen-layers-moving-statistics"
    severity = INFO
    certainty = LIKELY
    layer_types = ("BatchNorm",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: %d } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv"%s }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv" bottom: "label" top: "loss" }'
    )
    _FILLED = (_NET % (0, "")).replace(
        "lr_mult: 0 }", 'lr_mult: 0 } convolution_param { num_output: 4 kernel_size: 1 weight_filler { type: "msra" } }'
    )
    VALID = [_NET % (1, ""), _NET % (0, " batch_norm_param { use_global_stats: true }")]
    INVALID = [
        Invalid(
            _NET % (0, ""),
            span='type: "BatchNorm"',
            message='BatchNorm "bn" follows a frozen layer but still updates its running statistics, so the frozen'
            " features"
            " change; set use_global_stats: true",
            fixed=_NET % (0, " batch_norm_param { use_global_stats: true }"),
        ),
        Invalid(
            _FILLED,
            span='type: "BatchNorm"',
            message='BatchNorm "bn" follows a frozen layer but still updates its running statistics, so the frozen'
            " features change; set use_global_stats: true if weights are loaded",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.may_be_trained:
            return
        found = []
        for layer in norms(net, TRAIN):
            if global_stats(layer) is not True:
                above = feeding(layer)
                if above is not None and above.kind.has_weights and above.kind.learns is False and not _learns(above):
                    found.append(layer)
        if found:
            moves = (
                "follows a frozen layer but still updates its"
                if len(found) == 1
                else "follow frozen layers but still update their"
            )
            loaded = any(solver.message.weights for solver in net.solvers) or not any(map(_is_filled, found))
            yield self.finding(
                found[0].at("type"),
                f"{titles(found)} {moves} running statistics, so the frozen features change; set use_global_stats:"
                f" true{'' if loaded else ' if weights are loaded'}",
                phases=(TRAIN,),
                fixes=fix(
                    "set use_global_stats: true",
                    UNSAFE,
                    *(write(layer, "batch_norm_param", "use_global_stats", value="true") for layer in found),
                )
                if loaded
                else (),
                layers=found,
            )


def _learns(layer: Layer) -> bool:
    """Whether a layer that it reads from learns: what it makes changes then anyway."""
    return layer.index in layer.net.once(_after_learning)


def _after_learning(net: Net) -> set[int]:
    """The layers of TRAIN that read something which a learning layer has made, by their indices."""
    learned: set[str] = set()
    found: set[int] = set()
    for layer in net.layers:
        if TRAIN not in layer.phases:
            continue
        reads = not learned.isdisjoint(layer.bottoms)
        if reads:
            found.add(layer.index)
        if reads or (layer.kind.has_weights and layer.kind.learns is not False):
            learned.update(layer.tops)
        else:
            learned.difference_update(layer.tops)
    return found


def _is_filled(norm: Layer) -> bool:
    """Has the frozen layer before it weights of its own without any that are loaded?"""
    above = feeding(norm)
    return above is not None and above.has(above.kind.block, "weight_filler")
