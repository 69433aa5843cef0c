"""What tools/ downloads is not used unless it is what we mean: signed by Debian, or of the digest that we know."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A Debian archive without packages that nobody signed."""
    suite = tmp_path / "mirror/dists/bullseye"
    (suite / "main/binary-amd64").mkdir(parents=True)
    (suite / "main/binary-amd64/Packages").write_bytes(b"")
    (suite / "Release").write_text(
        "Origin: Debian\nSuite: bullseye\nCodename: bullseye\nArchitectures: amd64\nComponents: main\n"
        "Date: Sat, 01 Jan 2022 00:00:00 UTC\n"
        f"SHA256:\n {hashlib.sha256(b'').hexdigest()} 0 main/binary-amd64/Packages\n"
    )
    return tmp_path / "mirror"


@pytest.mark.parametrize(("trusted", "fails_at"), [(False, "--error-on=any"), (True, "did not find any indices")])
def test_an_archive_that_debian_did_not_sign(
    mirror: Path, root: Path, run: Any, tmp_path: Path, missing: Any, trusted: bool, fails_at: str
) -> None:
    """One that we are told to trust gets further: it lacks packages."""
    if not shutil.which("mmdebstrap"):
        missing("no mmdebstrap: tools/install_caffe.sh installs it")
    source = f"deb {'[trusted=yes] ' if trusted else ''}copy://{mirror} bullseye main"
    done = run(root / "tools/unpack_debian.sh", tmp_path / "unpacked", "hello", source, cwd=tmp_path, status=25)
    assert fails_at in done.stderr
    assert not (tmp_path / "unpacked/usr").exists()


def test_a_schema_of_another_digest(root: Path, run: Any, tmp_path: Path) -> None:
    """From a registry of npm, then from one of Python packages."""
    tools = tmp_path / "bin"
    tools.mkdir()
    npm = tools / "npm"
    npm.write_text("#!/bin/sh\necho other > microsoft-jest-sarif-1.0.0-beta.0.tgz\n")
    npm.chmod(0o755)
    script, judges = root / "tools/fetch_judges.sh", tmp_path / "judges"
    path = f"{tools}:/usr/bin:/bin"
    done = run(script, judges, cwd=tmp_path, status=1, PATH=path)
    assert "microsoft-jest-sarif-1.0.0-beta.0.tgz: FAILED" in done.stdout + done.stderr
    assert list(judges.iterdir()) == []

    (judges / "sarif-2.1.0.json").write_text("{}")
    with tarfile.open(tmp_path / "pytest-8.3.5.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("pytest-8.3.5/setup.py"), io.BytesIO())
    done = run(script, judges, cwd=tmp_path, status=1, **only(tmp_path))
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (judges / "junit-10.xsd").exists()


def test_a_numpy_of_another_digest(root: Path, run: Any, tmp_path: Path) -> None:
    name = "numpy-1.16.6-cp27-cp27mu-manylinux1_x86_64.whl"
    with zipfile.ZipFile(tmp_path / name, "w") as wheel:
        wheel.writestr("numpy-1.16.6.dist-info/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 1.16.6\n")
    done = run(root / "tools/install_python2.sh", tmp_path / "python2", cwd=tmp_path, status=1, **only(tmp_path))
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (tmp_path / "python2").exists()


def only(folder: Path) -> dict[str, str]:
    """Settings by which pip finds what lies in a folder and nothing else."""
    return {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "PIP_FIND_LINKS": str(folder)}
