"""The judge of the text is Caffe's own parser: it refuses exactly where caffelint has an error of family P."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import record_verdicts
from google.protobuf import text_format
from google.protobuf.message import Message
from seeds import SEED, draws

import caffelint
from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.bind import bind
from caffelint.text.parser import parse

SNIPPETS = list(record_verdicts.load())
MESSAGES = {"net": NetParameter, "solver": SolverParameter}
DIFFERENCES = Path(__file__).parents[2] / "docs/prototxt-text.md"


REFUSED_LATER = "the net mixes layer and layers blocks"
"""P009's words for a net of `layer` and `layers`, which Caffe reads; its upgrade refuses it (UpgradeV1Net)."""


def refused_by_us(snippet: dict[str, Any]) -> list[str]:
    report = caffelint.check_text(snippet["text"], kind=snippet["kind"], dialect="bvlc")
    assert not report.failures, snippet["text"]
    errors = [f for f in report.findings if f.severity == "error" and f.code.startswith("P")]
    # Caffe refuses a template as it is; that is an info, since a script fills it in.
    errors += [f for f in report.findings if f.name == "unfilled-template" and f.certainty == "certain"]
    # A layer type is a string to Caffe's parser; the build refuses those that it does not know.
    errors = [f for f in errors if f.name != "unknown-layer-type"]
    return [f"{f.code} {f.message}" for f in errors if REFUSED_LATER not in f.message]


def shown(snippets: Iterable[tuple[dict[str, Any], Any, Any]]) -> str:
    """A line for each text on which two judges differ."""
    lines = [f"{snippet['kind']} {snippet['text'][:120]!r}\n    {one}\n    {other}" for snippet, one, other in snippets]
    return "\n".join([f"{len(lines)} differ:", *lines[:50]])


def disagreements(snippets: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], Any, Any]]:
    found = []
    for snippet in snippets:
        ours = refused_by_us(snippet)
        if bool(ours) != ("errors" in snippet):
            found.append((snippet, f"Caffe: {snippet.get('errors', 'reads it')}", f"caffelint: {ours or 'reads it'}"))
    return found


def other_messages(snippets: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], Any, Any]]:
    """Texts that Caffe accepts, where our message is not the one that it read."""
    found = []
    for snippet in snippets:
        if "message" in snippet:
            create = MESSAGES[snippet["kind"]]
            read = create.FromString(base64.b64decode(snippet["message"]))
            ours = bind(parse(snippet["text"]), create(), "bvlc").message
            make_legible(read)
            if wire(read) != wire(ours):
                found.append((snippet, f"Caffe: {read}", f"caffelint: {ours}"))
    return found


def make_legible(message: Message) -> None:
    """Read strings that are no UTF-8 as latin-1, as caffelint does: Python's protobuf gives them as bytes."""

    def legible(value: str | bytes) -> str:
        return value.decode("latin-1") if isinstance(value, bytes) else value

    for field, value in message.ListFields():
        if field.message_type:
            for part in [value] if isinstance(value, Message) else value:
                make_legible(part)
        elif field.type == field.TYPE_STRING and isinstance(value, str | bytes):
            setattr(message, field.name, legible(value))
        elif field.type == field.TYPE_STRING:
            value[:] = [legible(one) for one in value]


def wire(message: Message) -> bytes:
    """Bytes that are equal for equal messages, nan and signed zero included."""
    return message.SerializeToString(deterministic=True)


@pytest.mark.parametrize("text", ['layer { type: "Pyithon" }', "layer { } layers { }"])
def test_what_caffe_refuses_after_it_has_read_a_text_is_not_counted(text: str) -> None:
    assert refused_by_us({"kind": "net", "text": text.encode()}) == []


def test_there_is_much_to_judge() -> None:
    refused = sum("errors" in snippet for snippet in SNIPPETS)
    assert refused > 300
    assert len(SNIPPETS) - refused > 300
    assert len({(snippet["kind"], snippet["text"]) for snippet in SNIPPETS}) == len(SNIPPETS)


