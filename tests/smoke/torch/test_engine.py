"""The torch engine from job to events: a run in order, and each way to break told with its layer."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch

from caffelint.smoke import events as told
from caffelint.smoke.events import (
    Done,
    Event,
    Iteration,
    Loaded,
    NonFinite,
    OutOfMemory,
    Refused,
    Running,
    Statistics,
    from_line,
)
from caffelint.smoke.job import Input, Job, JobNet
from caffelint.smoke.torch import engine

FIXED = 'lr_policy: "fixed" base_lr: 0.01 momentum: 0.9'


def layer(name: str, kind: str, bottom: str, top: str, more: str = "") -> str:
    bottoms = " ".join(f'bottom: "{one}"' for one in bottom.split())
    return f'layer {{ name: "{name}" type: "{kind}" {bottoms} top: "{top}" {more} }}\n'


def ip(name: str, bottom: str, top: str, outputs: int = 3, std: float = 0.5, more: str = "") -> str:
    filler = f'weight_filler {{ type: "gaussian" std: {std} }}'
    return layer(name, "InnerProduct", bottom, top, f"inner_product_param {{ num_output: {outputs} {filler} }} {more}")


DATA = """layer { name: "data" type: "Input" top: "data" top: "label"
input_param { shape { dim: 4 dim: 5 } shape { dim: 4 } } }
"""
LOSS = layer("loss", "SoftmaxWithLoss", "ip2 label", "loss")
ACCURACY = layer("accuracy", "Accuracy", "ip2 label", "accuracy", "include { phase: TEST }")
HIDDEN = ip("ip1", "data", "ip1", 6) + layer("relu", "ReLU", "ip1", "ip1")
NET = DATA + HIDDEN + ip("ip2", "ip1", "ip2") + ACCURACY + LOSS


def make_job(folder: Path, net: str = NET, solver: str = FIXED, **changes: Any) -> Job:
    (folder / "net.prototxt").write_text(net)
    (folder / "solver.prototxt").write_text(f'net: "net.prototxt" {solver}')
    path = str(folder / "net.prototxt")
    nets = (JobNet(path, "TRAIN"), JobNet(path, "TEST", iterations=2))
    inputs = [
        item
        for number in range(len(nets))
        for item in (
            Input(number, "data", "data", "Input", "synthetic", (4, 5), low=-1.0, high=1.0),
            Input(number, "data", "label", "Input", "synthetic", (4,), values="labels", low=0, high=2),
        )
    ]
    values: dict[str, Any] = {"iterations": 5, "statistics_every": 0, "nets": nets, "inputs": tuple(inputs)}
    return Job(str(folder / "solver.prototxt"), **{**values, **changes})


def events_of(job: Job) -> list[Event]:
    events: list[Event] = []
    engine.run(job, events.append)
    return events


def only(events: Iterable[Event], kind: type) -> Any:
    (found,) = [event for event in events if isinstance(event, kind)]
    return found


def test_a_run_is_reported_in_order(tmp_path: Path) -> None:
    events = events_of(make_job(tmp_path))
    assert [type(event) for event in events] == [Loaded, Loaded, *[Iteration] * 6, told.Tested, Done]
    assert isinstance(events[0], Loaded)
    assert events[0]._replace(shapes={}) == Loaded(0, "TRAIN", 5, 5, 5 * 6 + 6 + 6 * 3 + 3)
    assert set(events[0].shapes) == {"data", "label"}
    iterations = [event for event in events if isinstance(event, Iteration)]
    assert [event.iteration for event in iterations] == [-1, 0, 1, 2, 3, 4]
    assert [event.rate for event in iterations] == pytest.approx([0] + [0.01] * 5)
    assert iterations[0].loss == iterations[1].loss == iterations[0].losses["loss"]
    assert iterations[-1].loss < iterations[1].loss
    tested = only(events, told.Tested)
    assert tested.same_batch
    assert set(tested.outputs) == {"accuracy", "loss"}
    assert tested.loss == pytest.approx(tested.outputs["loss"])
    assert only(events, Done).iterations == 5


def test_a_seed_decides_all(tmp_path: Path) -> None:
    net = NET.replace(LOSS, "").replace('bottom: "ip1" top: "ip2"', 'bottom: "drop" top: "ip2"') + LOSS
    drop = layer("drop", "Dropout", "ip1", "drop", "dropout_param { dropout_ratio: 0.5 }")
    net = net.replace('layer { name: "ip2"', drop + 'layer { name: "ip2"')
    runs = [
        [event.loss for event in events_of(make_job(tmp_path, net, seed=seed)) if isinstance(event, Iteration)]
        for seed in (3, 3, 4)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_child_prints_events_alone(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(make_job(tmp_path).to_json())
    command = [sys.executable, "-m", "caffelint.smoke.torch", tmp_path / "job.json", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    events = [from_line(line) for line in done.stdout.splitlines()]
    assert None not in events
    assert type(events[0]) is Loaded
    assert type(events[-1]) is Done
    losses = [event.loss for event in events if isinstance(event, Iteration)]
    assert losses == [event.loss for event in events_of(make_job(tmp_path)) if isinstance(event, Iteration)]


LOG = layer("log", "Log", "ip1", "log") + ip("ip2", "log", "ip2") + LOSS


def test_forward_names_the_first_blob(tmp_path: Path) -> None:
    """Log of a negative number in the pass at rate 0, in the layer that makes it and not in those behind."""
    events = events_of(make_job(tmp_path, DATA + ip("ip1", "data", "ip1", 6) + LOG))
    found = only(events, NonFinite)
    assert (found.iteration, found.where, found.layer, found.kind, found.name) == (-1, "forward", "log", "blob", "log")
    assert found.nan > 0
    assert found.size == 24
    assert found.inputs["ip1"][0] < 0
    assert found.inputs["ip1"][2] == 0
    assert not any(isinstance(event, told.Tested) for event in events)
    assert only(events, Done).iterations == 0


def test_backward_names_the_layer_that_makes_the_gradient(tmp_path: Path) -> None:
    """The root of 0 has a value and no gradient."""
    power = layer("root", "Power", "relu", "root", "power_param { power: 0.5 }")
    net = DATA + ip("ip1", "data", "ip1", 6) + layer("relu", "ReLU", "ip1", "relu") + power
    events = events_of(make_job(tmp_path, net + ip("ip2", "root", "ip2") + LOSS))
    found = only(events, NonFinite)
    assert (found.iteration, found.where, found.layer, found.name) == (-1, "backward", "root", "relu")
    assert found.inf + found.nan > 0
    assert found.inputs["root diff"][2] == 0
    assert found.inputs["relu"][0] == 0


def test_update_names_the_parameter(tmp_path: Path) -> None:
    """A delta of 0 divides the zero gradient of a dead unit by 0."""
    solver = 'type: "RMSProp" rms_decay: 0.9 delta: 0 lr_policy: "fixed" base_lr: 0.01'
    net = NET.replace(
        "inner_product_param { num_output: 6", "param {} param { lr_mult: 0 } inner_product_param { num_output: 6"
    )
    found = only(events_of(make_job(tmp_path, net, solver)), NonFinite)
    assert (found.iteration, found.where, found.layer, found.kind) == (0, "update", "ip1", "param")
    assert found.nan > 0


def test_rate_is_reported_before_it_is_used(tmp_path: Path) -> None:
    solver = 'lr_policy: "poly" power: 0.5 max_iter: 2 base_lr: 0.01'
    events = events_of(make_job(tmp_path, solver=solver))
    found = only(events, NonFinite)
    assert (found.iteration, found.where, found.layer, found.nan) == (3, "rate", "", 1)
    assert math.isnan(found.rate)
    assert only(events, Done).iterations == 3


def test_a_high_rate_diverges_at_some_layer(tmp_path: Path) -> None:
    net = DATA + HIDDEN + ip("ip2", "ip1", "ip2", 6) + layer("loss", "EuclideanLoss", "ip2 ip1", "loss")
    found = only(events_of(make_job(tmp_path, net, 'lr_policy: "fixed" base_lr: 1e8', iterations=50)), NonFinite)
    assert found.iteration >= 1
    assert found.layer in ("ip1", "relu", "ip2", "loss")
    assert found.rate == pytest.approx(1e8)


def test_weights_that_are_broken_from_the_start(tmp_path: Path) -> None:
    found = only(events_of(make_job(tmp_path, NET.replace("std: 0.5", "std: 0.5 mean: inf"))), NonFinite)
    assert (found.iteration, found.where, found.layer, found.kind, found.name) == (-1, "forward", "ip1", "param", "0")


def test_sums_that_overflow_are_no_alarm(tmp_path: Path) -> None:
    """Each value is finite and their sum is not."""
    big = layer("zero", "Power", "data", "zero", "power_param { scale: 0 }")
    filler = 'bias_term: false weight_filler { type: "constant" value: 3e38 }'
    big += layer("big", "InnerProduct", "zero", "big", f"inner_product_param {{ num_output: 3 {filler} }}")
    events = events_of(make_job(tmp_path, NET + big))
    assert not any(isinstance(event, NonFinite) for event in events)
    assert only(events, Done).iterations == 5


def test_statistics(tmp_path: Path) -> None:
    job = make_job(tmp_path, statistics_every=2)
    events = [event for event in events_of(job) if isinstance(event, Statistics)]
    assert sorted({event.iteration for event in events}) == [-1, 0, 2, 4]
    first = {(e.layer, e.kind, e.name, e.part): e for e in events if e.iteration == 0}
    assert {key[2:] for key in first if key[1] == "blob" and key[3] == "data"} == {
        (name, "data") for name in ("data", "label", "ip1", "ip2", "loss")
    }
    hidden = first["relu", "blob", "ip1", "data"]
    assert hidden.min == 0
    assert 0 < hidden.zeros < 1
    assert hidden.min <= hidden.mean <= hidden.max
    assert {key for key in first if key[0] == "ip2" and key[1] == "param"} == {
        ("ip2", "param", name, part) for name in "01" for part in ("data", "diff", "update")
    }
    gradient, update = first["ip2", "param", "0", "diff"], first["ip2", "param", "0", "update"]
    assert update.max == pytest.approx(0.01 * gradient.max, rel=1e-4)
    assert update.std == pytest.approx(0.01 * gradient.std, rel=1e-4)


def test_watched_names_are_reported_every_iteration(tmp_path: Path) -> None:
    job = make_job(tmp_path, watch=("ip2",), iterations=3)
    events = [event for event in events_of(job) if isinstance(event, Statistics)]
    assert sorted({event.iteration for event in events}) == [-1, 0, 1, 2]
    assert {event.layer for event in events} == {"ip2"}
    assert {event.part for event in events} == {"data", "diff", "update"}


def test_watching_changes_nothing(tmp_path: Path) -> None:
    runs = [
        [event for event in events_of(make_job(tmp_path, statistics_every=every)) if isinstance(event, Iteration)]
        for every in (0, 1)
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("net", "solver", "where", "words"),
    [
        (NET, 'lr_policy: "fixed" type: "Adagrad"', "", "the solvers are SGD"),
        (NET.replace("ReLU", "ClockworkRNN"), FIXED, "relu", "forks differ"),
        (NET.replace("ReLU", "NoSuchType"), FIXED, "relu", "not known"),
        (
            NET.replace('bottom: "ip1" top: "ip2"', 'bottom: "none" top: "ip2"'),
            FIXED,
            "ip2",
            'bottom "none" is not made by any layer above',
        ),
    ],
)
def test_what_does_not_run_is_refused_before(tmp_path: Path, net: str, solver: str, where: str, words: str) -> None:
    events = events_of(make_job(tmp_path, net, solver))
    found = only(events, Refused)
    assert found.during == "load"
    assert found.layer == where
    assert words in found.message
    assert not any(isinstance(event, Iteration | Done) for event in events)


def test_a_label_too_large_is_reported_as_caffes_runner_tells_it(tmp_path: Path) -> None:
    label = Input(0, "data", "label", "Input", "synthetic", (4,), values="labels", low=1, high=3)
    job = make_job(tmp_path)
    data = job.inputs[0]
    events = events_of(make_job(tmp_path, nets=job.nets[:1], inputs=(data, label)))
    assert not any(isinstance(event, Refused) for event in events)
    labels = [event for event in events if isinstance(event, Statistics) and event.name == "label"]
    assert [(event.layer, event.kind, event.part, event.max) for event in labels] == [("data", "blob", "data", 3)]
    assert isinstance(events[-1], Done)


def test_trace_announces_each_layer(tmp_path: Path) -> None:
    events = events_of(make_job(tmp_path, trace=True, iterations=1))
    first = [event.layer for event in events if isinstance(event, Running) and event.iteration == -1 and event.net == 0]
    assert first == ["data", "ip1", "relu", "ip2", "loss"]


def test_out_of_memory_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, inputs: Any = None) -> Any:
        return torch.empty(1 << 60)

    monkeypatch.setattr(engine.TorchNet, "forward", full)
    found = only(events_of(make_job(tmp_path)), OutOfMemory)
    assert found.device == "cpu"
    assert "\n" not in found.message


def test_job_survives_json(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    assert Job.from_json(job.to_json()) == job
    json.loads(job.to_json())


def test_half_precision_overflows_where_float_does_not(tmp_path: Path) -> None:
    """NVIDIA's fork: 300 * 300 is more than a half can hold."""
    big = layer("scale1", "Power", "data", "big", "power_param { scale: 300 shift: 300 }")
    big += ip("ip1", "big", "ip1", 6, 300.0) + layer("scale2", "Power", "ip1", "small", "power_param { scale: 1e-6 }")
    net = DATA + big + ip("ip2", "small", "ip2") + LOSS
    assert not any(isinstance(event, NonFinite) for event in events_of(make_job(tmp_path, net)))
    found = only(events_of(make_job(tmp_path, "default_forward_type: FLOAT16 " + net)), NonFinite)
    assert (found.iteration, found.where, found.layer) == (-1, "forward", "ip1")


