"""All that needs a GPU, in one command: `make gpu`. Writes docs/gpu.md, with the name of the device.

    python tools/gpu.py [--device cuda:0] [--small] [--out FILE]

- The torch engine against the same nets written by hand in torch: milliseconds of an iteration.
- The most memory that a run took against what `caffelint.smoke.memory` says it needs, which may be 15 % off.
- `--compare cpu,cuda:0` over the sound nets of fixtures/smoke: does the GPU compute what the CPU does?
- The same for a net in half precision, for which more rounding is allowed.
- What `caffelint env` sees, and a sweep with two runs at a time.

Without a GPU it says so in one line and writes nothing. `--device cpu --small --out FILE` shows each path on a CPU.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOUND = ROOT / "fixtures/smoke/sound"
SMALL_SET = ("lenet_sgd_inv", "residual_zero_scale")
TIMES, MEMORY = 1.3, 0.15
"""The most that the engine may take of what a net written by hand takes, and by how much memory may be off."""
CAFFELINT = [sys.executable, "-c", "import sys; from caffelint.cli.main import main; sys.exit(main(sys.argv[1:]))"]
HALF = "default_forward_type: FLOAT16 default_backward_type: FLOAT16\n"


class Row(NamedTuple):
    """What was measured; holds: None where nothing was expected."""

    part: str
    what: str
    found: str
    expected: str = ""
    holds: bool | None = None


def device_name(device: str) -> str:
    import torch

    return "CPU" if device == "cpu" else torch.cuda.get_device_name(device)


def times(device: str, small: bool) -> Iterator[Row]:
    """Milliseconds of an iteration; on a GPU also the peak of memory of a run of the engine alone."""
    import bench_smoke
    import torch

    size = bench_smoke.Size(2, 32) if small else bench_smoke.Size(32, 224)
    for name in bench_smoke.NETS:
        with tempfile.TemporaryDirectory() as folder:
            found = bench_smoke.measure(name, size, device, 1 if small else 10, Path(folder))
            ratio = found["engine"] / found["handwritten"]
            shown = f"{found['engine']:.1f} ms, by hand {found['handwritten']:.1f} ms: {ratio:.2f}"
            on_gpu = device != "cpu"
            yield Row("time", name, shown, f"at most {TIMES}", ratio <= TIMES if on_gpu else None)
            yield Row("time", f"{name}, all blobs watched", f"{found['watching'] / found['engine']:.2f} times as long")
            yield Row("time", f"{name}, start to first iteration", f"{found['first iteration']:.1f} s")
            job = bench_smoke.make_job(Path(folder), bench_smoke.NETS[name][0](size), size, device, 0)
            need = needed(Path(job.nets[0].path))
            if not on_gpu:
                yield Row("memory", name, f"{need >> 20} MiB needed; measured on a GPU alone")
                continue
            torch.cuda.empty_cache()
            before = torch.cuda.memory_allocated()
            torch.cuda.reset_peak_memory_stats()
            iterate = bench_smoke.engine(job)
            for _ in range(3):
                iterate()
            peak = torch.cuda.max_memory_allocated() - before
            shown = f"{peak >> 20} MiB, worked out {need >> 20} MiB: {need / peak - 1:+.0%}"
            yield Row("memory", name, shown, f"within {MEMORY:.0%}", abs(need / peak - 1) <= MEMORY)


def needed(net: Path) -> int:
    """Bytes that a run of a TRAIN net with SGD needs in torch."""
    from caffelint.lint.file import load
    from caffelint.smoke.memory import needs

    read = load(net.read_bytes(), str(net)).net
    assert read is not None
    return needs([state for state in read.states() if state.phase == "TRAIN"], "SGD", caffe=False).total


def compared(device: str, small: bool) -> Iterator[Row]:
    """The sound nets, and one of them in half precision, on both devices."""
    names = SMALL_SET if small else tuple(sorted(path.name for path in SOUND.iterdir() if path.is_dir()))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            yield _compared(SOUND / name, name, device)
        half = Path(folder)
        text = next((SOUND / SMALL_SET[0]).glob("train_val.prototxt")).read_text()
        (half / "train_val.prototxt").write_text(HALF + text)
        (half / "solver.prototxt").write_text((SOUND / SMALL_SET[0] / "solver.prototxt").read_text())
        yield _compared(half, f"{SMALL_SET[0]} in half precision", device)


def _compared(folder: Path, name: str, device: str) -> Row:
    from caffelint.lint.config import Config
    from caffelint.smoke.compare import compare, sides
    from caffelint.smoke.engines import TORCH, NoEngine
    from caffelint.smoke.events import Compared
    from caffelint.smoke.inputs import Unplanned
    from caffelint.smoke.prepare import Wishes
    from caffelint.smoke.project import NoProject
    from caffelint.smoke.session import Choice, Request, Watcher

    config, before = Config(), Path.cwd()
    config.cache, config.jobs = False, 1
    os.chdir(folder)
    try:
        choice = Choice(TORCH)
        request = Request("solver.prototxt", config, Wishes(5, data="synthetic"), choice, force=True)
        pair = sides(f"torch:cpu,{'torch' if device == 'cpu' else f'torch:{device}'}", choice)
        session = compare(request, Watcher(), pair)
    except (NoEngine, NoProject, Unplanned) as error:
        return Row("compare", name, f"not run: {error}", "agree", False)
    finally:
        os.chdir(before)
    found = session.run.first(Compared) if session.run else None
    if found is None:
        return Row("compare", name, "not run", "agree", False)
    where = f"differ at {found.stage} of {found.layer}" if found.stage else "agree"
    return Row("compare", name, f"{where}, largest distance {found.distance:.1e}", "agree", not found.stage)


def environment(device: str, small: bool) -> Iterator[Row]:
    done = subprocess.run([*CAFFELINT, "env", "--format", "json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    gpus = ", ".join(one["name"] for one in found["torch"].get("gpus", ())) or found["torch"].get("no_gpu", "none")
    yield Row("env", f"torch {found['torch'].get('torch')}, CUDA {found['torch'].get('cuda')}", gpus)
    chosen = found["smoke"]["device"]
    yield Row("env", "the device that smoke takes", str(chosen), device, chosen == device if device != "cpu" else None)


def sweep(device: str, small: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        grid = Path(folder, "grid.toml")
        grid.write_text(f"base_lr = [0.01]\nseeds = {[1, 2] if small else [*range(1, 9)]}\n")
        solver = SOUND / SMALL_SET[0] / "solver.prototxt"
        command = [*CAFFELINT, "smoke", str(solver), "--sweep", str(grid), "--jobs", "2", "--engine", "torch"]
        command += ["--iterations", "5", "--data", "synthetic", "--force", "-q"]
        command += ["--device", device] if device == "cpu" else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        results = grid.with_name("grid.results.jsonl")
        rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
        engines = ", ".join(sorted({row["engine"] for row in rows}))
        ran = [row for row in rows if row["iterations"]]
        shown = f"{len(ran)} runs with {engines}" if ran else done.stderr.strip()
        holds = bool(ran) and len(ran) == len(rows) and ("GPU" in engines) == (device != "cpu")
        yield Row("sweep", SMALL_SET[0], shown, "all run there", holds)


PARTS: tuple[Callable[[str, bool], Iterator[Row]], ...] = (environment, times, compared, sweep)


def page(name: str, rows: list[Row]) -> str:
    import torch

    failed = sum(row.holds is False for row in rows)
    lines = [
        "# On a GPU",
        "",
        f"`make gpu` measured this on one {name}, with torch {torch.__version__}."
        f" {'All holds' if not failed else f'{failed} of {len(rows)} do not hold'}.",
        "",
        "| | what | found | expected | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        mark = "" if row.holds is None else "yes" if row.holds else "**no**"
        lines.append(f"| {row.part} | {row.what} | {row.found} | {row.expected} | {mark} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/gpu.md")
    options = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        print("skipped: torch is not installed: pip install 'caffelint[smoke]'")
        return 0
    import torch

    if options.device != "cpu" and not torch.cuda.is_available():
        print("skipped: torch sees no GPU")
        return 0
    if options.device == "cpu":
        torch.set_num_threads(1)
    rows = []
    for part in PARTS:
        for row in part(options.device, options.small):
            rows.append(row)
            print(f"{row.part:8} {row.what}: {row.found}{' DOES NOT HOLD' if row.holds is False else ''}", flush=True)
    options.out.write_text(page(device_name(options.device), rows), "utf-8")
    print(f"wrote {options.out}")
    return int(any(row.holds is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
