"""Does a change cost time? Its check against that of its parent, on one machine, in one run.

    python tools/bench_parent.py [--base COMMIT] [--folder FOLDER] [--limit 0.05]

Both check all files of the folder, each in a process of its own, in turn. What counts is the least processor time of
each: what else the machine does only adds to it. Exits with 1 if the change costs more than the limit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROUNDS = 7
CHILD = """
import sys, time
from pathlib import Path
tree, folder = sys.argv[1:]
sys.path.insert(0, tree)
import caffelint
assert Path(caffelint.__file__).is_relative_to(tree), caffelint.__file__
import caffelint.rules
assert Path(caffelint.rules.__file__).resolve().is_relative_to(tree), caffelint.rules.__file__
texts = [path.read_bytes() for path in sorted(Path(folder).rglob("*.prototxt"))]
best = float("inf")
for turn in range(12):
    start = time.process_time()
    for data in texts:
        caffelint.check_text(data)
    if turn:
        best = min(best, time.process_time() - start)
print(best)
"""


def git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def checked_out(commit: str, folder: Path) -> Path:
    """The files of a commit, laid out so that they are imported from there: proto and rules lie beside the package."""
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=packed, check=True)
    return linked(folder)


def linked(folder: Path) -> Path:
    for name in ("proto", "rules"):
        if not (folder / "caffelint" / name).exists():
            (folder / "caffelint" / name).symlink_to(Path("..", name))
    return folder.resolve()


def seconds(tree: Path, folder: Path) -> float:
    command = [sys.executable, "-c", CHILD, str(tree), str(folder)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def compare(ours: Path, theirs: Path, folder: Path, rounds: int = ROUNDS) -> tuple[float, float]:
    """The least seconds of each tree over a folder, which take turns."""
    both = [(seconds(ours, folder), seconds(theirs, folder)) for _ in range(rounds)]
    return min(one for one, _ in both), min(other for _, other in both)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="HEAD^")
    parser.add_argument("--folder", type=Path, default=ROOT / "fixtures")
    parser.add_argument("--limit", type=float, default=0.05)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        change, parent = checked_out("HEAD", Path(ours)), checked_out(options.base, Path(theirs))
        here, there = compare(change, parent, options.folder.resolve())
    for name, taken in ((options.base, there), ("HEAD", here)):
        print(f"{git('rev-parse', '--short', name)}  {taken:.2f} s of processor time")
    print(f"{here / there - 1:+.1%}; at most {options.limit:+.0%} may be")
    return int(here / there > 1 + options.limit)


if __name__ == "__main__":
    sys.exit(main())