def test_half_precision_trains(tmp_path: Path) -> None:
    events = events_of(make_job(tmp_path, "default_forward_type: FLOAT16 " + NET))
    losses = [event.loss for event in events if isinstance(event, Iteration)]
    assert losses[-1] < losses[1]
    assert all(math.isfinite(loss) for loss in losses)


def test_half_precision_clamps_a_loss_at_the_least_half(tmp_path: Path) -> None:
    """A probability of 0 gives -ln(2^-14), as NVIDIA's softmax_loss_layer.cu has it, and no infinite loss."""
    net = DATA + layer("big", "Power", "data", "big", "power_param { scale: 0 shift: 100 }")
    net += ip("ip2", "big", "ip2", 3, 5.0) + LOSS
    events = events_of(make_job(tmp_path, "default_forward_type: FLOAT16 " + net))
    losses = [event.loss for event in events if isinstance(event, Iteration)]
    assert 0 < losses[0] < 14 * math.log(2) + 0.001


def test_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for device in ("cuda:77", "gpu"):
        found = only(events_of(make_job(tmp_path, device=device)), Refused)
        assert f'cannot use the device "{device}"' in found.message


def test_a_test_net_of_another_shape_is_refused(tmp_path: Path) -> None:
    """Layers of one name in both phases, with other parameters."""
    twice = ip("ip2", "ip1", "ip2", 3, more="include { phase: TRAIN }")
    twice += ip("ip2", "ip1", "ip2", 4, more="include { phase: TEST }")
    found = only(events_of(make_job(tmp_path, DATA + HIDDEN + twice + LOSS)), Refused)
    assert (found.net, found.layer, found.during) == (1, "ip2", "load")
    assert found.message == "its parameters are 4x6 and 4 here and 3x6 and 3 in the TRAIN net"


