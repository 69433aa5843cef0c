"""Why a script is taken to fill in a template that a solver names."""

from __future__ import annotations

import os
import re

from caffelint.lint.project.texts import Texts
from caffelint.lint.reach import is_below
from caffelint.lint.report import ReportedFinding


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
    word = re.search(r"\w+", placeholder)
    wanted = re.compile(rf"(?<!\w){re.escape(word[0])}(?!\w)") if word else None
    name = os.path.basename(path).partition(".")[0]
    near = (text for text in texts.all if is_below(path, text.folder) or name in text.text)
    found = ((text, match) for text in near if wanted and (match := wanted.search(text.text)))
    return next((text.line(match.start()) for text, match in found), "")
