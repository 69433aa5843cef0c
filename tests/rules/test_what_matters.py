"""What is true and without consequence is an info, or nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import caffelint

DATA = 'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TRAIN }%s } '
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "%s" bottom: "label" top: "loss" }'
FILLER = ' weight_filler { type: "xavier" }'


def fc(name: str, bottom: str, filler: str) -> str:
    return (
        f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        f" inner_product_param {{ num_output: 9{filler} }} }} "
    )


def severities(text: str, rule: str) -> list[str]:
    return [one.severity for one in caffelint.check_text(text).findings if one.name == rule]


@pytest.mark.parametrize(
    ("fillers", "severity"),
    [((FILLER, "", FILLER), "info"), (("", "", FILLER), None), ((FILLER, "", ""), "warning")],
    ids=["one", "the first: weights are loaded", "two in a row"],
)
def test_one_layer_of_zeros_learns_at_once(fillers: tuple[str, ...], severity: str | None) -> None:
    net = DATA % "" + fc("a", "data", fillers[0]) + fc("b", "a", fillers[1]) + fc("c", "b", fillers[2]) + LOSS % "c"
    assert severities(net, "missing-weight-filler") == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("blocks", "severity"),
    [
        (' image_data_param { source: "a" batch_size: 4 }', "warning"),
        (' data_param { source: "a" batch_size: 4 backend: LMDB } memory_data_param { height: 3 }', "info"),
    ],
    ids=["its own is missing", "left over"],
)
def test_a_block_beside_its_own_is_left_over(blocks: str, severity: str) -> None:
    net = DATA % blocks + fc("a", "data", FILLER) + LOSS % "a"
    found = severities(net, "unused-parameter-block") or severities(net, "data-layer-without-its-block")
    assert (found == ["info"]) == (severity == "info")


def test_a_block_of_defaults_says_nothing() -> None:
    net = 'layer { name: "r" type: "ReLU" bottom: "a" top: "b" bias_param { axis: 1 filler { value: %d } } }'
    assert severities(net % 0, "unused-parameter-block") == ["info"]
    assert severities(net % 1, "unused-parameter-block") == ["warning"]


@pytest.mark.parametrize(("interval", "expected"), [(500, ["warning"]), (50000, [])])
def test_statistics_of_a_test_that_never_comes(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, interval: int, expected: list[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "data" top: "n" batch_norm_param { use_global_stats: false } } '
    data = 'layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "x" batch_size: 4 } } '
    solver = 'net: "n.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 9000 test_iter: 9 test_initialization: false'
    with open("n.prototxt", "w") as net:
        net.write(data + norm + fc("a", "n", FILLER) + LOSS % "a")
    with open("solver.prototxt", "w") as file:
        file.write(f"{solver} test_interval: {interval}")
    found = [one.severity for one in caffelint.check(".").findings if one.name == "batch-stats-in-testing"]
    assert found == expected


@pytest.mark.parametrize(("line", "severity"), [("", "warning"), ("# test_iter: 9\n", "info")])
def test_tests_that_are_turned_off(line: str, severity: str) -> None:
    solver = 'net: "n.prototxt"\nbase_lr: 0.01 lr_policy: "fixed" max_iter: 9000\n%stest_interval: 50\n'
    assert severities(solver % line, "test-settings-mismatch") == [severity]


def test_a_fixed_table_in_testing_alone() -> None:
    embed = (
        'layer { name: "e" type: "Embed" bottom: "label" top: "e" include { phase: TEST } param { lr_mult: %d }'
        ' embed_param { input_dim: 9 num_output: 9 bias_term: false weight_filler { type: "%s" } } } '
    )
    net = DATA.replace(" include { phase: TRAIN }", "") % "" + fc("a", "data", FILLER) + LOSS % "a"
    assert severities(net + embed % (1, "diag"), "layer-named-apart") == ["error"]
    assert severities(net + embed % (0, "xavier"), "layer-named-apart") == ["error"]
    assert severities(net + embed % (0, "diag"), "layer-named-apart") == []


def test_one_channel_is_copied_on_purpose() -> None:
    up = (
        'layer { name: "u" type: "Deconvolution" bottom: "a" top: "u" convolution_param { num_output: 7 kernel_size: %d'
        ' stride: %d weight_filler { type: "bilinear" } } }'
    )
    assert severities(up % (1, 1), "bilinear-misconfigured") == []
    assert severities(up % (4, 2), "bilinear-misconfigured")


@pytest.mark.parametrize(
    ("solver", "severity"),
    [('train_net: "net.prototxt"', "info"), ('net: "net.prototxt" test_iter: 9 test_interval: 9', "warning")],
    ids=["trained alone", "tested"],
)
def test_a_phase_filters_nothing_where_there_is_no_other(tmp_path: Path, solver: str, severity: str) -> None:
    (tmp_path / "solver.prototxt").write_text(f"{solver} base_lr: 0.01 lr_policy: 'fixed' max_iter: 999")
    net = DATA.replace("include { phase: TRAIN }", "phase: TRAIN") % "" + LOSS % "data"
    (tmp_path / "net.prototxt").write_text(net)
    found = caffelint.check(str(tmp_path)).findings
    assert [one.severity for one in found if one.name == "phase-field-ignored"] == [severity]


@pytest.mark.parametrize(("snapshot", "severity"), [(5000, "warning"), (500, "info"), (0, "warning")])
def test_who_saves_a_thousand_times_stops_the_run_by_hand(snapshot: int, severity: str) -> None:
    solver = f'base_lr: 0.1 lr_policy: "step" gamma: 0.1 stepsize: 2000 max_iter: 600000 snapshot: {snapshot}'
    assert severities(solver, "learning-rate-vanishes") == [severity]


@pytest.mark.parametrize(("type_", "severity"), [("ImageData", "warning"), ("Data", "info")])
def test_who_writes_integers_knows_that_they_are(type_: str, severity: str) -> None:
    net = f'layer {{ name: "d" type: "{type_}" top: "data" top: "label" }} ' + fc("a", "data", FILLER)
    net += 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "label" top: "loss" }'
    assert severities(net, "integer-labels-for-regression") == [severity]


def test_drops_at_each_iteration_are_not_meant() -> None:
    solver = 'base_lr: 0.1 lr_policy: "step" gamma: 0.5 stepsize: %d max_iter: %d'
    assert severities(solver % (1, 50), "learning-rate-vanishes") == ["warning"]
    assert severities(solver % (1000, 50000), "learning-rate-vanishes") == ["info"]


def test_a_name_that_a_phase_makes_and_does_not_read() -> None:
    train = 'layer { name: "d" type: "HDF5Data" top: "data" top: "%s" include { phase: TRAIN } } '
    test = 'layer { name: "e" type: "HDF5Data" top: "data" top: "label" include { phase: TEST } } '
    for name, said in (("labels", True), ("weights", False)):
        found = caffelint.check_text(train % name + test + fc("a", "data", FILLER) + LOSS % "a").findings
        (one,) = (one for one in found if one.name == "unknown-bottom")
        assert ('in TRAIN nothing reads top "labels" of HDF5Data "d": was "label" meant?' in one.evidence) == said


@pytest.mark.parametrize(("source", "expected"), [("", []), ('data_param { source: "a" }', ["error"])])
def test_data_that_a_tool_fills_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = f'layer {{ name: "d" type: "Data" top: "data" top: "label" include {{ stage: "train" }} {source} }} '
    Path("net.prototxt").write_text(data + fc("a", "data", FILLER) + LOSS % "a")
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 1000')
    found = [one.severity for one in caffelint.check(".").findings if one.name == "unknown-bottom"]
    assert found[:1] == expected


@pytest.mark.parametrize(("data", "severity"), [(DATA % "", "warning"), ("", "info")], ids=["trained", "deployed"])
def test_who_has_the_weights_takes_the_eps_of_their_training(data: str, severity: str) -> None:
    start = data or 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 9 } } } '
    norm = 'layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" batch_norm_param { eps: 0 } } '
    net = start + norm + fc("fc", "bn", FILLER) + (LOSS % "fc" if data else "")
    assert severities(net, "batchnorm-eps-too-small") == [severity]


@pytest.mark.parametrize(
    ("words", "layers", "severity"),
    [("fine-tune it with a low rate", 6, "info"), ("train it", 6, "warning"), ("fine-tune it", 3, "warning")],
)
def test_a_solver_speaks_of_weights_that_fill_all_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, layers: int, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["data", *(f"fc{number}" for number in range(layers))]
    net = DATA % "" + "".join(fc(name, below, "") for below, name in pairwise(names))
    Path("net.prototxt").write_text(net + LOSS % names[-1])
    Path("solver.prototxt").write_text(f'# {words}\nnet: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    found = [one.severity for one in caffelint.check(".").findings if one.name == "missing-weight-filler"]
    assert found == [severity]