def test_only_a_relu_before_0_over_0_pays_for_it(tmp_path: Path) -> None:
    power = layer("power", "Power", "ip1", "power", "power_param { power: 0.5 }")
    for net, wanted in ((NET, False), (DATA + HIDDEN + power + ip("ip2", "power", "ip2") + LOSS, True)):
        job = make_job(tmp_path, net)
        run = engine.Run(job, torch.device("cpu"), lambda event: None)
        run.load()
        (relu,) = [one for one in run.net.layers if one.spec.type == "ReLU"]
        assert relu.passes_nan is wanted  # type: ignore[attr-defined]


def test_a_test_net_breaks_at_a_blob_that_no_output_shows(tmp_path: Path) -> None:
    """exp(log(0)) is 0 again: the outputs are finite."""
    test = "include { phase: TEST }"
    mask = layer("mask", "Threshold", "ip1", "mask", f"threshold_param {{ threshold: 1e9 }} {test}")
    log = layer("log", "Log", "mask", "log", test) + layer("exp", "Exp", "log", "exp", test)
    events = events_of(make_job(tmp_path, NET.replace(LOSS, mask + log + LOSS)))
    found = only(events, NonFinite)
    assert (found.iteration, found.net, found.where, found.layer, found.name) == (5, 1, "forward", "log", "log")
    assert found.inputs["mask"] == (0, 0, 0)
    assert only(events, Done).iterations == 5


