"""Check a folder of real files and say what changed since the last time: `python tools/corpus.py DIR`.

Prints the count of findings by rule, and of files without any error. The summary is kept in `.cache/corpus` under the
folder's name, so that the next run shows what a change of a rule does to the world; `--keep` leaves it as it is.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.report import ReportedFinding

KEPT = Path(__file__).resolve().parent.parent / ".cache" / "corpus"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--select", help="rules, codes or families, separated by commas")
    parser.add_argument("--dialect")
    parser.add_argument("--sample", type=int, default=0, help="findings of each rule to print")
    parser.add_argument("--keep", action="store_true", help="compare only")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        print(f"{arguments.folder}: no such folder", file=sys.stderr)
        return 2
    config = Config()
    config.cache, config.preview, config.dialect = False, True, arguments.dialect
    config.select = arguments.select.split(",") if arguments.select else []
    started = time.perf_counter()
    report = caffelint.check([arguments.folder], config)
    seconds = time.perf_counter() - started
    by_rule: defaultdict[str, list[ReportedFinding]] = defaultdict(list)
    for finding in report.findings:
        by_rule[f"{finding.code} {finding.name} {finding.severity}"].append(finding)
    counts = {rule: [len(found), len({f.file for f in found})] for rule, found in sorted(by_rule.items())}
    kept = KEPT / (arguments.folder.resolve().name + ".json")
    before = json.loads(kept.read_text()) if kept.is_file() else {}
    print(f"{'findings':>9} {'files':>6}  rule")
    for rule in sorted({*counts, *before}):
        now, then = counts.get(rule, [0, 0]), before.get(rule)
        change = f"  ({now[0] - then[0]:+d})" if then and now != then else "  (new)" if before and not then else ""
        print(f"{now[0]:9} {now[1]:6}  {rule}{change}")
        for finding in random.Random(0).sample(by_rule[rule], min(arguments.sample, len(by_rule[rule]))):
            print(f"{'':17} {finding.file}:{finding.line}:{finding.column} {finding.message}")
    faulty = Counter(f.file for f in report.findings if f.severity == "error")
    print(f"{report.files} files in {seconds:.1f} s, {len(faulty)} with errors, {len(report.failures)} failures")
    for failure in report.failures:
        print(f"  {failure.file}: {failure.message}")
    if not arguments.keep:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(counts, indent=1) + "\n")
    return 3 if any(failure.internal for failure in report.failures) else 0


if __name__ == "__main__":
    sys.exit(main())
