"""Which Python programs shell scripts start for a file."""

from __future__ import annotations

import pytest

from caffelint.project.script_starts import path_end, starts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("python a.py --model m/d.prototxt --gpu 0\n", ["a.py"]),
        ("python2.7 tools/a.py \\\n  --gpu 0 \\\n  --model=m/d.prototxt 2>&1 | tee log\n", ["tools/a.py"]),
        ('CUDA=0 ./a.py "m/d.prototxt"', ["./a.py"]),
        ("python a.py --model m/other.prototxt\npython b.py\n", []),
        ("caffe test --model m/d.prototxt && python a.py\n", []),
        ("python a.py m/d.prototxt\npython b.py --net ../m/d.prototxt", ["a.py", "b.py"]),
        ("# python a.py m/d.prototxt; python b.py m/d.prototxt\n", []),
        ("python a.py" + " x" * 4000 + " m/d.prototxt", []),
    ],
)
def test_what_takes_a_file_as_an_argument(text: str, found: list[str]) -> None:
    assert sorted(starts(text).get("m/d.prototxt", ())) == found


@pytest.mark.parametrize(
    ("path", "end"), [("/a/m/d.prototxt", "m/d.prototxt"), ("..\\m\\./d.prototxt", "m/d.prototxt"), ("./d", "d")]
)
def test_the_end_of_a_path(path: str, end: str) -> None:
    assert path_end(path) == end
