"""The table of forks: complete, and true where it can be checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from caffelint.schema.provenance import FieldFacts, Provenance, provenance

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def table(root: Path) -> dict[str, dict[str, object]]:
    return json.loads((root / "proto" / "provenance.json").read_text())


@pytest.fixture(scope="module")
def names(root: Path) -> dict[str, set[str]]:
    """Every name of the compiled schema, by section of the table."""
    (file,) = FileDescriptorSet.FromString((root / "proto" / "caffe.desc").read_bytes()).file
    found: dict[str, set[str]] = {"messages": set(), "fields": set(), "enum_values": set()}

    def collect(messages, enums, scope: str) -> None:
        for enum in enums:
            found["enum_values"] |= {f"{scope}{enum.name}.{value.name}" for value in enum.value}
        for message in messages:
            path = f"{scope}{message.name}"
            found["messages"].add(path)
            found["fields"] |= {f"{path}.{field.name}" for field in message.field}
            collect(message.nested_type, message.enum_type, f"{path}.")

    collect(file.message_type, file.enum_type, "")
    return found


def facts(message: str, field: str) -> FieldFacts:
    found = provenance().field(message, field)
    assert found is not None
    return found


@pytest.mark.parametrize("section", ["messages", "fields", "enum_values"])
def test_every_name_has_its_line_and_every_line_its_name(table, names: dict[str, set[str]], section: str) -> None:
    assert set(table[section]) == names[section]


def test_bvlc_knows_what_its_numbers_say(names: dict[str, set[str]]) -> None:
    bvlc = {line.split(" ")[0] for line in (DATA / "declarations.txt").read_text().splitlines()}
    known = {name for name in names["fields"] if "bvlc" in facts(*name.rsplit(".", 1)).forks}
    assert known == bvlc & names["fields"]
    values = {name for name in names["enum_values"] if "bvlc" in provenance().enum_value(*name.rsplit(".", 1))}
    assert values == bvlc & names["enum_values"]


def test_every_fork_of_the_table_is_one(table) -> None:
    known = set(provenance().forks)
    for name in names_of_forks(table):
        assert name in known
    for section in ("layer_types", "solver_types"):
        for name in table[section]:
            assert getattr(provenance(), section.removesuffix("s"))(name) <= known


def names_of_forks(table) -> Iterator[str]:
    """Every word in a set of forks, less groups, families and signs."""
    for section in ("groups", "messages", "fields", "enum_values", "layer_types", "solver_types"):
        for entry in table[section].values():
            if isinstance(entry, str):
                sets = [entry]
            else:
                sets = [entry["forks"], *(forks for *_, forks in entry["alternatives"])]
            for word in " ".join(sets).split():
                if not word.lstrip("-").startswith("@") and word != "all":
                    yield word.lstrip("-")


def test_alternatives_share_out_the_forks(names: dict[str, set[str]]) -> None:
    for name in names["fields"]:
        forks, alternatives = facts(*name.rsplit(".", 1))
        if alternatives:
            assert sum(len(alternative.forks) for alternative in alternatives) == len(forks), name
            assert frozenset().union(*(alternative.forks for alternative in alternatives)) == forks, name


def test_every_overlay_is_a_family_and_the_other_way_round(root: Path) -> None:
    overlays = {path.stem for path in (root / "proto" / "forks").glob("*.proto")}
    assert {provenance().family(fork) for fork in provenance().forks} == {*overlays, "bvlc"}


def test_known_facts() -> None:
    table = provenance()
    assert table.forks[0] == "bvlc"
    assert "ssd" in table.message("PriorBoxParameter")
    assert "bvlc" not in table.message("PriorBoxParameter")
    assert table.message("NoSuchParameter") == frozenset()
    assert table.field("PoolingParameter", "kernel") is None
    assert table.enum_value("PoolingParameter.PoolMethod", "AVE") >= {"bvlc", "ssd", "opencl"}
    assert {"ssd", "intel"} <= table.layer_type("PriorBox")
    assert "bvlc" in table.layer_type("Pooling")
    assert table.layer_type("Poling") == frozenset()
    assert "Pooling" in table.layer_types()
    assert "bvlc" in table.solver_type("Adam")
    assert table.solver_type("Sgd") == frozenset()
    assert table.generation("bvlc") == 2
    assert table.generation("c3d-1.0") == 1
    assert table.generation("bvlc-v0.1") == 0
    assert table.v1_type("SOFTMAX_LOSS") == "SoftmaxWithLoss"
    assert table.v1_type("NONE") is None
    assert table.param_blocks("Convolution") == {"convolution_param"}
    assert table.param_blocks("ImageData") == {"image_data_param", "transform_param", "data_param"}
    assert table.param_blocks("Split") == frozenset()


def test_repeated_where_a_fork_repeats_it() -> None:
    kernel = facts("PoolingParameter", "kernel_size")
    assert {
        fork for fork in kernel.forks if (kernel.alternative(fork) or kernel.alternatives[0]).label == "repeated"
    } == {*("opencl", "greentea-srprnn", "gnina", "gnina-embedded", "tsn-3d", "rc3d", "intel-1.1.0")}
    bvlc = kernel.alternative("bvlc")
    assert bvlc is not None
    assert (bvlc.label, bvlc.type, bvlc.default) == ("optional", "uint32", None)
    assert facts("SolverParameter", "net_param").alternatives == ()
    assert facts("SolverParameter", "net_param").alternative("bvlc") is None


@pytest.mark.parametrize(
    ("name", "fork"),
    [
        ("bvlc", "bvlc"),
        ("SSD", "ssd"),
        ("faster-rcnn", "fasterrcnn"),
        ("r_fcn", "rfcn"),
        ("NVIDIA", "nvcaffe"),
        ("WeiLiu89/caffe", "ssd"),
    ],
)
def test_dialects(name: str, fork: str) -> None:
    assert provenance().dialect(name) == fork


def test_every_alias_leads_to_a_fork(table) -> None:
    assert set(table["aliases"].values()) <= set(provenance().forks)
    assert not set(table["aliases"]) & set(provenance().forks)
    assert [provenance().dialect(alias) for alias in table["aliases"]] == [*table["aliases"].values()]


def test_an_unknown_dialect() -> None:
    for name, meant in {
        "fastrcn": "fastrcnn",
        "bvcl": "bvlc",
        "faster": "fasterrcnn",
        "ssd300": "ssd",
        "sdd": "ssd",
    }.items():
        told = rf'^unknown dialect "{name}"; did you mean "{meant}"\? \(caffelint dialects lists them\)$'
        with pytest.raises(ValueError, match=told):
            provenance().dialect(name)


@pytest.mark.parametrize("name", ["keras", "senet", "mtcnn", "unet", "fcn", "resnet", "maskrcnn", "x", ""])
def test_no_dialect_is_suggested_that_was_hardly_meant(name: str) -> None:
    with pytest.raises(ValueError, match=rf'^unknown dialect "{name}" \(caffelint dialects lists them\)$'):
        provenance().dialect(name)


def test_about_a_fork() -> None:
    ssd = provenance().about("ssd")
    assert (ssd.title, ssd.repository, ssd.ref, ssd.generation) == ("SSD", "weiliu89/caffe", "ssd", 2)
    assert "caffe-ssd" in ssd.aliases
    assert "MultiBoxLoss" in ssd.layer_types
    assert provenance().about("bvlc").layer_types == ()


@pytest.mark.parametrize(
    ("forks", "text"),
    [
        ([], "no fork"),
        (["ssd"], "SSD (weiliu89/caffe)"),
        (["refinedet", "ssd"], "SSD (weiliu89/caffe) and RefineDet"),
        (["enet", "segnet", "segnet-cudnn5"], "SegNet (alexgkendall/caffe-segnet) and ENet"),
        (["enet", "segnet", "intel"], "Intel Caffe (intel/caffe), SegNet and ENet"),
        (["enet", "segnet", "intel", "ssd", "mnn"], "SSD (weiliu89/caffe), Intel Caffe and 3 more"),
    ],
)
def test_describe(forks: list[str], text: str) -> None:
    assert provenance().describe(forks) == text


def test_infer() -> None:
    table = provenance()
    ssd, pooling = table.message("PriorBoxParameter"), facts("PoolingParameter", "dilation").forks
    assert table.infer([]) == set(table.forks)
    assert table.infer([ssd]) == ssd
    assert table.infer([ssd, pooling]) == frozenset()


def test_sets_are_read_from_left_to_right() -> None:
    forks = {name: {"family": family} for name, family in [("a", "x"), ("b", "x"), ("c", "y")]}
    table = {"forks": forks, "groups": {"g": "@x -a"}, "messages": {"M": "all -@g", "N": "@g c", "O": "-a a"}}
    read = Provenance(table).message
    assert (read("M"), read("N"), read("O")) == ({"a", "c"}, {"b", "c"}, {"a"})


def test_dialects_are_named_as_one_types_them() -> None:
    table = provenance()
    assert table.dialects([]) == "no dialect"
    assert table.dialects(["c3d-1.0"]) == "dialect c3d-1.0"
    assert table.dialects(["enet", "ssd"]) == "dialect ssd and enet"
    assert table.dialects(["enet", "ssd", "mnn"]) == "dialect ssd, enet and mnn"
    assert table.dialects(["enet", "ssd", "mnn", "segnet"]) == "dialect ssd, segnet and 2 more"
    assert table.option(["enet", "ssd"]) == "--dialect ssd"


def test_of_a_partial_schema_bvlc_is_taken_as_known() -> None:
    table = provenance()
    assert table.adds_to_bvlc("ocnn")
    assert table.may_have_type("ocnn", "Convolution")
    assert not table.may_have_type("ocnn", "PriorBox")
    assert table.may_have_type("trt", "Convolution")
    assert table.may_have_type("trt", "PriorBox")
    assert not table.may_have_type("trt", "NoSuchThing")
    assert not table.adds_to_bvlc("fastrcnn")
    assert not table.may_have_type("fastrcnn", "Input")
