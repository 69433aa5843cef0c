from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Overlaid, Run, SmokeRule, cure, lags, turned

from ._evidence import worded
from ._example import losses, project
from ._overlaid import in_words

_NET = """layer { name: "data" type: "DummyData" top: "data" top: "map"
  dummy_data_param { shape { dim: 2 dim: 1 dim: 8 dim: 8 } shape { dim: 2 dim: 1 dim: 8 dim: 8 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 1 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "conv" bottom: "map" top: "loss" }
"""
_DENSE = """layer { name: "conv" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 64 weight_filler { type: "xavier" } } }
layer { name: "shaped" type: "Reshape" bottom: "fc" top: "conv"
  reshape_param { shape { dim: 0 dim: 1 dim: 8 dim: 8 } } }
"""
_FALLS = losses(2.3, 2, 1.6, 1.2, 0.9, 0.7)
_SEEN = Overlaid("map", 120, 0.14, "transposed", 0.89, 44)


class MapsTurned(SmokeRule):
    """Maps of targets lie on the data that they are of only when they are turned, mirrored or transposed.

    Of the first records, it is measured how much of the variance of the data their maps explain, as they are and turned
    in each way; of a map that is coarser than its data, of the means and deviations of the cells of the data.

    So are maps that only some of the records are turned against, as where chance mirrors images and not their maps.

    ## Why is this bad?
    What convolutions make of an image lies where the image has it: they cannot learn to turn it. The net learns how
    often each target comes, and no more.

    ## Example
    ```
    target[0, column, row] = 1
    ```
    Use instead:
    ```
    target[0, row, column] = 1
    ```

    ## Known problems
    Only of nets of convolutions: others may learn any order of their outputs.

    ## References
    - Blobs are items x channels x height x width: blob.hpp, offset
    """

    code = "X137"
    name = "maps-turned"
    severity = WARNING
    VALID = [
        project(*_FALLS, _SEEN._replace(how=""), net=_NET),
        project(*_FALLS, _SEEN, net=_NET[: _NET.index('layer { name: "conv')] + _DENSE + _NET.splitlines()[-1]),
    ]
    INVALID = [
        Invalid(
            project(*_FALLS, _SEEN, net=_NET),
            span="layer",
            message='the maps of "map" are transposed (width x height) against their data: of 120 records, a map'
            " explains 14% of the variance of its data as it is, and 89% turned back",
        ),
        Invalid(
            project(*_FALLS, _SEEN._replace(how="mirrored", turns=0.5), net=_NET),
            span="layer",
            message='the maps of "map" are mirrored against their data in 50% of records: of 120 records, a map'
            " explains 14% of the variance of its data as it is, and 89% if each is turned as it fits",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        best = cure(run)
        if best is not None and best.hypothesis.field == "turned" and lags(run):
            return  # not-learning tells it
        for maps in turned(run):
            what, why, remedy = in_words(maps)
            yield worded(self, run.place(maps.maker.name), Cause("labels", what, why), remedy)
