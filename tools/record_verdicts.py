"""Records what a real Caffe says of each text in tests/text/snippets.jsonl: `make verdicts`.

A line of that file is `{"about", "kind", "text"}`, written by hand, and the record: `errors`, protobuf's own lines,
where Caffe refuses to read the text, or `message`, what it read (serialised, base64). `text` holds bytes, one character
a byte.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SNIPPETS = ROOT / "tests/text/snippets.jsonl"


def load() -> Iterator[dict[str, Any]]:
    """The snippets; `text` as bytes."""
    for line in SNIPPETS.read_text(encoding="ascii").splitlines():
        snippet = json.loads(line)
        yield {**snippet, "text": snippet["text"].encode("latin-1")}


def ask(caffe_python: Path, snippets: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A real Caffe's answer to each: `{"errors": [...]}` or `{"message": ...}`."""
    jobs = (json.dumps({"kind": s["kind"], "text": base64.b64encode(s["text"]).decode()}) for s in snippets)
    answers = subprocess.run(
        [caffe_python, ROOT / "tools/caffe_reader.py"],
        input="\n".join(jobs),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if answers.returncode:
        raise RuntimeError(f"Caffe stopped after {answers.stdout.count(chr(10))} texts: {answers.stderr[-2000:]}")
    return [json.loads(line) for line in answers.stdout.splitlines()]


def main() -> None:
    snippets = list(load())
    answers = ask(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".caffe/caffe-python", snippets)
    with SNIPPETS.open("w", encoding="ascii") as out:
        for snippet, answer in zip(snippets, answers, strict=True):
            written = {"about": snippet["about"], "kind": snippet["kind"], "text": snippet["text"].decode("latin-1")}
            out.write(json.dumps({**written, **answer}) + "\n")
    refused = sum("errors" in answer for answer in answers)
    print(f"{len(snippets)} texts: Caffe refuses {refused} and reads {len(snippets) - refused}")


if __name__ == "__main__":
    main()
