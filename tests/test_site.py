"""The pages of the documentation: all in the navigation, every link leads somewhere, every rule has its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")  # comes with pre-commit

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def pages(root: Path) -> list[Path]:
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def names(entry: object) -> list[str]:
    if isinstance(entry, dict):
        return [name for value in entry.values() for name in names(value)]
    if isinstance(entry, list):
        return [name for value in entry for name in names(value)]
    return [str(entry)]


def test_every_page_is_in_the_navigation(root: Path) -> None:
    nav = names(yaml.safe_load((root / "mkdocs.yml").read_text("utf-8"))["nav"])
    docs = root / "docs"
    there = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md") if page.parent.name != "rules"}
    assert sorted(nav) == sorted({*there, "rules/index.md"})


def test_every_link_between_pages_leads_somewhere(root: Path) -> None:
    broken = []
    for page in pages(root):
        text = _FENCE.sub("", page.read_text("utf-8"))
        for link in _LINK.findall(text):
            path, _, anchor = link.partition("#")
            if "://" in link or link.startswith("mailto:"):
                continue
            target = (page.parent / path) if path else page
            if not target.exists():
                broken.append(f"{page.name}: {link}")
            elif anchor and target.suffix == ".md":
                heads = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
                slugs = {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
                if anchor not in slugs:
                    broken.append(f"{page.name}: {link}")
    assert broken == []


def test_the_url_of_every_rule_is_a_page(root: Path) -> None:
    from caffelint.lint.registry import all_rules
    from caffelint.lint.site import SITE, rule_page

    for info in all_rules():
        assert rule_page(info.name) == f"{SITE}rules/{info.name}/"
        assert (root / f"docs/rules/{info.name}.md").is_file()


def test_the_action_and_the_component_run_caffelint_as_it_is(root: Path, tmp_path: Path) -> None:
    """Each `caffelint check` in them takes its options."""
    from caffelint.cli.main import main

    action = yaml.safe_load((root / "action.yml").read_text("utf-8"))
    _, component = yaml.safe_load_all((root / "templates/caffelint.yml").read_text("utf-8"))
    (tmp_path / "net.prototxt").write_text('layer { name: "a" type: "ReLU" bottom: "x" top: "x" }\n')
    lines = [*action["runs"]["steps"][-1]["run"].splitlines(), *component["caffelint"]["script"]]
    commands = [line.strip() for line in lines if line.strip().startswith("caffelint check")]
    assert len(commands) == 2
    for line in commands:
        line = re.sub(r"\$\[\[.*?\]\]|\$ARGS|\$PATHS", "", line).replace("$SARIF", "out.sarif").replace('"', "")
        words = [word.replace(":", f":{tmp_path}/") if ":" in word else word for word in line.split()[1:]]
        assert main([*words, str(tmp_path)]) in (0, 1), line
