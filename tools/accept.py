"""Write what `caffelint check` says of each project in `fixtures/right` and `fixtures/wrong` into its `expected.txt`.

Without `--update` the differences are shown, and the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import sys
from pathlib import Path

import caffelint
from caffelint.lint.config import Config
from caffelint.report import Look, write

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def projects() -> list[Path]:
    """The folders that hold prototxt files; those of `fixtures/smoke` are for training runs."""
    return sorted({path.parent for path in FIXTURES.glob("*/*/*.prototxt")})


def output(project: Path) -> str:
    """What a check of a project prints, info findings included, its folder being the working directory."""
    config = Config()
    config.cache, config.jobs = False, 1
    before = Path.cwd()
    os.chdir(project)
    try:
        report = caffelint.check(["."], config)
        out = io.StringIO()
        write("text", report, out, Look(least="info", width=100))
        return out.getvalue()
    finally:
        os.chdir(before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    update = parser.parse_args().update
    stale = 0
    for project in projects():
        expected = project / "expected.txt"
        now = output(project)
        then = expected.read_text("utf-8") if expected.is_file() else ""
        if now == then:
            continue
        stale += 1
        name = str(expected.relative_to(FIXTURES.parent))
        sys.stdout.writelines(difflib.unified_diff(then.splitlines(True), now.splitlines(True), name, name))
        if update:
            expected.write_text(now, "utf-8")
    print(f"{stale} of {len(projects())} fixtures {'rewritten' if update else 'differ'}")
    return 0 if update or not stale else 1


if __name__ == "__main__":
    sys.exit(main())