ROOTS = layer("relu2", "ReLU", "ip1", "relu2") + layer("sum", "Eltwise", "root fine", "sum")
BOTH = {
    "first": layer("root", "Power", "relu2", "root", "power_param { power: 0.5 }")
    + layer("fine", "Power", "relu2", "fine", "power_param { scale: 2 }"),
    "last": layer("fine", "Power", "relu2", "fine", "power_param { scale: 2 }")
    + layer("root", "Power", "relu2", "root", "power_param { power: 0.5 }"),
}


@pytest.mark.parametrize("order", BOTH)
def test_of_several_readers_the_one_that_breaks_is_named(tmp_path: Path, order: str) -> None:
    relu, add = ROOTS.splitlines(keepends=True)
    net = DATA + ip("ip1", "data", "ip1", 6) + relu + BOTH[order] + add + ip("ip2", "sum", "ip2") + LOSS
    found = only(events_of(make_job(tmp_path, net)), NonFinite)
    assert (found.where, found.layer, found.kind, found.name) == ("backward", "root", "blob", "relu2")


@pytest.mark.parametrize("first", [True, False])
def test_of_several_that_share_a_parameter_the_one_that_breaks_is_named(tmp_path: Path, first: bool) -> None:
    """An input of 1e20 times a gradient of 1e20 is more than a float holds: in one of the two layers."""
    large = layer("large", "Power", "data", "large", "power_param { scale: 1e20 }")
    small = layer("small", "Power", "{}", "{}_small", "power_param { scale: 1e-18 }")
    shared = "param { name: 'w' } param { name: 'b' }"
    one, two = ("large", "data") if first else ("data", "large")
    net = DATA + large + ip("a", one, "a", 3, 1e-3, shared) + ip("b", two, "b", 3, 1e-3, shared)
    bad = "a" if first else "b"
    net += small.replace("{}", bad) + layer("sum", "Eltwise", f"{bad}_small {'b' if first else 'a'}", "ip2") + LOSS
    net += layer("huge", "Power", bad, "huge", "power_param { scale: 1e20 } loss_weight: 1")
    found = only(events_of(make_job(tmp_path, net)), NonFinite)
    assert (found.where, found.layer, found.kind) == ("backward", bad, "param")


