"""Of nets by one name with versions, a solver names the one that is used."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_caffe import caffe

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TRAIN } }\n'
    'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TEST } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" top: "loss" }\n'
)
MIRRORED = "include { phase: TEST } transform_param { mirror: true }"


@pytest.mark.parametrize(
    ("solved", "other", "is_lowered"),
    [
        ("net_v3", "net_v2", True),
        ("net_v2", "net_v3", False),  # perhaps the one of today
        ("net_101", "net_50", False),  # another net
        ("net_v3", "other_v2", False),
    ],
)
def test_an_earlier_version_is_superseded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solved: str, other: str, is_lowered: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "solver.prototxt").write_text(f'net: "{solved}.prototxt"\nbase_lr: 0.1\n')
    (tmp_path / f"{solved}.prototxt").write_text(NET)
    (tmp_path / f"{other}.prototxt").write_text(NET.replace("include { phase: TEST }", MIRRORED))
    config = Config()
    config.cache, config.select = False, ["augmentation-in-testing"]
    [one] = caffelint.check(["."], config).findings
    assert one.file == f"{other}.prototxt"
    assert ("a later version" in one.evidence) == is_lowered


BROKEN = NET.replace("data", "datum", 2) + 'layer { name: "r" type: "ReLU" bottom: "fc" top: "fc" }\n'
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
SOLVER = 'train_net: "%s" base_lr: 0.1 lr_policy: "fixed" max_iter: 9\n'


def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, files: dict[str, str]) -> dict[str, str]:
    """Files with a finding of a rule, and its severity."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    config = Config()
    config.cache, config.select = False, [rule]
    return {one.file: one.severity for one in caffelint.check(["."], config).findings}


@pytest.mark.parametrize(
    ("name", "script", "severity"),
    [
        ("run.py", "net = caffe.Net('train_val.prototxt', w, caffe.TEST)", "warning"),
        ("run.ipynb", "\"net = caffe.Net('nets/train_val.prototxt', w, caffe.TEST)\\n\",", "warning"),
        (
            "run.py",
            "net = caffe.Net('train_val.prototxt', w)\nother = caffe.Net(f'{folder}/deploy.prototxt', w)",
            "error",
        ),
        ("run.py", "solver = caffe.SGDSolver('nets/solver.prototxt')", "error"),  # that tells of training only
        ("run.py", "net = caffe.Net('/other/lenet.prototxt', w)", "error"),
        ("run.py", "net = caffe.Net('others/train_val.prototxt', w)", "error"),  # a file that is not there
        ("run.py", "text = open('nets/train_val.prototxt').read()", "error"),  # it loads none
        ("README.md", "see `nets/train_val.prototxt`", "error"),
    ],
)
def test_a_script_loads_the_net_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str, severity: str
) -> None:
    files = {"nets/solver.prototxt": SOLVER % "train_val.prototxt", "nets/train_val.prototxt": NET, name: script}
    deploy = 'layer { name: "i" type: "Input" top: "x" }\n' + BROKEN.splitlines()[-1]
    found = check(tmp_path, monkeypatch, "unknown-bottom", {**files, "nets/deploy.prototxt": deploy})
    assert found["nets/deploy.prototxt"] == severity


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ("net = './a.prototxt'\n# net = './b.prototxt'\n", "info"),
        ("\"net = 'a.prototxt'\\n\",\n\"# net = 'b.prototxt'\\n\",\n", "info"),
        ("# usage: caffe train --net ./b.prototxt\nnet = './a.prototxt'\n", "error"),
        ("net = './a.prototxt'\n# other = './b.prototxt'\n", "error"),
        ("# net = './a.prototxt'\n# net = './b.prototxt'\n", "error"),
        ("net = './a.prototxt'\nnet = './b.prototxt'\n", "error"),
    ],
)
def test_a_comment_that_another_line_supersedes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, severity: str
) -> None:
    name = "run.ipynb" if script.startswith('"') else "run.py"
    files = {"a.prototxt": NET, "b.prototxt": BROKEN, "solver.prototxt": SOLVER % "/gone/net.prototxt", name: script}
    assert check(tmp_path, monkeypatch, "unknown-bottom", files)["b.prototxt"] == severity


