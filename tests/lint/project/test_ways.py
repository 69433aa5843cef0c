"""Paths that texts give are looked up by their ends, and mean the same files as if each were held against each."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import bench_curves
import pytest
from seeds import SEED, draws
from weighing import write

from caffelint.lint.project.texts import Named, Texts
from caffelint.lint.project.ways import part_fits


@pytest.mark.parametrize(
    ("given", "part", "fits"),
    [
        ("*.prototxt", "a.prototxt", True),
        ("a*b*c.prototxt", "axxbyyc.prototxt", True),
        ("a*b*c.prototxt", "axxcyyb.prototxt", False),
        ("a*a.prototxt", "a.prototxt", False),
        ("*x*x*.prototxt", "x.prototxt", False),
        ("*x*x*.prototxt", "xx.prototxt", True),
        ("a?[b]*.prototxt", "a?[b]c.prototxt", True),
    ],
)
def test_only_stars_stand_for_anything(given: str, part: str, fits: bool) -> None:
    assert part_fits(given, part) == fits


def _texts(project: Path, said: dict[str, str], files: list[str]) -> Texts:
    write(said)
    return Texts(str(project), [str(project / file) for file in files])


def _plainly(texts: Texts, path: str) -> list[Named]:
    """What means a file, else what gives its name and leads nowhere."""
    named = [one for one in texts.names if part_fits(one.parts[0], Path(path).name)]
    means = [one for one in named if texts._fits(one, path)]
    leading = {one for one, file in product(named, texts._files) if texts._fits(one, file)}
    return sorted(means, key=lambda one: one.is_vague) or [one for one in named if one not in leading]


def test_a_path_means_what_it_means_by_itself(project: Path) -> None:
    chance = random.Random(SEED)
    for _ in range(draws(30, 1000)):
        names = ["net.prototxt", "net2.prototxt", "other.prototxt"]
        folders = ["", "a/", "a/b/", "c1/", "c2/b/", "a/a/"]
        shown = [*folders, "x/", "x/a/", "$X/", "x/$X/", "$X/b/", "a/$X/"]
        said = {
            chance.choice(["run.sh", "a/run.sh", "README.md"]): "".join(
                chance.choice(
                    ["caffe train -solver {}\n", "open('{}', 'w')\n", "x = '{}'\n", "join(y, '/{}')\n"]
                ).format(chance.choice(shown) + chance.choice(names))
                for _ in range(chance.randrange(6))
            )
            for _ in range(2)
        }
        files = sorted({chance.choice(folders) + chance.choice(names) for _ in range(4)})
        texts = _texts(project, said, files)
        for path in texts._files:
            assert texts.all_names(path) == _plainly(texts, path), (said, files, path)


def test_paths_of_one_name_are_held_against_the_files_that_they_may_lead_to(project: Path) -> None:
    def work(number: int) -> int:
        files = [f"{chr(97 + one % 26)}{chr(97 + one // 26)}/x.prototxt" for one in range(number)]
        said = {"run.sh": "".join(f"caffe train -solver q/{file.replace('/', 'q/')}\n" for file in files)}
        texts = _texts(project, said, files)
        return bench_curves.calls(lambda: [texts.all_names(path) for path in texts._files])

    work(5)
    assert work(400) < 4.6 * work(100)
