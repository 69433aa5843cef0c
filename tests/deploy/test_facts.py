"""Files of facts: each can be read, and each fact asks only for what there is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from converters.generate import Draw, net

from caffelint.caffe.states import TEST, State
from caffelint.deploy.facts import FOLDER, Target, names, parse, target
from caffelint.deploy.judge import judge
from caffelint.deploy.subjects import LayerSubject, NetSubject
from caffelint.deploy.wrong_facts import WrongFacts
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.rules.deploy._rewrites import REWRITES
from caffelint.schema.messages import LayerParameter, NetParameter

HEAD = 'title = "T"\nversion = "1"\nknown = "read"\n'


@pytest.mark.parametrize("name", names())
def test_every_condition_can_be_asked(name: str) -> None:
    """Of a layer of each type that the fact is of, whatever its text."""
    for fact in target(name).facts:
        if fact.when is None and not fact.reads:
            continue
        for layer_type in fact.types or ("ReLU",):
            layer = f'layer {{ name: "x" type: "{layer_type}" bottom: "d" top: "t" }}'
            written = load(f'layer {{ name: "d" type: "Input" top: "d" }} {layer}'.encode()).net
            assert written is not None
            (built,) = written.build([State(TEST)])
            subject = LayerSubject(built.layers[1], built) if fact.types else NetSubject(written, built)
            for asked in (fact.when, *(value for _, value in fact.reads)):
                if asked is not None:
                    asked(subject)


@pytest.mark.parametrize("name", names())
def test_facts_name_what_there_is(name: str) -> None:
    found = target(name)
    for fact in found.facts:
        assert fact.source
        assert not fact.rewrite or fact.rewrite in REWRITES, fact.rewrite
        assert not found.takes or set(fact.types) <= found.takes, fact.types
        assert not fact.does.endswith(".")
    of_nets = {field.name for field in NetParameter.DESCRIPTOR.fields}
    assert {field for fact in found.of_nets for field in fact.fields} <= of_nets
    for fields in {fact.fields for fact in found.facts if fact.types}:
        blocks = {
            field.name
            for block in LayerParameter.DESCRIPTOR.fields
            if block.message_type
            for field in block.message_type.fields
        }
        assert set(fields) <= blocks


@pytest.mark.parametrize("name", names())
def test_judges_whatever_is_written(name: str) -> None:
    """Nets cut anywhere, with unknown layers and without shapes."""
    chance = random.Random(5)
    for number in range(60):
        text = net(Draw(f"cut {number}"))
        for cut in (
            text,
            text[: chance.randrange(len(text))],
            text.replace("dim:", "dam:"),
            text.replace("bottom", "top"),
        ):
            written = load(cut.encode(), kind="net").net
            assert written is not None
            list(judge(written, target(name)))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("title = 1 2", "line 1"),
        ('title = "T"', "version is missing"),
        (HEAD + "[[refused]]\n", "refused 1: does is missing"),
        (HEAD + '[[misread]]\ndoes = "x"\nsource = "y"\nwhen = "a.b"\n', "misread 1: a condition does not know `a.b`"),
        (HEAD + '[[misread]]\ndoes = "x"\nsource = "y"\nwhy = "z"\n', "misread 1: why means nothing here"),
        (HEAD + '[[misread]]\ndoes = "x"\nsource = "y"\nknown = "z"\n', "known is 'z', not one of run, read, heard"),
        (HEAD + 'more = "x"\n', "more means nothing here"),
    ],
)
def test_says_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(WrongFacts) as caught:
        parse(text, "x", "x.toml")
    assert str(caught.value).startswith("x.toml: ")
    assert wrong in str(caught.value)


def test_a_condition_that_asks_for_nothing_is_named() -> None:
    found: Target = parse(
        HEAD + '[[misread]]\ntypes = ["ReLU"]\nwhen = "slop > 1"\ndoes = "x"\nsource = "y"\n', "x", "x"
    )
    written = load(
        b'layer { name: "d" type: "Input" top: "d" } layer { name: "x" type: "ReLU" bottom: "d" top: "d" }'
    ).net
    assert written is not None
    with pytest.raises(WrongFacts, match="x: a condition asks for slop of ReLU"):
        list(judge(written, found))


def test_every_file_is_a_target() -> None:
    assert [path.name for path in sorted(Path(FOLDER).iterdir()) if path.suffix != ".pyc"] == [
        f"{name}.toml" for name in names()
    ]


@pytest.mark.parametrize(
    "text",
    [
        'layer { name: "s" type: "Swish" bottom: "d" top: "t" swish_param { beta: 2 } }',
        'layer { name: "c" type: "Clip" bottom: "d" top: "t" clip_param { } }',
        'layer { name: "s" type: "Slice" bottom: "d" top: "a" top: "b" slice_param { slice_dim: 2 } }',
        'layer { name: "s" type: "Slice" bottom: "d" top: "a" top: "b" slice_param { axis: 9 } }',
        'layer { name: "s" type: "Slice" bottom: "d" slice_param { slice_dim: 1 } }',
        'layer { name: "l" type: "Log" top: "c" log_param { base: 2 scale: 3 } }',
        'layer { name: "l" type: "Log" bottom: "d" top: "c" log_param { base: inf scale: nan } }',
        'layer { name: "n" type: "LRN" bottom: "d" top: "c" lrn_param { k: inf alpha: nan beta: -1e30 } }',
        'layer { name: "c" type: "Convolution" bottom: "d" }',
        'layer { name: "p" type: "Pooling" top: "t" pooling_param { pad_h: 1 stride: 0 } }',
    ],
)
def test_no_text_loses_a_file(text: str) -> None:
    config = Config()
    config.target = names()
    config.ignore = ["refused-by-caffe"]
    for shape in ("dim: 1 dim: 8 dim: 9 dim: 7", "dim: 4 dim: 3", ""):
        whole = f'layer {{ name: "d" type: "Input" top: "d" input_param {{ shape {{ {shape} }} }} }} {text}'
        assert not Checker(config).text(whole.encode(), "<text>", "net", None).failures


@pytest.mark.parametrize("name", ["tensorrt", "nvdla"])
def test_a_phase_of_a_layer_is_told_where_it_is_skipped(name: str) -> None:
    head = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
    for phase, skipped in (("", False), ("phase: TRAIN", False), ("phase: TEST", True)):
        written = load(f'{head} layer {{ name: "x" type: "ReLU" bottom: "d" top: "t" {phase} }}'.encode()).net
        assert written is not None
        assert any("phase: TEST" in one.fact.does for one in judge(written, target(name))) == skipped
