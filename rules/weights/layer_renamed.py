from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, listed, title
from caffelint.lint.built import BuiltLayer, BuiltNet

from ._example import FITS, MODEL, NET
from ._words import file_of, stored

_SHOWN = 4


class LayerRenamed(WeightsRule):
    """Layers of the net find no weights by name, but layers of other names in the file have the same shapes and order.

    ## Why is this bad?
    Caffe copies weights by the names of layers. After a rename, these layers start from their fillers, and the only
    sign of it is a line `Ignoring source layer` in the log. The last layer alone is an info: it is mostly
    renamed to be trained anew.

    ## References
    - net.cpp, CopyTrainedLayersFrom
    """

    code = "W104"
    name = "layer-renamed"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        FITS,
        {"net.prototxt": NET, "net.caffemodel": MODEL.replace('"fc"', '"a"').replace("dim: 27", "dim: 3 dim: 9")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": MODEL.replace('"fc"', '"ip"')},
            span="layer",
            message='InnerProduct "fc": "net.caffemodel" has no weights of this name, so it starts from its fillers,'
            ' but "ip" there has the same shapes; rename the layer to "ip" to copy them',
        ),
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": MODEL.replace('"fc"', '"m/fc"').replace('"conv"', '"m/conv"')},
            span="layer",
            message='Convolution "conv" and 1 more: "net.caffemodel" has no weights of these names, so they start from'
            " their fillers, but layers of other names there have the same shapes in the same order; rename them to"
            ' "m/conv" and "m/fc" to copy the weights',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for fit in weights.fits:
            pairs = [pair for pair in fit.renamed if not weights.is_fed_elsewhere(fit, pair.target.name)]
            if not pairs:
                continue
            # The last layer is named anew where it is to be trained anew.
            severity = None if _above_others(fit.built).intersection(pair.target for pair in pairs) else INFO
            first = pairs[0]
            shapes = " and ".join(stored(blob) for blob in first.source.blobs.values())
            file = file_of(fit.weights)
            if len(pairs) == 1:
                message = (
                    f"{title(first.target)}: {file} has no weights of this name, so it starts from its fillers, but"
                    f' "{first.source.name}" there has the same shapes; rename the layer to "{first.source.name}" to'
                    " copy them"
                )
                evidence = shapes
            else:
                names = listed([f'"{pair.source.name}"' for pair in pairs])
                message = (
                    f"{title(first.target)} and {len(pairs) - 1} more: {file} has no weights of these names, so they"
                    " start from their fillers, but layers of other names there have the same shapes in the same order;"
                    f" rename them to {names} to copy the weights"
                )
                shown = [f'"{pair.target.name}" is "{pair.source.name}" there' for pair in pairs[:_SHOWN]]
                more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
                evidence = ", ".join(shown) + more
            yield self.finding(fit.at(first.target), message, evidence=evidence, phases=fit.phases, severity=severity)


def _above_others(built: BuiltNet) -> set[BuiltLayer]:
    """The layers on which others with weights depend."""
    learning = [layer for layer in built.layers if layer.has_weights]
    return {maker for layer in learning for blob in layer.bottoms for maker in blob.depends_on}
