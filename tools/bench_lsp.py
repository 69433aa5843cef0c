"""How quick and how useful the language server is, over a folder of real prototxt files.

    python tools/bench_lsp.py FOLDER [--edits N] [--places N] [--renames N]

Prints p50 and p95, for nets of about 1,000 and 7,000 lines, of a change with its diagnostics, of the first and the
second hover after it, and of completion after another one: through the protocol, in milliseconds by the clock, without
the delay after a key, and of the server's processor time, which other work on the machine hardly changes. Then memory
over edits; in how many of the places whose field or value was taken out it is among the first five completions; and
whether a renamed blob leaves the built net as it was up to that name.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lsp_process import LspProcess
from lsprotocol.types import (
    CompletionParams,
    RenameParams,
    TextDocumentIdentifier,
)

from caffelint.caffe.built_net import BuiltNet
from caffelint.lint.file import load
from caffelint.lsp.completion import complete
from caffelint.lsp.documents import Documents, View
from caffelint.lsp.navigation import rename
from caffelint.lsp.server import DELAY
from caffelint.lsp.spot import root_type
from caffelint.schema.tables import BOOL, ENUM, MESSAGE, MessageType
from caffelint.text.scalars import string_value
from caffelint.text.tree import LIST, STRING, Field

PUBLISHED = "textDocument/publishDiagnostics"
FREE = {"name", "net", "train_net", "test_net", "source", "mean_file", "root_folder", "snapshot_prefix", "weights"}
FREE |= {"param_str", "module", "layer"}
"""Values that nobody can know: names and paths."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--places", type=int, default=500)
    parser.add_argument("--renames", type=int, default=300)
    options = parser.parse_args()
    random.seed(16)
    files = sorted(options.folder.rglob("*.prototxt"))
    random.shuffle(files)
    for lines, low, high in ((1000, 900, 1100), (7000, 6500, 7500)):
        latencies(lines, [file for file in files if low <= size(file) <= high][:10])
    masked(files, options.places)
    renames(files, options.renames)
    memory(next(file for file in files if 900 <= size(file) <= 1100), options.edits)


