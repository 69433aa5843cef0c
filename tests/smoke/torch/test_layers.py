"""Each layer type in torch against the real Caffe: random shapes, parameters and values.

What differs, and is left out here or allowed for:
- MAX pooling takes no nan for the greatest value in Caffe on a CPU; torch hands it on, as cuDNN does.
- A window of a MAX pooling that covers no pixel: Caffe's backward writes before the start of the blob.
- A label that is no class: Caffe reads and writes past the end of the blob; here it is a LayerError.
- Stochastic pooling: Caffe has it on a GPU alone.
- Layers that run in place where Caffe's gradient is spoilt by that have the right gradient here.
- Log with a scale of 0: a BLAS takes the factor 0 as "set to 0", where 0 times infinity is nan.
- Dilations that do not fit into an int, and so turn negative.
- BatchNorm and MVN with an eps below 0, which may leave next to nothing of the variance.
- Dropout with a ratio of 1, and LRN with a negative alpha, where infinities hang on rounding.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import TYPES, WITHOUT_A_CASE, layer_cases
from parity import Case, ask, compare, run
from seeds import SEED, draws

from caffelint.caffe.layers import BVLC_TYPES, REGISTRY
from caffelint.smoke.torch import types

CASES = draws(6, 40)


def test_every_type_runs_or_is_said_not_to() -> None:
    assert set(REGISTRY) - set(types.REGISTRY) == set(types.NO_CLASS)
    assert not set(types.REGISTRY) & set(types.NO_CLASS)
    assert all(types.REGISTRY[name].__name__ in (name, "FromOutside") for name in types.REGISTRY)
    assert set(TYPES) | set(WITHOUT_A_CASE) == BVLC_TYPES


@pytest.fixture(scope="module")
def cases(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Case]]:
    """What one Caffe made of all cases, by layer type."""
    found = {layer_type: list(layer_cases(layer_type, CASES, SEED)) for layer_type in TYPES}
    ask(caffe_python, [case for some in found.values() for case in some], tmp_path_factory.mktemp("layers"))
    return found


@pytest.mark.parametrize("layer_type", TYPES)
def test_layer_is_caffes(cases: dict[str, list[Case]], layer_type: str) -> None:
    assert len(cases[layer_type]) == CASES
    for case in cases[layer_type]:
        assert case.found is not None, f"seed {SEED}, {case.name}: {case.log}\n{case.net}"
        ours, _ = run(case)
        for what, distance, limit in compare(case, ours):
            assert distance <= limit, f"seed {SEED}, {case.name} in {case.phase}: {what}\n{case.net}"
