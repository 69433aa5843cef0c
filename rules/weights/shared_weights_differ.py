from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import Copy, Param, WeightsEvidence, WeightsRule, equal_values
from caffelint.lint import WARNING, Finding, Invalid, title

from ._example import DATA, blob, layer
from ._words import file_of


class SharedWeightsDiffer(WeightsRule):
    """Layers share a parameter, but the file holds other values for each.

    ## Why is this bad?
    Parameters of one name are one piece of memory. Caffe copies the values of each layer of the file into it, one after
    the other: those of the last layer stay, and the others are lost.

    ## References
    - net.cpp, AppendParam and CopyTrainedLayersFrom
    """

    code = "W108"
    name = "shared-weights-differ"
    severity = WARNING
    _ONE = 'layer { name: "%s" type: "InnerProduct" bottom: "data" top: "%s" param { name: "w" } inner_product_param {'
    _NET = f"{DATA}{_ONE % ('a', 'a')} num_output: 2 bias_term: false }} }}\n"
    _NET += f"{_ONE % ('b', 'b')} num_output: 2 bias_term: false }} }}\n"
    _SAME = layer("a", "InnerProduct", blob((2, 50))) + layer("b", "InnerProduct", blob((2, 50)))
    VALID = [{"net.prototxt": _NET, "x.caffemodel": _SAME}]
    INVALID = [
        Invalid(
            {
                "net.prototxt": _NET,
                "x.caffemodel": layer("a", "InnerProduct", blob((2, 50)))
                + layer("b", "InnerProduct", blob((2, 50), seed=5)),
            },
            span="layer",
            message='InnerProduct "b" shares parameter "w" with "a", but "x.caffemodel" holds other values for it;'
            ' Caffe copies both, and those of "b" stay',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for fit in weights.fits:
            last: dict[Param, Copy] = {}
            for copy in fit.taken.copies:
                param = copy.param
                before = last.get(param.owner or param)
                if before and before.param.layer is not param.layer and not equal_values(before.blob, copy.blob):
                    first, second = before.param.layer.name, param.layer.name
                    yield self.finding(
                        fit.at(param.layer),
                        f'{title(param.layer)} shares parameter "{param.name}" with "{first}", but'
                        f' {file_of(fit.weights)} holds other values for it; Caffe copies both, and those of "{second}"'
                        " stay",
                        phases=fit.phases,
                    )
                last[param.owner or param] = copy
