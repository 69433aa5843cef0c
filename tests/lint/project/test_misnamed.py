"""Names of nets in scripts that no file has but for a slip."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.project import misnamed
from caffelint.lint.project.misnamed import misnamed_in, misnamed_of
from caffelint.project.scripts import Script

NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'


@pytest.mark.parametrize(
    ("script", "there", "told"),
    [
        ('net = caffe.Net("deploynet.prototxt", caffe.TEST)', "deploy_net", True),
        ('net = caffe.Net("models/delpoy.prototxt", caffe.TEST)', "models/deploy", True),
        ("caffe time --model=deploys.prototxt", "deploy", True),
        # Two networks, what the script writes, and what is no path.
        ('net = caffe.Net("rcnn.prototxt", caffe.TEST)', "cnn", False),
        ('net = caffe.Net("vgg_faster.prototxt", caffe.TEST)', "vgg_fast", False),
        ('net = caffe.Net("deploy2.prototxt", caffe.TEST)', "deploy1", False),
        ('open("deploys.prototxt", "w").write(x)\nnet = caffe.Net("deploys.prototxt", caffe.TEST)', "deploy", False),
        ('net = caffe.Net("%s/deploys.prototxt" % root, caffe.TEST)', "deploy", False),
        # Elsewhere there is one.
        ('net = caffe.Net("other.prototxt", caffe.TEST)', "others", False),
    ],
)
def test_slips_in_names(tmp_path: Path, script: str, there: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / f"{there}.prototxt").write_text(NET)
    (tmp_path / "models/other.prototxt").write_text(NET)
    (tmp_path / ("run.py" if "(" in script else "run.sh")).write_text(f"import caffe\n{script}\n")
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-opens-other-name"]
    assert [one.file for one in found] == [str(tmp_path / f"{there}.prototxt")] * told


@pytest.mark.parametrize("path", ["../deploys.prototxt", "models/../../deploys.prototxt", "link/deploys.prototxt"])
def test_no_folder_outside_the_checkout_is_listed(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "top"
    (top / ".git").mkdir(parents=True)
    (top / "link").symlink_to(tmp_path)
    (tmp_path / "deploy.prototxt").write_text(NET)
    (top / "run.py").write_text(f'import caffe\nnet = caffe.Net("{path}", caffe.TEST)\n')
    listed: list[str] = []

    def names_beside(folder: str) -> list[str]:
        listed.append(folder)
        return ["deploy.prototxt"]

    monkeypatch.setattr(misnamed, "names_beside", names_beside)
    found = {path for path in misnamed_in(str(top)) if Path(path).parent != top}
    assert (found, set(listed) - {str(top)}) == (set(), set())


def test_a_path_is_held_against_the_names_once_and_not_many_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that may be a slip of one the first 100, letter by letter."""
    asked: list[str] = []
    looked: list[str] = []

    def nearest_of(name: str, _: object) -> str:
        asked.append(name)
        return ""

    def names(home: str) -> list[str]:
        looked.append(home)
        return ["ba1.prototxt"]

    monkeypatch.setattr(misnamed, "nearest_of", nearest_of)
    same = [Script(f"{number}.py", "/top", 'caffe.Net("ab.prototxt")\n' * 9) for number in range(9)]
    misnamed_of(same, "/top", lambda name: False, names)
    assert asked == ["ab.prototxt"]
    for word, times in (("ab", 100), ("other", 0)):
        asked.clear()
        looked.clear()
        many = Script("many.py", "/top", "".join(f'caffe.Net("{word}{number}.prototxt")\n' for number in range(8000)))
        misnamed_of([many], "/top", lambda name: False, names)
        assert len(asked) == times
        assert len(looked) <= 600


def test_a_path_with_a_nul_is_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.py").write_text('import caffe\nnet = caffe.Net("a\0b/deploy.prototxt", caffe.TEST)\n')
    assert misnamed_in(str(tmp_path)) == {}