GAP = 'layer { name: "d" type: "Data" top: "data" data_param { batch_size: %(size)s } }\n'


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({"fill.py": "with open('net.prototxt') as f:\n    text = f.read() % locals()\n"}, "info"),
        ({"fill.sh": "sed 's/%(size)s/9/' net.prototxt > now.prototxt\n"}, "info"),
        ({"make.py": "open('net.prototxt', 'w').write(text)\n"}, "error"),
        ({"run.sh": "caffe train --solver=solver.prototxt # of net.prototxt\n"}, "error"),
        ({"test.prototxt": GAP + NET}, "info"),
        ({"test.prototxt": NET}, "error"),
        ({"deploy.prototxt": GAP + NET}, "error"),
        ({"other/net.prototxt": GAP}, "error"),
    ],
)
def test_something_fills_in_a_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], severity: str
) -> None:
    files = {"solver.prototxt": SOLVER % "net.prototxt", "net.prototxt": GAP + NET, **files}
    assert check(tmp_path, monkeypatch, "unfilled-template", files)["net.prototxt"] == severity


@pytest.mark.parametrize(("named", "severity"), [("${NET_ID}/train.prototxt", "error"), ("other/net.prototxt", "info")])
def test_a_template_is_used_beside_a_solver_that_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, severity: str
) -> None:
    twice = "layer { convolution_param { num_output: ${LABELS} num_output: 9 } }\n"
    files = {
        "config/train.prototxt": NET + twice,
        "config/solver.prototxt": SOLVER % named,
        "other/net.prototxt": NET,
        "other/solver.prototxt": SOLVER % "net.prototxt",
    }
    found = check(tmp_path, monkeypatch, "repeated-scalar", files)
    assert found["config/train.prototxt"] == severity


@pytest.mark.parametrize(("line", "severity"), [("put the net here...", "info"), ("put the net here", "error")])
def test_an_ellipsis_ends_a_line_that_is_no_prototxt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, severity: str
) -> None:
    found = check(tmp_path, monkeypatch, "syntax-error", {"net.prototxt": f"{NET}{line}\n"})
    assert found == {"net.prototxt": severity}


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({}, "warning"),  # whose numbers the script takes for those of a net that Caffe loads
        ({"use.py": "import os\nfrom lines import read\nread('deploy.prototxt')\n"}, "warning"),
        ({"use.py": "NET = 'deploy.prototxt'\nopen('notes.txt').read()\n"}, "error"),  # for who imports it
        ({"lines.py": "def read(name): return open(name)\ndef net(): return read('deploy.prototxt')\n"}, "error"),
        ({"use.py": "import caffe\nnet = caffe.Net('deploy.prototxt', caffe.TEST)\n"}, "error"),
        ({"use.py": "from detector import Net\nnet = Net('deploy.prototxt')\n"}, "error"),
        ({"lines.py": "import caffe\ndef read(name): return caffe.Net(name)\n"}, "error"),
        ({"use.py": "import os\nos.system('caffe time --model deploy.prototxt')\n"}, "error"),
        ({"lines.py": "def read(name): return name\n"}, "error"),
        ({"README.md": "The net is in deploy.prototxt.\n"}, "error"),
        ({"other.prototxt": 'net: "deploy.prototxt" base_lr: 0.1 lr_policy: "fixed"\n'}, "error"),
    ],
)
def test_a_script_reads_the_net_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], severity: str
) -> None:
    given = {
        "solver.prototxt": SOLVER % "train_val.prototxt",
        "train_val.prototxt": NET,
        "deploy.prototxt": 'layer { name: "i" type: "Input" top: "x" }\n' + BROKEN.splitlines()[-1],
        "compute.py": "from lines import read\nread('deploy.prototxt')\n",
        "lines.py": "def read(name): return open(name).readlines()\n",
    }
    found = check(tmp_path, monkeypatch, "unknown-bottom", {**given, **files})
    assert found["deploy.prototxt"] == severity


