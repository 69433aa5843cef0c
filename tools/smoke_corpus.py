"""Train real nets a few iterations on synthetic data in the torch engine, and count what keeps the others from it.

    python tools/smoke_corpus.py FOLDER [--sample N] [--seed N] [--seconds S] [--out FILE]

FOLDER holds index.jsonl, a line for each file with `file`, `kind` and `train_net`, and files/. Taken are the nets with
a loss whose TRAIN phase has no layer type that caffelint does not know, and that Caffe would load. Batches are cut down
to `--batch`, where the net still loads so. Each net has a process of its own; one that takes longer than `--seconds`
counts as `too slow`, not as one that fails. Two rates are reported: of all, and of those without layers or fields of
forks that the engine says before it starts it does not know. Results are appended to FILE, one JSON object a line;
nets that are there are not run again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.net import Net
from caffelint.lint.read import read
from caffelint.schema import LayerParameter, NetParameter
from caffelint.schema.bind import bind
from caffelint.smoke.events import LACKS, Done, Event, Iteration, NonFinite, OutOfMemory, Refused
from caffelint.smoke.inputs import Unplanned, plan_inputs
from caffelint.smoke.job import SYNTHETIC, Input, Job, JobNet
from caffelint.smoke.torch.engine import run
from caffelint.text.parser import parse

ITERATIONS = 3
SOLVER = 'net: "net.prototxt" base_lr: 1e-5 lr_policy: "fixed" momentum: 0.9 weight_decay: 0.0005 max_iter: 100'
ENDS = "where Caffe ends the run"
TRAIN = JobNet("", "TRAIN")


def net_of(path: Path) -> Net:
    return Net(bind(parse(read(str(path)), str(path)), NetParameter()))


def cut(net: Net, batch: int) -> None:
    """Smaller batches, where the net loads with them."""
    before = NetParameter.FromString(net.message.SerializePartialToString())
    refusals = len(build(net.message, "TRAIN", assume_inputs=True).refusals)
    for layer in net.message.layer:
        for field, value in layer.ListFields():
            if field.name.endswith("data_param") and getattr(value, "batch_size", 0) > batch:
                value.batch_size = batch
            if field.name in ("input_param", "dummy_data_param"):
                for shape in value.shape:
                    if len(shape.dim) > 1 and shape.dim[0] > batch:
                        shape.dim[0] = batch
    if len(build(net.message, "TRAIN", assume_inputs=True).refusals) > refusals:
        net.message.CopyFrom(before)


def take_inputs(net: Net, inputs: list[Input]) -> None:
    """Put an Input in place of each layer whose data is planned."""
    for layer in net.message.layer:
        mine = {item.top: item.shape for item in inputs if item.layer == layer.name}
        if mine and not layer.bottom:
            made = LayerParameter(name=layer.name, type="Input", top=layer.top, include=layer.include)
            for top in layer.top:
                made.input_param.shape.add(dim=mine.get(top, (1,)))
            layer.CopyFrom(made)


def outcome(path: Path, folder: Path, batch: int) -> str:
    """`runs`, or why the net does not."""
    try:
        net = net_of(path)
    except Exception as error:
        return f"left out: cannot be read: {type(error).__name__}"
    built = build(net.message, "TRAIN", assume_inputs=True)
    unknown = sorted({layer.type for layer in built.layers if not layer.known})
    if unknown:
        return f"left out: unknown types: {' '.join(unknown)}"
    if not any(any(layer.loss_weights) for layer in built.layers):
        return "left out: no loss in TRAIN"
    if built.refusals:
        return f"left out: Caffe refuses it: {built.refusals[0]}"
    cut(net, batch)
    try:
        plan = plan_inputs(0, TRAIN, net, SYNTHETIC)
    except Unplanned as reason:
        return f"no plan: {reason}"
    take_inputs(net, plan.inputs)
    text = folder / "net.prototxt"
    text.write_text(text_format.MessageToString(net.message))
    (folder / "solver.prototxt").write_text(SOLVER)
    job = Job(
        str(folder / "solver.prototxt"),
        (JobNet(str(text), "TRAIN"),),
        tuple(item for item in plan.inputs),
        ITERATIONS,
        statistics_every=0,
    )
    events: list[Event] = []
    run(job, events.append)
    for event in events:
        if isinstance(event, Refused):
            if event.during == "load" and event.message.endswith(ENDS):
                return f"left out: Caffe ends the run at {event.layer}: {event.message}"
            if event.during == "load" and event.kind == LACKS:
                return f"unknown: {event.layer}: {event.message}"
            return f"refused in {event.during}: {event.layer}: {event.message}"
        if isinstance(event, OutOfMemory):
            return "out of memory"
        if isinstance(event, NonFinite):
            return f"runs: not finite in {event.where} of {event.layer} at {event.iteration}"
    done = any(isinstance(event, Done) for event in events)
    return "runs" if done and sum(isinstance(event, Iteration) for event in events) == ITERATIONS + 1 else "no end"


def told(path: Path, batch: int, results: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        try:
            found = outcome(path, Path(name), batch)
        except Exception as error:
            found = f"raises {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    results.send(found)


def timed(path: Path, batch: int, seconds: int) -> str:
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=told, args=(path, batch, there))
    child.start()
    there.close()
    try:
        return str(here.recv()) if here.poll(seconds) else "too slow"
    except EOFError:
        child.join()
        return f"dies: {child.exitcode}"
    finally:
        child.kill()
        child.join()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="take so many nets by chance; without it all")
    parser.add_argument("--seed", type=int, default=1, help="decides which")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("smoke_corpus.jsonl"))
    options = parser.parse_args()
    results = {}
    if options.out.exists():
        results = {row["file"]: row for row in map(json.loads, options.out.read_text().splitlines())}
    rows = [json.loads(line) for line in (options.folder / "index.jsonl").read_text().splitlines()]
    chosen = [row["file"] for row in rows if row["kind"] == "net" and row.get("train_net")]
    if options.sample is not None:
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    with options.out.open("a") as file:
        for name in chosen:
            if name not in results:
                started = time.perf_counter()
                found = timed(options.folder / "files" / name, options.batch, options.seconds)
                results[name] = {"file": name, "outcome": found, "seconds": round(time.perf_counter() - started, 1)}
                file.write(json.dumps(results[name]) + "\n")
                file.flush()
    report([results[name]["outcome"] for name in chosen])


def report(outcomes: list[str]) -> None:
    taken = [found for found in outcomes if not found.startswith("left out")]
    running = [found for found in taken if found.startswith("runs")]
    slow = taken.count("too slow")
    print(f"{len(outcomes)} nets, {len(taken)} taken, {len(running)} run, {slow} too slow to tell")
    unknown = sum(found.startswith("unknown") for found in taken)
    told = len(taken) - slow
    print(f"{len(running) / max(1, told):.1%} of the {told} that were told run")
    print(f"{len(running) / max(1, told - unknown):.1%} of those without the {unknown} of which the engine says first")
    for found, times in Counter(found for found in outcomes if not found.startswith("runs")).most_common(60):
        print(f"{times:5}  {found[:200]}")


if __name__ == "__main__":
    os.environ.setdefault("GLOG_minloglevel", "2")
    sys.exit(main())
