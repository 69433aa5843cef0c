"""Where the documentation is. mkdocs.yml names the same address."""

from __future__ import annotations

SITE = "https://caffelint.readthedocs.io/en/stable/"
SETTINGS_SCHEMA = f"{SITE}schema/settings.schema.json"
"""Editors that take `#:schema` complete and check the settings by it."""


def rule_page(name: str) -> str:
    return f"{SITE}rules/{name}/"
