"""What the tests compare with: a real Caffe and official schemas. Where one is missing a test says so, and CI fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from seeds import NIGHTLY, SEED

ROOT = Path(__file__).parent.parent
NO_CAFFE = "no real Caffe to ask: run `make caffe`, or set CAFFELINT_TEST_CAFFE_PYTHON"
NO_PYTHON2 = "no Python 2.7 to ask: run tools/install_python2.sh"
NO_JUDGE = "no official {}: run tools/fetch_judges.sh"

# Hypothesis keeps no examples of earlier runs, so that a seed alone decides what is tried.
settings.register_profile("fixed", derandomize=not NIGHTLY, database=None, deadline=None)
settings.load_profile("fixed")

CaffeExec = Callable[..., "subprocess.CompletedProcess[bytes]"]


def _missing(reason: str) -> None:
    """Skips; where `CI` is set everything has been installed, so a judge that is missing is a failure there."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def folders_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, trust and cached results of whoever runs the tests are neither read nor written.

    pip keeps its own, as tests install with it.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_CACHE_DIR", os.environ.get("PIP_CACHE_DIR", str(cache / "pip")))
        patch.setenv("PIP_CONFIG_FILE", os.environ.get("PIP_CONFIG_FILE", str(settings / "pip/pip.conf")))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name)))
        yield


@pytest.fixture(scope="session")
def missing() -> Callable[[str], None]:
    """`missing("no npm")` where a test cannot do without something: it is skipped, or fails in CI."""
    return _missing


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def caffe_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Python that can `import caffe`: `CAFFELINT_TEST_CAFFE_PYTHON`, or what `make caffe` installed.

    The latter starts some hundred times in a run of all tests, and imports no more than it needs (usercustomize.py).
    """
    python = Path(os.environ.get("CAFFELINT_TEST_CAFFE_PYTHON") or ROOT / ".caffe/caffe-python").absolute()
    if not os.access(python, os.X_OK):
        _missing(NO_CAFFE)
    user = tmp_path_factory.mktemp("user")
    for version in python.parent.glob("usr/bin/python3.*[0-9]"):
        site = user / "lib" / version.name / "site-packages"
        site.mkdir(parents=True)
        shutil.copy(ROOT / "tests/caffe/usercustomize.py", site)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONUSERBASE", str(user))
        yield python


@pytest.fixture
def torch_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`caffelint env` asks torch in a process of its own, for seconds: not in a test that is about something else."""
    monkeypatch.setattr("caffelint.smoke.env.torch_devices", lambda: {"problem": "not asked"})


@pytest.fixture(scope="session")
def caffe_exec(caffe_python: Path) -> CaffeExec:
    """Runs one of Caffe's programs: `caffe_exec("upgrade_net_proto_text", source, target)`; output in bytes."""
    launcher = caffe_python.with_name("caffe-exec")

    def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        prefix = [launcher] if launcher.exists() else []
        return subprocess.run([*prefix, program, *arguments], capture_output=True, timeout=120, check=False)

    return run


@pytest.fixture(scope="session")
def python2() -> Path:
    """A Python 2.7, on which old Caffes run."""
    path = ROOT / ".cache/python2/python2"
    if not os.access(path, os.X_OK):
        _missing(NO_PYTHON2)
    return path


@pytest.fixture(scope="session")
def judge() -> Callable[[str], Path]:
    """Path of an official schema by its file name: `sarif-2.1.0.json`, `junit-10.xsd`."""

    def find(name: str) -> Path:
        path = ROOT / ".cache/judges" / name
        if not path.exists():
            _missing(NO_JUDGE.format(name))
        return path

    return find


@pytest.fixture
def validate() -> Callable[[Any, Path], None]:
    """`validate(value, path)`: the value keeps to the JSON schema at `path`, which is one."""
    import jsonschema

    def validate(value: Any, path: Path) -> None:
        schema = json.loads(path.read_text("utf-8"))
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        validator(schema).validate(value)

    return validate


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if NIGHTLY:
        config.option.hypothesis_seed = str(SEED)


def pytest_report_header() -> str:
    return f"CAFFELINT_SEED={SEED}" if NIGHTLY else "fixed seeds; `make nightly` draws fresh ones"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not NIGHTLY:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("nightly")])
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    for item in items:
        if "caffe_python" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.caffe)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = sum(NO_CAFFE in str(report.longrepr) for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.write_line(f"{skipped} tests against the real Caffe were skipped: {NO_CAFFE}", yellow=True)
