"""Fixing many findings takes a few checks, whatever is wrong and however often."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable

import bench_curves
import bench_texts
import pytest

from caffelint.fix.mend import LEAST_READINGS, MOST_READINGS, READ_BYTES, Mended, Mender
from caffelint.fix.run import fix
from caffelint.lint.checker import Checker, Outcome
from caffelint.lint.config import Config
from caffelint.lint.garbage import rare_collections
from caffelint.lint.plan import Job
from caffelint.schema.meant import near_field
from caffelint.text.tree import Field

HEAD = 'name: "n"\ninput: "data"\ninput_shape { dim: 1 dim: 3 dim: 32 dim: 32 }\n'
LAYERS: dict[str, str] = {
    "one_name": 'layer { name: "same" type: "Convolution" bottom: "data" top: "t%d" convolution_param { num_output: 3'
    " kernel_size: 1 } }",
    "one_name_some_without_parameters": 'layer { name: "same" type: "Scale" bottom: "data" top: "t%d" }\n'
    'layer { name: "same" type: "ReLU" bottom: "t%d" top: "t%d" }',
    "one_top": 'layer { name: "l%d" type: "Convolution" bottom: "data" top: "same" convolution_param { num_output: 3'
    " kernel_size: 1 } }",
    "unknown_fields": 'layer { name: "l%d" type: "ReLU" bottom: "data" top: "t" colour: 3 kernel_siz: 4 }',
    "misspelt": 'layer { name: "l%d" typ: "ReLU" botom: "data" topp: "t" }',
    "wrong_types": 'layer { name: "l%d" type: Convolution bottom: data top: t convolution_param { num_output: "3" } }',
    "unknown_types": 'layer { name: "l%d" type: "Relu" bottom: "data" top: "t" }',
    "no_filler": 'layer { name: "l%d" type: "Convolution" bottom: "data" top: "t" convolution_param { num_output: 4'
    " kernel_size: 1 } }",
    "everything": 'layer { name: "same" typ: Relu botom: "data" top: "same" colour: 3 convolution_param { num_output:'
    ' "3" kernel_size: 0 } } # %d',
    "unclosed": 'layer { name: "l%d" type: "ReLU" bottom: "data" top: "t',
    "repeated": 'layer { name: "l%d" name: "m" name: "n" type: "ReLU" type: "ReLU" bottom: "data" top: "t" }',
    "backends": 'layer { name: "d%d" type: "Data" top: "t" data_param { source: "lmdb" backend: LEVELDB'
    " backend: LEVELDB } }",
}


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that are checked."""
    found: list[Job] = []
    check = Checker.job

    def counted(self: Checker, job: Job) -> Outcome:
        found.append(job)
        return check(self, job)

    monkeypatch.setattr(Checker, "job", counted)
    return found


def mend(text: bytes) -> Mended:
    return Mender(Config(), ["a"], unsafe=True).mend(Job(("a",), frozenset("a"), ()), {"a": text})


def net(layer: Callable[[int], str], many: int) -> bytes:
    return (HEAD + "".join(f"{layer(number)}\n" for number in range(many))).encode()


def test_many_findings_take_no_more_checks_than_few(checks: list[Job]) -> None:
    """Only what the text is said to break is reported up to a number, and looked for again beyond it."""

    def counted(many: int) -> int:
        checks.clear()
        text = bench_texts.TEXTS["constant fillers"](many).encode()
        result = fix([], Config(), unsafe=True, write=False, texts={"a": text}, alone=True)
        assert len(result.report.applied) >= many
        return len(checks)

    assert counted(600) == counted(60)


def test_a_text_is_checked_before_and_after_a_fix_and_no_more(checks: list[Job]) -> None:
    """The check that says whether there is anything to fix is the one before."""
    text = net(lambda number: LAYERS["repeated"].replace("%d", str(number)), 3)
    fixed = fix([], Config(), texts={"a": text}, alone=True)
    assert fixed.report.applied
    assert len(checks) == 2


def test_more_mistakes_than_are_reported_are_fixed_at_once(checks: list[Job]) -> None:
    """A check for people reports 500 problems of a text."""
    fixed = fix([], Config(), texts={"a": b'name: "n"\n' + b"{}" * 10 + b"force_backward: 1,,\n" * 700}, alone=True)
    assert len(checks) <= 4
    assert not [note for note in fixed.notes if "another run" in note]


@pytest.mark.parametrize("what", LAYERS)
def test_many_layers_with_one_fault_take_no_more_checks_than_few(what: str, checks: list[Job]) -> None:
    for many in (5, 300):
        checks.clear()
        mended = mend(net(lambda number: LAYERS[what].replace("%d", str(number)), many))
        assert len(checks) <= 5, many
        assert not [note for note in mended.notes if "please report" in note or "another run" in note], mended.notes


def test_names_that_are_each_wrong_in_their_own_way_are_compared_once() -> None:
    """A check for people compares no more than it reports; what those of a fix compare they remember."""
    text = bench_texts.TEXTS["misspelt fields of a name each"](1000)
    bench_curves.check(text)
    near_field.cache_clear()
    fixed = bench_curves.calls(lambda: bench_curves.mend(text))
    assert fixed < 12 * bench_curves.calls(lambda: bench_curves.check(text))


