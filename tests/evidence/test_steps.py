"""In which order the axes of images lie in memory (evidence/data/steps.py) is told of images, not of patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
from caffelint.evidence.data.steps import INTERLEAVED, LAST, SWAPPED, read_as, read_unlike, steps_of  # noqa: E402

COUNT, HEIGHT, WIDTH = 32, 24, 20


def _images(height: int = HEIGHT, width: int = WIDTH, colours: int = 3) -> Any:
    """Slow waves with some noise, images x height x width x colours."""
    random = np.random.RandomState(3)
    y, x, c = np.mgrid[:height, :width, :colours]
    speed, start = random.rand(2, COUNT, 1, 1, 1), 6 * random.rand(COUNT, 1, 1, 1)
    made = 128 + 60 * np.sin((1 + speed[0]) * y / 5 + start) * np.cos((1 + speed[1]) * x / 6) + 25 * c
    return (made + 8 * random.randn(*made.shape)).clip(0, 255).astype(np.uint8)


def _told(rows: Any) -> str:
    found: Counter[str] = Counter()
    for start in range(0, len(rows), 4):
        found.update(steps_of(np.ascontiguousarray(rows[start : start + 4])))
    return str(read_as(found))


def test_images_as_declared() -> None:
    for colours in (1, 2, 3, 4):
        assert _told(_images(colours=colours).transpose(0, 3, 1, 2)) == ""


def test_reshaped_images() -> None:
    assert _told(_images().reshape(COUNT, 3, HEIGHT, WIDTH)) == INTERLEAVED
    grey = np.repeat(_images(colours=1), 3, axis=3)
    assert _told(grey.reshape(COUNT, 3, HEIGHT, WIDTH)) == INTERLEAVED
    assert _told(grey.transpose(0, 3, 1, 2)) == ""


def test_channels_that_come_last() -> None:
    assert _told(_images()) == LAST


def test_width_before_height() -> None:
    assert _told(_images(colours=1).reshape(COUNT, 1, WIDTH, HEIGHT)) == SWAPPED


def test_few_images() -> None:
    assert _told(_images()[:7].reshape(7, 3, HEIGHT, WIDTH)) == ""


RANDOM = np.random.RandomState(1)
Y, X = np.mgrid[:HEIGHT, :WIDTH]
SHAPE = COUNT, 3, HEIGHT, WIDTH


@pytest.mark.parametrize(
    "made",
    [
        lambda: RANDOM.randint(0, 256, SHAPE),
        lambda: np.zeros(SHAPE),
        lambda: np.cumsum(RANDOM.randn(*SHAPE), axis=3),
        lambda: np.cumsum(RANDOM.randn(*SHAPE), axis=2),
        lambda: np.cumsum(RANDOM.randn(*SHAPE), axis=1),
        lambda: 50 * RANDOM.randn(1, 1, 1, WIDTH) + RANDOM.randn(*SHAPE),
        lambda: np.tile(5 * RANDOM.randn(COUNT, 3, 1, 3), (1, 1, 1, 7))[..., :WIDTH] + RANDOM.randn(*SHAPE),
        lambda: np.tile(5 * RANDOM.randn(COUNT, 3, 3, 1), (1, 1, 8, 1)) + np.cumsum(RANDOM.randn(*SHAPE), axis=3),
        lambda: np.sin(2 * np.pi * Y / 3 + RANDOM.rand(COUNT, 3, 1, 1)) + 0.1 * RANDOM.randn(*SHAPE),
        lambda: np.sin(2 * np.pi * X / 3 + RANDOM.rand(COUNT, 3, 1, 1)) + 0.1 * RANDOM.randn(*SHAPE),
        lambda: ((Y // 3 + X // 3) % 2) * 200 + RANDOM.randint(0, 30, SHAPE),
        lambda: (RANDOM.rand(*SHAPE) < 0.02) * 255,
        lambda: np.kron(RANDOM.randint(0, 256, (COUNT, 3, 8, 7)), np.ones((3, 3)))[..., :WIDTH],
        lambda: np.abs(np.fft.rfft(np.cumsum(RANDOM.randn(COUNT, 3, WIDTH, 46), axis=3), axis=3)).swapaxes(2, 3),
    ],
)
def test_what_is_no_image(made: Callable[[], Any]) -> None:
    assert _told(made()) == ""


def test_flat_images_beside_others() -> None:
    """Of one colour and noise: far rows are like near ones, but those of training tell what is declared."""
    sound = np.array([90, 20, 200]).reshape(1, 3, 1, 1) + RANDOM.randint(-8, 9, (COUNT, 3, 24, 24))
    mixed = sound.transpose(0, 2, 3, 1).reshape(COUNT, 3, 24, 24)
    one, other = (steps_of(rows.astype(np.uint8)) for rows in (mixed, sound))
    assert (read_as(one), read_unlike(one, other)) == ("", INTERLEAVED)
    assert read_unlike(other, other) == read_unlike(one, one) == read_unlike(other, one) == ""
    assert read_unlike(one, steps_of(sound[:, :1].astype(np.uint8))) == ""
