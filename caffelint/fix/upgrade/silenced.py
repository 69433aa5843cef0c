"""Whether a file is to be left in its old format on purpose."""

from __future__ import annotations

from collections.abc import Collection

from caffelint.lint.config import Config
from caffelint.lint.discover import matching_globs
from caffelint.lint.registry import find_rule
from caffelint.lint.select import matches
from caffelint.lint.suppress import suppressions
from caffelint.text.parser import Document

RULE = "legacy-format"


def silenced(document: Document, old: Collection[str]) -> bool:
    """Whether a comment silences the rule where it would report a text: at its first field of the `old` names."""
    first = next((field for field in document.root.fields if field.name in old), None)
    place = first.start if first else 0
    return any(
        comment.start <= place < max(comment.end, comment.start + 1) and not comment.rules.isdisjoint({"all", RULE})
        for comment in suppressions(document)
    )


def ignored(path: str, config: Config) -> bool:
    """Whether the settings silence the rule in this file."""
    info = find_rule(RULE)
    folder = config.folder_of("per_file_ignores")
    return info is not None and any(
        matches(info, name)
        for glob in matching_globs(path, config.per_file_ignores, folder)
        for name in config.per_file_ignores[glob]
    )
