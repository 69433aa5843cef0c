from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import ERROR, TRAIN, WARNING, Finding, Invalid, Net, NetRule, title
from caffelint.lint.built import Blob, BuiltLayer, BuiltNet, Shape, shape_text, types_that

from ._norms import global_stats

_COMES_TO = {
    1: ("one value", "its output and gradient are always 0 in TRAIN"),
    2: ("two values", "it gives 1 and -1 in TRAIN for any two that differ, however far apart they are"),
}


class BatchnormOfOneValue(NetRule):
    """A BatchNorm has one or two values to compute its statistics from, or an MVN one.

    ## Why is this bad?
    The mean of one value is the value itself: the output is 0 for any input, and so is the gradient. No earlier layer
    learns. Of two values the larger one becomes 1 and the other -1, however far apart they were. It happens with a
    batch of 1 or 2 after an InnerProduct or a global pooling; `iter_size` does not help, since each pass is normalised
    by itself. Nothing is said where a script of the project gives the blobs of an Input other shapes before it trains.

    ## Example
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 64 } } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 16 dim: 64 } } }
    ```

    ## References
    - batch_norm_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "B004"
    name = "batchnorm-of-one-value"
    severity = ERROR
    risks_nan = True
    layer_types = types_that(lambda kind: kind.normalises and not kind.fork)
    _NET = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: %d dim: 64 } shape { dim: %d } } }"
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "bn" bottom: "label" top: "loss" }'
    )
    _ROWS = (
        'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { batch_size: %d } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "fc" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [_NET % (3, 3), _ROWS % 3]
    INVALID = [
        Invalid(
            _ROWS % 1,
            span='bottom: "fc"',
            message='BatchNorm "bn" gets one value per channel (1x8), so its output and gradient are always 0 in TRAIN;'
            " use a larger batch",
        ),
        Invalid(
            _NET % (1, 1),
            span='bottom: "data"',
            message='BatchNorm "bn" gets one value per channel (1x64), so its output and gradient are always 0 in'
            " TRAIN; use a larger batch",
        ),
        Invalid(
            _NET % (2, 2),
            span='bottom: "data"',
            message='BatchNorm "bn" gets two values per channel (2x64), so it gives 1 and -1 in TRAIN for any two'
            " that differ, however far apart they are; use a larger batch",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 64 } } }'
            ' layer { name: "mvn" type: "MVN" bottom: "data" top: "mvn" }',
            span='type: "MVN"',
            message='MVN "mvn" normalises each value by itself (4x64), so its output is all zeros; set'
            " across_channels: true or use another layer",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 1 } } }'
            ' layer { name: "mvn" type: "MVN" bottom: "data" top: "mvn" mvn_param { across_channels: true } }',
            span='type: "MVN"',
            message='MVN "mvn" normalises each value by itself (4x1), so its output is all zeros; use another layer',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_plain or _are_reshaped(net):
            return
        for one in (one for one in net.states() if one.phase == TRAIN):
            rows = net.once(_of_rows)
            for layer in one.layers:
                if layer.type == "MVN" and layer.index is not None and layer.bottoms:
                    yield from self._mvn(net, layer)
                if net.role != "train" or layer.type != "BatchNorm" or layer.index is None or not layer.bottoms:
                    continue
                shape = layer.bottoms[0].shape or _rows(layer.bottoms[0], one, rows)
                if shape is None or len(shape) < 2 or global_stats(net.layers[layer.index]):
                    continue
                if (count := shape[0] * prod(shape[2:])) in _COMES_TO:
                    values, outputs = _COMES_TO[count]
                    yield self.finding(
                        net.layers[layer.index].at("bottom"),
                        f"{title(layer)} gets {values} per channel ({shape_text(shape)}), so {outputs}; use a larger"
                        " batch",
                        severity=ERROR if count == 1 else WARNING,
                        phases=(TRAIN,),
                    )
            return

    def _mvn(self, net: Net, layer: BuiltLayer) -> Iterator[Finding]:
        shape = layer.bottoms[0].shape
        if shape and prod(shape[1 if layer.parameters.across_channels else 2 :]) == 1:
            yield self.finding(
                net.layers[layer.index or 0].at("type"),
                f"{title(layer)} normalises each value by itself ({shape_text(shape)}), so its output is all zeros;"
                f" {'use' if layer.parameters.across_channels else 'set across_channels: true or use'} another layer",
            )


def _are_reshaped(net: Net) -> bool:
    """May a script give the inputs of the net larger batches?"""
    is_fed = any(not layer.bottoms and not layer.kind.is_data for layer in net.in_phase(TRAIN))
    return is_fed and any(solver.runs and solver.runs.customs.reshapes for solver in net.solvers)


def _rows(blob: Blob, one: BuiltNet, rows: frozenset[BuiltLayer]) -> Shape | None:
    """What an InnerProduct makes of a batch whose items have no known shape: a row for each."""
    maker = blob.maker_beyond(lambda layer: layer.is_activation)
    if maker not in rows or maker.type != "InnerProduct" or maker.parameters.axis != 1:
        return None
    batches = {layer.batch_size for layer in one.layers if not layer.bottoms}
    return (batches.pop(), maker.parameters.num_output) if len(batches) == 1 else None


def _of_rows(net: Net) -> frozenset[BuiltLayer]:
    """The layers of TRAIN that read data, or one blob of such a layer, and that leave the items of a batch apart."""
    found: set[BuiltLayer] = set()
    for one in (one for one in net.states() if one.phase == TRAIN):
        for layer in one.layers:
            makers = [blob.producer for blob in layer.bottoms]
            if layer.known and not layer.rearranges and len(makers) < 2 and all(maker in found for maker in makers):
                found.add(layer)
    return frozenset(found)
