"""With optional packages missing, a command does without them, or ends with status 2 and a line that says what to
install; that is never a finding, and never a defect of caffelint."""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")
lmdb = pytest.importorskip("lmdb")

OPTIONAL = {
    "distributed": ["dask", "distributed"],
    "fsspec": ["fsspec"],
    "h5py": ["h5py"],
    "lmdb": ["lmdb"],
    "matplotlib": ["matplotlib", "mpl_toolkits"],
    "numpy": ["numpy"],
    "pillow": ["PIL"],
    "plyvel": ["plyvel"],
    "torch": ["torch"],
    "watchfiles": ["watchfiles"],
}
NET = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "db" batch_size: 4 backend: LMDB } }
layer {
  name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"""
SOLVER = 'net: "net.prototxt" base_lr: 0.001 lr_policy: "fixed" max_iter: 9 snapshot: 9 snapshot_prefix: "x"\n'
LOG = "I0101 00:00:00.000000  1 solver.cpp:239] Iteration 0, loss = 2.3\n"
COMMANDS = {
    "check .": (),
    "check --timing .": (),
    "check --watch net.prototxt": ("watchfiles",),
    "check --cluster local:1 .": ("distributed",),
    "check file://net.prototxt": ("fsspec",),
    "check --weights net.caffemodel net.prototxt": ("numpy",),
    "summary --read-data net.prototxt": ("lmdb", "numpy"),
    "lr solver.prototxt": (),
    "lr --suggest solver.prototxt": (),
    "lr --plot plot.png solver.prototxt": ("matplotlib",),
    "scales solver.prototxt": (),
    "scales --data solver.prototxt": ("lmdb", "numpy", "pillow"),
    "scales --weights net.caffemodel solver.prototxt": ("numpy",),
    "smoke --iterations 1 --diagnose off solver.prototxt": ("h5py", "lmdb", "numpy", "torch"),
    "smoke --scan solver.prototxt": ("numpy", "torch"),
    "smoke --compare cpu,torch solver.prototxt": ("numpy", "torch"),
    "smoke --gradcheck all solver.prototxt": ("numpy", "torch"),
    "smoke --find-lr --iterations 2 solver.prototxt": ("torch",),
    "smoke --iterations 1 --diagnose off --plot plot.png solver.prototxt": ("matplotlib",),
    "log train.log": ("numpy",),
    "log --plot plot.png train.log": ("matplotlib",),
    "weights net.prototxt net.caffemodel": ("numpy",),
    "weights --stats net.prototxt net.caffemodel": ("numpy",),
    "weights --diff net.caffemodel net.caffemodel": ("numpy",),
    "env": tuple(OPTIONAL),
    "patch --check-finite losses -o - net.prototxt": (),
    "upgrade --diff net.prototxt": (),
    "init": (),
    "explain --all": (),
}
"""Each with the packages whose lack it may notice."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from caffelint.schema.messages import Datum, NetParameter

    folder = tmp_path_factory.mktemp("optional")
    (folder / "net.prototxt").write_text(NET)
    (folder / "solver.prototxt").write_text(SOLVER)
    (folder / "train.log").write_text(LOG)
    with lmdb.open(str(folder / "db"), map_size=1 << 20) as database, database.begin(write=True) as writing:
        for number in range(8):
            record = Datum(channels=1, height=2, width=2, data=bytes(range(4)), label=number % 2)
            writing.put(b"%08d" % number, record.SerializeToString())
    weights = NetParameter()
    layer = weights.layer.add(name="ip", type="InnerProduct")
    for shape in ((2, 4), (2,)):
        blob = layer.blobs.add()
        blob.shape.dim.extend(shape)
        blob.data.extend([0.5] * (8 if len(shape) == 2 else 2))
    (folder / "net.caffemodel").write_bytes(weights.SerializeToString())
    return folder


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`without("lmdb")` is a Python that has what this one has, but for these packages."""
    made: dict[tuple[str, ...], Path] = {}

    def without(*packages: str) -> Path:
        if packages not in made:
            folder = tmp_path_factory.mktemp("python")
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            (target,) = folder.glob("lib/python*/site-packages")
            hidden = [module for package in packages for module in OPTIONAL[package]]
            for entry in Path(site.getsitepackages()[0]).iterdir():
                is_hidden = entry.name.split(".")[0].split("-")[0] in [*hidden, *packages]
                if not is_hidden and not (target / entry.name).exists():
                    (target / entry.name).symlink_to(entry)
            made[packages] = folder / "bin/python"
        return made[packages]

    return without


CASES = [pytest.param(tuple(OPTIONAL), command, id=command) for command in COMMANDS]
CASES += [
    pytest.param((package,), command, id=f"{package}-{command}", marks=pytest.mark.nightly)
    for command, noticed in COMMANDS.items()
    for package in noticed
]


@pytest.mark.parametrize(("missing", "command"), CASES)
def test_what_is_missing_is_said_in_a_line(
    without: Callable[..., Path], project: Path, tmp_path: Path, missing: tuple[str, ...], command: str
) -> None:
    if command.startswith("check --watch") and "watchfiles" not in missing:
        pytest.skip("never ends")
    folder = shutil.copytree(project, tmp_path / "project")
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        [without(*missing), "-m", "caffelint", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "please report it" not in said
    assert done.returncode in (0, 1, 2), said
    if done.returncode == 2:
        (line,) = done.stderr.splitlines()
        assert "pip install 'caffelint[" in line
    if not command.startswith(("env", "summary")):
        assert "pip install" not in done.stdout
