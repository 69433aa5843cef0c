"""The pages of the documentation: all in the navigation, every link leads somewhere, every rule has its page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pages as pages_of
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


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is published; a link or an anchor that leads nowhere stops its making."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", folder]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def test_no_command_is_shown_as_prose(site: Path) -> None:
    """As one that is indented too little for a list."""
    for page in site.rglob("*.html"):
        assert re.findall(r"<p>[^<]* \\\n", page.read_text("utf-8")) == [], page


class _Links(HTMLParser):
    """The places of a page that links may lead to, and where its own lead; its tags for scripts and styles, too."""

    def __init__(self, page: Path):
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    """In its HTML, which is what readers get; also those that the theme makes."""
    found = {page: _Links(page) for page in site.rglob("*.html")}
    assert len(found) > 200
    broken = []
    for page, one in found.items():
        for link in one.links:
            parts = urlsplit(link)
            if parts.scheme in ("https", "mailto", "data"):
                continue
            path = unquote(parts.path)
            base = site if path.startswith("/") else page.parent
            target = (base / path.lstrip("/")).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            names = found[target].names if target in found else ()
            is_there = target.is_file() and not parts.scheme
            if not is_there or (parts.fragment and names and unquote(parts.fragment) not in names):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert [one for one in broken if not one.startswith("404.html")] == []


def test_the_site_needs_nothing_from_elsewhere(site: Path) -> None:
    """No font, script or style of another server: it can be read offline, and tells nobody who reads it."""
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\"> ]+)", page.read_text("utf-8"))
        loaded += re.findall(r"<link[^>]* rel=\"?stylesheet\"?[^>]* href=\"?(https?:[^\"> ]+)", page.read_text("utf-8"))
        assert loaded == [], page


def test_every_url_that_caffelint_names_is_a_page(site: Path) -> None:
    """Those of rules, of the schema of settings, and of the documents."""
    from caffelint.lint.registry import all_rules
    from caffelint.lint.site import SETTINGS_SCHEMA, SITE, rule_page

    for url in (SITE, SETTINGS_SCHEMA, *(rule_page(info.name) for info in all_rules())):
        target = site / url.removeprefix(SITE)
        assert target.is_file() or (target / "index.html").is_file(), url


def test_the_address_of_the_site_is_written_in_one_way(root: Path) -> None:
    from caffelint.lint.site import SITE

    files = [root / "mkdocs.yml", *root.glob("*.md"), *(root / "docs").rglob("*"), *(root / "caffelint").rglob("*.py")]
    for file in files:
        if file.is_file():
            text = file.read_text("utf-8", "replace").replace("\\-", "-")
            assert text.count("readthedocs.io") == text.count(SITE), file
    assert yaml.safe_load((root / "mkdocs.yml").read_text("utf-8"))["site_url"] == SITE


@pytest.mark.nightly
def test_the_samples_of_the_tutorials_find_the_same(root: Path) -> None:
    """In the same places; figures differ a little between machines, and a busy one may not end a run in its time."""
    pytest.importorskip("torch")
    for page in (root / "docs").rglob("*.md"):
        text = page.read_text("utf-8")
        if shown := list(pages_of.samples(text)):
            now = pages_of.samples(pages_of.filled(text, samples=True))
            assert [_found(one) for _, one in now] == [_found(one) for _, one in shown]


def _found(text: str) -> tuple[list[str], list[str]]:
    return re.findall(r"^\S+:\d+:\d+: \w+", text, re.MULTILINE), re.findall(r"\[([A-Z]\d+ [\w-]+)", text)


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


def test_the_action_installs_from_its_own_folder(root: Path, tmp_path: Path) -> None:
    """The workflow starts in a checkout, which may hold a module called pip."""
    action = yaml.safe_load((root / "action.yml").read_text("utf-8"))
    [step] = [step for step in action["runs"]["steps"] if step.get("name") == "Install caffelint"]
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "pip.py").write_text("open('ran', 'w')\n")
    subprocess.run(
        ["bash", "-c", step["run"].replace("install --quiet .", "--version")],
        cwd=tmp_path,
        env={**os.environ, "ACTION": str(own), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        check=True,
        timeout=60,
    )
    assert [*tmp_path.rglob("ran")] == []
