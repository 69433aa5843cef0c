"""Time the torch engine against the same nets written by hand in torch and against a real Caffe, in one run.

    python tools/bench_smoke.py [--device cpu|cuda:0] [--rounds N] [--large]

Prints milliseconds per iteration (the best round; rounds of all candidates take turns) and ratios; on a CPU all take
one thread and its processor time, so that a busy machine disturbs less. The ratios: engine to
handwritten, engine to Caffe (CPU alone, where .caffe or CAFFELINT_TEST_CAFFE_PYTHON has one), watching all blobs to
not watching, and seconds from the start of a child to its first iteration. `--large`: images of 224, batches of 32.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from caffelint.smoke.events import Iteration, from_line
from caffelint.smoke.job import Input, Job, JobNet
from caffelint.smoke.torch.engine import Run

ROOT = Path(__file__).parent.parent
CLASSES = 100
SOLVER = 'net: "{}" base_lr: 0.001 lr_policy: "fixed" momentum: 0.9 weight_decay: 0.0005 snapshot_prefix: "s"'
CAFFE = """
import sys, time
import caffe
solver = caffe.get_solver(sys.argv[1])
blobs = solver.net.blobs
blobs["data"].data[...] = 1.0
solver.step(1)
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    solver.step(1)
    best = min(best, time.process_time() - start)
