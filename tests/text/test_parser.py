"""The tree holds together whatever the text is; both ways through the parser build the same one."""

from __future__ import annotations

import random

import fuzz_text
import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import SEED, draws

from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.bind import bind
from caffelint.text import parser
from caffelint.text.edits import Edit, apply_edits
from caffelint.text.parser import Document, parse
from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, STRING, Field

ROOTS = {"net": NetParameter, "solver": SolverParameter}
GENERATED = [(kind, seed) for kind in ROOTS for seed in range(SEED, SEED + draws(150, 1500))]


def generated(kind: str, seed: int) -> bytes:
    return fuzz_text.write(random.Random(f"{kind} {seed}"), ROOTS[kind].DESCRIPTOR).encode()


def flat(document: Document) -> list[tuple[object, ...]]:
    return [(f.name, f.start, f.value_start, f.end, f.kind, f.text, len(f.fields)) for f in document.root.walk()]


def values(field: Field) -> list[tuple[str, int, str]]:
    return [(inner.name, inner.kind, inner.text) for inner in field.fields]


def test_scalars_keep_their_raw_text() -> None:
    root = parse(b"a: 1 b: -2.5f c: \"x\\n\" 'y' d: MAX e: - 3").root
    assert values(root) == [
        ("a", INTEGER, "1"),
        ("b", FLOAT, "-2.5f"),
        ("c", STRING, "\"x\\n\" 'y'"),
        ("d", IDENTIFIER, "MAX"),
        ("e", INTEGER, "-3"),
    ]


def test_blocks_and_lists() -> None:
    document = parse(b"a { b <c: 1> } d: [1, 2], e [{ f: 1 }, <>]; g: {};")
    assert not document.problems
    a, d, e, g = document.root.fields
    assert [field.kind for field in (a, d, e, g)] == [MESSAGE, LIST, LIST, MESSAGE]
    assert values(d) == [("d", INTEGER, "1"), ("d", INTEGER, "2")]
    assert [item.name for item in e.fields] == ["e", "e"]
    assert values(e.fields[0]) == [("f", INTEGER, "1")]
    assert document.source.slice(*a.span) == "a { b <c: 1> }"
    assert document.source.slice(*g.span) == "g: {}"


def test_all_gives_items_of_lists_one_by_one() -> None:
    root = parse(b"dim: [1, 2] dim: 3").root
    assert [field.text for field in root.all("dim")] == ["1", "2", "3"]
    assert root.first("dim") is root.fields[0]
    assert root.first("none") is None


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# only a comment", b"# one\n\t# two\n", b"a:1", b"a:1#", b"a{}", b"\r\n\r\n"]
)
def test_short_texts(data: bytes) -> None:
    assert not fuzz_text.check(data).problems


@pytest.mark.parametrize(("kind", "seed"), GENERATED)
def test_generated_texts_are_clean_and_lossless(kind: str, seed: int) -> None:
    assert fuzz_text.check(generated(kind, seed)).problems == []


@pytest.mark.parametrize(("kind", "seed"), GENERATED)
def test_binds_to_what_protobuf_reads(kind: str, seed: int) -> None:
    data = generated(kind, seed).replace(b"- ", b"-")  # Python's parser, unlike Caffe's, takes no space there
    theirs = ROOTS[kind]()
    text_format.Parse(data, theirs)
    bound = bind(parse(data), ROOTS[kind]())
    of_caffe = ("fork-field", "mixed-layer-formats", "octal-number")  # protobuf itself has nothing against them
    assert [problem for problem in bound.problems if problem.kind not in of_caffe] == []
    assert bound.message.SerializeToString(deterministic=True) == theirs.SerializeToString(deterministic=True)


def test_generated_texts_use_every_type_of_field() -> None:
    used = set()
    for kind, seed in GENERATED:
        message = bind(parse(generated(kind, seed)), ROOTS[kind]()).message
        pending = [message]
        while pending:
            for field, value in pending.pop().ListFields():
                repeated = hasattr(value, "append") or hasattr(value, "add")
                used.add((field.type, repeated))
                if field.message_type:
                    pending += value if repeated else [value]
    types = {field_type for field_type, _ in used}
    assert types >= {1, 2, 3, 5, 8, 9, 11, 13, 14}
    assert {(9, True), (11, True), (13, True), (2, True), (14, False)} <= used


def only_slow(text: str, position: int, root: Field, stack: list[Field]) -> int:
    """In place of the fast path: nothing is usual."""
    return position