def test_layers_that_hand_on_are_not_blamed(tmp_path: Path) -> None:
    """Forward and backward, what passes a value on unchanged stands behind the layer that made it."""
    same = layer("same", "Dropout", "{}", "same", "dropout_param { dropout_ratio: 0 }")
    same += layer("shape", "Reshape", "same", "shape", "reshape_param { shape { dim: 0 dim: -1 } }")
    log = ip("ip1", "data", "ip1", 6) + layer("log", "Log", "ip1", "log") + same.replace("{}", "log")
    root = layer("relu3", "ReLU", "ip1", "relu3") + layer("same0", "Power", "relu3", "same0")
    root = ip("ip1", "data", "ip1", 6) + root + layer("root", "Power", "same0", "root", "power_param { power: 0.5 }")
    for text, where, name, blob in (
        (log + ip("ip2", "shape", "ip2"), "forward", "log", "log"),
        (root + same.replace("{}", "root") + ip("ip2", "shape", "ip2"), "backward", "root", "same0"),
    ):
        found = only(events_of(make_job(tmp_path, DATA + text + LOSS)), NonFinite)
        assert (found.where, found.layer, found.name) == (where, name, blob)


def test_half_precision_scales_gradients(tmp_path: Path) -> None:
    """A gradient too small for a half is there with a scale, which the update does not see."""
    tiny = NET.replace('top: "loss"', 'top: "loss" loss_weight: 1e-8')
    half = "default_forward_type: FLOAT16 "
    changes = []
    for text in (tiny, half + tiny, half + "global_grad_scale: 10000 " + tiny):
        events = events_of(make_job(tmp_path, text, statistics_every=1, iterations=1))
        (one,) = [
            event
            for event in events
            if isinstance(event, Statistics)
            and (event.iteration, event.layer, event.name) == (0, "ip1", "0")
            and event.part == "diff"
        ]
        changes.append(one.std)
    assert changes[1] < 0.5 * changes[0]
    assert changes[2] == pytest.approx(changes[0], rel=0.05)
    found = only(events_of(make_job(tmp_path, half + "global_grad_scale: 1e7 " + NET)), NonFinite)
    assert found.where == "backward"


