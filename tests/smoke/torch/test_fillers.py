"""Parameters start as a real Caffe's do: the same bounds, mean, spread and share of zeros over large blobs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffelint.caffe.fillers import FILLERS as CAFFE_FILLERS
from caffelint.schema import message_class
from caffelint.smoke.torch.fillers import FILLERS, fill

HERE = Path(__file__).parent
NORMS = ["FAN_IN", "FAN_OUT", "AVERAGE"]
RANDOM: list[tuple[list[int], str]] = [
    ([300, 400], 'type: "uniform"'),
    ([300, 400], 'type: "uniform" min: -3 max: 0.5'),
    ([300, 400], 'type: "gaussian"'),
    ([300, 400], 'type: "gaussian" mean: 2 std: 0.01'),
    ([300, 400], 'type: "gaussian" sparse: 60'),
    ([300, 400], 'type: "positive_unitball"'),
    ([20, 30, 10, 20], 'type: "positive_unitball"'),
    ([100000], 'type: "xavier"'),
    ([100000], 'type: "xavier" variance_norm: FAN_OUT'),
    *[([200, 30, 4, 5], f'type: "{kind}" variance_norm: {norm}') for kind in ("xavier", "msra") for norm in NORMS],
    *[([120, 10, 4, 5, 5], f'type: "{kind}" variance_norm: {norm}') for kind in ("xavier", "msra") for norm in NORMS],
]
EXACT: list[tuple[list[int], str]] = [
    ([3, 4], 'type: "constant" value: 0.3'),
    ([3, 4], ""),
    ([20, 30], 'type: "gaussian" sparse: 0'),
    *[([3, 2, size, size], 'type: "bilinear"') for size in range(1, 9)],
]


@pytest.fixture(scope="module")
def theirs(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("fillers")
    jobs = [{"shape": shape, "filler": text} for shape, text in RANDOM + EXACT]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [caffe_python, HERE / "fill_with_caffe.py", folder / "jobs.json", folder / "out.npz"]
    subprocess.run(command, check=True, timeout=120)
    return dict(np.load(folder / "out.npz"))


def ours(shape: list[int], text: str, seed: int = 1) -> Any:
    tensor = torch.full(shape, torch.nan)
    fill(tensor, text_format.Parse(text, message_class("FillerParameter")()), torch.Generator().manual_seed(seed))
    return tensor.numpy()


def test_random_fillers_are_alike_in_distribution(theirs: dict[str, Any]) -> None:
    wrong = []
    for number, (shape, text) in enumerate(RANDOM):
        mine, real = ours(shape, text), theirs[str(number)]
        zeros = (mine == 0).mean(), (real == 0).mean()
        # Of the values that are not masked: quantiles, and the ends where there are any.
        shown = [np.quantile(values[values != 0], [0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999]) for values in (mine, real)]
        close = np.abs(shown[0] - shown[1]) < 0.02 * (shown[1][-1] - shown[1][0])
        spread = mine.std() / real.std()
        if not close.all() or abs(zeros[0] - zeros[1]) > 0.005 or abs(spread - 1) > 0.01:
            wrong.append((text, shown, zeros, spread))
        if "gaussian" not in text and "msra" not in text and "unitball" not in text:
            wide = real.max() - real.min()
            if abs(mine.min() - real.min()) > 0.001 * wide or abs(mine.max() - real.max()) > 0.001 * wide:
                wrong.append((text, "bounds", mine.min(), mine.max(), real.min(), real.max()))
    assert wrong == []


def test_rows_of_a_unit_ball_sum_to_1(theirs: dict[str, Any]) -> None:
    for number, (shape, text) in enumerate(RANDOM):
        if "unitball" in text:
            for values in (ours(shape, text), theirs[str(number)]):
                assert values.reshape(shape[0], -1).sum(1) == pytest.approx(np.ones(shape[0]), abs=1e-4)


def test_other_fillers_are_the_same(theirs: dict[str, Any]) -> None:
    for number, (shape, text) in enumerate(EXACT, len(RANDOM)):
        assert ours(shape, text) == pytest.approx(theirs[str(number)], abs=1e-6), (shape, text)


def test_a_seed_decides_all() -> None:
    for shape, text in RANDOM:
        first, again, other = (ours(shape, text, seed) for seed in (1, 1, 2))
        assert (first == again).all()
        assert (first != other).any()


def test_all_fillers_of_caffe_are_there() -> None:
    assert set(FILLERS) == set(CAFFE_FILLERS)