@pytest.mark.parametrize(("kind", "seed"), GENERATED)
def test_fast_and_slow_path_build_the_same_tree(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = generated(kind, seed)
    fast = flat(parse(data))
    monkeypatch.setattr(parser, "_read_usual", only_slow)
    assert flat(parse(data)) == fast


def test_fast_and_slow_path_object_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(SEED + 3)
    texts = [generated(*chance.choice(GENERATED)) for _ in range(300)]
    broken = [fuzz_text.mutate(chance, text, chance.choice(texts)) for text in texts]
    fast = [bool([p for p in parse(data).problems if p.certain]) for data in broken]
    monkeypatch.setattr(parser, "_read_usual", only_slow)
    slow = [bool([p for p in parse(data).problems if p.certain]) for data in broken]
    assert fast == slow
    assert any(fast)
    assert not all(fast)


@settings(max_examples=draws(150, 20_000))
@given(st.integers(0, 2**32), st.sampled_from(GENERATED), st.sampled_from(GENERATED))
def test_mutated_texts(seed: int, one: tuple[str, int], other: tuple[str, int]) -> None:
    data = fuzz_text.mutate(random.Random(seed), generated(*one), generated(*other))
    fuzz_text.check(data)
    fuzz_text.check_reading(data, None, None)
    fuzz_text.check_reading(data, one[0], "bvlc")


@settings(max_examples=draws(150, 20_000))
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    fuzz_text.check(data)
    fuzz_text.check_reading(data, "net", "bvlc")


@settings(max_examples=draws(100, 20_000))
@given(st.text(alphabet="ab:{}[]<>,;\"'#0.-=$ \n", max_size=60))
def test_any_punctuation(text: str) -> None:
    fuzz_text.check(text.encode())


def test_edits_of_spans_change_what_they_span_alone() -> None:
    data = b'layer { name: "a"  # why\n  kernel: 3 }\r\n'
    layer = parse(data).root.fields[0]
    kernel = layer.fields[1]
    edited = apply_edits(data, [Edit(*kernel.name_span, "kernel_size"), Edit(*layer.fields[0].value_span, '"b"')])
    assert edited == b'layer { name: "b"  # why\n  kernel_size: 3 }\r\n'


HUGE = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "a{" * HUGE,
        "layer{" * HUGE + "}" * HUGE,
        "a:" + "[" * HUGE,
        "a<" * HUGE,
        "}" * HUGE,
        'name: "' + "x" * 50 * HUGE,
        "x" * 50 * HUGE,
        "max_iter: " + "9" * 50 * HUGE,
        "base_lr: 1." + "1" * 50 * HUGE + "x",
        "random_seed: 0" + "7" * 50 * HUGE,
        'name: "' + "\\q" * HUGE + '"',
        "<<<<<<< a\n=======\n" * HUGE,
        "".join(f"f{number}: 1\n" for number in range(HUGE)),
        "strid: 1 " * HUGE,
        'name: "a"\n' * HUGE,
        "input_dim: " + "1 " * HUGE,
        "\0" * HUGE,
        "a: \u201cx" * HUGE,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_huge_texts_end_soon(text: str) -> None:
    data = text.encode()
    document = parse(data)
    assert len(document.problems) <= 600
    bound = bind(document, NetParameter(), "bvlc")
    assert document.problems or bound.problems
    assert len(bound.problems) <= 600


@pytest.mark.parametrize(
    "block",
    [
        '{ name: "c" type: "Convolution" convolution_param { num_output: 2 weight_filler { type: "xavier" } } }',
        '{ name: "{" bottom: "}" # }\n top: "a" param { lr_mult: 1 }; }',
        "{ kernel_size: [3, 3] stride: 2 }",
        "{ name: 'a' \"b\" param { lr_mult: 1 } }",
        "{ stride = 2 param { lr_mult: 1 } }",
        "{ a { b { c { d: 1 } } } }",
        "{}",
    ],
)
def test_a_block_is_the_same_wherever_it_is_read_again(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"layer {block} x: 1 layer {block}, inner {{ layer: {block} }} layer {block}".encode()
    monkeypatch.setattr(parser, "_LONGEST", 0)  # nothing is remembered
    wanted = parse(text)
    monkeypatch.undo()
    parse(text)
    found = parse(text)
    assert flat(found) == flat(wanted)
    assert found.problems == wanted.problems
    assert [list(one.blocks) for one in found.root.walk()] == [list(one.blocks) for one in wanted.root.walk()]
