"""From sdist to wheel to a fresh environment, outside the clone: a rule speaks there."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

EPOCH = "1700000000"
INSTALLED_AS = {"caffelint/": "caffelint/", "proto/": "caffelint/proto/", "rules/": "caffelint/rules/"}


@pytest.fixture(scope="module")
def wheel(clone: Path, run: Any) -> Path:
    """Built from the sdist, which is built from the clone."""
    run(sys.executable, "-m", "build", "--outdir", clone / "dist", ".", cwd=clone, SOURCE_DATE_EPOCH=EPOCH)
    (built,) = (clone / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module", params=["newest", "oldest"])
def binaries(request: Any, root: Path, wheel: Path, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of a fresh environment that holds the wheel and what it requires, in that version, and nothing else."""
    environment = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=environment)
    constraints = ["-c", root / "constraints-oldest.txt"] if request.param == "oldest" else []
    pip = [sys.executable, "-m", "pip", "-q", "--python", environment / "bin/python"]
    run(*pip, "install", wheel, *constraints, cwd=environment)
    return environment / "bin"


def test_wheel_holds_every_source(wheel: Path, sources: list[str]) -> None:
    expected = {
        target + name.removeprefix(source)
        for source, target in INSTALLED_AS.items()
        for name in sources
        if name.startswith(source) and not name.endswith(".md")
    }
    assert len(expected) > 50
    expected.add("caffelint-0.1.0.data/data/share/man/man1/caffelint.1")
    assert {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name} == expected


def test_built_elsewhere_at_another_time_it_is_the_same(clone: Path, wheel: Path, run: Any, tmp_path: Path) -> None:
    """To the byte; this one from the sources themselves, whose files are newer."""
    other = shutil.copytree(clone, tmp_path / "other", copy_function=shutil.copy, ignore=shutil.ignore_patterns("dist"))
    run(sys.executable, "-m", "build", "--wheel", ".", cwd=other, SOURCE_DATE_EPOCH=EPOCH)
    assert (other / "dist" / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("binaries", ["newest"], indirect=True)
def test_the_bill_of_materials_names_what_is_installed(binaries: Path, run: Any, tmp_path: Path) -> None:
    """The tool holds what it writes against CycloneDX' own schema."""
    bill = tmp_path / "bill.json"
    run(sys.executable, "-m", "cyclonedx_py", "environment", "-o", bill, binaries / "python", cwd=tmp_path)
    components = {component["name"] for component in json.loads(bill.read_text())["components"]}
    assert components >= {"caffelint", "click", "protobuf"}
    assert not components & {"pytest", "torch"}


def test_rules_are_listed_and_one_speaks(binaries: Path, sources: list[str], run: Any, tmp_path: Path) -> None:
    modules = [name for name in sources if name.startswith("rules/") and name.endswith(".py")]
    rule_files = [name for name in modules if not Path(name).name.startswith("_")]
    listed = json.loads(run(binaries / "caffelint", "rules", "--format", "json", cwd=tmp_path).stdout)["rules"]
    assert len(listed) == len(rule_files) > 0

    solver = tmp_path / "solver.prototxt"
    solver.write_text('net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "poly"\npower: 1\n')
    said = run(binaries / "caffelint", "check", "--format", "json", solver, cwd=tmp_path, status=1).stdout
    assert "poly-without-max-iter" in {finding["name"] for finding in json.loads(said)["findings"]}


def test_types_ship(binaries: Path, run: Any, tmp_path: Path) -> None:
    """mypy, looking at the installed package, knows the types of its functions and of Caffe's messages."""
    user = tmp_path / "user.py"
    user.write_text(
        "import caffelint\n"
        "from caffelint.schema import SolverParameter\n"
        "reveal_type(caffelint.check_text(b'', kind='solver').exit_status)\n"
        "reveal_type(SolverParameter().base_lr)\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", binaries / "python"]
    said = run(*mypy, user, cwd=tmp_path).stdout
    exit_status = "def (fail_on: str =, max_warnings: int =) -> int"
    assert f'user.py:3: note: Revealed type is "{exit_status}"' in said.replace("builtins.", "")
    assert 'user.py:4: note: Revealed type is "float"' in said.replace("builtins.", "")
