"""Why a script is taken to fill in a template that a solver names."""

from __future__ import annotations

import os

from caffelint.lint.project.texts import Texts
from caffelint.lint.reach import is_below
from caffelint.lint.report import ReportedFinding
from caffelint.text.patterns import compiled_later

_WORD = compiled_later(r"\w+")


def why_filled(texts: Texts, one: ReportedFinding) -> str:
    """Where a text has the placeholder of a finding; empty where none does.

    A solver that is a template itself tells nothing unless a text has one of its placeholders: who fills in that one
    and leaves out the other has forgotten it.
    """
    path = os.path.abspath(one.file)
    placeholder = one.source[0][(one.column or 1) - 1 : (one.end_column or 1) - 1] if one.source else ""
    if where := _first_with(texts, path, placeholder):
        return f"{where} has {placeholder}, as to fill it in"
    of_solver = [other.message for other in one.related if other.file != one.file]
    if of_solver and not any(_first_with(texts, path, name) for name in of_solver):
        return f'"{one.related[0].file}" is a template itself, so something may fill in both'
    return ""


def _first_with(texts: Texts, path: str, placeholder: str) -> str:
    """The line of the first text with the word of a placeholder: of `$BATCH` and `{{ BATCH }}`, BATCH.

    One in another folder fills in other files, unless it has the name of the file.
    """
    word = found[0] if (found := _WORD.search(placeholder)) else ""
    name = os.path.basename(path).partition(".")[0]
    for text in texts.all if word else ():
        if word in text.text and (is_below(path, text.folder) or name in text.text):
            at = next((one.start() for one in _WORD.finditer(text.text) if one[0] == word), None)
            if at is not None:
                return text.line(at)
    return ""
