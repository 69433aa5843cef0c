"""Findings are as loud as their project makes them: is the file used, and did its net train?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from weighing import BROKEN, LOG, NET, SOLVER, found, write

import caffelint


def test_a_net_that_no_solver_names_is_not_used(project: Path) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "nets/other.prototxt": BROKEN})
    one = found("unknown-field")["nets/other.prototxt"]
    assert (one.severity, one.evidence.rpartition("; ")[2]) == (
        "info",
        'no solver, script or page names the file, and "solver.prototxt" names another',
    )


@pytest.mark.parametrize("text", ["import caffe\nnet = caffe.Net('n')\n", "<!DOCTYPE html>\n<html lang='en'>\n"])
@pytest.mark.parametrize(("page", "severity"), [("", "info"), ("see n.prototxt", "error")])
def test_what_is_no_net_at_all(project: Path, text: str, page: str, severity: str) -> None:
    write({"n.prototxt": text, "README.md": page})
    report = caffelint.check(".")
    assert {one.line: one.severity for one in reversed(report.findings) if one.name == "syntax-error"}[1] == severity


@pytest.mark.parametrize(
    "used",
    [
        {"README.md": "`caffe train` with nets/other.prototxt"},
        {"run.sh": "for n in other more; do python train.py nets/$n.prototxt; done"},
        {"run.py": "net = os.path.join(folder, 'other.prototxt')"},
        {"train.prototxt": NET, "solver.prototxt": SOLVER.partition(" ")[2]},
    ],
    ids=["page", "loop", "joined", "no other"],
)
def test_a_net_may_be_used(project: Path, used: dict[str, str]) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "nets/other.prototxt": BROKEN, **used})
    assert found("unknown-field")["nets/other.prototxt"].severity == "error"


@pytest.mark.parametrize(
    ("mention", "severity"),
    [
        ("nets/other.prototxt", "error"),
        ("nets2/other.prototxt", "info"),
        ("/home/me/lost/other.prototxt", "error"),
        ("edit the .prototxt files", "info"),
    ],
    ids=["itself", "another", "one that is elsewhere", "any"],
)
def test_a_page_names_the_file_that_its_path_leads_to(project: Path, mention: str, severity: str) -> None:
    nets = {"train.prototxt": NET, "nets/other.prototxt": BROKEN, "nets2/other.prototxt": NET}
    write({"solver.prototxt": SOLVER % "train.prototxt", **nets, "README.md": f"{mention}\n"})
    assert found("unknown-field")["nets/other.prototxt"].severity == severity


@pytest.mark.parametrize(("folder", "severity"), [("caffe", "error"), (".", "info")])
def test_the_pages_of_a_caffe_speak_of_its_own_files(project: Path, folder: str, severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET})
    write({f"{folder}/nets/other.prototxt": BROKEN})
    write({"caffe/src/caffe/proto/caffe.proto": "", "caffe/README.md": "nets/other.prototxt"})
    assert {one.severity for one in found("unknown-field").values()} == {severity}


@pytest.mark.parametrize(("name", "severity"), [("deploy", "error"), ("depoly", "error"), ("net2", "info")])
def test_a_training_net_is_no_better_net_to_deploy(project: Path, name: str, severity: str) -> None:
    """However nearly the two are the same: nothing names a net to deploy, which users run."""
    layers = LONG + NET.partition("\n")[2]
    data = 'layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 4 } }\n'
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": data + layers})
    write({f"{name}.prototxt": 'layer { name: "d" type: "Input" top: "data" }\n' + layers})
    assert found("unknown-bottom")[f"{name}.prototxt"].severity == severity


def norms(count: int, scaled: bool) -> str:
    net = NET.partition("\n")[0] + "\n"
    for n in range(count):
        net += f'layer {{ name: "c{n}" type: "Convolution" bottom: "data" top: "data"\n  convolution_param {{\n'
        net += f'    num_output: {n + 9}\n    kernel_size: 1\n    weight_filler {{ type: "xavier" }}\n  }}\n}}\n'
        net += f'layer {{\n  name: "n{n}"\n  type: "BatchNorm"\n  bottom: "data"\n  top: "data"\n}}\n'
        if scaled or not n:
            net += f'layer {{\n  name: "s{n}"\n  type: "Scale"\n  bottom: "data"\n  top: "data"\n'
            net += "  scale_param { bias_term: true }\n}\n"
        net += f'layer {{\n  name: "r{n}"\n  type: "ReLU"\n  bottom: "data"\n  top: "data"\n}}\n'
    return net + NET.partition("\n")[2]


@pytest.mark.parametrize(
    ("beside", "severity"),
    [
        ({}, "warning"),
        ({"scaled.prototxt": norms(6, True)}, "info"),
        ({"scaled.prototxt": norms(2, True)}, "warning"),
        # In a net to deploy they are what the training lacks.
        ({"deploy.prototxt": norms(6, True)}, "warning"),
    ],
)
def test_who_keeps_a_net_with_scales_compares_the_two(project: Path, beside: dict[str, str], severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": norms(6, False), **beside})
    assert found("batchnorm-without-scale")["train.prototxt"].severity == severity


LONG = "".join(
    f'layer {{ name: "fc{n}" type: "InnerProduct" bottom: "data" top: "fc{n}"\n'
    f"  inner_product_param {{ num_output: {n} }} }}\n"
    for n in range(1, 9)
)
LOOP = {"run.sh": "caffe time -model $1.prototxt\n"}


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({"runs/1/net.prototxt": BROKEN + LONG, "net.prototxt": NET + LONG, **LOOP}, "info"),
        ({"runs/1/net.prototxt": BROKEN + LONG, "net.prototxt": NET, **LOOP}, "error"),
        ({"runs/1/net.prototxt": BROKEN + LONG, "other.prototxt": NET + LONG, **LOOP}, "error"),
        (
            {"runs/1/net.prototxt": BROKEN + LONG, "net.prototxt": NET + LONG, "README.md": "runs/1/net.prototxt"},
            "error",
        ),
        ({"a/net.prototxt": BROKEN + LONG, "a/old.prototxt": NET + LONG, "README.md": "a/old.prototxt"}, "info"),
        ({"a/net.prototxt": BROKEN + LONG, "a/old.prototxt": NET + LONG}, "error"),
        ({"a/net.prototxt": BROKEN + LONG}, "error"),
    ],
    ids=["copy", "unlike", "another name", "named", "beside a named one", "beside any", "alone"],
)
def test_a_net_beside_a_sound_one_that_is_nearly_the_same(project: Path, files: dict[str, str], severity: str) -> None:
    write(files)
    (one,) = found("unknown-field").values()
    assert one.severity == severity
    assert ("is nearly the same" in one.evidence) == (severity == "info")


PART = 'layer { name: "r"\n type: "ReLU"\n bottom: "fc"\n top: "r"\n botom: "x" }\n'


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({"README.md": "net.prototxt", "net.prototxt": NET}, "info"),
        (
            {"make.py": "open('part.prototxt', 'w').write(net)", "README.md": "net.prototxt", "net.prototxt": NET},
            "info",
        ),
        (
            {"make.py": "f.write(open('part.prototxt').read())", "README.md": "net.prototxt", "net.prototxt": NET},
            "error",
        ),
        ({"net.prototxt": NET}, "error"),
        ({}, "error"),
    ],
    ids=["beside a named net", "only written", "read", "beside any net", "alone"],
)
def test_a_part_of_a_net(project: Path, files: dict[str, str], severity: str) -> None:
    write({"part.prototxt": PART, **files})
    assert found("unknown-field")["part.prototxt"].severity == severity


@pytest.mark.parametrize(
    ("folder", "page", "severity"),
    [
        ("old", "", "info"),
        ("nets_bak", "", "info"),
        ("older", "", "error"),
        ("old", "old/solver.prototxt", "error"),
    ],
)
@pytest.mark.parametrize("others", [True, False])
def test_what_its_author_has_put_away(project: Path, folder: str, page: str, severity: str, others: bool) -> None:
    write({f"{folder}/solver.prototxt": SOLVER % "n.prototxt", f"{folder}/n.prototxt": BROKEN, "README.md": page})
    write({f"{folder}/run.sh": "caffe train --solver solver.prototxt\n"})
    if others:
        write({"solver.prototxt": SOLVER % "n.prototxt", "n.prototxt": NET})
    one = found("unknown-field")[f"{folder}/n.prototxt"]
    assert one.severity == (severity if others else "error")


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ("for n in a b; do caffe time -model nets/$n.prototxt; done\n", "info"),
        ("for n in a other; do caffe time -model nets/$n.prototxt; done\n", "error"),
        ("caffe time -model nets/$1.prototxt\n", "error"),
    ],
    ids=["of others", "of it", "of any"],
)
def test_a_loop_says_which_nets_it_is_over(project: Path, script: str, severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "run.sh": script})
    write({"nets/a.prototxt": NET + LONG, "nets/other.prototxt": BROKEN + LONG})
    write({"README.md": "nets/a.prototxt"})
    assert found("unknown-field")["nets/other.prototxt"].severity == severity


@pytest.mark.parametrize(("comment", "severity"), [("#net: 'other.prototxt'\n", "error"), ("", "info")])
def test_a_net_that_a_solver_names_in_a_comment(project: Path, comment: str, severity: str) -> None:
    write(
        {"a/solver.prototxt": comment + SOLVER % "train.prototxt", "a/train.prototxt": NET, "a/other.prototxt": BROKEN}
    )
    write({"README.md": "a/solver.prototxt"})
    assert found("unknown-field")["a/other.prototxt"].severity == severity


@pytest.mark.parametrize(("nets", "severity"), [("abc", "info"), ("ab", "error")])
def test_a_net_that_a_list_of_nets_lacks(project: Path, nets: str, severity: str) -> None:
    listed = "".join(f"# net: '{name}.prototxt'\n" for name in nets)
    write({"solver.prototxt": listed + SOLVER % "a.prototxt", **{f"{name}.prototxt": NET for name in nets}})
    write({"other.prototxt": "".join(line for line in BROKEN.splitlines(True) if "loss" not in line)})
    assert found("unknown-field")["other.prototxt"].severity == severity


def test_a_solver_may_name_a_net_of_another_folder(project: Path) -> None:
    write({"solver.prototxt": SOLVER % "lost/other.prototxt", "solver2.prototxt": SOLVER % "train.prototxt"})
    write({"train.prototxt": NET, "nets/other.prototxt": BROKEN})
    assert found("unknown-field")["nets/other.prototxt"].severity == "error"


@pytest.mark.parametrize(
    ("text", "name", "severity"),
    [
        (BROKEN, "net.prototxt", "error"),
        ("a: }" + BROKEN, "net.prototxt", "info"),
        ("a: }" + BROKEN, "train.prototxt", "error"),
    ],
    ids=["refused", "unreadable", "used"],
)
def test_who_loads_a_broken_text_sees_it(project: Path, text: str, name: str, severity: str) -> None:
    text = re.sub(".*loss.*", "", text) if name == "net.prototxt" else text
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, name: text})
    errors = {one.severity for one in caffelint.check(".").findings if one.file == name}
    assert ("error" in errors) == (severity == "error")


@pytest.mark.parametrize(
    ("folder", "run", "severity"),
    [(".", "", "warning"), (".", "-solver solver.prototxt", "info"), ("nets", "", "info")],
)
def test_beside_a_solver_nets_are_tried_by_turns(project: Path, folder: str, run: str, severity: str) -> None:
    twice = NET.replace('bottom: "fc" bottom: "label"', 'bottom: "p" bottom: "label"')
    twice = twice.replace(
        'layer { name: "loss', 'layer { name: "p" type: "Softmax" bottom: "fc" top: "p" }\nlayer { name: "loss'
    )
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, f"{folder}/other.prototxt": twice})
    write({"run.sh": f"caffe train {run}"})
    assert [one.severity for one in found("softmax-twice").values()] == [severity]


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({}, "info"),
        ({"run.sh": "caffe time --model other.prototxt"}, "error"),
        ({"other_solver.prototxt": SOLVER % "other.prototxt"}, "error"),
        ({"train.prototxt": "", "nets/train.prototxt": NET, "solver.prototxt": SOLVER % "nets/train.prototxt"}, "info"),
        ({"other.prototxt": re.sub(".*loss.*", "", BROKEN)}, "error"),
    ],
    ids=["draft", "script", "solver", "of another folder", "deploy"],
)
def test_what_caffe_refuses_beside_a_net_in_use(project: Path, files: dict[str, str], severity: str) -> None:
    used = {"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET}
    write({**used, "other.prototxt": BROKEN.replace("fc", "fc1"), **files})
    assert found("unknown-field")["other.prototxt"].severity == severity


@pytest.mark.parametrize(
    ("text", "name", "severity"),
    [
        (NET.replace('bottom: "fc"', 'bottom: "fd"'), "other.prototxt", "warning"),
        (NET.replace('bottom: "fc"', 'bottom: "fd"'), "old/other.prototxt", "info"),
        (NET.partition("\n")[2], "part.prototxt", "info"),
    ],
    ids=["draft", "put away", "part"],
)
def test_a_draft_that_no_caffe_loads(project: Path, text: str, name: str, severity: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, name: text})
    severities = [one.severity for file, one in found("unknown-bottom").items() if file == name]
    assert severities in ([severity], [] if severity == "info" else [severity])


@pytest.mark.parametrize(
    ("field", "severity"), [("relu_param { negative_slop: 0 }", "warning"), ("blobs_lr: 1", "info")]
)
def test_a_slip_is_no_field_of_a_fork(project: Path, field: str, severity: str) -> None:
    text = NET + f'layer {{ name: "r" type: "ReLU" bottom: "fc" top: "fc" {field} }}\n'
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, "other.prototxt": text})
    assert found("unknown-field")["other.prototxt"].severity == severity


def test_a_deploy_net_beside_the_one_in_use(project: Path) -> None:
    deploy = 'layer { name: "i" type: "Input" top: "a" }\n'
    deploy += 'layer { name: "r" type: "ReLU" blobs_lr: 1 bottom: "a" top: "r" }\n'
    write({"deploy.prototxt": deploy, "deploy_big.prototxt": deploy + "#", "eval.py": "Net('deploy_big.prototxt')"})
    assert {name: one.severity for name, one in found("unknown-field").items()} == {
        "deploy.prototxt": "info",
        "deploy_big.prototxt": "error",
    }


@pytest.mark.parametrize(
    ("files", "severity", "evidence"),
    [
        ({"a.txt": ""}, "warning", ""),
        ({"run.log": LOG.format(0.2)}, "info", "run.log shows 8000 iterations of it, to a loss of 0.2"),
        ({"run.log": LOG.format("nan")}, "warning", ""),
        ({"run.log": LOG.format(2.29)}, "warning", ""),
        (
            {"eval.sh": "caffe test -weights snap/mine_iter_9000.caffemodel"},
            "info",
            "its snapshots are in use: eval.sh:1",
        ),
        ({"eval.sh": "caffe test -weights other/mine_iter_9000.caffemodel"}, "warning", ""),
        # What merely lies there may be of a run that came to nothing; what caffelint wrote names all it was told of.
        ({"snap/mine_iter_9000.caffemodel": "x"}, "warning", ""),
        ({"report.html": "by caffelint: snap/mine_iter_9000.caffemodel"}, "warning", ""),
        ({"README.md": "# Net\n\n| accuracy | 91.3 |\n"}, "info", "README.md:3 gives results"),
        (
            {"README.md": "# Net\n\n| err@1 | err@5 |\n| --- | --- |\n| 23.65 | 7.1 |"},
            "info",
            "README.md:3 gives results",
        ),
        ({"README.md": "# Net\n\nto be trained\n"}, "warning", ""),
    ],
)
def test_a_net_that_trained(project: Path, files: dict[str, str], severity: str, evidence: str) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET, **files})
    one = found("weight-decay-out-of-range")["solver.prototxt"]
    assert one.severity == severity
    assert evidence in one.evidence


def test_a_log_shows_that_a_caffe_takes_the_file(project: Path) -> None:
    write({"train.prototxt": BROKEN, "solver.prototxt": SOLVER % "train.prototxt"})
    assert found("unknown-field")["train.prototxt"].severity == "error"
    write({"README.md": "accuracy: 91.3 %"})
    assert found("unknown-field")["train.prototxt"].severity == "error", "the file may have changed since"
    write({"eval.sh": "caffe test -weights snap/mine_iter_9000.caffemodel"})
    assert found("unknown-field")["train.prototxt"].severity == "error", "so it may"
    write({"run.log": LOG.format(0.2)})
    assert found("unknown-field")["train.prototxt"].severity == "info"


def test_snapshots_in_use_show_how_many_bottoms_its_own_layer_takes(project: Path) -> None:
    net = (
        NET
        + 'layer { name: "c" type: "ContrastiveLoss" bottom: "data" bottom: "data" bottom: "data" bottom: "data" }\n'
    )
    write({"train.prototxt": net, "solver.prototxt": SOLVER % "train.prototxt"})
    assert found("wrong-blob-count")["train.prototxt"].severity == "error"
    write({"eval.sh": "caffe test -weights snap/mine_iter_9000.caffemodel"})
    assert found("wrong-blob-count")["train.prototxt"].severity == "info"


def test_what_a_caffe_was_seen_to_take_it_takes_in_other_nets(project: Path) -> None:
    one_top = 'layer { name: "e" type: "ImageData" top: "%s" image_data_param { source: "a" } }\n' + NET
    own = one_top % "e" + 'layer { name: "s" type: "Slice" bottom: "data" top: "s" }\n'
    write({"train.prototxt": one_top % "e", "solver.prototxt": SOLVER % "train.prototxt", "run.log": LOG.format(0.2)})
    write(
        {"b/net.prototxt": own.replace('"e"', '"f"'), "b/solver.prototxt": SOLVER.replace("mine", "b") % "net.prototxt"}
    )
    one = found("wrong-blob-count")["b/net.prototxt"]
    assert one.severity == "info"
    assert one.evidence.endswith("this project's Caffe takes the same in train.prototxt:1, which was trained")
    write({"b/net.prototxt": NET.replace('top: "data" top: "label"', "")})
    assert found("wrong-blob-count")["b/net.prototxt"].severity == "error", "a layer of another type"


def test_a_log_may_begin_with_a_long_set_up(project: Path) -> None:
    before, first, last = re.split("(?=I0101.*Iteration)", LOG.format(0.1))
    net = NET.replace('top: "loss"', 'top: "loss" x: 1')
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": net})
    write({"a.log": before + "net.cpp: Setting up\n" * 9000 + first + "data_layer.cpp: Restarting\n" * 9000 + last})
    assert found("unknown-field")["train.prototxt"].severity == "info"


def test_scores_and_labels_that_do_not_go_together_are_one_error(project: Path) -> None:
    shapes = "input_param { shape { dim: 4 } shape { dim: 3 } }"
    inputs = f'layer {{ name: "x" type: "Input" top: "data" top: "label" {shapes} }}'
    net = inputs + NET.partition("\n")[2]
    write({"train.prototxt": net + 'layer { name: "a" type: "Accuracy" bottom: "fc" bottom: "label" top: "a" }\n'})
    write({"solver.prototxt": SOLVER % "train.prototxt"})
    assert [one.severity for one in found("refused-by-caffe").values()] == ["error"]


def test_a_trial_learns_nothing(project: Path) -> None:
    write({"solver.prototxt": (SOLVER % "train.prototxt").replace("9000", "4"), "train.prototxt": NET})
    one = found("weight-decay-out-of-range")["solver.prototxt"]
    assert (one.severity, one.evidence.endswith("max_iter is 4, so the run is a trial")) == ("info", True)


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({"train.sh": "caffe train --solver=./solver.prototxt"}, "info"),
        ({"train.sh": "caffe train --solver=./solver.prototxt", "README.md": "or take old.prototxt"}, "warning"),
        ({"train.sh": "for one in *.prototxt; do caffe train --solver=$one; done"}, "warning"),
        ({"README.md": "train by solver.prototxt"}, "warning"),
        (
            {"train.sh": "caffe train --solver=./solver.prototxt", "solver.prototxt": SOLVER % "other.prototxt"},
            "warning",
        ),
        ({}, "warning"),
    ],
    ids=["another is run", "told", "all are run", "a page", "for another net", "nothing tells"],
)
def test_a_solver_beside_the_one_that_is_run(project: Path, files: dict[str, str], severity: str) -> None:
    nets = {"train.prototxt": NET, "other.prototxt": NET, "solver.prototxt": SOLVER % "train.prototxt"}
    write({**nets, "old.prototxt": SOLVER % "train.prototxt", **files})
    assert found("weight-decay-out-of-range")["old.prototxt"].severity == severity


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("0.01", "0.02", "info"),
        ("0.01", "0.001", "warning"),
        ("fixed", "inv", "warning"),
        ("base_lr", 'weights: "a.caffemodel" base_lr', "warning"),
        ("base_lr: 0.01", "", "warning"),
    ],
)
def test_a_solver_that_may_go_on_from_another(project: Path, old: str, new: str, severity: str) -> None:
    solver = SOLVER % "train.prototxt"
    write({"train.prototxt": NET, "solver.prototxt": solver, "train.sh": "caffe train --solver=solver.prototxt"})
    write({"second.prototxt": solver.replace(old, new)})
    assert found("weight-decay-out-of-range")["second.prototxt"].severity == severity


def test_an_error_of_a_solver_beside_the_one_that_is_run(project: Path) -> None:
    solver = SOLVER % "train.prototxt"
    write({"train.prototxt": NET, "solver.prototxt": solver, "train.sh": "caffe train --solver=solver.prototxt"})
    write({"old.prototxt": solver.replace("9000", "9000 stpsize: 3")})
    assert found("unknown-field")["old.prototxt"].severity == "error"


def nets(folder: Path, faults: list[str]) -> None:
    for number, fault in enumerate(faults):
        (folder / f"v{number}").with_suffix(".prototxt").write_text(
            'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 3 } } }\n'
            f'layer {{ name: "n{number}" type: "ReLU" bottom: "d" top: "n{number}" }}\n{fault}'
        )


_FAULTS = [
    'layer { name: "x" type: "ReLU" bottom: "nope" top: "x" }\n',
    'layer { name: "x" type: "ReLU" bottom: "d" top: "d" top: "e" }\n',
    'layer { name: "x" type: "ReLU" bottom: "d" top: }\n',
]


@pytest.mark.parametrize(
    ("faults", "errors"),
    [
        (_FAULTS * 2, False),  # there for another program
        (_FAULTS[:1] * 6, True),  # copied from each other
        ([*_FAULTS, ""], True),  # too few to tell
        (_FAULTS * 2 + [""] * 6, True),  # as many are sound
    ],
)
def test_a_folder_of_nets_that_caffe_does_not_load(project: Path, faults: list[str], errors: bool) -> None:
    folder = project / "drawn"
    folder.mkdir()
    nets(folder, faults)
    report = caffelint.check(".")
    mine = [one for one in report.findings if one.file.startswith("drawn")]
    assert any(one.severity == "error" for one in mine) is errors
    assert errors or all("another program may read them" in one.evidence for one in mine if one.code != "I002")


def test_a_log_of_losses_is_of_no_net_without_a_loss(project: Path) -> None:
    """That prints 0: what it shows was trained with another text."""
    net = (
        NET.partition('layer { name: "loss"')[0] + 'layer { name: "prob" type: "Softmax" bottom: "data" top: "prob" }\n'
    )
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": net, "run.log": LOG.format(0.2)})
    assert found("no-loss")["train.prototxt"].severity == "error"


def test_a_web_page_that_nothing_names_is_an_info(project: Path) -> None:
    write({"solver.prototxt": SOLVER % "train.prototxt", "train.prototxt": NET})
    write({"saved.prototxt": "<!DOCTYPE html>\n<title>lenet.prototxt</title>\n"})
    assert found("syntax-error")["saved.prototxt"].severity == "info"
    write({"train.sh": "caffe time -model saved.prototxt\n"})
    assert found("syntax-error")["saved.prototxt"].severity == "error"