def test_half_precision_convolves_as_halves_do(tmp_path: Path) -> None:
    """The convolution of torch in halves, which is slow on a CPU, is what ours is held against."""
    size = "num_output: 3 kernel_size: 3 weight_filler { type: 'gaussian' std: 0.5 }"
    net = """default_forward_type: FLOAT16 layer { name: "data" type: "Input" top: "data"
    input_param { shape { dim: 2 dim: 2 dim: 6 dim: 6 } } }
    """ + layer("conv", "Convolution", "data", "conv", f"convolution_param {{ {size} }} loss_weight: 1")
    (tmp_path / "net.prototxt").write_text(net)
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" {FIXED}')
    job = Job(str(tmp_path / "solver.prototxt"), (JobNet(str(tmp_path / "net.prototxt"), "TRAIN"),), iterations=1)
    run = engine.Run(job, torch.device("cpu"), lambda event: None)
    run.load()
    x = torch.randn(2, 2, 6, 6)
    with run.precision():
        run.net.forward({"data": x})
    run.net.backward()
    weight, bias = (param.data.detach().half().requires_grad_() for param in run.net.params)
    top = torch.conv2d(x.half(), weight, bias)
    top.sum().backward()
    assert run.net.blob("conv").dtype == torch.float16
    torch.testing.assert_close(run.net.blob("conv"), top.detach(), rtol=2e-3, atol=2e-3)
    for param, wanted in zip(run.net.params, (weight, bias), strict=True):
        assert wanted.grad is not None
        torch.testing.assert_close(param.data.grad, wanted.grad.float(), rtol=2e-3, atol=1e-2)


def test_the_pass_at_rate_zero_leaves_no_trace(tmp_path: Path) -> None:
    """One pass, also where an iteration has several, and BatchNorm's averages start from nothing as in Caffe's run."""
    net = DATA + HIDDEN + layer("bn", "BatchNorm", "ip1", "bn") + ip("ip2", "bn", "ip2") + LOSS
    job = make_job(tmp_path, net, FIXED + " iter_size: 3")
    run = engine.Run(job, torch.device("cpu"), lambda event: None)
    run.load()
    forwards: list[int] = []
    run.net.forward = lambda inputs=None, old=run.net.forward: forwards.append(1) or old(inputs)
    run.pass_at_rate_zero()
    assert len(forwards) == 1
    assert [float(data.abs().sum()) for data in run.net.layer_params["bn"]] == [0, 0, 0]
    run.iteration = 0
    run.iterate()
    assert len(forwards) == 4
    assert run.net.layer_params["bn"][2].item() == pytest.approx(1 + 0.999 + 0.999**2)
