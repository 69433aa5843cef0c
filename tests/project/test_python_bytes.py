"""Where scripts make bytes of what they write."""

from __future__ import annotations

import pytest

from caffelint.project.python_bytes import bytes_made

_SAVES = "for part in ('train', 'val'):\n  name = 'png/%s/%04d.png' % (part, 1)\n  Image.fromarray({}).save(name)\n"


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ("a.astype(np.uint8)", [3]),
        ("a.astype(dtype='uint8')", [3]),
        ("np.uint8(a)", [3]),
        ("(a * 255).astype(np.uint8)", []),
        ("a.astype(np.float32)", []),
        ("np.zeros(9, np.uint8)", []),
    ],
)
def test_lines_of_a_script_that_saves_images(values: str, lines: list[int]) -> None:
    assert bytes_made(_SAVES.format(values), "train.txt", "png") == lines


def test_a_script_that_writes_something_else() -> None:
    text = _SAVES.format("a.astype(np.uint8)")
    assert bytes_made(text, "train.txt", "jpg") == []
    assert bytes_made(f"{text}lines = open('train.txt')", "train.txt", "jpg") == []
    assert bytes_made(f"{text}lines = open('train.txt', 'w')", "train.txt", "jpg") == [3]