def test_a_mistake_that_is_often_on_a_line_is_mended_at_once(checks: list[Job]) -> None:
    mended = mend(b"input: 'data' input_dim: [" + b"1 " * 300 + b"]\n" + b'name: "n",,\n')
    assert len(checks) <= 3
    assert b", ".join([b"1"] * 300) in mended.texts["a"]


def test_blocks_that_are_open_before_a_layer_are_closed_together(checks: list[Job]) -> None:
    one, two = (b'layer { name: "%s" type: "ReLU" bottom: "data" top: "%s" ' % (name, name) for name in (b"a", b"b"))
    mended = mend(one + b"relu_param { " * 20 + b"\n" + two + b"}\n")
    assert len(checks) <= 3
    assert mended.texts["a"] == one + b"relu_param { " * 20 + b"\n" + b"}\n" * 21 + two + b"}\n"


def test_layers_with_faults_of_all_kinds_take_few_checks(checks: list[Job]) -> None:
    chance = random.Random(1)
    for many in (20, 200):
        checks.clear()
        text = net(lambda number: chance.choice(list(LAYERS.values())).replace("%d", str(number)), many)
        mended = mend(text)
        limit = 1 + min(MOST_READINGS, max(LEAST_READINGS, READ_BYTES // len(text)))
        assert len(checks) <= limit
        assert mended.applied


def test_a_text_that_is_slow_to_read_is_read_less_often(checks: list[Job]) -> None:
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }\n'
    broken = "net_param:<" * 70 + "a: [" * 3000 + "]" * 3000 + "am:<net_par" * 45 + "am:<" + ">" * 120
    text = loss * 10 + "layer { name: " + broken + loss * 10
    mend(text.encode())
    assert len(checks) <= 1 + max(LEAST_READINGS, READ_BYTES / 3 / len(text))


def test_what_one_reading_leaves_is_freed_before_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fields of a text with mistakes hold each other, and the collector does not look while it is read."""
    alive: list[int] = []
    check = Checker.job

    def counted(self: Checker, job: Job) -> Outcome:
        alive.append(sum(type(one) is Field for one in gc.get_objects()))
        return check(self, job)

    monkeypatch.setattr(Checker, "job", counted)
    layer = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: '
    with rare_collections():
        mend((layer + "layer:<" * 2000 + '"loss' + ">" * 2000 + '" }').encode())
    assert len(alive) > 3
    assert max(alive) <= alive[0] + 9, alive


DATA = """layer { name: "in" type: "Input" top: "in" top: "label" input_param { shape { dim: 4 dim: 3 } } }
layer { name: "fc" type: "InnerProduct" bottom: "in" top: "x" inner_product_param { num_output: 3
  weight_filler { type: "xavier" } } }
%slayer { name: "loss" type: "EuclideanLoss" bottom: "x" bottom: "label" top: "loss" }
"""
IN_PLACE = {
    "dies": 'layer { name: "%s" type: "Tile" bottom: "x" top: "x" tile_param { tiles: 2 } }\n',
    "refused": 'layer { name: "%s" type: "Flatten" bottom: "x" top: "x" }\n',
    "corrupts": 'layer { name: "%s" type: "Power" bottom: "x" top: "x" power_param { power: 2 } }\n',
    "overwrites": 'layer { name: "a%s" type: "Sigmoid" bottom: "x" top: "x" }\n'
    'layer { name: "b%s" type: "Scale" bottom: "x" top: "x" }\n',
}


@pytest.mark.parametrize("names", ["own", "same"])
@pytest.mark.parametrize("what", IN_PLACE)
def test_layers_in_place_on_one_blob_are_mended_together(what: str, names: str, checks: list[Job]) -> None:
    many = 30
    own = (IN_PLACE[what].replace("%s", f"l{number}" if names == "own" else "l") for number in range(many))
    mended = mend((DATA % "".join(own)).encode())
    assert len(checks) <= 5
    assert not mended.notes
    assert not [finding for finding in mended.outcome.findings if finding.name.startswith("in-place")]


def test_many_fields_that_are_outside_their_layer_are_moved_into_it_in_one_run() -> None:
    """One after the other, as their order counts."""
    fields = [f'bottom: "x{number}"' for number in range(9, 1, -1)]
    mended = mend(f'layer {{ name: "score" }} {" ".join(fields)} type: "Concat" top: "y"\n'.encode())
    assert not mended.notes
    assert " ".join(fields) in mended.texts["a"].decode().partition("}")[0]


def test_a_name_that_comes_back_by_chance_is_no_fault_of_a_rule() -> None:
    """The bottom is renamed to the top that is there, and the top then to the name that is free by that."""
    tops = 'top: "d[ata"\n' * 21
    mended = mend(
        f'layer {{ name: "data" type: "Input" {tops} name: "data"\n input_param {{ shape {{ dim: 4 dim: 3 }} }} }}'
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" param { decay_mult: 0 } }'.encode()
    )
    assert not [note for note in mended.notes if "please report" in note], mended.notes
