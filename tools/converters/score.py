"""Holds what caffelint says of cases against what the converters did: `python score.py TARGET FOLDER... [-v]`.

Precision and recall of "refused" and "wrong"; a net that is refused in one part may be wrong in another, and counts as
what was seen. `-v` lists the cases that differ.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from caffelint.deploy.facts import MISREAD, REFUSED, target
from caffelint.deploy.judge import judge
from caffelint.lint.file import load


def main() -> None:
    verbose = "-v" in sys.argv
    name, *folders = [word for word in sys.argv[1:] if word != "-v"]
    asked = target(name)
    table: Counter[tuple[str, str]] = Counter()
    for case in sorted(case for folder in folders for case in Path(folder).iterdir()):
        if not (case / f"{name}.json").exists():
            continue
        seen = json.loads((case / f"{name}.json").read_text())
        if seen["verdict"] == "gone":
            continue
        path = case / "net.prototxt"
        net = load(path.read_bytes(), str(path)).net
        found = list(judge(net, asked)) if net else []
        verdicts = {one.fact.verdict for one in found}
        said = "refused" if REFUSED in verdicts else "wrong" if MISREAD in verdicts else "right"
        table[seen["verdict"], said] += 1
        if verbose and said != seen["verdict"]:
            text = " ".join(path.read_text().split("\n")[1:])[:330] if len(path.read_text()) < 1500 else str(case)
            print(f"\n{case.name} seen {seen['verdict']}: {seen['why'][:110]} {seen.get('said', '')[-150:]}")
            print(f"    said {said}: {[(one.place, one.fact.does[:60]) for one in found]}\n    {text}")
    print({f"seen {seen}, said {said}": number for (seen, said), number in sorted(table.items())})
    for verdict in ("refused", "wrong"):
        both = table[verdict, verdict]
        said = sum(number for (_, one), number in table.items() if one == verdict)
        seen = sum(number for (one, _), number in table.items() if one == verdict)
        precision, recall = both / max(said, 1), both / max(seen, 1)
        print(f"{name}, {verdict}: precision {precision:.3f} ({said}), recall {recall:.3f} ({seen})")


if __name__ == "__main__":
    main()