@pytest.mark.parametrize(
    ("folder", "severity"),
    [("other/", "error"), ("models/a/", "info"), ("", "info")],
    ids=["apart", "near", "at the top"],
)
def test_a_solver_of_another_model_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, severity: str
) -> None:
    """That it names another net is no reason why one of a model without a solver is not used."""
    files = {"models/b/train.prototxt": BROKEN}
    files[f"{folder}solver.prototxt"] = SOLVER % "net.prototxt"
    files[f"{folder}net.prototxt"] = (
        NET.replace("data", "image") + 'layer { name: "x" type: "Silence" bottom: "label" }'
    )
    found = check(tmp_path, monkeypatch, "unknown-bottom", files)
    assert found["models/b/train.prototxt"] == severity


@pytest.mark.parametrize(("named", "severity"), [("mine", "info"), ("theirs", "error")])
def test_a_solver_of_another_caffe_that_no_script_names_is_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proto: str, named: str, severity: str
) -> None:
    """With the Caffe of this repository nobody has run it."""
    caffe(tmp_path, proto)
    theirs = NET + 'layer { name: "out" type: "TheirOutput" bottom: "data" top: "out" }\n'
    files = {
        "mine/mine.prototxt": SOLVER % "mine/net.prototxt",
        "mine/net.prototxt": NET,
        "theirs/theirs.prototxt": SOLVER % "theirs/train.prototxt",
        "theirs/train.prototxt": theirs,
    }
    files["run.sh"] = "".join(f"caffe train --solver {name}/{name}.prototxt\n" for name in sorted({"mine", named}))
    found = check(tmp_path, monkeypatch, "unknown-layer-type", files)
    assert found == {"theirs/train.prototxt": severity}


def test_a_net_to_be_pasted_is_not_there_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = '%slayer { name: "sum" type: "Eltwise" bottom: "data" bottom: "other" top: "sum" }\n'
    files = {
        "draft_deploy.prototxt": INPUT + lacks % "# paste a copy of the above net here.\n",
        "deploy.prototxt": INPUT + lacks % "# the other net\n",
    }
    found = check(tmp_path, monkeypatch, "unknown-bottom", files)
    assert found == {"draft_deploy.prototxt": "info", "deploy.prototxt": "error"}


def test_a_net_of_data_alone_tries_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = NET.partition("\n")[0]
    files = {"solver.prototxt": SOLVER % "probe.prototxt", "probe.prototxt": data}
    assert check(tmp_path, monkeypatch, "no-loss", files) == {"probe.prototxt": "info"}


@pytest.mark.parametrize(("named", "severity"), [("netpa_v3", "error"), ("other", "info")])
def test_what_a_missing_net_is_a_slip_of_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, severity: str
) -> None:
    files = {
        "a_solver.prototxt": SOLVER % "a.prototxt",
        "a.prototxt": NET,
        "run.sh": "caffe train --solver a_solver.prototxt\n",
        "v3_solver.prototxt": SOLVER % f"{named}.prototxt",
        "net_v3.prototxt": BROKEN,
    }
    found = check(tmp_path, monkeypatch, "unknown-bottom", files)
    assert found == {"net_v3.prototxt": severity}


def test_a_draft_that_lacks_a_blob_of_another_name_is_not_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = NET + 'layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "%s" top: "sum" }\n'
    names = {"one.prototxt": "ip1", "other.prototxt": "feature", "third.prototxt": "ip2"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets/a_solver.prototxt").write_text(SOLVER % "nets/a.prototxt")
    (tmp_path / "nets/a.prototxt").write_text(NET)
    (tmp_path / "run.sh").write_text("caffe train --solver nets/a_solver.prototxt\n")
    for file, name in names.items():
        (tmp_path / "nets" / file).write_text(lacks % name)
    config = Config()
    config.cache, config.select = False, ["unknown-bottom"]
    (first,) = [one for one in caffelint.check(["."], config).findings if one.severity == "warning"]
    assert first.file == "nets/one.prototxt"
    assert "with other numbers in nets/third.prototxt:4; with other names in nets/other.prototxt:4" in first.evidence
    assert "the same" not in first.evidence
