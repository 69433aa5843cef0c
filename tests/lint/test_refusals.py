"""What Caffe refuses reaches the rules: by its kind, each cause once, none dropped."""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import caffelint
from caffelint.caffe.refusal import OF_EVERY_CAFFE, Kind
from caffelint.caffe.refused import Refused
from caffelint.lint import ERROR, Invalid, RefusalRule
from caffelint.lint.config import Config
from caffelint.lint.examples import failures
from caffelint.lint.file import File, load
from caffelint.lint.registry import NoRulesError, all_rules, claims, describe
from caffelint.lint.report import Report

sys.path.insert(0, str(Path(__file__).parent.parent / "caffe"))

from legacy_nets import LegacyNets
from random_nets import Generator, to_text
from random_solvers import Generator as SolverGenerator

SEED = int(os.environ.get("CAFFELINT_TEST_SEED", 9))
NETS = int(os.environ.get("CAFFELINT_TEST_NETS", 200))
SOURCES = Path(caffelint.__file__).parent / "caffe"


def findings(text: str) -> list[tuple[str, str]]:
    """Rules and messages, of errors and warnings."""
    report: Report = caffelint.check_text(text)
    return [(found.name, found.message) for found in report.findings if found.severity in ("error", "warning")]


def test_each_kind_is_raised_somewhere() -> None:
    named = {
        node.attr
        for path in SOURCES.rglob("*.py")
        if path.name not in ("refusal.py", "refused.py", "net.py", "solver.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Kind"
    }
    assert {kind.name for kind in Kind} == named


def untold(file: File, told: Report) -> Iterator[tuple[str, Refused]]:
    """What Caffe refuses and the rule that claims it says nothing of."""
    owners = claims(all_rules())
    assert file.net is not None
    for refused in file.net.refused():
        kind = refused.refusal.kind
        owner = owners.get(kind.value, owners[""])
        if owner.name == "unknown-bottom":  # silent on purpose about what seems to be a piece of a net
            continue
        if not file.net.is_plain and kind not in OF_EVERY_CAFFE:
            continue
        layers = {layer.name for layer in refused.layers} if owner.kind != "problem" else ()
        if not any(found.name == owner.name and (not layers or found.layer in layers) for found in told.findings):
            yield owner.name, refused


def test_none_is_dropped_of_random_nets() -> None:
    generator = Generator(SEED)
    kinds: Counter[Kind] = Counter()
    for _ in range(NETS):
        net, _ = generator.net()
        text = to_text(net)
        file = load(text.encode(), "net.prototxt", "net")
        assert file.net is not None
        kinds.update(refused.refusal.kind for refused in file.net.refused())
        assert not list(untold(file, caffelint.check_text(text, kind="net"))), text
    assert len(kinds) > 0.3 * len(Kind), kinds


def test_none_is_dropped_of_random_old_nets() -> None:
    generator = LegacyNets(SEED)
    kinds: Counter[Kind] = Counter()
    for _ in range(NETS):
        text = to_text(generator.net())
        file = load(text.encode(), "net.prototxt", "net")
        assert file.net is not None
        kinds.update(refusal.kind for refusal in file.net.refusals)
        assert not list(untold(file, caffelint.check_text(text, kind="net"))), text
    assert len(kinds) > 1, kinds


def test_none_is_dropped_of_random_solvers() -> None:
    generator = SolverGenerator(SEED)
    kinds: Counter[Kind] = Counter()
    owners = claims(all_rules())
    for _ in range(NETS):
        text = generator.project().solver
        solver = load(text.encode(), "solver.prototxt", "solver").solver
        assert solver is not None
        names = {found.name for found in caffelint.check_text(text, kind="solver").findings}
        # Without a net to train no other field is judged.
        for refusal in [solver.refusal(Kind.NO_TRAIN_NET)] if solver.refusal(Kind.NO_TRAIN_NET) else solver.refusals:
            assert refusal is not None
            kinds[refusal.kind] += 1
            assert owners[refusal.kind.value].name in names, (text, refusal)
    assert len(kinds) == 6, kinds


def test_inputs_without_their_shapes() -> None:
    relu = 'layer { name: "relu" type: "ReLU" bottom: "a" top: "r" } layer { type: "ReLU" bottom: "b" top: "s" }'
    dims = "input_dim: 1 " * 4
    assert findings(f'input: "a" input: "b" {dims} {relu}') == [
        ("refused-by-caffe", "2 input need 8 input_dim but 4 are set, so Caffe reads past the end of the list")
    ]
    assert findings(f'input: "a" input: "b" {dims} {dims} {relu}') == []


def test_what_is_unknown_in_one_block_hides_nothing_of_others() -> None:
    text = """
        layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "L" param: "1" } }
        layer { name: "fc" type: "InnerProduct" bottom: "fc" top: "fc" param { lr_mult: 1 }
          inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
    """
    assert [name for name, _ in findings(text)] == ["unknown-field", "unknown-bottom"]


def test_a_padding_layer_that_cannot_be_merged_is_one_fault() -> None:
    text = 'input: "x" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8 ' + " ".join(
        f'layers {{ layer {{ name: "{top}" type: "{kind}" }} bottom: "{bottom}" top: "{top}" }}'
        for top, kind, bottom in (("p", "padding", "x"), ("r", "relu", "p"), ("f", "foo", "r"))
    )
    assert findings(text) == [
        ("refused-by-caffe", 'ReLU "r": a padding layer feeds a "relu" layer; only conv and pool take padding'),
        ("refused-by-caffe", 'layer "f": type "foo" is not a layer type of the oldest format'),
    ]


class GroupDoesNotDivide(RefusalRule):
    """A group that does not divide the channels."""

    code = "T001"
    name = "group-does-not-divide"
    severity = ERROR
    claims = (Kind.NOT_DIVISIBLE,)
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param { num_output: %d kernel_size: %d group: 3 } }"
    )
    VALID = [
        _NET % (21, 5),
        # Refused, but not of this kind.
        _NET % (21, 9),
    ]
    INVALID = [
        Invalid(
            _NET % (20, 5),
            span="group: 3",
            message='Convolution "conv": num_output 20 is not a multiple of group 3; set one that is, or another group',
        )
    ]