def size(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.stat().st_size < 1 << 20 else 0


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def opened(file: Path, text: str | None = None) -> tuple[Documents, View, str]:
    documents = Documents(isolated=True)
    uri = file.resolve().as_uri()
    documents.put(uri, 1, text_of(file) if text is None else text)
    view = documents.view(uri)
    assert view is not None
    return documents, view, uri


class Times:
    """Milliseconds by the clock and of the server's processor, for each thing that is asked."""

    def __init__(self, server: LspProcess) -> None:
        self.server = server
        self.taken: dict[str, list[tuple[float, float]]] = {}

    def take(self, name: str, work: Callable[[], object], delay: float = 0) -> None:
        clock, used = time.perf_counter(), self.server.cpu_seconds()
        work()
        wall = 1000 * (time.perf_counter() - clock - delay)
        self.taken.setdefault(name, []).append((wall, 1000 * (self.server.cpu_seconds() - used)))


def latencies(lines: int, files: list[Path]) -> None:
    found: dict[str, list[tuple[float, float]]] = {}
    for file in files:
        with LspProcess([sys.executable, "-m", "caffelint", "lsp", "--isolated"], file.parent) as server:
            times = Times(server)
            session(server, file, times)
        for name, taken in times.taken.items():
            found.setdefault(name, []).extend(taken)
    for name, pairs in found.items():
        wall, cpu = (sorted(one) for one in zip(*pairs, strict=True))
        told = f"{lines} lines, {name}: by the clock p50 {statistics.median(wall):.0f} ms, p95 {p95(wall):.0f} ms;"
        print(f"{told} processor p50 {statistics.median(cpu):.0f} ms, p95 {p95(cpu):.0f} ms, of {len(pairs)}")


def p95(values: list[float]) -> float:
    return values[int(0.95 * len(values))]


def session(server: LspProcess, file: Path, times: Times) -> None:
    """Changes at random places, each judged, pointed at, and completed at."""
    text, uri = text_of(file), file.resolve().as_uri()
    rows = text.splitlines()
    layers = [number for number, row in enumerate(rows) if "type:" in row]
    server.open(uri, text)
    server.wait_for(PUBLISHED)
    for number in range(0, 24, 2):
        row = random.choice(layers)
        changed = "\n".join([*rows[:row], f"# {number}", *rows[row:]])
        place = {"textDocument": {"uri": uri}, "position": {"line": row + 1, "character": rows[row].index("type:") + 7}}

        def check(number: int = number, changed: str = changed) -> None:
            server.change(uri, number + 2, changed)
            while server.wait_for(PUBLISHED).get("version") != number + 2:
                pass

        times.take("change to diagnostics", check, DELAY)
        for name in ("first hover", "second hover"):
            times.take(name, lambda place=place: server.ask("textDocument/hover", place))
        server.change(uri, number + 3, changed + " ")
        times.take("completion", lambda place=place: server.ask("textDocument/completion", place))


def places(block: Field, message: MessageType | None) -> Iterator[tuple[Field, MessageType]]:
    if message is None:
        return
    for field in block.fields:
        known = message.field(field.name)
        if known is None or field.kind == LIST:
            continue
        yield field, message
        if field.kind not in (LIST, STRING) and known.form == MESSAGE:
            yield from places(field, known.message)


def masked(files: list[Path], wanted: int) -> None:
    """Of each file one field's name and one value that the schema or the net can tell, taken out."""
    hits: dict[str, list[bool]] = {"field": [], "value": []}
    missed: dict[str, int] = {}
    for file in files:
        if len(hits["field"]) + len(hits["value"]) >= wanted:
            break
        if not 200 < file.stat().st_size < 200_000:
            continue
        text = text_of(file)
        read = load(text.encode(), str(file))
        if read.kind == "other" or read.problems:
            continue
        found = list(places(read.document.root, root_type(read)))
        if not found:
            continue
        field, _ = random.choice(found)
        named = [one for one in found if has_known_value(*one)]
        for kind, one in (("field", field), ("value", random.choice(named)[0] if named else None)):
            if one is None:
                continue
            data = text.encode()
            span = (one.start, one.end) if kind == "field" else (one.value_start, one.end)
            hidden = data[: span[0]] + data[span[1] :]
            _documents, view, uri = opened(file, hidden.decode(errors="replace"))
            at = view.lines.position(span[0])
            answer = complete(view, CompletionParams(TextDocumentIdentifier(uri), at), False)
            shown = [item.label for item in answer.items[:5]] if answer else []
            right = one.name if kind == "field" else string_value(one.text) if one.kind == STRING else one.text
            hits[kind].append(right in shown)
            if right not in shown:
                missed[f"{kind} {one.name}"] = missed.get(f"{kind} {one.name}", 0) + 1
    for kind, results in hits.items():
        print(f"masked {kind}: among the first five in {sum(results)} of {len(results)}")
    total = [hit for results in hits.values() for hit in results]
    print(f"masked: {sum(total)} of {len(total)}, {100 * sum(total) / max(1, len(total)):.1f} %")
    print(
        "  missed most:",
        ", ".join(f"{name} ({count})" for name, count in sorted(missed.items(), key=lambda x: -x[1])[:12]),
    )


def has_known_value(field: Field, message: MessageType) -> bool:
    known = message.field(field.name)
    if known is None or field.name in FREE or field.kind == LIST:
        return False
    return known.form in (ENUM, BOOL) or field.name in ("type", "bottom", "lr_policy", "regularization_type")


def renames(files: list[Path], wanted: int) -> None:
    done = equal = 0
    for file in files:
        if done >= wanted:
            break
        if not 200 < file.stat().st_size < 100_000:
            continue
        documents, view, uri = opened(file)
        net = view.file.net
        if net is None or view.file.problems:
            continue
        tops = [one for layer in net.layers if layer.node for one in layer.node.all("top") if one.kind == STRING]
        if not tops:
            continue
        top = random.choice(tops)
        old, new = string_value(top.text), "renamed_blob"
        before = [shape_of(built, old, new) for built in net.states()]
        at = view.lines.position(top.value_start + 1)
        change = rename(documents, view, RenameParams(TextDocumentIdentifier(uri), at, new))
        assert change is not None
        assert change.changes is not None
        data = view.lines.data
        for edit in sorted(
            change.changes[uri], key=lambda e: (e.range.start.line, e.range.start.character), reverse=True
        ):
            data = (
                data[: view.lines.offset(edit.range.start)]
                + edit.new_text.encode()
                + data[view.lines.offset(edit.range.end) :]
            )
        documents.put(uri, 2, data.decode())
        after_view = documents.view(uri)
        assert after_view is not None
        assert after_view.file.net is not None
        after = [shape_of(built, new, new) for built in after_view.file.net.states()]
        done += 1
        equal += before == after
        if before != after:
            print("  differs:", file, old)
    print(f"renames: the built net is the same up to the name in {equal} of {done}")


def shape_of(built: BuiltNet, old: str, new: str) -> object:
    """A net without the splits, whose names are made of those of blobs, and with one name in place of another."""

    def named(name: str) -> str:
        return new if name == old else name

    layers = [
        (
            layer.name,
            layer.type,
            [(named(blob.original.name), blob.shape) for blob in layer.bottoms],
            [(named(blob.original.name), blob.shape) for blob in layer.tops],
            None if layer.params is None else [param.shape for param in layer.params],
        )
        for layer in built.layers
        if layer.index is not None
    ]
    return layers, len(built.refusals), sorted(map(named, built.outputs)), built.memory


def memory(file: Path, edits: int) -> None:
    text = text_of(file)
    documents, _, uri = opened(file)
    marks = []
    for number in range(edits):
        at = random.randrange(len(text))
        path = documents.put(uri, number, f"{text[:at]}{number % 10}{text[at:]}")
        if number % 5 == 0:
            documents.check(path)
        if number % 3 == 0:
            documents.view(uri)
        if number % max(1, edits // 10) == 0:
            with open("/proc/self/statm") as file_:
                marks.append(int(file_.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"memory over {edits} edits: {' '.join(f'{mark:.0f}' for mark in marks)} MB, peak {peak:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
