"""The folders of the user, which no checkout may choose: of settings, of what is trusted, of stored results."""

from __future__ import annotations

import os
from pathlib import Path


def own_folder(variable: str, *default: str) -> Path:
    """caffelint's folder below that of a variable such as `XDG_CACHE_HOME`, else below the home folder.

    A relative path counts as none (XDG Base Directory Specification, Basics): it would lead into a checkout. Raises
    `RuntimeError` for a user without a home folder.
    """
    given = os.environ.get(variable, "")
    base = Path(given) if os.path.isabs(given) else Path.home().joinpath(*default)
    if not base.is_absolute():
        raise RuntimeError(f"the home folder is {base}, which is a relative path")
    return base / "caffelint"


def user_file() -> Path | None:
    """The user's own settings: `~/.config/caffelint/caffelint.toml`; None for a homeless user."""
    try:
        return own_folder("XDG_CONFIG_HOME", ".config") / "caffelint.toml"
    except RuntimeError:
        return None


def stranger(path: str | os.PathLike[str]) -> int | None:
    """The number of the user that a file belongs to, if that is neither this one nor root. Raises `OSError`."""
    if not hasattr(os, "geteuid"):
        return None
    owner = os.stat(path).st_uid
    return None if owner in (0, os.geteuid()) else owner


def way_to_trust(folder: Path) -> str:
    """The command, for a shell."""
    import shlex

    return f"caffelint trust {shlex.quote(str(folder))}"
