"""Whatever is in the strings of a known block: it is read and bound as if nothing were known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from google.protobuf import text_format
from hypothesis import example, given, settings
from hypothesis import strategies as st
from seeds import draws

from caffelint.schema import NetParameter
from caffelint.schema.bind import bind
from caffelint.schema.bound import Bound
from caffelint.text import parser
from caffelint.text.parser import parse

LAYER = """layer {{
  name: "{}" type: "{}"; bottom: "{}" top: "t" top: "{}"
  param {{ name: "{}" }} param {{ lr_mult: 2 }}
  convolution_param {{ num_output: 2 weight_filler {{ type: "{}" }} }}
}}
"""
FORK = """layer {{
  name: "{}" type: "Permute"
  permute_param {{ order: 1 order: 0 }} python_param {{ layer: "{}" }}
}}
"""


@contextmanager
def nothing_known() -> Iterator[None]:
    with patch.object(parser, "_LONGEST", 0):
        yield


def net(text: str) -> Bound:
    return bind(parse(text.encode()), NetParameter())


def seen(bound: Bound) -> tuple[object, ...]:
    fields = [(f.name, f.start, f.value_start, f.end, f.kind, f.text) for f in bound.document.root.walk()]
    parts = [part for layer in bound.message.layer for part in (layer, *layer.param, layer.convolution_param)]
    places = [bound.node(part).start for part in parts if bound.node(part) is not None]  # type: ignore[union-attr]
    uses = [(use.name, use.forks) for use in bound.fork_uses]
    return bound.message, fields, bound.document.problems, bound.problems, places, uses


WORDS = st.one_of(
    st.text(max_size=300), st.text(alphabet="ab{}#\\\n\"'; :1", max_size=12), st.sampled_from(["xavier", "a" * 128])
)


@settings(max_examples=draws(200, 20_000), deadline=None)
@given(st.lists(WORDS, min_size=6, max_size=6))
@example(["a", 'b"c: 1 #', "c", "d", "e", "f"])
@example(["a\n top: ", "b", "c", "d", "e", "f"])
@example(["a}\n}", "{b", "c", "d" * 127, "e" * 128, "f"])
def test_strings(words: list[str]) -> None:
    first = LAYER.format("a", "b", "c", "d", "e", "f")
    text = first + LAYER.format(*words) + LAYER.format(*reversed(words)) + FORK.format(*words[:2])
    with nothing_known():
        wanted = seen(net(text))
    net(first + FORK.format("a", "b"))
    assert seen(net(text)) == wanted
    assert seen(net(text)) == wanted


def test_what_is_known_is_what_protobuf_reads() -> None:
    names = [[f"{place}{number}" for place in range(6)] for number in range(5)]
    text = "".join(LAYER.format(*words) for words in names)
    assert net(text).message == text_format.Parse(text, NetParameter())
    assert len(net(text).folded) == 5


@pytest.mark.parametrize("between", ["", "\n\n", " ", "# layer {\n", "; ", ",", "force_backward: true\n"])
def test_between_known_layers(between: str) -> None:
    text = between.join(LAYER.format(*"abcdef") for _ in range(3))
    with nothing_known():
        wanted = seen(net(text))
    assert seen(net(text)) == wanted
    assert seen(net(text)) == wanted
