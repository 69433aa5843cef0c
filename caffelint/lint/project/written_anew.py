"""Nets that a script beside them writes: the script of today may no longer make some layers of the file."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from caffelint.lint.project.own_readers import HARMLESS, imported
from caffelint.lint.project.texts import Text, Texts
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding
from caffelint.text.parser import Document, parse
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING, Field

_LARGEST = 1 << 20
_LONGEST = 60
_WORD = compiled_later(r"\w+")
_DIGITS = compiled_later(r"\d+")
_LITERAL = compiled_later(r"[\"']([^\"'\n]{1,100})[\"']")
_FORMAT = compiled_later(r"%[-+#0-9.]{0,9}[sdif]|\{[^{}]*\}")
_STAR = compiled_later(r"\bfrom[ \t]+([\w.]+)[ \t]+import[ \t]+\*")
_ONLY_CAFFE = HARMLESS | {"caffe", "google"}
"""What a script that makes all layers itself imports, with protobuf; other modules may make some."""


class _Script(NamedTuple):
    """A script that writes nets: its words, and the pieces of words in its strings, out of which it may make names."""

    text: Text
    words: frozenset[str]
    pieces: frozenset[str]

    def may_make(self, name: str) -> bool:
        """May it make a layer of that name? It may put the name together, or leave that to caffe.NetSpec.

        net_spec.py, Function._get_name: the type and a number.
        """
        stem = name.rstrip("0123456789")
        if name in self.words or stem in self.words or not stem or not 1 < len(name) <= _LONGEST:
            return True
        if self.pieces.issuperset(filter(None, _DIGITS.split(name))):  # of single letters, as "c%da"
            return True
        ends = range(len(name) + 1)
        return any(name[start:end] in self.pieces for start in ends for end in ends[start + 2 :])


class _Written(NamedTuple):
    script: _Script
    document: Document
    layers: list[tuple[int, int, str]]
    """Start, end and name."""

    def at(self, line: int, column: int) -> Iterator[str]:
        """The name of the layer at a place, counted from 1."""
        offset = self.document.source.line_starts[line - 1] + column - 1
        number = bisect(self.layers, offset, key=lambda layer: layer[0]) - 1
        if number >= 0 and offset < self.layers[number][1]:
            yield self.layers[number][2]

    def on(self, line: int) -> list[str]:
        """The names of the layers that a line has a part of."""
        starts = self.document.source.line_starts
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else len(self.document.source.text)
        first = max(0, bisect(self.layers, start, key=lambda layer: layer[0]) - 1)
        last = bisect(self.layers, end - 1, key=lambda layer: layer[0])
        return [name for _, layer_end, name in self.layers[first:last] if layer_end > start]


class WrittenAnew:
    """The nets of a project that a script beside them writes."""

    def __init__(self, texts: Texts):
        self._texts = texts
        self._scripts: dict[str, _Script | None] = {}
        self._written: dict[str, _Written | None] = {}

    def why_stale(self, path: str, one: ReportedFinding) -> str:
        """Why a finding is gone once the script has written the net anew: one of its layers is.

        Of a finding that names several layers with the same fault, all must be.
        """
        if path not in self._written:
            self._written[path] = self._find_written(path)
        if (written := self._written[path]) is None or not one.layer:
            return ""
        related = (name for also in one.related if also.file == one.file for name in written.at(also.line, also.column))
        own = [one.layer, *related]
        gone = next((name for name in own if _is_plain(name) and not written.script.may_make(name)), "")
        others = (name for _, line in one.others for name in written.on(line) or [""])
        if not gone or any(not _is_plain(name) or written.script.may_make(name) for name in others):
            return ""
        return f'{written.script.text.path} writes the file anew, and has no layer "{gone}" now'

    def _find_written(self, path: str) -> _Written | None:
        """A file that a script writes which has most of its layers, and makes all of them itself."""
        if (text := self._texts.written_by(path)) is None:
            return None
        if text.path not in self._scripts:
            self._scripts[text.path] = _script(text)
        script = self._scripts[text.path]
        try:
            data = read(path, _LARGEST)
        except ReadError:
            return None
        if script is None or not data.isascii():
            return None
        document = parse(data, path)
        layers = [(*field.span, name) for field, name in _layers(document)]
        plain = {name for _, _, name in layers if _is_plain(name)}
        if document.is_damaged or len(plain - script.words) * 2 >= len(plain):
            return None
        return _Written(script, document, layers)


def _layers(document: Document) -> Iterator[tuple[Field, str]]:
    for field in document.root.fields:
        if field.name in ("layer", "layers"):
            name = field.first("name")
            yield field, string_value(name.text) if name and name.kind == STRING else ""


def _script(text: Text) -> _Script | None:
    """None for one that leaves layers to modules of others."""
    all_of = {module.partition(".")[0] for module in _STAR.findall(text.text)}  # caffe.model_libs makes layers
    if not text.path.endswith(".py") or not imported(text.text) <= _ONLY_CAFFE or not all_of <= HARMLESS:
        return None
    literals = (_FORMAT.sub(" ", literal) for literal in _LITERAL.findall(text.text))
    pieces = frozenset(piece for literal in literals for piece in _WORD.findall(literal))
    return _Script(text, frozenset(_WORD.findall(text.text)), pieces)


def _is_plain(name: str) -> bool:
    """Is it one word? Others are mostly put together."""
    return _WORD.fullmatch(name) is not None
