from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import BuiltLayer, Fit, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, INFO, WARNING, Finding, Invalid, titles
from caffelint.lint.built import draws

from ._example import FC_BLOBS, FITS, MODEL, NET, blob, layer
from ._words import file_of


class LayerWithoutWeights(WeightsRule):
    """Layers of the net find no weights in any file, so they start from their fillers.

    ## Why is this bad?
    Caffe copies weights by the names of layers, and says nothing of layers that it finds none for. A new last layer is
    meant to start from its fillers; one that `lr_mult: 0` freezes keeps these to the end. A net without a loss, which
    is there to be used, computes nothing useful with them, and a net of which no layer gets weights is not pretrained.

    ## References
    - net.cpp, CopyTrainedLayersFrom; BVLC/caffe issues 2440 and 4346
    """

    code = "W103"
    name = "layer-without-weights"
    severity = WARNING
    _LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
    _LABEL = 'layer { name: "label" type: "Input" top: "label" input_param { shape { dim: 1 } } }\n'
    _UNKNOWN = (
        'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "x" } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }\n'
    )
    VALID = [
        FITS,
        {  # it is found by its name, and its shape depends on the data
            "net.prototxt": _UNKNOWN.replace('"fc"', '"a"') + _LOSS.replace('"fc"', '"a"'),
            "net.caffemodel": layer("a", "InnerProduct", blob((7, 9))),
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": layer("fc", "InnerProduct", *FC_BLOBS)},
            span="layer",
            message='Convolution "conv": "net.caffemodel" has no weights for this layer, so it keeps those of its'
            " fillers; a net that is not trained cannot compute with these",
        ),
        Invalid(
            {
                "net.prototxt": NET.replace('"fc"', '"fc9"').replace('"conv"', '"conv9"')
                + _LABEL
                + _LOSS.replace('"fc"', '"fc9"'),
                "net.caffemodel": layer("a", "InnerProduct", blob((7, 9))),
            },
            span="layer",
            message='layers "conv9", "fc9": "net.caffemodel" has no weights for any layer of this net, so all of them'
            " start from their fillers; compare the names of the layers",
        ),
        Invalid(
            {
                # What shape its data have nobody knows, and the names tell.
                "net.prototxt": _UNKNOWN + _LOSS,
                "net.caffemodel": layer("a", "InnerProduct", blob((7, 9))),
            },
            span="layer",
            message='InnerProduct "fc": "net.caffemodel" has no weights for any layer of this net, so all of them start'
            " from their fillers; compare the names of the layers",
        ),
        Invalid(
            {
                "net.prototxt": NET.replace('"fc" type', '"fc9" type') + _LABEL + _LOSS,
                "net.caffemodel": MODEL.replace("dim: 27", "dim: 3 dim: 9"),
            },
            span="layer",
            message='InnerProduct "fc9": "net.caffemodel" has no weights for this layer, so it starts from its fillers',
        ),
        Invalid(
            {
                "net.prototxt": NET.replace('"conv" type', '"conv9" type').replace(
                    "kernel_size: 3 }", 'kernel_size: 3 weight_filler { type: "xavier" } } param { lr_mult: 0 }'
                )
                + _LABEL
                + _LOSS,
                "net.caffemodel": layer("fc", "InnerProduct", *FC_BLOBS),
            },
            span="layer",
            message='Convolution "conv9": "net.caffemodel" has no weights for this layer, and lr_mult 0 keeps it as its'
            " filler draws it; give a file that has them, or set lr_mult: 1",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for net in weights.nets:
            for fits in weights.loads(net):
                fed = {layer.name for fit in fits for layer in fit.fed}
                renamed = {one.target.name for fit in fits for one in fit.renamed}
                touched = {misfit.target.name for fit in fits for misfit, _ in fit.misfits}
                touched |= {layer.name for fit in fits for layer in fit.unknown}
                starved = [layer for layer in fits[-1].starved if layer.name not in fed | renamed | touched]
                if starved and all(fit.is_known for fit in fits):
                    yield self._of(fits, starved, bool(fed | renamed | touched))

    def _of(self, fits: list[Fit], starved: list[BuiltLayer], some: bool) -> Finding:
        last = fits[-1]
        files = " and ".join(file_of(fit.weights) for fit in fits)
        many = len(starved) > 1
        if not some:
            what = f"{files} has no weights for any layer of this net, so all of them start from their fillers"
            remedy, severity = "; compare the names of the layers", ERROR
        else:
            what = f"{files} has no weights for {'these layers' if many else 'this layer'}, so"
            if last.net.role == "deploy":
                what += " they keep those of their fillers" if many else " it keeps those of its fillers"
                remedy, severity = "; a net that is not trained cannot compute with these", ERROR
            elif frozen := [layer for layer in starved if _stays_random(last, layer)]:
                starved, many = frozen, len(frozen) > 1
                what = f"{files} has no weights for {'these layers' if many else 'this layer'}, and lr_mult 0 keeps"
                what += f" {'them as their fillers draw them' if many else 'it as its filler draws it'}"
                remedy, severity = "; give a file that has them, or set lr_mult: 1", WARNING
            else:
                what += " they start from their fillers" if many else " it starts from its fillers"
                remedy, severity = "", WARNING if len(starved) > len(last.fed) + len(last.unknown) else INFO
        return self.finding(
            last.at(starved[0]), f"{titles(starved)}: {what}{remedy}", severity=severity, phases=last.phases
        )


def _stays_random(fit: Fit, layer: BuiltLayer) -> bool:
    if layer.index is None or not fit.net.layers[layer.index].has_frozen_weights:
        return False
    return draws(layer.parameters.weight_filler) if layer.has_weights else False