print(best)
"""


class Size(NamedTuple):
    batch: int
    side: int


def layer(name: str, kind: str, bottom: str, top: str, more: str = "") -> str:
    bottoms = " ".join(f'bottom: "{one}"' for one in bottom.split())
    return f'layer {{ name: "{name}" type: "{kind}" {bottoms} top: "{top}" {more} }}\n'


def conv(name: str, bottom: str, channels: int, kernel: int, stride: int, bias: bool) -> str:
    numbers = f"num_output: {channels} kernel_size: {kernel} stride: {stride} pad: {kernel // 2}"
    more = f'weight_filler {{ type: "msra" }} bias_term: {str(bias).lower()}'
    return layer(name, "Convolution", bottom, name, f"convolution_param {{ {numbers} {more} }}")


def normalized(name: str, bottom: str, channels: int, kernel: int, stride: int, relu: bool = True) -> str:
    text = conv(name, bottom, channels, kernel, stride, False)
    text += layer(f"{name}_bn", "BatchNorm", name, name)
    text += layer(f"{name}_scale", "Scale", name, name, "scale_param { bias_term: true }")
    return text + layer(f"{name}_relu", "ReLU", name, name) if relu else text


def inputs(size: Size) -> str:
    shapes = f"shape {{ dim: {size.batch} dim: 3 dim: {size.side} dim: {size.side} }} shape {{ dim: {size.batch} }}"
    return f'layer {{ name: "data" type: "Input" top: "data" top: "label" input_param {{ {shapes} }} }}\n'


def head(bottom: str) -> str:
    more = f'inner_product_param {{ num_output: {CLASSES} weight_filler {{ type: "xavier" }} }}'
    return layer("fc", "InnerProduct", bottom, "fc", more) + layer("loss", "SoftmaxWithLoss", "fc label", "loss")


def resnet_text(size: Size) -> str:
    text = inputs(size) + normalized("conv1", "data", 64, 7, 2)
    text += layer("pool1", "Pooling", "conv1", "pool1", "pooling_param { pool: MAX kernel_size: 3 stride: 2 }")
    bottom, channels = "pool1", 64
    for stage in range(4):
        for block in range(2):
            name, wanted = f"res{stage}{block}", 64 << stage
            stride = 2 if stage and not block else 1
            shortcut = bottom
            if channels != wanted:
                shortcut = f"{name}_short"
                text += normalized(shortcut, bottom, wanted, 1, stride, relu=False)
            text += normalized(f"{name}_a", bottom, wanted, 3, stride)
            text += normalized(f"{name}_b", f"{name}_a", wanted, 3, 1, relu=False)
            text += layer(name, "Eltwise", f"{shortcut} {name}_b", name) + layer(f"{name}_relu", "ReLU", name, name)
            bottom, channels = name, wanted
    text += layer("pool", "Pooling", bottom, "pool", "pooling_param { pool: AVE global_pooling: true }")
    return text + head("pool")


class Normalized(nn.Module):
    def __init__(self, inside: int, outside: int, kernel: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False)
        self.bn = nn.BatchNorm2d(outside)

    def forward(self, x: Tensor) -> Tensor:
        return self.bn(self.conv(x))


class Block(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.short = Normalized(inside, outside, 1, stride) if inside != outside else None
        self.a, self.b = Normalized(inside, outside, 3, stride), Normalized(outside, outside, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.short is None else self.short(x)
        return functional.relu_(self.b(functional.relu_(self.a(x))).add_(shortcut))


class ResNet(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.conv = Normalized(3, 64, 7, 2)
        widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
        self.blocks = nn.Sequential(
            *[Block(inside, outside, 1 if inside == outside else 2) for inside, outside in pairwise(widths)]
        )
        self.fc = nn.Linear(512, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.max_pool2d(functional.relu_(self.conv(x)), 3, 2, ceil_mode=True)
        return self.fc(self.blocks(x).mean((2, 3)))


VGG = [64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0]


def vgg_text(size: Size) -> str:
    text, bottom = inputs(size), "data"
    for number, width in enumerate(VGG):
        name = f"l{number}"
        if width:
            text += conv(name, bottom, width, 3, 1, True) + layer(f"{name}_relu", "ReLU", name, name)
        else:
            text += layer(name, "Pooling", bottom, name, "pooling_param { pool: MAX kernel_size: 2 stride: 2 }")
        bottom = name
    for name in ("fc6", "fc7"):
        more = 'inner_product_param { num_output: 1024 weight_filler { type: "xavier" } }'
        text += layer(name, "InnerProduct", bottom, name, more) + layer(f"{name}_relu", "ReLU", name, name)
        text += layer(f"{name}_drop", "Dropout", name, name)
        bottom = name
    return text + head(bottom)


class Vgg(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        parts: list[nn.Module] = []
        inside = 3
        for width in VGG:
            if width:
                parts += [nn.Conv2d(inside, width, 3, padding=1), nn.ReLU(inplace=True)]
                inside = width
            else:
                parts.append(nn.MaxPool2d(2, 2, ceil_mode=True))
        self.features = nn.Sequential(*parts)
        last = 512 * (size.side // 32) ** 2
        self.head = nn.Sequential(
            nn.Linear(last, 1024),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(1024, 1024),
            nn.ReLU(inplace=True),
            nn.Dropout(),
            nn.Linear(1024, CLASSES),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x).flatten(1))


NETS: dict[str, tuple[Callable[[Size], str], Callable[[Size], nn.Module]]] = {
    "ResNet-18-like": (resnet_text, ResNet),
    "VGG-like": (vgg_text, Vgg),
}


def make_job(folder: Path, text: str, size: Size, device: str, every: int) -> Job:
    (folder / "net.prototxt").write_text(text)
    (folder / "solver.prototxt").write_text(SOLVER.format(folder / "net.prototxt"))
    shape = (size.batch, 3, size.side, size.side)
    return Job(
        str(folder / "solver.prototxt"),
        (JobNet(str(folder / "net.prototxt"), "TRAIN"),),
        (
            Input(0, "data", "data", "Input", "synthetic", shape),
            Input(0, "data", "label", "Input", "synthetic", (size.batch,), values="labels", low=0, high=CLASSES - 1),
        ),
        iterations=1 << 30,
        device=device,
        statistics_every=every,
    )


def engine(job: Job) -> Callable[[], None]:
    """One iteration of the engine, a call."""
    run = Run(job, torch.device(job.device), lambda event: None)
    run.load()
    run.compute(0.0)
    run.net.clear_gradients()
    run.iteration = 0

    def iterate() -> None:
        run.iteration += 1
        run.iterate()

    return iterate


def handwritten(net: nn.Module, size: Size, device: str) -> Callable[[], None]:
    net = net.to(device).train()
    optimizer = torch.optim.SGD(net.parameters(), 0.001, 0.9, weight_decay=0.0005)
    data = torch.rand(size.batch, 3, size.side, size.side, device=device)
    labels = torch.randint(0, CLASSES, (size.batch,), device=device)

    def iterate() -> None:
        loss = functional.cross_entropy(net(data), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return iterate


def best_of(candidates: dict[str, Callable[[], None]], rounds: int, device: str) -> dict[str, float]:
    """Least milliseconds of an iteration; candidates take turns."""
    found = dict.fromkeys(candidates, float("inf"))
    clock = time.process_time if device == "cpu" else time.perf_counter
    for turn in range(rounds + 1):
        for name, iterate in candidates.items():
            started = clock()
            iterate()
            if device != "cpu":
                torch.cuda.synchronize()
            if turn:
                found[name] = min(found[name], 1000 * (clock() - started))
    return found


def caffe_milliseconds(job: Job, rounds: int) -> float | None:
    python = Path(os.environ.get("CAFFELINT_TEST_CAFFE_PYTHON") or ROOT / ".caffe/caffe-python")
    if not python.exists():
        return None
    command = [python, "-c", CAFFE, job.solver, str(rounds)]
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "GLOG_minloglevel": "2"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(job.solver).parent, env=one)
    return 1000 * float(done.stdout.split()[-1])


def seconds_to_first(job: Job, folder: Path) -> float:
    """From the start of a child to its first iteration."""
    (folder / "job.json").write_text(json.dumps({**json.loads(job.to_json()), "iterations": 1}))
    started = time.perf_counter()
    command = [sys.executable, "-m", "caffelint.smoke.torch", folder / "job.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for line in child.stdout:
            event = from_line(line)
            if isinstance(event, Iteration) and event.iteration == 0:
                elapsed = time.perf_counter() - started
    return elapsed


def measure(name: str, size: Size, device: str, rounds: int, folder: Path) -> dict[str, Any]:
    text_of, module = NETS[name]
    job = make_job(folder, text_of(size), size, device, 0)
    candidates = {
        "engine": engine(job),
        "handwritten": handwritten(module(size), size, device),
        "watching": engine(make_job(folder, text_of(size), size, device, 1)),
    }
    found: dict[str, Any] = best_of(candidates, rounds, device)
    found["caffe"] = caffe_milliseconds(job, rounds) if device == "cpu" else None
    found["first iteration"] = seconds_to_first(job, folder)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    size = Size(32, 224) if options.large else Size(4, 96)
    if options.device == "cpu":
        torch.set_num_threads(1)
        print(f"CPU, {torch.get_num_threads()} thread, torch {torch.__version__}, {size}")
    else:
        print(torch.cuda.get_device_name(options.device), torch.__version__, size)
    for name in NETS:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(name, size, options.device, options.rounds, Path(folder))
        print(
            f"\n{name}: "
            + ", ".join(f"{key} {found[key]:.1f} ms" for key in found if key != "first iteration" and found[key])
        )
        print(f"  engine / handwritten   {found['engine'] / found['handwritten']:.2f}")
        print(f"  watching / engine      {found['watching'] / found['engine']:.2f}")
        if found["caffe"]:
            print(f"  engine / Caffe         {found['engine'] / found['caffe']:.2f}")
        print(f"  start to iteration 0   {found['first iteration']:.1f} s")
        if options.device != "cpu":
            print(f"  peak memory            {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB, all candidates")


if __name__ == "__main__":
    main()
