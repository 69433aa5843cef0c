"""A script that stops is told at one file: the first solver or net that it names, else the nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
SOLVER = 'net: "deploy.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9'


@pytest.mark.parametrize(
    ("script", "where"),
    [
        ('caffe.SGDSolver("a/solver.prototxt")\nprint(later)', "a/solver.prototxt"),
        ('caffe.Net("a/other.prototxt", 1)\ncaffe.Net("a/deploy.prototxt", 1)\nprint(later)', "a/other.prototxt"),
        ('caffe.Net("gone.prototxt", 1)\ncaffe.Net("a/deploy.prototxt", 1)\nprint(later)', "a/deploy.prototxt"),
        ("caffe.set_mode_gpu()\nprint(later)", "solver.prototxt"),
        ("caffe.set_mode_gpu()\nprint(1)", ""),
    ],
)
def test_where_it_is_told(tmp_path: Path, script: str, where: str) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("a", "tools"):
        (tmp_path / folder).mkdir()
    for path, text in {"solver": SOLVER, "deploy": NET, "a/solver": SOLVER, "a/deploy": NET, "a/other": NET}.items():
        (tmp_path / f"{path}.prototxt").write_text(text)
    (tmp_path / "tools/run.py").write_text(f"import caffe\n{script}\n")
    found = caffelint.check([str(tmp_path)]).findings
    told = [one.file for one in found if one.name in ("script-stops", "script-of-net-stops")]
    assert told == [str(tmp_path / where)] * bool(where)


@pytest.mark.parametrize(
    ("path", "told"), [("python/detect.py", 0), ("python/find.py", 1), ("caffe/python/find.py", 0)]
)
def test_tools_of_a_caffe_are_none_of_the_project(tmp_path: Path, path: str, told: int) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("caffe/src/caffe/proto", "caffe/python", "python"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "caffe/src/caffe/proto/caffe.proto").write_text("message NetParameter {}")
    (tmp_path / "deploy.prototxt").write_text(NET)
    (tmp_path / path).write_text("import caffe\nprint(NUM_OUTPUT)\n")
    found = [one.name for one in caffelint.check([str(tmp_path)]).findings]
    assert found.count("script-of-net-stops") == told


@pytest.mark.parametrize(("more", "told"), [("", 0), ('\n\ncaffe.Net("deploy.prototxt", 1)\n', 1)])
def test_layers_that_no_net_names_are_run_by_nobody(tmp_path: Path, more: str, told: int) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy.prototxt").write_text(NET)
    layer = "import caffe\n\n\nclass Old(caffe.Layer):\n    rate = later\n"
    (tmp_path / "old.py").write_text(layer + more)
    found = [one.name for one in caffelint.check([str(tmp_path)]).findings]
    assert found.count("script-of-net-stops") == told


HELP = "def count(list, most=3):\n    pass\n"


@pytest.mark.parametrize(
    ("script", "files", "says"),
    [
        ("from help import cuont", {"tools/help.py": HELP}, 'imports cuont from "help.py", which has no such name'),
        ("import help\nhelp.cuont(1)", {"tools/help.py": HELP}, "takes help.cuont, which that module lacks"),
        ("import help as h\nh.count()", {"tools/help.py": HELP}, "calls h.count without list, which it needs"),
        ("from help import count\ncount(1)", {"tools/help.py": HELP}, ""),
        ("from help import cuont", {"tools/help.py": HELP, "lib/help.py": HELP}, ""),
        ("from help import cuont", {"tools/help.py": HELP, "tools/help/__init__.py": ""}, ""),
        ("from help import cuont", {"tools/help.py": "from more import *\n"}, ""),
        ("try:\n    from help import cuont\nexcept ImportError:\n    pass", {"tools/help.py": HELP}, ""),
        ("import help\nhelp.cuont = 1\nprint(help.cuont)", {"tools/help.py": HELP}, ""),
        ("try:\n    import help\n    help.count()\nexcept TypeError:\n    pass", {"tools/help.py": HELP}, ""),
        ("import help\nif 0:\n    help.cuont(1)", {"tools/help.py": HELP}, ""),
        ("import help\nif hasattr(help, 'cuont'):\n    help.cuont(1)", {"tools/help.py": HELP}, ""),
        ("import help\nif 'cuont' in dir(help):\n    help.cuont(1)", {"tools/help.py": HELP}, ""),
        ("import help\nsetattr(help, 'a' * 2, 1)\nhelp.cuont(1)", {"tools/help.py": HELP}, ""),
        ("import help\nprint(help)\nhelp.cuont(1)", {"tools/help.py": HELP}, ""),
        ("import help\nhelp.__dict__.update(a=1)\nhelp.a(1)", {"tools/help.py": HELP}, ""),
        ("import sys\nsys.path.insert(0, '../lib')\nfrom help import cuont", {"tools/help.py": HELP}, ""),
        ("from help import cuont", {"tools/help.py": f"{HELP}def __getattr__(name):\n    return name\n"}, ""),
        ("from help import cuont", {"tools/help.py": HELP, "tools/help.cpython-311.so": ""}, ""),
        (
            "from __future__ import annotations\nimport help\ndef f(x: help.Cuont):\n    pass",
            {"tools/help.py": HELP},
            "",
        ),
    ],
)
def test_what_a_module_beside_lacks(tmp_path: Path, script: str, files: dict[str, str], says: str) -> None:
    (tmp_path / ".git").mkdir()
    for path, text in {**files, "deploy.prototxt": NET, "tools/run.py": f"import caffe\n{script}\n"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = [one.message for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-of-net-stops"]
    assert [says in message for message in found] == [True] * bool(says)


def test_two_slips_in_two_scripts_are_two_and_a_copied_one_is_one(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy.prototxt").write_text(NET)
    for name, reads in {"a": "first", "b": "second", "c": "second"}.items():
        (tmp_path / f"{name}.py").write_text(f"import caffe\nprint({reads})\n")
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-of-net-stops"]
    assert sorted(one.severity for one in found) == ["info", "warning", "warning"]
