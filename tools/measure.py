"""Hold caffelint against collections of known cases that are not part of this repository.

    python tools/measure.py catalogue FILE     rows of a catalogue of Caffe's behaviour, as JSON lines with `repro`
    python tools/measure.py fixes FOLDER       commits that mended a prototxt: pairs.jsonl and files before and after
    python tools/measure.py verdicts FOLDER    nets and what a real Caffe said of them: verdicts.jsonl.gz

`catalogue` prints, for each consequence, how many rows get an error, another finding, or none, and the rows that get
none, or an error although they work. `fixes` prints for each commit whether the expected rule speaks before, near the
named line, and no longer after. `verdicts` compares verdict, shapes and reason with those of `caffelint summary`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import caffelint
from caffelint.lint.config import CHECK, Config
from caffelint.lint.report import ReportedFinding
from caffelint.lint.summary import summarize

NEAR_LINES = 2
_SECTION = re.compile(r"# (solver|net)\.prototxt")
_COMMAND = re.compile(r"# (solver\.|forward|command)")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines, compressed or not."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    yield from map(json.loads, text.splitlines())


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary working directory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def settings(dialect: str | None = None, preview: bool = False) -> Config:
    config = Config()
    config.templates = CHECK  # a commit that mends a template mends what it is filled to
    config.cache, config.jobs, config.dialect, config.preview = False, 1, dialect, preview
    return config


def sections(repro: str) -> dict[str, str]:
    """The files of a reproduction."""
    files: dict[str, str] = {}
    name = ""
    for line in repro.splitlines():
        if found := _SECTION.match(line):
            name = f"{found[1]}.prototxt"
            files[name] = ""
        elif _COMMAND.match(line):
            name = ""
        elif name:
            files[name] += line + "\n"
    return files


def catalogue(path: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    by_rule: dict[str, list[str]] = {}
    shown = []
    for row in rows(path):
        files = sections(row["repro"])
        if not files:
            continue
        with scratch():
            for name, text in files.items():
                Path(name).write_text(text)
            findings = caffelint.check(sorted(files), settings("bvlc")).findings
        errors = [finding for finding in findings if finding.severity == "error"]
        outcome = "error" if errors else "finding" if findings else "none"
        works = row["consequence"] == "works_but_suspicious"
        counts[row["consequence"], outcome] += 1
        for finding in findings:
            by_rule.setdefault(f"{finding.code} {finding.name}", []).append(row["id"])
        if (errors and works) or (not findings and not works):
            told = errors[0].message if errors else "nothing said"
            shown.append(f"  {row['id']:28} {row['consequence']:22} {row['condition'][:90]} | {told[:90]}")
    print(*shown, sep="\n")
    for rule, ids in sorted(by_rule.items()):
        print(f"{rule}: {', '.join(dict.fromkeys(ids))}")
    for key, count in sorted(counts.items()):
        print(f"{key[0]:24} {key[1]:8} {count}")


def fixes(folder: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for pair in rows(folder / "pairs.jsonl"):
        before, after = (_side(folder, pair, side) for side in ("before", "after"))
        wanted = set(pair["expected_rules"])
        hits = [finding for finding in before if finding.name in wanted]
        near = [finding for finding in hits if _is_near(finding, pair)]
        told = {(finding.key, finding.message) for finding in near}
        still = [finding for finding in after if (finding.key, finding.message) in told]
        outcome = "still there" if near and still else "found" if near else "elsewhere" if hits else "missed"
        counts[pair["static"], outcome] += 1
        print(f"{outcome:12} {pair['static']:10} {pair['id']:42} {', '.join(sorted(wanted))}")
    for key, count in sorted(counts.items()):
        print(f"{key[0]:10} {key[1]:12} {count}")


def _side(folder: Path, pair: dict[str, Any], side: str) -> list[ReportedFinding]:
    with scratch() as here:
        for other in pair.get("other_files", []):
            target = here / other["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / other["file"], target)
        target = here / pair["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / pair[f"{side}_file"], target)
        return caffelint.check([pair["path"]], settings(preview=True)).findings


def _is_near(finding: ReportedFinding, pair: dict[str, Any]) -> bool:
    lines = pair.get("lines") or []
    return Path(finding.file).name == Path(pair["path"]).name and (
        not lines or any(abs((finding.line or 0) - line) <= NEAR_LINES for line in lines)
    )


def verdicts(folder: Path) -> None:
    counts: Counter[str] = Counter()
    shown = []
    with tempfile.TemporaryDirectory() as prepared:
        with tarfile.open(folder / "prepared.tar.gz") as archive:
            archive.extractall(prepared, filter="data")
        for row in rows(folder / "verdicts.jsonl.gz"):
            if not row.get("prepared") or "ModuleNotFound" in str(row.get("error")):
                continue
            data = (Path(prepared) / row["prepared"]).read_bytes()
            for ours in summarize(data, row["file"], (row["phase"],), dialect="bvlc"):
                said = ours.as_json()
                if ours.loads is None:
                    outcome = "unknown"
                elif ours.loads != row["ok"]:
                    outcome = "other verdict"
                elif not row["ok"]:
                    outcome = "same reason" if ours.error and ours.error.caffe in row["error"] else "other reason"
                else:
                    same = (said["blobs"], said["params"]) == (row["blobs"], row["params"])
                    outcome = "same shapes" if same else "other shapes"
                counts[outcome] += 1
                if not outcome.startswith("same"):
                    shown.append(f"{outcome:14} {row['file']} {row['phase']}: {ours.error} | {row['error']}")
    print(*shown, sep="\n")
    for outcome, count in sorted(counts.items()):
        print(f"{outcome:14} {count}")


def main() -> int:
    commands = {"catalogue": catalogue, "fixes": fixes, "verdicts": verdicts}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(sys.argv[2]).resolve()
    if not path.exists():
        print(f"{path}: no such file or folder", file=sys.stderr)
        return 2
    commands[sys.argv[1]](path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
