"""Draws docs/assets/editor-*.png: what the language server answers about a small project, as an editor shows it.

    python tools/editor_pictures.py      needs Chromium (`chromium` on PATH)

The findings, hints, completions and explanations are those of a real run; only the window around them is drawn here.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import small_project
from lsprotocol.types import (
    CodeActionContext,
    CodeActionParams,
    CodeLensParams,
    CompletionParams,
    DiagnosticSeverity,
    HoverParams,
    InlayHintParams,
    Position,
    Range,
    SemanticTokensParams,
    TextDocumentIdentifier,
)

from caffelint.lsp.actions import code_actions
from caffelint.lsp.completion import complete
from caffelint.lsp.diagnostics import diagnostics
from caffelint.lsp.documents import Documents
from caffelint.lsp.hints import hints, lenses
from caffelint.lsp.hover import hover
from caffelint.lsp.tokens import LEGEND, tokens

FOLDER = Path(__file__).parents[1] / "docs" / "assets"
WHOLE = Range(Position(0, 0), Position(9999, 0))
NET = (
    small_project.NET[: small_project.NET.index('layer { name: "relu1"')]
    + """\
layer { name: "relu1" type: "ReLU" bottom: "Conv1" top: "conv1" }
layer {
  name: "pool1"
  type: "Pooling"
  bottom: "conv1"
  top: "pool1"
  pooling_param { pool: MAX kernel_size: 2 stride: 3 }
}
"""
)
SOLVER = small_project.SOLVER.replace(
    'lr_policy: "step"\ngamma: 0.1\nstepsize: 1000\nmax_iter: 3000\n',
    'lr_policy: "multistep"\ngamma: 0.1\nstepvalue: 2000\nstepvalue: 4000\npower: 0.75\nmax_iter: 5000\n',
)
STYLE = """
body { margin: 0; background: #fff; font: 15px/1.5 "DejaVu Sans Mono", monospace; color: #1f2328; }
.line { white-space: pre; } .number { color: #8c959f; display: inline-block; width: 34px; text-align: right;
margin-right: 18px; } .lens { color: #6e7781; padding-left: 52px; font-size: 13px; }
.hint { color: #57606a; background: #eef1f4; border-radius: 4px; padding: 0 5px; font-size: 13px; margin-left: 7px; }
.error { text-decoration: underline wavy #cf222e; text-underline-offset: 4px; }
.warning { text-decoration: underline wavy #9a6700; text-underline-offset: 4px; } .faded { opacity: .5; }
.said { padding-left: 66px; font-size: 13px; } .error-text { color: #cf222e; } .warning-text { color: #9a6700; }
.box { margin: 2px 0 4px 66px; border: 1px solid #d0d7de; border-radius: 6px; padding: 8px 12px; width: max-content;
max-width: 640px; background: #f6f8fa; box-shadow: 0 3px 10px #0002; font-size: 13px; white-space: pre-wrap; }
.box b { color: #0550ae; } .chosen { background: #ddf4ff; } .detail { color: #6e7781; }
.namespace { color: #8250df; } .property { color: #0550ae; } .string, .type { color: #0a3069; }
.number-word { color: #116329; }
.enumMember, .variable { color: #953800; } .keyword { color: #cf222e; } .class { color: #116329; font-weight: bold; }
.comment { color: #6e7781; }
"""


class Window:
    """A text as the editor has it, with what the server says."""

    def __init__(self, name: str, text: str, others: dict[str, str]):
        self.folder = Path(tempfile.mkdtemp())
        for other, content in {**others, name: text}.items():
            (self.folder / other).write_text(content)
        self.documents = Documents(isolated=True)
        self.uri = (self.folder / name).as_uri()
        self.path = self.documents.put(self.uri, 1, text)
        view = self.documents.view(self.uri)
        assert view is not None
        self.view, self.text = view, text
        self.document = TextDocumentIdentifier(self.uri)
        found = self.documents.check(self.path).findings[self.path]
        self.found = diagnostics(self.path, found, self.documents)
        self.boxes: dict[int, str] = {}

    def position(self, part: str, inside: int = 0) -> Position:
        at = self.text.index(part) + inside
        return Position(self.text.count("\n", 0, at), at - self.text.rfind("\n", 0, at) - 1)

    def hover(self, part: str, inside: int = 0) -> None:
        at = self.position(part, inside)
        answer = hover(self.view, HoverParams(self.document, at))
        assert answer is not None
        told = html.escape(answer.contents.value)  # type: ignore[union-attr]
        told = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", told).replace("`", "")
        self.boxes[at.line] = f'<div class="box">{told}</div>'

    def complete(self, part: str, inside: int) -> None:
        at = self.position(part, inside)
        answer = complete(self.view, CompletionParams(self.document, at), False)
        assert answer is not None
        rows = [
            f"<div{' class=chosen' * (not number)}>{html.escape(item.label)} "
            f'<span class="detail">{html.escape(item.detail or "")}</span></div>'
            for number, item in enumerate(answer.items[:6])
        ]
        self.boxes[at.line] = f'<div class="box">{"".join(rows)}</div>'

    def actions(self, part: str) -> None:
        at = self.position(part)
        found = code_actions(
            self.documents, self.view, CodeActionParams(self.document, Range(at, at), CodeActionContext([]))
        )
        rows = "".join(f"<div>{html.escape(one.title)}</div>" for one in found[:4])
        self.boxes[at.line] = f'<div class="box">{rows}</div>'

    def page(self, *, said: bool = True) -> str:
        colors: dict[int, list[tuple[int, int, str]]] = {}
        line = character = 0
        data = tokens(self.view, SemanticTokensParams(self.document)).data
        for moved, start, length, kind, _ in zip(*[iter(data)] * 5, strict=True):
            line, character = line + moved, start + (0 if moved else character)
            name = LEGEND.token_types[kind]
            colors.setdefault(line, []).append(
                (character, character + length, "number-word" if name == "number" else name)
            )
        marks: dict[int, list[tuple[int, str]]] = {}
        for hint in hints(self.view, InlayHintParams(self.document, WHOLE), 0):
            marks.setdefault(hint.position.line, []).append((hint.position.character, str(hint.label)))
        above: dict[int, list[str]] = {}
        for lens in lenses(self.view, CodeLensParams(self.document), 0):
            above.setdefault(lens.range.start.line, []).append(lens.command.title if lens.command else "")
        rows = []
        for number, text in enumerate(self.text.splitlines()):
            if number in above:
                rows.append(f'<div class="lens">{html.escape(" | ".join(above[number]))}</div>')
            body = self._body(number, text, colors.get(number, []), marks.get(number, []))
            rows.append(f'<div class="line"><span class="number">{number + 1}</span>{body}</div>')
            if number in self.boxes:
                rows.append(self.boxes[number])
            elif said:
                rows += [
                    f'<div class="said {_severity(one.severity)}-text">{html.escape(one.message.splitlines()[0])}</div>'
                    for one in self.found
                    if one.range.start.line == number
                ]
        return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{''.join(rows)}"

    def _body(self, number: int, text: str, colors: list[tuple[int, int, str]], marks: list[tuple[int, str]]) -> str:
        found = [one for one in self.found if one.range.start.line == number]
        classes = [{name for start, end, name in colors if start <= at < end} for at in range(len(text))]
        for one in found:
            last = one.range.end.character if one.range.end.line == number else len(text)
            for at in range(one.range.start.character, last):
                classes[at] |= {_severity(one.severity)} | ({"faded"} if one.tags else set())
        parts = []
        for at in range(len(text) + 1):
            parts += [f'<span class="hint">{html.escape(label)}</span>' for place, label in marks if place == at]
            if at < len(text):
                parts.append(f'<span class="{" ".join(sorted(classes[at]))}">{html.escape(text[at])}</span>')
        return "".join(parts)


def _severity(severity: DiagnosticSeverity | None) -> str:
    return "error" if severity == DiagnosticSeverity.Error else "warning"


def draw(name: str, page: str, width: int, height: int) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}/user", f"--window-size={width},{height}"]
        subprocess.run(
            [chromium, *options, f"--screenshot={FOLDER / name}", source.as_uri()],
            check=True,
            capture_output=True,
            timeout=120,
        )


def main() -> None:
    net = Window("net.prototxt", NET, {"solver.prototxt": SOLVER})
    draw("editor-findings.png", net.page(), 1000, 780)
    net = Window("net.prototxt", NET, {"solver.prototxt": SOLVER})
    net.hover('"Convolution"', 3)
    net.actions('bottom: "Conv1"')
    draw("editor-hover.png", net.page(said=False), 1000, 980)
    begun = NET[NET.index('layer {\n  name: "conv1"') : NET.index('layer { name: "relu1"')]
    begun = NET[: NET.index("layer {", 10)] + begun + 'layer {\n  name: "conv2"\n  type: "Convolution"\n  \n}\n'
    typed = Window("net.prototxt", begun, {})
    typed.complete('type: "Convolution"\n  \n}', 22)
    draw("editor-completion.png", typed.page(said=False), 1000, 720)
    solver = Window("solver.prototxt", SOLVER, {"net.prototxt": NET})
    draw("editor-solver.png", solver.page(), 1000, 320)


if __name__ == "__main__":
    main()