def test_refuses_exactly_what_caffe_refuses() -> None:
    differing = disagreements(SNIPPETS)
    assert not differing, shown(differing)


def test_reads_the_same_message() -> None:
    differing = other_messages(SNIPPETS)
    assert not differing, shown(differing)


def test_the_record_is_what_caffe_says(caffe_python: Path) -> None:
    answers = record_verdicts.ask(caffe_python, SNIPPETS)
    differing = [
        (snippet, f"recorded: {recorded}", f"now: {answer}")
        for snippet, answer in zip(SNIPPETS, answers, strict=True)
        if (recorded := {key: snippet[key] for key in ("errors", "message") if key in snippet}) != answer
    ]
    assert not differing, shown(differing)


def test_caffes_own_programs_say_the_same(caffe_exec: Any, tmp_path: Path) -> None:
    """The record comes from a function inside libcaffe; `upgrade_net_proto_text` is what people run."""
    for snippet in SNIPPETS[::80]:
        source = tmp_path / "source.prototxt"
        source.write_bytes(snippet["text"])
        said = caffe_exec(f"upgrade_{snippet['kind']}_proto_text", source, tmp_path / "target.prototxt").stderr
        errors = re.findall(r"Error parsing text-format \S+: (.*)", said.decode("utf-8", "backslashreplace"))
        assert errors == snippet.get("errors", []), snippet["text"]


def test_mixed_formats_are_refused_by_the_upgrade(caffe_exec: Any, tmp_path: Path) -> None:
    text = 'layer { name: "a" type: "ReLU" } layers { name: "b" type: RELU }'
    assert [f for f in caffelint.check_text(text, kind="net").findings if REFUSED_LATER in f.message]
    source = tmp_path / "source.prototxt"
    source.write_text(text)
    said = caffe_exec("upgrade_net_proto_text", source, tmp_path / "target.prototxt").stderr
    assert b"Error parsing" not in said
    assert b"Refusing to upgrade inconsistent NetParameter" in said


def test_mutated_texts(caffe_python: Path) -> None:
    """Texts that nobody chose: in one that Caffe reads, a few bytes give way to a few of another."""
    chance = random.Random(SEED + 20)
    short = [snippet for snippet in SNIPPETS if len(snippet["text"]) < 200]
    readable = [snippet for snippet in short if "message" in snippet]
    mutants = []
    for _ in range(draws(5000, 100_000)):
        text, other = chance.choice(readable), chance.choice(short)["text"]
        start, taken = chance.randrange(len(text["text"]) + 1), chance.randrange(len(other) + 1)
        end = start + chance.randrange(4)
        mutated = text["text"][:start] + other[taken : taken + chance.randrange(5)] + text["text"][end:]
        mutants.append({"kind": text["kind"], "text": mutated})
    judged = [{**m, **answer} for m, answer in zip(mutants, record_verdicts.ask(caffe_python, mutants), strict=True)]
    assert sum("message" in mutant for mutant in judged) > 500
    differing = disagreements(judged) + other_messages(judged)
    assert not differing, shown(differing)


ROWS = re.findall(r"^\| `(net|solver)` \| `(.*)` \| (reads|refuses) \| (reads|refuses)", DIFFERENCES.read_text(), re.M)


@pytest.mark.filterwarnings("ignore:invalid")  # Python's parser hands escapes to Python, which warns
@pytest.mark.parametrize(("kind", "text", "caffe", "python"), ROWS)
def test_documented_differences_to_pythons_parser(kind: str, text: str, caffe: str, python: str) -> None:
    data = re.sub("«(..)»", lambda byte: chr(int(byte[1], 16)), text).encode("latin-1")
    recorded = {(s["kind"], s["text"]): "refuses" if "errors" in s else "reads" for s in SNIPPETS}
    assert recorded[kind, data] == caffe
    try:
        text_format.Parse(data, MESSAGES[kind]())
    except (text_format.ParseError, UnicodeDecodeError):
        assert python == "refuses"
    else:
        assert python == "reads"


def test_differences_are_documented() -> None:
    assert len(ROWS) >= 20
