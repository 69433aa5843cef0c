"""What is available to run a net: engines, devices, libraries, and whether they see the files that a solver names."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from caffelint import __version__
from caffelint.lint.config import Config
from caffelint.smoke import engines, kept
from caffelint.smoke.caffe.log import why_no_gpu
from caffelint.smoke.kept import Kept, can_import, python_path
from caffelint.smoke.libraries import LIBRARIES
from caffelint.smoke.own_build import own_build
from caffelint.smoke.project import Project, load_project
from caffelint.smoke.session import Choice, work_folder
from caffelint.text.signals import held

SECONDS = 120


class Named(NamedTuple):
    """Something outside that a net names. what: `net`, `source`, `mean_file`, `module` ...; name: as written."""

    what: str
    name: str
    layer: str


def environment(caffe_python: str | None, source: str, config: Config, solver: str | None) -> dict[str, Any]:
    """Everything as values for JSON. caffe_python, source: as `engines.choose` takes them.

    Raises NoProject if the solver cannot be read, and NoEngine if the command is not one.
    """
    project = load_project(solver, config) if solver else None
    named = list(dict.fromkeys(_named(project))) if project else []
    types = sorted({layer.type for net in _nets(project) for layer in net.message.layer}) if project else []
    if caffe_python is None and engines.VARIABLE in os.environ:
        caffe_python, source = os.environ[engines.VARIABLE], engines.VARIABLE
    found: dict[str, Any] = {
        "version": 1,
        "caffelint": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "protobuf": _version("protobuf"),
        "libraries": {
            name: _version(package) if can_import(name) else None for name, (package, *_) in LIBRARIES.items()
        },
        "machine": {"processors": os.cpu_count(), "memory": _memory(), "gpus": _gpus()},
        "caffe": _caffe(caffe_python, source, named, project.layer_folders if project else ()),
        "torch": torch_devices(),
    }
    found["smoke"] = _choice(found)
    found["solver"] = _solver(found, solver, named, types) if solver else None
    found["to_do"] = list(_to_do(found))
    return found


def _nets(project: Project) -> Iterator[Any]:
    for use in project.solver.nets:
        yield use.net


def _named(project: Project) -> Iterator[Named]:
    for path in project.files:
        yield Named("solver" if path == project.solver.path else "net", path, "")
    for net in _nets(project):
        for layer in net.message.layer:
            for field, block in layer.ListFields():
                if not field.name.endswith("_param") or field.message_type is None or not hasattr(block, "ListFields"):
                    continue
                for inner, value in block.ListFields():
                    if inner.name in ("source", "mean_file", "label_map_file", "mask_file") and isinstance(value, str):
                        yield Named(inner.name, value, layer.name)
            if layer.type == "Python":
                yield Named("module", layer.python_param.module, layer.name)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _memory() -> int | None:
    if "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _gpus() -> list[dict[str, Any]] | None:
    """What NVIDIA's driver says; None without a driver."""
    program = shutil.which("nvidia-smi", path=kept.environment().get("PATH", os.defpath))
    if program is None:
        return None
    question = [program, "--query-gpu=index,name,memory.total,memory.free", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(question, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    rows = [line.split(", ") for line in done.stdout.splitlines()]
    return [
        {"device": f"cuda:{row[0]}", "name": row[1], "memory": int(row[2]) << 20, "free": int(row[3]) << 20}
        for row in rows
        if len(row) == 4 and row[2].isdigit() and row[3].isdigit()
    ]


def _caffe(command: str | None, source: str, named: Sequence[Named], folders: Iterable[str]) -> dict[str, Any]:
    """What a Caffe answers; `problem` says in one line why it cannot run. folders: where Python layers are, too."""
    if command:
        words, of, why = list(engines.split(command, source)), source, f"{source} names it"
    elif can_import("caffe"):
        words, of, why = [sys.executable], "this Python", "this Python imports caffe"
    else:
        return {"problem": "none is configured, and this Python cannot import caffe", "command": None}
    found: dict[str, Any] = {"command": words, "of": of, "why": why, "problem": ""}
    with work_folder(Choice(engines.CAFFE, caffe_python=command)) as folder:
        shutil.copyfile(Path(__file__).parent / "caffe" / "probe.py", folder / "probe.py")
        question = {
            "files": [one.name for one in named if one.what != "module"],
            "modules": [one.name for one in named if one.what == "module"],
            "folders": (*python_path(), *folders),
        }
        (folder / "question.json").write_text(json.dumps(question), "utf-8")
        lines, log, problem = _ask([*words, str(folder / "probe.py"), str(folder / "question.json")])
    for line in lines:
        found |= line
    if "caffe" not in found:
        found["problem"] = problem or _last_line(log) or "it did not answer"
    elif "gpu" not in found:
        found["gpu"] = False
        found["no_gpu"] = why_no_gpu(log) or "no GPU"
    return found


def torch_devices() -> dict[str, Any]:
    if not can_import("torch"):
        return {"problem": "torch cannot be imported"}
    lines, log, problem = _ask(engines.module("caffelint.smoke.torch.probe"))
    return {"problem": "", **lines[-1]} if lines else {"problem": problem or _last_line(log) or "it did not answer"}


def _ask(command: Sequence[str]) -> tuple[list[dict[str, Any]], str, str]:
    """Lines of JSON that a command prints, its stderr, and why it could not be asked."""
    variables = {"GLOG_logtostderr": "1", "GLOG_minloglevel": "2", "PYTHONDONTWRITEBYTECODE": "1"}
    child = None
    problem = ""
    out = err = b""
    try:
        with held():
            child = Kept(command, **variables)
        out, err = child.process.communicate(timeout=SECONDS)
    except OSError as error:
        return [], "", f'"{command[0]}" cannot be started: {(error.strerror or str(error)).lower()}'
    except subprocess.TimeoutExpired:
        problem = f"it did not answer within {SECONDS} s"
    finally:
        if child is not None:
            with held():
                child.end()
    lines = []
    for line in out.decode("utf-8", "replace").splitlines():
        if line.startswith("{"):
            try:
                lines.append(json.loads(line))
            except ValueError:
                continue
    return lines, err.decode("utf-8", "replace"), problem


def _last_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _choice(found: dict[str, Any]) -> dict[str, Any]:
    """The engine and device that `caffelint smoke` chooses by default."""
    if found["caffe"]["command"] and not found["caffe"]["problem"]:
        return {"engine": engines.CAFFE, "device": "cpu"}
    if found["caffe"]["command"] or found["torch"]["problem"]:
        return {"engine": None, "device": None}
    gpus = found["torch"]["gpus"]
    return {"engine": engines.TORCH, "device": gpus[0]["device"] if gpus else "cpu"}


def _solver(found: dict[str, Any], path: str, named: Iterable[Named], types: Sequence[str]) -> dict[str, Any]:
    """The files that a solver names, and whether they exist here and for the Python with caffe (in a container)."""
    caffe, rows = found["caffe"], []
    for one in named:
        here = one.what != "module" and os.path.exists(one.name)
        row = {**one._asdict(), "here": here, "caffe": None}
        if one.what == "module":
            row["place"] = caffe.get("modules", {}).get(one.name)
            row["here"] = None
            row["caffe"] = bool(row["place"]) if "modules" in caffe else None
        elif "files" in caffe:
            row["caffe"] = caffe["files"].get(one.name)
        rows.append(row)
    lacks = {
        name: [kind for kind in types if kind not in found[name]["layers"]] if "layers" in found[name] else None
        for name in (engines.CAFFE, engines.TORCH)
    }
    return {"path": path, "names": rows, "types": list(types), "lacks": lacks}


def _to_do(found: dict[str, Any]) -> Iterator[str]:
    """What to install or set to get what is missing, a line each."""
    caffe, torch, libraries = found["caffe"], found["torch"], found["libraries"]
    if caffe["command"] is None:
        ways = f"--caffe-python COMMAND, caffe-python in the settings, or {engines.VARIABLE}"
        yield own_build() or f"to run with your own Caffe: {ways}"
    elif caffe["problem"]:
        yield f"the Caffe of {caffe['of']} does not run: {caffe['problem']}"
    elif not caffe["python_layers"]:
        yield "this Caffe cannot run Python layers; build it with WITH_PYTHON_LAYER := 1"
    if torch["problem"] and libraries["torch"] is not None:
        yield f"torch is installed but does not run: {torch['problem']}"
    for extra in ("smoke", "data", "plot"):
        lacking = [name for name, (_, brings, _) in LIBRARIES.items() if brings == extra and libraries[name] is None]
        if lacking:
            *others, last = dict.fromkeys(use for name in lacking for use in LIBRARIES[name][2].split(" and "))
            needs = f"{', '.join(others)} and {last}" if others else last
            packages = ", ".join(LIBRARIES[name][0] for name in lacking)
            yield f"pip install 'caffelint[{extra}]' installs {packages} for {needs}"
    if found["machine"]["gpus"] and not torch["problem"] and not torch["gpus"]:
        yield f"torch does not use the GPU ({torch['no_gpu']}); install torch for CUDA"
    for row in (found["solver"] or {"names": []})["names"]:
        where = f'layer "{row["layer"]}"' if row["layer"] else f'"{found["solver"]["path"]}"'
        if row["what"] == "module":
            if row["caffe"] is False:
                yield f'{where}: module "{row["name"]}" is not found; add its folder to PYTHONPATH'
        elif not row["here"]:
            yield f'{where}: {row["what"]} "{row["name"]}" does not exist; run from the folder that it is relative to'
        elif row["caffe"] is False:
            yield f'{where}: {row["what"]} "{row["name"]}" exists here, but Caffe does not see it; mount it there'
    for name, lacking in ((found["solver"] or {}).get("lacks") or {}).items():
        if lacking:
            yield f"engine {name} lacks layer type {', '.join(lacking)}"
