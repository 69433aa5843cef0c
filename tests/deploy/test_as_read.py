"""What a target makes of the rest of a net that it has read otherwise in one place."""

from __future__ import annotations

import pytest

from caffelint.deploy.facts import MISREAD, REFUSED, target
from caffelint.deploy.judge import judge
from caffelint.lint.file import load

DATA = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 8 dim: 9 dim: 7 } } }'
PADDED = (
    'layer { name: "c" type: "Convolution" bottom: "d" top: "c"'
    " convolution_param { num_output: 8 kernel_h: 3 kernel_w: 1 pad_h: 1 } }"
)
SUM = 'layer { name: "s" type: "Eltwise" bottom: "d" bottom: "c" top: "s" }'
FLAT = 'layer { name: "f" type: "InnerProduct" bottom: "c" top: "f" inner_product_param { num_output: 2 } }'


@pytest.mark.parametrize(
    ("rest", "seen"),
    [
        ("", [(MISREAD, 1)]),
        (SUM, [(MISREAD, 1), (REFUSED, 2)]),
        (FLAT, [(MISREAD, 1), (REFUSED, 2)]),
        (
            'layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { global_pooling: true } }',
            [(MISREAD, 1)],
        ),
    ],
)
def test_stops_where_shapes_no_longer_fit(rest: str, seen: list[tuple[str, int]]) -> None:
    """As OpenCV 4.14 does, which reads pad_h and pad_w only in pairs."""
    net = load(f"{DATA}\n{PADDED}\n{rest}".encode()).net
    assert net is not None
    assert [(one.fact.verdict, one.place) for one in judge(net, target("opencv"))] == seen


CROPPED = (
    'layer { name: "e" type: "Input" top: "e" input_param { shape { dim: 1 dim: 8 dim: 5 dim: 5 } } }'
    ' layer { name: "c" type: "Crop" bottom: "d" bottom: "e" top: "c" }'
)


@pytest.mark.parametrize(
    ("rest", "seen"),
    [
        ('layer { name: "s" type: "Concat" bottom: "c" bottom: "e" top: "s" }', [(MISREAD, 2), (REFUSED, 3)]),
        ('layer { name: "s" type: "Concat" bottom: "c" bottom: "c" top: "s" }', [(MISREAD, 2)]),
        ('layer { name: "s" type: "Eltwise" bottom: "c" bottom: "e" top: "s" }', [(MISREAD, 2)]),
    ],
)
def test_stops_only_where_the_target_looks(rest: str, seen: list[tuple[str, int]]) -> None:
    """MNN 3.6.1 leaves out a Crop layer without offset, and looks at the shapes of what it joins alone."""
    net = load(f"{DATA}\n{CROPPED}\n{rest}".encode()).net
    assert net is not None
    assert [(one.fact.verdict, one.place) for one in judge(net, target("mnn"))] == seen
