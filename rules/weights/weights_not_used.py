from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import INFO, Finding, Invalid, listed, plural

from ._example import FITS, MODEL, NET, blob, layer


class WeightsNotUsed(WeightsRule):
    """The file holds weights of layers that no net has.

    ## Why is this bad?
    Caffe leaves them out without an error. That is as it should be for the last layer of a net that was trained for
    another task; otherwise a layer of the net has another name than in training.

    ## References
    - net.cpp, CopyTrainedLayersFrom ("Ignoring source layer")
    """

    code = "W105"
    name = "weights-not-used"
    severity = INFO
    VALID = [FITS]
    INVALID = [
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": MODEL + layer("fc9", "InnerProduct", blob((7, 4)), blob((7,)))},
            span="fc9",
            message='weights of 1 layer are not used, since no layer of the net has its name: "fc9"',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for model in weights.models:
            fits = list(weights.of_model(model))
            if not fits:
                continue
            renamed = {pair.source.name for fit in fits for pair in fit.renamed}
            ignored = [{layer.name for layer in fit.taken.ignored} for fit in fits]
            unused = [
                layer.name
                for layer in model.trained
                if all(layer.name in names for names in ignored) and layer.name not in renamed
            ]
            if unused:
                whose = "its name" if len(unused) == 1 else "their names"
                yield self.finding(
                    weights.at(model, unused[0]),
                    f"weights of {plural(len(unused), 'layer')} are not used, since no layer of the net has {whose}: "
                    + listed([f'"{name}"' for name in unused]),
                )
