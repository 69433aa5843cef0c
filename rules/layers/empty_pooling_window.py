from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, ERROR, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, title, write

from ._windows import Axis, axes, may_be_empty


class EmptyPoolingWindow(NetRule):
    """The last window of a pooling is outside the map.

    ## Why is this bad?
    If the stride is larger than the kernel, Caffe's rounding can put the last window outside the map. It then has no
    pixels: AVE divides 0 by 0, which is nan, and MAX gives -3.4e38, and its backward pass on the CPU writes before the
    start of its memory. A window further out gives a silent 0.

    ## Example
    ```
    input_param { shape { dim: 1 dim: 3 dim: 10 dim: 10 } }
    pooling_param { pool: AVE kernel_size: 3 stride: 5 }
    ```
    Use instead:
    ```
    input_param { shape { dim: 1 dim: 3 dim: 10 dim: 10 } }
    pooling_param { pool: AVE kernel_size: 3 stride: 3 }
    ```

    ## Known problems
    Silent if the size of the map comes from a data file, and about nets that use layers or fields of a fork.

    ## Fix safety
    Unsafe: with `round_mode: FLOOR` the map loses the empty row or column, which later layers may count on.

    ## References
    - pooling_layer.cpp, Reshape, Forward_cpu and Backward_cpu; each size was run on Caffe 1.0
    """

    code = "L003"
    name = "empty-pooling-window"
    severity = ERROR
    layer_types = ("Pooling",)
    risks_nan = True
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: %d dim: 8 } } }'
        ' layer { name: "pool" type: "Pooling" bottom: "data" top: "pool"'
        " pooling_param { pool: %s kernel_size: 3 stride: 5 } }"
    )
    VALID = [_NET % (7, "AVE"), _NET % (8, "MAX"), _NET % (11, "AVE")]
    INVALID = [
        Invalid(
            _NET % (10, "AVE"),
            span="stride: 5",
            message='Pooling "pool": at a height of 10 the last window starts at 10, outside the map, so AVE gives 0/0'
            " = nan; set stride: 3 or less, or round_mode: FLOOR",
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 10 dim: '
                '8 } } } layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: '
                "AVE kernel_size: 3 stride: 5 round_mode: FLOOR } }"
            ),
        ),
        Invalid(
            _NET % (10, "MAX"),
            span="stride: 5",
            message='Pooling "pool": at a height of 10 the last window starts at 10, outside the map, so MAX gives'
            " -3.4e38; set stride: 3 or less, or round_mode: FLOOR",
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 10 dim: '
                '8 } } } layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: '
                "MAX kernel_size: 3 stride: 5 round_mode: FLOOR } }"
            ),
        ),
        Invalid(
            _NET % (9, "AVE"),
            span="stride: 5",
            message='Pooling "pool": at a height of 9 the last window starts at 10, outside the map, so AVE gives 0;'
            " set stride: 3 or less, or round_mode: FLOOR",
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 9 dim: '
                '8 } } } layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: '
                "AVE kernel_size: 3 stride: 5 round_mode: FLOOR } }"
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for index, axis, side, size, start in empty_windows(net):
            layer = net.layers[index]
            param = layer.message.pooling_param
            average = "AVE gives 0/0 = nan" if start == size else "AVE gives 0"
            wrong = "MAX gives -3.4e38" if param.pool == param.MAX else average
            yield self.finding(
                layer.at("pooling_param", axis.field),
                f"{title(layer)}: at a {side} of {size} the last window starts at {start}, outside the map, so {wrong};"
                f" set {axis.field}: {axis.window.kernel} or less, or round_mode: FLOOR",
                severity=WARNING if wrong == "AVE gives 0" else ERROR,
                fixes=(
                    *fix("set round_mode: FLOOR", UNSAFE, write(layer, "pooling_param", "round_mode", value="FLOOR")),
                    *fix(
                        f"set {axis.field}: {axis.window.kernel}",
                        DISPLAY,
                        write(layer, "pooling_param", axis.field, value=str(axis.window.kernel)),
                    ),
                ),
            )


def empty_windows(net: Net) -> Iterator[tuple[int, Axis, str, int, int]]:
    """Pooling layers with an empty window: index, axis, `height` or `width`, its size, where the last window starts."""
    found = set()
    for layer in net.by_type.get("Pooling", ()):
        param = layer.message.pooling_param
        if param.pool in (param.MAX, param.AVE) and any(may_be_empty(axis, layer) for axis in axes(layer)):
            found.add(layer.index)
    if not found or not net.is_plain:
        return
    said = set()
    for one in net.states():
        for made in one.layers:
            if made.index not in found or made.index in said or not made.bottoms or made.bottoms[0].shape is None:
                continue
            shape = made.bottoms[0].shape
            layer = net.layers[made.index]
            both = axes(layer)
            for axis, side, size in zip([both[0], both[-1]], ("height", "width"), shape[2:], strict=False):
                if may_be_empty(axis, layer) and axis.last_start(size) >= size:
                    said.add(made.index)
                    yield made.index, axis, side, size, axis.last_start(size)
                    break
