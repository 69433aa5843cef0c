"""Holds a pass of a net in torch against the same pass of the real Caffe."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.smoke.torch.net import TorchNet

FORWARD, BACKWARD = 1e-5, 1e-4
Arrays = dict[str, np.ndarray[Any, Any]]


@dataclass
class Case:
    """net: a NetParameter. given: see run_with_caffe.py. passes: how often it runs forward before it is looked at."""

    name: str
    net: Any
    phase: str
    given: Arrays
    passes: int = 1
    backward: bool = True
    found: Arrays | None = None
    log: str = ""
    built: BuiltNet = field(init=False)

    def __post_init__(self) -> None:
        self.built = build(self.net, self.phase, dialect="bvlc")


def ask(caffe_python: Path, cases: Sequence[Case], folder: Path) -> None:
    """Let the real Caffe run the cases; fills in `found`, or `log` where it died."""
    for case in cases:
        job = {
            "net": text_format.MessageToString(case.net),
            "phase": case.phase,
            "passes": case.passes,
            "backward": case.backward,
        }
        (folder / f"{case.name}.json").write_text(json.dumps(job))
        np.savez(folder / f"{case.name}.npz", **case.given)
    script = Path(__file__).with_name("run_with_caffe.py")
    subprocess.run([caffe_python, script, folder], check=True, capture_output=True)
    for case in cases:
        found = folder / f"{case.name}.out.npz"
        if found.exists():
            with np.load(found) as arrays:
                case.found = dict(arrays)
        else:
            lines = (folder / f"{case.name}.err").read_text(errors="replace").splitlines()
            case.log = next((line for line in lines if line.startswith(("F", "error"))), "".join(lines[-1:]))


def run(case: Case) -> tuple[Arrays, TorchNet]:
    """The same in torch; needs what Caffe found for the masks of Dropout alone."""
    net = TorchNet(case.built, gradients=True)
    net.keep_gradients = True
    for key, value in case.given.items():
        kind, _, name = key.partition("/")
        if kind == "param":
            layer, _, number = name.rpartition("/")
            with torch.no_grad():
                net.layer_params[layer][int(number)].copy_(torch.from_numpy(value))
    inputs = {key[6:]: torch.from_numpy(value) for key, value in case.given.items() if key.startswith("input/")}
    inject_masks(net, case)
    for _ in range(case.passes):
        net.forward(inputs)
    found = {f"data/{name}": value.numpy() for name, value in net.blobs.items()}
    if case.backward:
        roots = {key[5:]: torch.from_numpy(value) for key, value in case.given.items() if key.startswith("diff/")}
        if roots:
            tops = {name: net._values[net._slot_of_name[name]] for name in roots}
            pairs = [(top, roots[name]) for name, top in tops.items() if top is not None and top.requires_grad]
            torch.autograd.backward(
                [top for top, _ in pairs], [root.flatten()[: top.numel()].view(top.shape) for top, root in pairs]
            )
        else:
            net.backward()
    for name in net.built.blobs:
        gradient = net.gradient(name)
        if gradient is not None:
            found[f"grad/{name}"] = gradient.numpy()
    for layer, params in net.layer_params.items():
        for number, data in enumerate(params):
            found[f"param/{layer}/{number}"] = data.detach().numpy()
            found[f"param_grad/{layer}/{number}"] = (
                data.grad.numpy() if data.grad is not None else np.zeros(data.shape, np.float32)
            )
    return found, net


def inject_masks(net: TorchNet, case: Case) -> None:
    """Give each Dropout the mask that Caffe drew, seen where its top is 0."""
    for layer in net.layers:
        if layer.spec.type == "Dropout" and case.phase == "TRAIN":
            assert case.found is not None
            top = torch.from_numpy(case.found[f"data/{layer.spec.tops[0].name}"])
            layer.mask = (top != 0).float() * layer.scale  # type: ignore[attr-defined]


def distance(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any], least: float = 0.0) -> float:
    """max|a - b| / max|b| over finite values; inf where shapes, or what is not finite, differ.

    least: what max|b| is taken to be at least, where b is what is left when larger numbers cancel.
    """
    if ours.size != theirs.size:
        return np.inf
    ours, theirs = ours.reshape(-1).astype(np.float64), theirs.reshape(-1).astype(np.float64)
    finite = np.isfinite(theirs)
    same = np.array_equal(np.isnan(ours), np.isnan(theirs)) and np.array_equal(
        ours[np.isinf(theirs)], theirs[np.isinf(theirs)]
    )
    if not same or not np.isfinite(ours[finite]).all():
        return np.inf
    if not finite.any():
        return 0.0
    worst = float(np.abs(ours[finite] - theirs[finite]).max())
    largest = max(float(np.abs(theirs[finite]).max()), least)
    return worst / largest if largest else (0.0 if worst < 1e-12 else np.inf)


def _began_with(case: Case, key: str) -> bool:
    """Is it a gradient that was given, of a blob that nothing overwrites?"""
    blob = case.built.blobs.get(key.removeprefix("grad/"))
    return key.replace("grad/", "diff/") in case.given and (blob is None or blob.version == 0)


def sum_of_sizes(case: Case) -> float:
    """What the error of an InfogainLoss is in proportion to: its terms H log p may have either sign and cancel.

    All terms without their signs, and those of even probabilities: log p carries the error of p, which near 1 is no
    smaller than anywhere. The matrix is the third bottom.
    """
    even = {"input/x2": np.abs(case.given["input/x2"]), "param/in0/0": np.zeros_like(case.given["param/in0/0"])}
    sizes = [{**case.given, "input/x2": even["input/x2"]}, {**case.given, **even}]
    return sum(float(run(replace(case, given=given))[0]["data/y0"].item()) for given in sizes)


def compare(case: Case, ours: Arrays) -> list[tuple[str, float, float]]:
    """(what, distance, limit) of all that both have; where only one has a gradient the other's must be 0."""
    assert case.found is not None
    result = []
    roots = [np.abs(value).max() for key, value in case.given.items() if key.startswith("diff/") and value.size]
    least = {"data/y0": sum_of_sizes(case)} if case.net.layer[-1].type == "InfogainLoss" else {}
    # An error of one time step is handed to the next.
    steps = case.built.blobs["x0"].shape[0] if case.net.layer[-1].type in ("RNN", "LSTM") else 1
    cancelled = 1e-2 * float(max(roots, default=0))
    for key, theirs in case.found.items():
        kind = key.partition("/")[0]
        if "_split_" in key and key not in ours or _began_with(case, key):
            continue
        if kind == "grad" and key not in ours:
            mine = np.zeros_like(theirs)
        else:
            mine = ours[key]
        if kind == "data" and mine.shape != theirs.shape:
            result.append((key + " shape", np.inf, 0.0))
        if "grad" in kind:
            result.append((key, distance(mine, theirs, cancelled), BACKWARD))
        else:
            result.append((key, distance(mine, theirs, least.get(key, 0.0)), FORWARD * steps))
    return result
