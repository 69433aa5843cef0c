"""What scripts ask of a net is looked up, and names are compared for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.registry import find_rule
from caffelint.project.mentions import Asked, Mention

iterated: list[str] = []


class _Layers(list[Any]):
    """Counts how often all of them are gone through."""

    def __iter__(self) -> Iterator[Any]:
        iterated.append("")
        return super().__iter__()


def _told(names: Sequence[str], asked: Sequence[str], kind: str = "blob") -> list[Any]:
    layers = _Layers(
        SimpleNamespace(name=f"l{at}", tops=[name], bottoms=[names[at - 1]] if at else [], at=lambda _: "place")
        for at, name in enumerate(names)
    )
    known: dict[Callable[[Any], Any], Any] = {}

    def once(find: Callable[[Any], Any]) -> Any:
        if find not in known:
            known[find] = find(net)
        return known[find]

    questions = [(Mention("a.py", at), Asked("deploy.prototxt", at, kind, name)) for at, name in enumerate(asked)]
    document = SimpleNamespace(source=SimpleNamespace(text=""))
    net = SimpleNamespace(layers=layers, runs=SimpleNamespace(asked=questions), once=once, document=document)
    info = find_rule("script-reads-missing-blob")
    assert info is not None
    rule = info.load()(None)
    rule.finding = lambda *given, **_: given
    iterated.clear()
    return list(rule.check(net))


@pytest.mark.parametrize("kind", ["blob", "output", "layer"])
def test_layers_are_gone_through_for_all_questions_together(kind: str) -> None:
    names = [f"b{one}" for one in range(100)]
    _told(names, names if kind != "layer" else [f"l{one}" for one in range(100)], kind)
    assert len(iterated) < 5


def test_long_names_are_compared_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = SequenceMatcher.ratio

    def counted(self: SequenceMatcher[str]) -> float:
        compared.append("")
        return real(self)

    monkeypatch.setattr(SequenceMatcher, "ratio", counted)
    long = [f"{'ab' * 90}{one:016b}".replace("1", "a").replace("0", "b") for one in range(100)]
    assert len(_told(long[:60], [name[::-1] for name in long[60:]])) == 5
    assert len(compared) < 40
    (told,) = _told(["data", "prob"], ["prb"])
    assert told[1].endswith('"prob" is near')


def test_a_net_that_is_the_only_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy.prototxt").write_text(
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    )
    (tmp_path / "run.py").write_text('net = caffe.Net("deploy.prototxt", caffe.TEST)\nnet.forward()["prob"]\n')
    [one] = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-reads-missing-blob"]
    assert 'asks for the output "prob"' in one.message


@pytest.mark.parametrize(("asked", "severity"), [("old", "info"), ("end1", "warning")])
def test_other_scripts_get_what_they_ask_for(tmp_path: Path, asked: str, severity: str) -> None:
    script = (
        "import caffe\nnet = caffe.Net('deploy.prototxt', 'a', caffe.TEST)\nnet.forward()\nprint(net.blobs['%s'])\n"
    )
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy.prototxt").write_text(
        'layer { name: "in" type: "Input" top: "in" input_param { shape { dim: 1 } } }\n'
        'layer { name: "end" type: "Power" bottom: "in" top: "end" }\n'
    )
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(script % asked)
    assert told_of(tmp_path)[0] == "warning"
    (tmp_path / "right.py").write_text(script % "end")
    found, message = told_of(tmp_path)
    assert found == severity
    assert message.startswith('"a.py" (line 4) and "b.py" (line 4) ask for the blob')


def told_of(folder: Path) -> tuple[str, str]:
    config = Config()
    config.cache = False
    [one] = [one for one in caffelint.check(folder, config).findings if one.name == "script-reads-missing-blob"]
    return one.severity, one.message.replace(f"{folder}/", "")
