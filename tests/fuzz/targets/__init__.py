"""What the fuzzer feeds: one module an entry point, with `SEEDS`, the kind of text to start from, and `run`.

`run(data)` works in an empty folder, and raises where something does not hold.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence


def command(*arguments: str, statuses: Sequence[int] = (0, 1, 2)) -> tuple[str, str]:
    """Run the command line; what it prints to stdout and stderr. AssertionError where it fails by its own fault."""
    from caffelint.cli.main import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
        out.flush()
    assert status in statuses, f"status {status}: {err.getvalue()[-2000:]}"
    # Where a fix is left out that would cause another error, the guard has done what it is there for.
    said = [line for line in err.getvalue().splitlines() if "was left out: it would cause" not in line]
    assert not any("please report it" in line for line in said), err.getvalue()[-2000:]
    return out.buffer.getvalue().decode("utf-8"), err.getvalue()
