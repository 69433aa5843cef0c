"""`caffelint completion`, and what a shell is offered."""

from __future__ import annotations

from typing import Any

import click
import pytest

from caffelint.cli.group import COMMANDS, cli


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(caffelint: Any, shell: str) -> None:
    run = caffelint("completion", shell)
    assert run.status == 0
    assert "_CAFFELINT_COMPLETE" in run.out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("caffelint ex", "explain"),
        ("caffelint check --select poly-wi", "poly-without-max-iter"),
        ("caffelint check --select S102,poly-wi", "S102,poly-without-max-iter"),
        ("caffelint check --format sa", "sarif"),
        ("caffelint check --dialect nvc", "nvcaffe"),
        ("caffelint explain poly-wi", "poly-without-max-iter"),
        ("caffelint check --severity warn", "warning"),
        ("caffelint check --severity poly-wi", "poly-without-max-iter="),
        ("caffelint check --severity poly-without-max-iter=in", "poly-without-max-iter=info"),
        ("caffelint log --fail-on ne", "never"),
        ("caffelint log --until nan,st", "nan,stuck"),
        ("caffelint weights --format js", "json"),
        ("caffelint smoke --compare caffe,to", "caffe,torch"),
        ("caffelint rules --family so", "solver"),
    ],
)
def test_completing(caffelint: Any, monkeypatch: pytest.MonkeyPatch, words: str, wanted: str) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert f"plain,{wanted}" in caffelint().out.splitlines()


def test_commands_are_offered_with_their_whole_sentences(caffelint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", "fish_complete")
    monkeypatch.setenv("COMP_WORDS", "caffelint ")
    monkeypatch.setenv("COMP_CWORD", "")
    offered = caffelint().out
    assert all(f"{name}\n{text}" in offered or f"{name}\t{text}" in offered for name, text in COMMANDS.items())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "number"),
    [("caffelint ch", "abc"), ("caffelint ch", " "), ("caffelint ch", "9" * 5000), (None, "1"), ("caffelint", None)],
)
def test_what_no_shell_sets(
    caffelint: Any, monkeypatch: pytest.MonkeyPatch, shell: str, words: str | None, number: str | None
) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", f"{shell}_complete")
    for name, value in (("COMP_WORDS", words), ("COMP_CWORD", number)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    run = caffelint()
    assert (run.status, run.err.count("\n")) in [(0, 0), (2, 1)]
    assert "report" not in run.err


def test_a_word_that_is_no_text(caffelint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "caffelint check \udcff")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert caffelint().status in (0, 2)


_FREE = [
    "--base-ref",
    "--code",
    "--gradcheck",
    "--input-shape",
    "--level",
    "--reason",
    "--stage",
    "--watch",
    "--what-if",
    "name",
]
"""What only the user knows: commits, shapes, names of layers, sentences."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_values_of_every_option_are_offered(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command
    for parameter in command.params:
        has_type = type(parameter.type) not in (click.types.StringParamType, click.types.IntParamType)
        if has_type or parameter.opts[0] in _FREE:
            continue
        assert [one.value for one in parameter.shell_complete(click.Context(command), "")], parameter.opts
