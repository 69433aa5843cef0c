"""Findings that the file explains in which they are: they are infos."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from own_caffe import NET, Make

import caffelint
from caffelint.lint.config import Config

LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" top: "loss" }\n'


def severities(path: str = ".") -> dict[str, str]:
    config = Config()
    config.cache = False
    report = caffelint.check(path, config)
    assert not report.failures
    return {one.name: one.severity for one in report.findings}


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("net.prototxt", "error"),
        ("templates/net.prototxt", "info"),
        ("net_template.prototxt", "info"),
        ("job/original.prototxt", "info"),
        ("contemplates/net.prototxt", "error"),
    ],
)
def test_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, severity: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(NET.format(LOSS))
    assert severities()["wrong-blob-count"] == severity
    (tmp_path / name).write_text(NET.format('layer { name: "r" type: "ReLU" botom: "a" top: "r" }'))
    assert severities()["unknown-field"] == "error", "nobody fills in a name"


def test_nobody_fills_in_the_name_of_another_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "templates/resnet"
    folder.mkdir(parents=True)
    (folder / "solver.prototxt").write_text('net: "resnet_18.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    assert severities()["net-file-not-found"] == "info"
    (folder / "resnet18.prototxt").write_text(NET.format(LOSS))
    assert severities()["net-file-not-found"] == "warning"
    (folder / "solver.prototxt").rename(folder / "template_solver.prototxt")
    assert severities()["net-file-not-found"] == "info", "a script writes another net into each copy"


def test_outside_a_project_no_folder_makes_a_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "templates/nets"
    folder.mkdir(parents=True)
    (folder / "net.prototxt").write_text(NET.format(LOSS))
    for here, path in ((folder, "net.prototxt"), (tmp_path, "templates/nets"), (tmp_path / "templates", "nets")):
        monkeypatch.chdir(here)
        assert severities(path)["wrong-blob-count"] == "error"


FAULTS = NET.format(LOSS) + 'layer { name: "r" type: "ReLU" bottom: "x" top: "loss" }\n' * 2
EXPLAINED = "".join(
    f'layer {{ # layer {number} of the net\n  name: "n{number}" # the name of number {number}\n  type: "ReLU"\n'
    f'  # what number {number} reads\n  bottom: "a"\n  top: "n{number}" # what number {number} makes\n}}\n'
    for number in range(6)
)

PLAIN = re.sub(" *#.*\n", "\n", EXPLAINED)


def test_notes_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.prototxt").write_text(FAULTS + EXPLAINED)
    report = caffelint.check(".")
    (error,) = (one for one in report.findings if one.severity == "error")
    assert "the file seems to be notes, which nobody has loaded" in error.evidence
    assert all(one.severity == "info" for one in report.findings if one is not error)
    (tmp_path / "solver.prototxt").write_text('net: "notes.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    assert list(severities().values()).count("error") == 2


@pytest.mark.parametrize("remarks", ["# words\n" * 800, "".join(f"# {number} words\n" for number in range(800))])
def test_no_mass_of_comments_makes_a_net_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remarks: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(FAULTS)
    before = severities()
    for text in (remarks + FAULTS, FAULTS + remarks, FAULTS.replace("\n", "\n" + remarks)):
        (tmp_path / "net.prototxt").write_text(text + PLAIN)
        assert before.items() <= severities().items()


def test_layers_that_a_comment_stands_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = NET.format("") + '# ...\nlayer { name: "r" type: "ReLU" bottom: "missing" top: "r" }\n'
    (tmp_path / "net.prototxt").write_text(text)
    assert severities()["unknown-bottom"] == "info"
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    assert severities()["unknown-bottom"] == "error", "it is trained as it is"


def test_a_file_for_another_caffe_is_one_error(make: Make) -> None:
    other = 'layer { name: "n" type: "Normalize" bottom: "a" top: "n" }\n'
    make(NET.format(other + other.replace('"Normalize"', '"Nowhere"').replace('"n"', '"o"')))
    report = caffelint.check("net.prototxt")
    found = [(one.severity, one.evidence) for one in report.findings if one.name == "unknown-layer-type"]
    seems = "the file seems to be for another Caffe"
    assert found == [
        ("error", f'Caffe says: Unknown layer type: Normalize; {seems}: this one lacks type: "Nowhere", too'),
        ("info", f"Caffe says: Unknown layer type: Nowhere; {seems}, see line 1"),
    ]


def test_a_solver_for_another_caffe_is_one_error(make: Make) -> None:
    make(NET.format(LOSS))
    Path("solver.prototxt").write_text(
        'net: "net.prototxt" base_lr: 1 max_iter: 9\nnobody_has: 2\nnor_this: 2\nlr_policy: "own"\n'
    )
    found = [one for one in caffelint.check("solver.prototxt").findings if one.name.startswith("unknown-")]
    assert [(one.line, one.severity) for one in found] == [(2, "error"), (3, "info"), (4, "info")]
    assert found[0].evidence.endswith('this one lacks nor_this and lr_policy: "own", too')
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 1 max_iter: 9 lr_policy: "own"\n')
    assert severities("solver.prototxt")["unknown-lr-policy"] != "info", "nothing else speaks of another Caffe"


def test_a_backup_is_nobodys_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt.txt").write_text(NET.format(LOSS))
    config = Config()
    config.cache, config.include = False, ["*.txt"]
    severity = [one.severity for one in caffelint.check(".", config).findings if one.name == "wrong-blob-count"]
    assert severity == ["error"], "there is no other"
    (tmp_path / "net.prototxt").write_text(NET.format(""))
    severity = [one.severity for one in caffelint.check(".", config).findings if one.name == "wrong-blob-count"]
    assert severity == ["info"]


@pytest.mark.parametrize(
    ("name", "severity"),
    [("net - Copy", "info"), ("net (1)", "info"), ("net - \u526f\u672c", "info"), ("my net", "error")],
)
def test_a_copy_that_a_file_manager_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(NET.format(""))
    (tmp_path / f"{name}.prototxt").write_text(NET.format(LOSS))
    found = {one.file: one.severity for one in caffelint.check(".").findings if one.name == "wrong-blob-count"}
    assert found == {f"{name}.prototxt": severity}


@pytest.mark.parametrize("end", ["kernel_siz", "kernel_size: 1"])
def test_a_text_that_breaks_off_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.chdir(tmp_path)
    whole = NET.format('layer { name: "c" type: "Convolution" bottom: "x" top: "c" convolution_param { num_output: 1 ')
    (tmp_path / "net.prototxt").write_text(whole.rstrip() + end)
    (tmp_path / "test.prototxt").write_text(NET.format('layer { name: "i" type: "InnerProduct" bottom: "a" top: "i" }'))
    solver = 'train_net: "net.prototxt" test_net: "test.prototxt" test_iter: 1 test_interval: 1 max_iter: 1 base_lr: 1'
    (tmp_path / "solver.prototxt").write_text(solver + ' lr_policy: "fixed"')
    config = Config()
    config.cache = False
    found = [one for one in caffelint.check(".", config).findings if one.severity != "info"]
    assert [one.name for one in found if one.file == "net.prototxt"] == ["syntax-error"]
    assert "train-test-nets-differ" not in {one.name for one in found}


def test_a_brace_that_is_missing_at_the_end_lowers_nothing_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    net = NET.format('layer { name: "d" type: "Dropout" bottom: "a" top: "d" dropout_param { dropout_ratio: 1.5 } }')
    (tmp_path / "net.prototxt").write_text(net + 'layer { name: "r" type: "ReLU" bottom: "a" top: "r"')
    assert severities()["dropout-ratio-out-of-range"] == severities()["syntax-error"] == "error"


def test_types_in_a_net_of_two_formats_are_consequences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    net = NET.format('layers { name: "r" type: RELU bottom: "a" top: "r" } layers { name: "s" type: ReLU }')
    (tmp_path / "net.prototxt").write_text(net)
    found = severities()
    assert (found["mixed-layer-formats"], found["unknown-enum-value"]) == ("error", "info")


def test_only_who_builds_it_can_tell_that_testing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = 'layer {{ name: "{0}" type: "Data" top: "{0}" include {{ phase: TRAIN }} data_param {{ source: "{0}" }} }}\n'
    net = data.format("a") + data.format("b") + LOSS.replace('bottom: "a"', 'bottom: "a" bottom: "b"')
    net += 'layer { name: "t" type: "Silence" bottom: "a" include { phase: TEST } }'
    (tmp_path / "net.prototxt").write_text(net)
    assert severities()["unknown-bottom"] == "warning"
    solver = 'net: "net.prototxt" test_iter: 1 test_interval: 1 max_iter: 1 base_lr: 1 lr_policy: "fixed"'
    (tmp_path / "solver.prototxt").write_text(solver)
    assert severities()["unknown-bottom"] == "error"
    found = [one for one in caffelint.check(".").findings if one.name == "unknown-bottom"]
    assert len(found) == 1, "that TEST has no data is one cause"


def test_what_macos_adds_to_archives_is_no_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "._net.prototxt").write_bytes(b"\0\5\x16\7\0\2\0\0Mac OS X")
    assert severities() == {}


@pytest.mark.parametrize(
    ("around", "severity"),
    [
        ({"tool/index.html": "", "tool/watch.sh": "coffee src/caffe"}, "info"),
        ({"tool/package.json": ""}, "info"),
        ({"index.html": ""}, "info"),
        ({"other/index.html": ""}, "error"),
        ({"tool/index.html": "", "tool/draw.py": "net = caffe.Net('nets/a.prototxt', caffe.TEST)"}, "error"),
        ({"tool/index.html": "", "solver.prototxt": 'net: "tool/nets/a.prototxt" base_lr: 1 max_iter: 9'}, "error"),
    ],
)
def test_the_nets_of_a_page_are_for_no_caffe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: dict[str, str], severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {".git/HEAD": "", "tool/nets/a.prototxt": NET.format(LOSS), **around}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    assert severities()["wrong-blob-count"] == severity


def test_quotes_of_a_word_processor_are_one_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    solver = tmp_path / "solver.prototxt"
    solver.write_text("net: “a.prototxt”\nlr_policy: “fixed”\nbase_lr: 1 max_iter: 9\nsnapshot_prefix: “s”")
    found = [one for one in caffelint.check(".").findings if one.name == "unreadable-character"]
    assert [one.severity for one in found] == ["error", "info", "info"]
    assert "2 more such errors follow" in found[0].evidence
    assert len(found[0].fixes[0].edits) == 6, "one fix mends all three"


@pytest.mark.parametrize(
    ("data", "script", "found"),
    [
        ('type: "Data" data_param { source: "train_lmdb" batch_size: 9 }', "", True),
        ('type: "Data" data_param { source: "cifar_gcn_lmdb" batch_size: 9 }', "", False),
        ('type: "MemoryData" memory_data_param { batch_size: 9 channels: 3 height: 28 width: 28 }', "", False),
        (
            'type: "Data" data_param { source: "train_lmdb" batch_size: 9 }',
            "import caffe\nput(caffe.io.array_to_datum(caffe.io.load_image(path)))",
            False,
        ),
        ('type: "Data" data_param { source: "train_lmdb" batch_size: 9 }', "put(caffe.io.array_to_datum(image))", True),
        (
            'type: "Data" transform_param { crop_size: 28 } data_param { source: "train_lmdb" batch_size: 9 }',
            "// C++\ndatum.add_float_data(x);",
            False,
        ),
        (
            'type: "Data" data_param { source: "train_lmdb" batch_size: 9 }',
            "// C++\nNet<float> net(x); datum.add_float_data(y);",
            True,
        ),
    ],
    ids=["records", "by name", "handed over", "made of floats", "made", "made by a program", "made of features"],
)
def test_numbers_that_may_be_no_pixels_are_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, script: str, found: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ("make.cpp" if script.startswith("//") else "make.py")).write_text(script)
    conv = 'type: "Convolution" bottom: "d" top: "c" convolution_param { num_output: 9 kernel_size: 3 %s }'
    conv %= 'weight_filler { type: "gaussian" std: 0.1 }'
    net = f'layer {{ name: "d" {data} top: "d" top: "l" }} layer {{ name: "c" {conv} }}'
    net += ' layer { name: "f" type: "InnerProduct" bottom: "c" top: "f" inner_product_param { num_output: 9'
    net += ' weight_filler { type: "gaussian" std: 0.1 } } }'
    net += ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "f" bottom: "l" }'
    net += ' layer { name: "s" type: "Silence" bottom: "l" }'
    (tmp_path / "net.prototxt").write_text(net)
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 900')
    numeric = {"first-loss-too-large", "first-updates-too-large", "updates-overshoot"} & severities().keys()
    assert bool(numeric) == found


@pytest.mark.parametrize(
    ("name", "text", "severity"),
    [
        (".gitmodules", '[submodule "c"]\n path = c\n url = git@github.com:someone/caffe.git\n', "info"),
        ("README.md", "    git clone https://github.com/someone/caffe-up\n", "info"),
        ("README.md", "It needs https://github.com/someone/caffe\n", "info"),
        ("README.md", "* Special forked version of caffe found here: https://github.com/someone/caffe_nd", "info"),
        ("README.md", "* [our Caffe fork](https://github.com/someone/caffe_nd)", "info"),
        ("README.md", "* a tool for Caffe: https://github.com/someone/caffe_nd", "warning"),
        ("README.md", "See https://github.com/BVLC/caffe and https://github.com/someone/my-caffe-nets", "warning"),
        ("README.md", "git clone this, and\nconvert it by https://github.com/ethereon/caffe-tensorflow", "warning"),
    ],
    ids=["submodule", "cloned", "its name", "forked", "a fork", "for Caffe", "others", "tool"],
)
def test_a_fork_that_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    up = 'layer { name: "up" type: "InnerProduct" bottom: "a" top: "up" inner_product_param { num_output: 2%s } }'
    filler = ' weight_filler { type: "%s" }'
    (tmp_path / "net.prototxt").write_text(NET.format(up % (filler % "orthogonal")))
    assert severities()["unknown-filler-type"] == severity
    (tmp_path / "net.prototxt").write_text(NET.format(up % (filler % "guassian")))
    assert severities()["unknown-filler-type"] == "error", "a slip is one in any fork"


@pytest.mark.parametrize(("type_", "forked"), [("Flatten", "info"), ("Reshape", "info"), ("Split", "error")])
def test_a_fork_that_nobody_knows_may_be_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_: str, forked: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    flat = f'layer {{ name: "flat" type: "{type_}" bottom: "a" top: "a" }}'
    (tmp_path / "net.prototxt").write_text(NET.format(flat))
    assert severities()["in-place-not-supported"] == "error"
    (tmp_path / "README.md").write_text("    git clone https://github.com/someone/caffe-up\n")
    assert severities()["in-place-not-supported"] == forked


@pytest.mark.parametrize(("phase", "severity"), [("TEST", "info"), ("TRAIN", "warning")])
def test_a_net_with_data_for_one_phase_is_not_built_in_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(
        f'layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: {phase} }} }}'
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }'
        ' layer { name: "scale" type: "Scale" bottom: "bn" top: "bn" }'
        ' layer { name: "relu" type: "ReLU" bottom: "bn" top: "bn" }'
        ' layer { name: "ip" type: "InnerProduct" bottom: "bn" top: "ip" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    )
    assert severities()["batchnorm-without-scale"] == severity


@pytest.mark.parametrize(("reader", "severity"), [("aux", "info"), ("other", "warning")])
def test_who_made_a_comment_of_a_loss_knows_that_nothing_reads_the_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ip = 'layer { name: "%s" type: "InnerProduct" bottom: "data" top: "%s" inner_product_param { num_output: 9 } }\n'
    loss = 'layer {\n  name: "%s"\n  type: "SoftmaxWithLoss"\n  bottom: "%s"\n  bottom: "label"\n}\n'
    (tmp_path / "net.prototxt").write_text(
        'layer { name: "data" type: "Data" top: "data" top: "label" }\n'
        + ip % ("fc", "fc")
        + ip % ("aux", "aux")
        + (loss % ("aux_loss", reader)).replace("\n", "\n#")
        + "\n"
        + loss % ("loss", "fc")
    )
    assert severities()["unused-blob"] == severity


@pytest.mark.parametrize(
    ("remark", "severity"),
    [
        ("# TODO: add another convolution layer on top of a", "info"),
        ("//TODO: add a layer", "info"),
        ("# TODO: check this layer", "error"),
        ("# add a layer", "error"),
    ],
)
def test_layers_that_are_to_be_added_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remark: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ip = 'layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 9 } }'
    (tmp_path / "net.prototxt").write_text(NET.format(f"\n{remark}\n{ip}\n"))
    found = severities()
    assert found["unknown-bottom"] == severity
    assert "error" not in {found.get("syntax-error")}


def test_a_slip_is_no_layer_that_is_to_be_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    layers = 'layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" convolution_param { num_output: 4'
    layers += ' kernel_size: 1 } }\nlayer { name: "ip" type: "InnerProduct" bottom: "covn1" top: "ip"'
    layers += " inner_product_param { num_output: 9 } }"
    (tmp_path / "net.prototxt").write_text(NET.format(f"\n# TODO: add dropout layers\n{layers}\n"))
    assert severities()["unknown-bottom"] == "error"


def test_in_a_net_of_two_formats_nothing_is_said_of_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'layer { name: "data" type: "Data" top: "data" data_param { source: "a" batch_size: 2 } }\n'
    text += 'layers { name: "conv" type: CONVOLUTION bottom: "data" top: "conv" convolution_param { num_output: 4'
    text += ' kernel_size: 1 } }\nlayer { name: "relu" type: "ReLU" bottom: "conv" top: "relu" }\n'
    (tmp_path / "net.prototxt").write_text(text)
    found = severities()
    assert found["mixed-layer-formats"] == "error"
    assert {severity for name, severity in found.items() if name != "mixed-layer-formats"} <= {"info"}


@pytest.mark.parametrize(
    ("name", "severity", "phase"),
    [
        ("deploy", "info", "TRAIN"),
        ("net_test", "info", "TRAIN"),
        ("net", "error", "TRAIN"),
        ("deploy", "error", "TEST"),
    ],
)
def test_nobody_builds_the_training_phase_of_a_net_that_is_there_to_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, severity: str, phase: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "own.py").write_text("import caffe\n\n\nclass Own(caffe.Layer):\n    pass\n")
    python = f'layer {{ name: "p" type: "Python" bottom: "a" top: "b" include {{ phase: {phase} }}'
    python += ' python_param { module: "own" layer: "Other" } }\n'
    (tmp_path / f"{name}.prototxt").write_text(NET.format(python))
    assert severities()["python-class-not-found"] == severity
    (tmp_path / f"{name}.prototxt").write_text(NET.format(python.replace("bottom:", "botom:")))
    assert severities()["unknown-field"] == "error", "Caffe refuses the text in any phase"


@pytest.mark.parametrize(("field", "severity"), [("test_net", "info"), ("train_net", "error")])
def test_a_solver_builds_its_test_net_in_one_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "own.py").write_text("import caffe\n\n\nclass Own(caffe.Layer):\n    pass\n")
    python = 'layer { name: "p" type: "Python" bottom: "a" top: "b" include { phase: TRAIN }'
    (tmp_path / "a.prototxt").write_text(NET.format(python + ' python_param { module: "own" layer: "Other" } }'))
    (tmp_path / "b.prototxt").write_text(NET.format(LOSS))
    other = {"test_net": "train_net", "train_net": "test_net"}[field]
    (tmp_path / "solver.prototxt").write_text(f'{field}: "a.prototxt" {other}: "b.prototxt" test_iter: 1 base_lr: 1')
    assert severities()["python-class-not-found"] == severity