class Greedy(GroupDoesNotDivide):
    """A group that does not divide the channels, and a blob that is too large."""

    code = "T002"
    name = "greedy"
    claims = (Kind.NOT_DIVISIBLE, Kind.BLOB_TOO_LARGE)


class ElseAsWell(GroupDoesNotDivide):
    """All that nobody claims."""

    code = "T003"
    name = "else-as-well"
    claims = ()


def test_a_rule_of_a_pack_claims_a_kind() -> None:
    assert failures(GroupDoesNotDivide) == []
    own = describe(GroupDoesNotDivide)
    assert (own.kind, own.claims) == ("refusal", ("not-divisible",))
    assert claims([*all_rules(), own])["not-divisible"] is own


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (Greedy, "refusals of the kind blob-too-large: blob-too-large and greedy"),
        (ElseAsWell, "all refusals that no other rule claims: refused-by-caffe and else-as-well"),
    ],
)
def test_two_rules_that_claim_one_kind_are_reported(rule: type[RefusalRule], what: str) -> None:
    with pytest.raises(NoRulesError, match=f"two rules claim {what}"):
        claims([*all_rules(), describe(rule)])
    assert failures(rule)[0].endswith(what)


def test_what_a_rule_claims_is_nobody_elses_where_it_is_not_selected() -> None:
    config = Config()
    config.ignore = ["wrong-blob-count"]
    text = 'layer { name: "data" type: "Input" top: "x" } layer { type: "SoftmaxWithLoss" bottom: "x" top: "loss" }'
    assert "wrong-blob-count" in {found.name for found in caffelint.check_text(text).findings}
    named = {found.name for found in caffelint.check_text(text, config=config).findings}
    assert not named & {"wrong-blob-count", "refused-by-caffe"}


REPAIRED = (
    'layer { name: "data" type: "Input" top: "data" }'
    ' layer { name: "a" type: "Concat" bottom: "data" top: "a" concat_param { axis: 1 } }'
    ' layer { name: "b" type: "ReLU" bottom: "" top: "b" }'
)


@pytest.mark.parametrize("written", ["axis = 1", "axis: 1 // one\n"])
def test_what_can_be_repaired_hides_nothing(written: str) -> None:
    found = dict(findings(REPAIRED.replace("axis: 1", written)))
    assert "syntax-error" in found
    assert 'bottom "" is not made by any layer above' in found["unknown-bottom"]


def test_a_placeholder_in_quotes_hides_nothing() -> None:
    data = REPAIRED.replace('type: "Input"', 'type: "Data" data_param { source: "${TRAIN_LMDB}" batch_size: 8 }')
    assert "unknown-bottom" in dict(findings(data))


def test_a_damaged_text_is_not_judged() -> None:
    assert "unknown-bottom" not in dict(findings("} " + REPAIRED))
