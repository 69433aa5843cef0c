from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, TRAIN, WARNING, Finding, Invalid, ProjectRule, Solver, title
from caffelint.lint.numerics import HOT, RATE, fault, is_usable, judged, least, number, remedy

from ._words import mend, net, place
from ._words import solver as solved

_SEVERAL = 10
_FAR = 10.0
"""Times the weights: what nobody knows of the data and targets of a distance may make an update several times less."""
_SCALED = "transform_param { scale: 0.00390625 mean_value: 115 }"

_FRACTIONS = """layer { name: "data" type: "Data" top: "data" top: "label"
  data_param { source: "train_lmdb" batch_size: 16 backend: LMDB }
  transform_param { crop_size: 28 mean_value: 0.25 scale: 3 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
_SUMS = """layer { name: "data" type: "Input" top: "data" top: "label"
  input_param { shape { dim: 16 dim: 20 } shape { dim: 16 dim: 50 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 50 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


class FirstUpdatesTooLarge(ProjectRule):
    """The first updates are many times larger than the weights that they change.

    From the fillers, the shapes and the range of the data follow the sizes of all blobs, of all gradients and of the
    first updates, with momentum and the solver's type. Where a step is as large as the weights, training is at the
    edge. One layer alone that is beyond it is often made up for by calm ones; two of them blow up each other.

    Where a solver makes steps that do not grow with gradients, and nothing is normalised, another figure tells the
    rate at which nets no longer learn (see `caffelint lr --suggest`), and what is three times that is reported. Where
    recurrent layers, TanH or Sigmoid bound what comes through, a step must also swing the scores.

    ## Why is this bad?
    What has been drawn or learned is overwritten at once. The loss becomes nan or 87.3365, or all units die and it
    stays where it is.

    ## Known problems
    Data that the text does not describe are taken to be about 1, and then only updates at least 4 times too large are
    reported; with `--read-data` they are measured. So are records of which a mean below 1 is taken off. Where nothing
    tells their shape, small and large data are tried, and both must break. Weights that are loaded are not known: a net
    that shows a sign of them is not judged, nor is one with Python layers on its way. Of many solvers of one net, those
    after the first 6,000 layers that were judged are not reported.

    ## References
    - Of 250 random projects on Caffe 1.0 that nothing was tuned with, 52 of the 55 that are reported did not learn
    - Of 300 more, recurrent and with several losses among them, 31 of the 34 that this family reports; 43 of 52 with
      `--read-data`
    - Of 178 more (U-Nets, small ResNets, autoencoders, Siamese, recurrent and regression nets), all 10 that this rule
      reports with `--read-data`
    - Of 52 more (decoders, Siamese, recurrent, hinge and regression nets among them), 9 of the 10; the one that learned
      is an LSTM whose targets are about 14; 20 of the 21 that this family warns of
    """

    code = "N101"
    name = "first-updates-too-large"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": solved(0.01), "n.prototxt": net(_SCALED)},
        {"s.prototxt": solved(1e-7), "n.prototxt": net()},
        {"s.prototxt": solved(0.01), "n.prototxt": _FRACTIONS},
        {"s.prototxt": solved(10, 'weights: "a.caffemodel"'), "n.prototxt": net(_SCALED)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(20), "n.prototxt": net(_SCALED)},
            span="base_lr: 20",
            message='the first updates of "fc" are 37 times its weights (gradient 0.015, weights 0.081), so training'
            " may diverge; try base_lr: 0.2",
            fixed={"s.prototxt": solved(0.2), "n.prototxt": net(_SCALED)},
        ),
        Invalid(
            {"s.prototxt": solved(20), "n.prototxt": _SUMS},
            span="base_lr: 20",
            message='the first updates of "fc" are 120 times its weights (gradient 0.33, weights 0.53), so training'
            ' may diverge; EuclideanLoss "loss" adds up the 50 values of each item; set loss_weight: 0.02 there, or'
            " try base_lr: 0.05",
        ),
        Invalid(
            {"s.prototxt": solved(0.01), "n.prototxt": net()},
            span="layer",
            message='the first updates of "fc" are 160 times its weights (gradient 32, weights 0.021), so training may'
            ' diverge; the values of "data" are about 130; bring them to about 1 with a scale of 0.0076',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != HOT or found.update is None:
            return
        best = found.cures[0]
        update = found.update
        times = f"{least(found)}{number(found.size)} times" if math.isfinite(found.size) else "far more than"
        what = f"the rate is {times} the largest at which the net is expected to learn"
        if not found.by_law:
            sizes = f"gradient {number(update.gradient)}, weights {number(update.weights)}"
            what = f'the first updates of "{update.param.layer.name}" are {times} its weights ({sizes})'
        added = _summed(solver) if best.kind == RATE else ""
        why = f"training may diverge; {added}{remedy(best)}"
        at = place(solver, best if is_usable(best) else None, update.param.layer)
        yield self.finding(
            at,
            f"{what}, so {why}",
            cause=fault(found, what, why, "rate"),
            fixes=mend(solver, best) if not added else (),
            severity=INFO if found.assumed and _is_far(solver) and found.size < _FAR else None,
        )


def _is_far(solver: Solver) -> bool:
    """Does it learn a distance? How far off its targets are, only the data tells."""
    built = next((one for one in solver.train_net.states() if one.phase == TRAIN), None) if solver.train_net else None
    return built is not None and any(layer.is_distance and any(layer.loss_weights) for layer in built.layers)


def _summed(solver: Solver) -> str:
    """What makes the gradient large, where a loss adds up the values of each item: no rate suits that and a mean."""
    built = next((one for one in solver.train_net.states() if one.phase == TRAIN), None) if solver.train_net else None
    for layer in built.layers if built is not None else ():
        if not layer.is_loss or not layer.bottoms or not layer.sums_values() or set(layer.loss_weights) != {1}:
            continue
        shape, maker = layer.bottoms[0].shape, layer.bottoms[0].maker
        values = math.prod(shape[1:]) if shape else 0
        if values >= _SEVERAL:
            weight = float(f"{1 / values:.1g}")
            return f"{title(layer)} adds up the {values} values of each item; set loss_weight: {weight:g} there, or "
        if not shape and maker is not None and maker.has_setting("kernel_size"):
            return f"{title(layer)} adds up all values of each map; set its loss_weight to 1 / their number, or "
    return ""
