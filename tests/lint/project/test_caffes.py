"""The Caffe in a repository: its fields, enum values and types are known, and what it lacks is an error."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from own_caffe import MINE, NET, Make, found, settings

import caffelint
from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.project.sources import digest


def test_its_own_fields_and_types_are_known(make: Make) -> None:
    make(NET.format(MINE.format("count: 3 way: SLOW rate: 1 inner { count: 1 } inner { count: 2 }")), types="My")
    assert found() == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("count: 3 ratee: 1", "my_param has no field ratee, so Caffe refuses the file; did you mean rate?"),
        ("count: 3 zzzz: 1", "my_param has no field zzzz in this project's Caffe, which refuses the file; remove it"),
        ("count: 3 way: SLOWW", "way of my_param has no value SLOWW, so Caffe refuses the file; did you mean SLOW?"),
        ("count: -3", "count -3 is out of range; it takes a whole number from 0 to 4294967295"),
        ('count: "3"', 'count takes a whole number, 0 or more, not the quoted string "3"'),
        ("rate: 1", "my_param lacks count, which is required, so Caffe refuses the file; add it"),
        ("count: 3 inner { }", "inner lacks count, which is required, so Caffe refuses the file; add it"),
        ("count: 3 rate: 1 rate: 2", "rate is set twice in my_param (first on line 1); keep one"),
        (
            "count: 3 weight_filler { typ: 1 }",
            "weight_filler has no field typ in this project's Caffe, which refuses the file; remove it",
        ),
    ],
)
def test_mistakes_in_its_own_fields_are_errors(make: Make, fields: str, message: str) -> None:
    make(NET.format(MINE.format(fields)), types="My")
    ((severity, _, said),) = found()
    assert severity == "error"
    assert said.startswith(message)


def test_an_enum_value_of_its_own_is_known(make: Make) -> None:
    pooling = 'layer {{ name: "p" type: "Pooling" bottom: "a" top: "p" pooling_param {{ pool: {} kernel_size: 2 }} }}'
    make(NET.format(pooling.format("MEDIAN")))
    assert found() == []
    Path("net.prototxt").write_text(NET.format(pooling.format("MEDAIN")))
    assert [name for _, name, _ in found()] == ["unknown-enum-value"]


def test_what_it_lacks_is_an_error(make: Make) -> None:
    make(NET.format('layer { name: "p" type: "PriorBox" bottom: "a" top: "p" prior_box_param { min_size: 1 } }'))
    assert [(severity, name) for severity, name, _ in found()] == [("error", "unknown-layer-type")]
    pooling = 'layer { name: "p" type: "Pooling" bottom: "a" top: "p" pooling_param { ceil_mode: true } }'
    Path("net.prototxt").write_text(NET.format(pooling))
    assert [(severity, name) for severity, name, _ in found()] == [("error", "fork-field")]
    assert all("this project's Caffe lacks" in message for *_, message in found())


def test_a_type_that_is_misspelt_is_one_of_its_own(make: Make) -> None:
    make(NET.format('layer { name: "m" type: "MyOwnLos" bottom: "a" top: "m" }'), types="MyOwnLoss")
    assert [message for *_, message in found()] == [
        '"MyOwnLos" is not a layer type, so Caffe stops at load; did you mean "MyOwnLoss"?'
    ]


def test_a_dialect_overrides_it(make: Make) -> None:
    make(NET.format(MINE.format("count: 3")), types="My")
    config = Config()
    config.dialect = "bvlc"
    assert {name for _, name, _ in found(config)} == {"unknown-layer-type", "unknown-field"}


@pytest.mark.parametrize(
    "source",
    [
        "// REGISTER_LAYER_CLASS(My);",
        "/* REGISTER_LAYER_CLASS(My); */",
        "#if 0\nREGISTER_LAYER_CLASS(My);\n#endif",
        "# if 0 // off\n#ifdef X\n#endif\nREGISTER_LAYER_CLASS(My);\n#else\n#endif",
        "#define REGISTER_LAYER_CLASS(My) AddCreator(My)",
    ],
)
def test_what_is_not_compiled_is_not_registered(make: Make, source: str) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "caffe/src/caffe/layers/my_layer.cpp").write_text(source)
    assert [name for _, name, _ in found()] == ["unknown-layer-type"]


@pytest.mark.parametrize(
    "source",
    [
        "REGISTER_LAYER_CLASS( My );",
        "REGISTER_LAYER_CREATOR(My, GetMyLayer);",
        "#if 0\n#else\nREGISTER_LAYER_CLASS(My);\n#endif",
        "#ifdef WITH_MY\nREGISTER_LAYER_CLASS(My);\n#endif",
        'const char* s = "// /*"; REGISTER_LAYER_CLASS(My);',
        "INSTANTIATE_CLASS(MyLayer);\nREGISTER_LAYER_CLASS\n(My);",
    ],
)
def test_what_is_registered_is_known(make: Make, source: str) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "extra").mkdir()
    (top / "extra/my_layer.cu").write_text(source)
    assert found() == []


def test_a_block_that_its_sources_read_is_missing_in_its_proto(make: Make) -> None:
    top = make(NET.format(MINE.format("count: 3").replace("my_param", "mine_param")), types="My")
    ((severity, name, message),) = found()
    assert (severity, name) == ("error", "unknown-field")
    source = "REGISTER_LAYER_CLASS(My);\nint count = this->layer_param_.mine_param().count();"
    (top / "caffe/src/caffe/layers/my_layer.cpp").write_text(source)
    ((severity, name, message),) = found()
    assert (severity, name) == ("warning", "unknown-field")
    assert message.endswith("in this project's caffe.proto, but its sources read it; add it there")


def test_the_block_that_the_source_of_a_layer_reads_is_meant(make: Make) -> None:
    top = make(NET.format('layer { name: "x" type: "Other" bottom: "a" top: "x" other_loss_param { count: 3 } }'))
    source = "REGISTER_LAYER_CLASS(Other);\nint count = this->layer_param_.my_param().count();"
    (top / "caffe/src/caffe/layers/other_layer.cpp").write_text(source)
    ((severity, name, message),) = found()
    assert (severity, name) == ("error", "unknown-field")
    assert message.endswith("what it holds belongs in my_param, so rename it")


def test_a_part_of_a_caffe_registers_more_than_is_seen(make: Make) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "caffe/src/caffe/layers/all.cpp").write_text("REGISTER_LAYER_CLASS(Other);")
    assert [(severity, name) for severity, name, _ in found()] == [("info", "unknown-layer-type")]


@pytest.mark.parametrize(("registered", "names"), [(["My"], []), (["My", "SGD"], ["unknown-solver-type"])])
def test_a_part_of_a_caffe_registers_more_solvers_than_is_seen(
    make: Make, registered: list[str], names: list[str]
) -> None:
    top = make(NET.format(""))
    source = "\n".join(f"REGISTER_SOLVER_CLASS({name});" for name in registered)
    (top / "caffe/src/caffe/my_solver.cpp").write_text(source)
    Path("solver.prototxt").write_text(
        'net: "net.prototxt" type: "Adam" base_lr: 1 lr_policy: "fixed" max_iter: 9 snapshot_prefix: "a"'
    )
    assert [name for _, name, _ in found(path="solver.prototxt")] == names


def test_one_that_is_broken_is_told(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    make(NET.format(MINE.format("count: 3")), text="message A {\n optional int32 x 1; }")
    main(["check"])
    told = 'caffe.proto" was not taken as the Caffe of the project: line 2: "=" is missing before 1'
    assert capsys.readouterr().err.count(told) == 1


@pytest.mark.parametrize("lacking", ["layer", "input", "type"])
def test_an_old_format_stays_where_it_reads_no_newer_one(make: Make, proto: str, lacking: str) -> None:
    newer = {
        "layer": "repeated LayerParameter layer = 100;",
        "type": 'optional string type = 40 [default = "SGD"];',
        "input": "",
    }
    old = {
        "layer": 'layers { name: "a" type: RELU bottom: "a" top: "a" }',
        "type": 'net: "n.prototxt" solver_type: ADAM base_lr: 1 lr_policy: "fixed" max_iter: 1',
        "input": 'input: "a" input_dim: 1 input_dim: 3 input_dim: 9 input_dim: 9',
    }
    text = "\n".join(line for line in proto.splitlines() if not newer[lacking] or newer[lacking] not in line)
    top = make(old[lacking], text=text)
    if lacking == "input":
        path = top / "caffe/src/caffe/layers/all.cpp"
        path.write_text(path.read_text().replace("REGISTER_LAYER_CLASS(Input);", ""))
    assert (text.strip() == proto.strip()) == (lacking == "input")
    assert [one.name for one in caffelint.check("net.prototxt").findings if one.name == "legacy-format"] == []
    assert main(["upgrade", "net.prototxt"]) == 0
    assert Path("net.prototxt").read_text() == old[lacking]
    assert main(["upgrade", "net.prototxt", "--dialect", "bvlc"]) == 0
    assert Path("net.prototxt").read_text() != old[lacking]


def test_layers_to_be_added_to_a_caffe_elsewhere_are_none_by_themselves(make: Make) -> None:
    path = make(NET.format('layer { name: "l" type: "Lack" bottom: "a" top: "l" }')) / "caffe/src/caffe/layers/all.cpp"
    assert [severity for severity, name, _ in found() if name == "unknown-layer-type"] == ["error"]
    # insert_splits.cpp puts a Split into a net wherever two layers read one blob.
    path.write_text(path.read_text().replace("REGISTER_LAYER_CLASS(Split);", ""))
    assert [severity for severity, name, _ in found() if name == "unknown-layer-type"] == ["info"]


def test_certain_claims_on_layers_of_its_own_making_are_likely(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "void PoolingLayer<Dtype>::LayerSetUp() { CHECK(x); }"
    table = {"files": {"pooling_layer.cpp": [digest(source)]}, "types": {"Pooling": ["pooling_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    top = make(NET.format('layer { type: "Pooling" name: "p" bottom: "a" top: "p" pooling_param { pad: 3 } }'))
    path = top / "caffe/src/caffe/layers/pooling_layer.cpp"
    path.write_text(f"// the same\n#include <vector>\n{source}")
    (one,) = caffelint.check("net.prototxt", settings(select=["L"])).findings
    assert (one.severity, one.certainty) == ("error", "certain")
    path.write_text(source.replace("x", "y"))
    (one,) = caffelint.check("net.prototxt", settings(select=["L"])).findings
    assert (one.severity, one.certainty) == ("warning", "likely")
    assert one.evidence.endswith("this project's own source of this layer type differs from BVLC's")


def test_its_own_source_that_has_the_check_refuses_for_certain(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"files": {"eltwise_layer.cpp": [digest("x")]}, "types": {"Eltwise": ["eltwise_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    mine = 'layer {{ name: "m" type: "My" bottom: "a" top: "m" }}\n'.format()
    coeffs = "eltwise_param { coeff: 1 coeff: 1 coeff: 1 }"
    layer = f'layer {{ name: "e" type: "Eltwise" bottom: "a" bottom: "m" top: "e" {coeffs} }}'
    path = make(NET.format(mine + layer), types="My") / "caffe/src/caffe/layers/eltwise_layer.cpp"
    said = 'CHECK(n == bottom.size()) <<\n  "Eltwise Layer takes one "\n  "coefficient per bottom blob.";'
    for source, severity in (
        ("x", "error"),
        (said, "error"),
        (f"// {said}", "warning"),
        ('CHECK(n) << "n";', "warning"),
    ):
        path.write_text(source.replace("\n", "\n//") if source.startswith("//") else source)
        (one,) = caffelint.check("net.prototxt", settings(select=["refused-by-caffe"])).findings
        assert (one.layer, one.severity) == ("e", severity), source


def test_what_a_data_layer_of_its_own_makes_may_have_another_shape(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "void DataLayer<Dtype>::DataLayerSetUp() { x; }"
    table = {"files": {"data_layer.cpp": [digest(source)]}, "types": {"Data": ["data_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    top = make(
        'layer { name: "d" type: "Data" top: "d" top: "l" data_param { source: "a" batch_size: 4 } }'
        ' layer { name: "s" type: "Slice" bottom: "l" top: "a" top: "b" slice_param { slice_dim: 1 slice_point: 3 } }'
    )
    path = top / "caffe/src/caffe/layers/data_layer.cpp"
    for text, severity in ((source, "error"), (source.replace("x", "y"), "info")):
        path.write_text(text)
        (one,) = caffelint.check("net.prototxt", settings(select=["refused-by-caffe"])).findings
        assert one.severity == severity


def test_values_that_its_caffe_declares_once_and_bvlc_as_a_list_are_known(make: Make, proto: str) -> None:
    """Caffe before 1.0 declares `optional uint32 kernel_size`, and a single test net."""
    old = proto.replace("repeated uint32 kernel_size", "optional uint32 kernel_size")
    assert old != proto
    make(
        'input: "a" input_dim: 1 input_dim: 3 input_dim: 2 input_dim: 2 layer { type: "Convolution" name: "c" bottom: '
        '"a" top: "c" convolution_param { num_output: 4 kernel_size: 5 } }',
        text=old,
    )
    (one,) = caffelint.check("net.prototxt", settings(select=["refused-by-caffe"])).findings
    assert one.layer == "c"


def test_what_the_class_of_a_layer_of_its_own_making_takes_is_not_bvlcs(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old Caffes list their layers in a switch, so that none is registered."""
    source = "void ThresholdLayer<Dtype>::SetUp() { one; }"
    table = {"files": {"threshold_layer.cpp": [digest(source)]}, "types": {"Threshold": ["threshold_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    layer = 'layer { type: "Threshold" name: "t" bottom: "a" bottom: "b" top: "t" }'
    top = make(NET.format(layer).replace('top: "a"', 'top: "a" top: "b"', 1))
    (top / "caffe/src/caffe/layers/all.cpp").write_text("")
    for text, severity in ((source, "error"), (source.replace("one", "two"), "info")):
        (top / "caffe/src/caffe/layers/threshold_layer.cpp").write_text(text)
        (one,) = caffelint.check("net.prototxt", settings(select=["wrong-blob-count"])).findings
        assert one.severity == severity


def test_other_commands_take_the_caffe_of_the_project_as_check_does(
    make: Make, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer with a field that no known Caffe has."""
    text = NET.format(MINE.format("count: 3"))
    top = make(text, types="My")
    wrong = text.replace("count", "county")
    for number in range(9):
        (top / f"net_{number}.prototxt").write_text(wrong if number else text)
    assert main(["summary", "net_0.prototxt"]) == 0
    assert main(["summary", "net_1.prototxt"]) == 1
    assert "my_param lacks count" in capsys.readouterr().out
    assert main(["summary", ".", "--jobs", "2"]) == 1
    assert capsys.readouterr().out.count("my_param lacks count") == 16  # in two phases each
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["check", "-"]) == 0
    assert "my_param" not in "".join(capsys.readouterr())
    solver = (top / "caffe/src/caffe/proto/caffe.proto").read_text()
    changed = solver.replace("message SolverParameter {", "message SolverParameter { optional int32 my_own = 999;")
    (top / "caffe/src/caffe/proto/caffe.proto").write_text(changed)
    (top / "solver.prototxt").write_text('base_lr: 1 lr_policy: "fixed" max_iter: 9 my_own: 3')
    assert main(["lr", "solver.prototxt"]) == 0
    assert "my_own" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("use", "silent"),
    [
        ("use_global_stats_ || this->phase_ == TEST", True),
        ("use_global_stats_ ||\n      phase_ == caffe::TEST", True),
        ("use_global_stats_", False),
        ("use_global_stats_ || this->phase_ == TRAIN", False),
    ],
)
def test_a_batch_norm_that_takes_stored_statistics_in_test(make: Make, use: str, silent: bool) -> None:
    data = 'layer {{ name: "{0}" type: "DummyData" top: "a" include {{ phase: {0} }}'
    data += " dummy_data_param {{ shape {{ dim: 4 dim: 3 dim: 8 dim: 8 }} }} }}\n"
    net = data.format("TRAIN") + data.format("TEST")
    net += 'layer { name: "n" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { use_global_stats: false } }\n'
    net += 'layer { name: "s" type: "Scale" bottom: "b" top: "c" scale_param { bias_term: true } }\n'
    top = make(net + 'layer { name: "l" type: "Reduction" bottom: "c" top: "l" loss_weight: 1 }\n')
    layers = top / "caffe/src/caffe/layers"
    (layers / "batch_norm_layer.cpp").write_text(f"if ({use}) {{}}\nREGISTER_LAYER_CLASS(BatchNorm);\n")
    names = {one.name for one in caffelint.check("net.prototxt").findings}
    assert ("batch-stats-in-testing" not in names) == silent
