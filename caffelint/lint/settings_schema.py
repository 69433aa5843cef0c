"""The JSON schema of `caffelint.toml`, made of the table of settings itself."""

from __future__ import annotations

from typing import Any

from caffelint.lint.config import CHOICES, TYPES
from caffelint.lint.finding import SEVERITIES
from caffelint.lint.site import SETTINGS_SCHEMA

_RULES = "Rules: codes, names, families (solver) or prefixes of codes (S1)."
ABOUT = {
    "select": f"Run only these rules. {_RULES}",
    "ignore": f"Do not run these rules. {_RULES}",
    "extend_select": f"Run these rules as well. {_RULES}",
    "preview": "Also run preview rules, which are still on trial.",
    "severity": "Other severities of rules, by code, name, family or prefix.",
    "dialect": "The Caffe that the files are for; caffelint dialects lists the names.",
    "target": "The converters that the nets are for; caffelint targets lists the names.",
    "proto": "The caffe.proto that the files are for.",
    "caffe": "The folder of the Caffe that the files are for, with its sources.",
    "known_layer_types": "Layer types of your own, which are not reported as unknown.",
    "templates": "Whether the rest of a file with unfilled placeholders is checked.",
    "fail_on": "Exit with 1 for findings of this severity or a higher one.",
    "max_warnings": "Exit with 1 for more warnings; -1 for any number.",
    "per_file_ignores": "Rules that do not run for the files that a glob names.",
    "include": "Globs: of folders, also check these files if they look like nets or solvers.",
    "exclude": "Globs: of folders, leave out these files.",
    "force_exclude": "Leave out what exclude names even if it is named on the command line.",
    "roots": "Folders in which the paths of solvers start.",
    "input_shape": "Shapes of tops that the text does not give, such as 32x3x224x224.",
    "read_data": "Read shapes from the data; needs caffelint trust.",
    "baseline": "The file with findings that are known.",
    "caffe_python": "The Python that imports caffe, for smoke; needs caffelint trust.",
    "plugins": "Files and folders with rules of your own; needs caffelint trust.",
    "jobs": "Processes to use; 0 for one per core.",
    "cache": "Reuse the results of earlier runs.",
    "rules": "Options of rules, by code or name.",
}
_FORMS: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    list: {"type": "array", "items": {"type": "string"}},
    dict: {"type": "object"},
}
_VALUES = {
    "severity": {"enum": list(SEVERITIES)},
    "per_file_ignores": {"type": "array", "items": {"type": "string"}},
    "input_shape": {"type": "string", "pattern": "^[0-9]+(x[0-9]+)*$"},
    "rules": {"type": "object"},
}
"""Of each entry in a table."""


def schema() -> dict[str, Any]:
    properties: dict[str, Any] = {
        "extend": {"type": "string", "description": "A file of settings that these are added to."}
    }
    for name, type_ in TYPES.items():
        form: dict[str, Any] = {**_FORMS[type_], "description": ABOUT[name]}
        if name in CHOICES:
            form["enum"] = list(CHOICES[name])
        if name in _VALUES:
            form["additionalProperties"] = _VALUES[name]
        properties[name.replace("_", "-")] = form
    properties["jobs"]["minimum"] = 0
    properties["max-warnings"]["minimum"] = -1
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SETTINGS_SCHEMA,
        "title": "caffelint.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
