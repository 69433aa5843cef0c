"""What stands behind a finding, as one line."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import Known


def evidence(*parts: str, known: Sequence[Known] = ()) -> str:
    """The parts that say something, then what rules of the text say of the same."""
    seen = "; ".join(f"{one.where}: {one.message}" for one in known)
    return ". ".join(part for part in (*parts, seen and f"see {seen}") if part)
