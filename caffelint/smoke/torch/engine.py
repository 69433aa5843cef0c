"""Runs a job in torch: load, one pass at rate 0, the iterations, the TEST nets; emits events as it goes."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from caffelint.smoke import loaded
from caffelint.smoke.answers import Answers
from caffelint.smoke.events import (
    BLOB,
    CHANGE,
    DATA,
    DIFF,
    FORWARD,
    KINDS,
    LACKS,
    RATE,
    UPDATE,
    BadWeights,
    Creating,
    Done,
    Event,
    Iteration,
    Loaded,
    NonFinite,
    Note,
    OutOfMemory,
    PythonLayer,
    Refused,
    Running,
    Statistics,
    Tested,
    WithoutGpu,
)
from caffelint.smoke.job import Job
from caffelint.smoke.own_code import Own
from caffelint.smoke.torch.base import LabelOutside
from caffelint.smoke.torch.device import NoDevice, is_out_of_memory, make_deterministic, peak_memory, usable
from caffelint.smoke.torch.feed import Feed
from caffelint.smoke.torch.load import Lacking, Refusal, lacking_for_python, load_net, load_solver, make_net
from caffelint.smoke.torch.losses import alone
from caffelint.smoke.torch.net import LayerError, TorchNet
from caffelint.smoke.torch.python import FOLDERS, NotHere, Python, Raised
from caffelint.smoke.torch.search import Culprit, Search, bad_parameter
from caffelint.smoke.torch.solver import make_solver, refusal
from caffelint.smoke.torch.sources import Unreadable
from caffelint.smoke.torch.statistics import Collector, Summary, sums
from caffelint.smoke.torch.weights import WrongWeights, load_weights

Emit = Callable[[Event], None]
BEFORE = -1
"""Number of the pass at rate 0."""
FLOAT16 = 2
"""`Type` of NVIDIA's fork."""


class Broken(Exception):
    """A value is not finite: the run ends."""

    def __init__(self, event: NonFinite) -> None:
        super().__init__(event.layer)
        self.event = event


def run(job: Job, emit: Emit, kind: type[Run] | None = None) -> None:
    """Do a job from load to end; whatever happens to it is an event. kind: another way to do it than `Run`."""
    try:
        (kind or Run)(job, usable(job.device), emit).run()
    except Raised as error:
        emit(PythonLayer(error.layer, error.message, error.file, error.line))
        emit(Done(0, 0.0))
    except NotHere as error:
        reason = lacking_for_python(error, 0)
        emit(Refused(reason.net, reason.layer, reason.message, "load", LACKS))
    except NoDevice as reason:
        emit(Refused(-1, "", str(reason), "load"))
    except Refusal as reason:
        emit(Refused(reason.net, reason.layer, reason.message, "load", LACKS if isinstance(reason, Lacking) else ""))
    except WrongWeights as reason:
        emit(Refused(-1, reason.layer, reason.message, "weights"))
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        emit(OutOfMemory(str(error).splitlines()[0] if str(error) else "out of memory", job.device))


class Run:
    def __init__(self, job: Job, device: torch.device, emit: Emit) -> None:
        make_deterministic(job.seed)
        FOLDERS.look_in([os.getcwd(), *job.python_path])
        self.job = job
        self.device = device
        self.emit = emit
        self.message = load_solver(job)
        why = refusal(self.message)
        if why is not None and not (why[0] == "lr_policy" and job.rates):
            raise Lacking(-1, "", f"the torch engine does not run this solver: {why[0]}: {why[1]}")
        self.half = False
        self.passes: int = max(0, self.message.iter_size)
        self.nets: dict[int, TorchNet] = {}
        """By their numbers in the job; TEST nets that this engine lacks a layer for are left out."""
        self.feeds: dict[int, Feed] = {}
        if job.wants_gpu and not torch.cuda.is_available():
            emit(WithoutGpu("this machine has no GPU that torch could use"))
        wanted, couples = ([one._asdict() for one in every] for every in (job.targets, job.pairs))
        self.answers: Any = Answers(wanted, couples, job.sequences, job.marks)  # type: ignore[no-untyped-call]
        self.iteration = BEFORE
        self.last_rate = 0.0
        self.batch: dict[str, Tensor] = {}
        self.loss = math.nan
        self.losses: dict[str, float] = {}
        self.health: list[Tensor] = []
        """Sums of all parameters after the last update."""
        self.gradient_sums: dict[int, Tensor] = {}
        """On a CPU, by the number of the parameter, taken while its gradient is in the cache."""
        self.own = Own(self._of_own_code)  # type: ignore[no-untyped-call]
        self.watches_all = False
        """Does a collector look at all gradients anyway?"""

    def _of_own_code(self, event: str, **fields: Any) -> None:
        self.emit(KINDS[event](**fields))

    def run(self) -> None:
        self.load()
        self.done, self.started, self.elapsed = 0, time.perf_counter(), math.nan
        try:
            self.work()
        except Broken as broken:
            self.emit(broken.event)
        except LabelOutside as error:
            self.labels_outside(error)
        except LayerError as error:
            self.emit(Refused(0, error.layer, error.message, "run"))
            return
        except Unreadable as reason:
            self.emit(Refused(0, "", str(reason), "run"))
            return
        seconds = time.perf_counter() - self.started if math.isnan(self.elapsed) else self.elapsed
        self.emit(Done(self.done, seconds, peak_memory(self.device)))

    def work(self) -> None:
        """What the job asks for, here to train; counts in `done` what is completed."""
        self.watch_weights()
        self.pass_at_rate_zero()
        self.started = time.perf_counter()
        for iteration in range(self.job.iterations):
            self.iteration = iteration
            self.iterate()
            self.done += 1
        self.watch_update()
        self.elapsed = time.perf_counter() - self.started  # without TEST
        self.tell_answers(self.answers)
        self.test()

    def load(self) -> None:
        loaded = {}
        for number in range(len(self.job.nets)):
            try:
                loaded[number] = load_net(self.job, number, partial(self._creating, number))
            except Lacking as reason:
                if not number:
                    raise
                self.emit(Note(f'the TEST net is left out: {reason.message} (layer "{reason.layer}")'))
        for number, (built, sources) in loaded.items():
            net = make_net(built, number, self.device, self.job.seed, self.nets.get(0))
            self.nets[number] = net
            self.feeds[number] = Feed(self.job, number, sources, self.device)
            size = sum(param.data.numel() for param in net.params)
            tops = [top for layer in built.layers if not layer.bottoms for top in layer.tops]
            shapes = {top.name: top.shape for top in tops if top.shape is not None}
            self.emit(Loaded(number, built.phase, len(built.layers), len(built.blobs), size, shapes))
            if self.job.trace:
                announce(net, partial(self._announce, number))
        self.net = self.nets[0]
        self.net.keep_blobs = False
        for layer in (layer for net in self.nets.values() for layer in net.layers if isinstance(layer, Python)):
            self.own.watch(layer.spec.name, layer.spec.code)  # type: ignore[no-untyped-call]
        message: Any = self.net.built.message
        if message.default_forward_type == FLOAT16 or message.default_forward_math == FLOAT16:
            self.half = True
            self.net.gradient_scale = message.global_grad_scale or 1.0
            self.emit(Note("FLOAT16: convolutions and matrix products run in half precision, all else as torch has it"))
        if self.job.weights:
            copied, ignored = load_weights(self.job.weights, list(self.nets.values()))
            self.tell_bad_weights()
            lacking = f"; the net has no layer {', '.join(ignored[:20])}" if ignored else ""
            self.emit(Note(f"weights were copied into {len(copied)} layers{lacking}"))
        self.solver = make_solver(self.message, self.net.params)
        for number, param in enumerate(self.net.params):
            if param.data.requires_grad and param.data.is_cpu:
                data: Any = param.data
                data.register_post_accumulate_grad_hook(partial(self._add_up, number))

    def tell_bad_weights(self) -> None:
        types = {layer.name: layer.type for layer in self.net.built.layers}
        for name, datas in self.net.layer_params.items():
            for index, data in enumerate(datas):
                variances = types.get(name) == "BatchNorm" and index == 1
                if wrong := loaded.wrong(data.numpy(force=True), variances):  # type: ignore[no-untyped-call]
                    self.emit(BadWeights(name, index, **wrong))

    def _add_up(self, number: int, data: Tensor) -> None:
        if data.grad is not None and not self.watches_all:
            self.gradient_sums[number] = data.grad.sum()

    def precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.float16, enabled=self.half)

    def _creating(self, net: int, layer: str) -> None:
        self.emit(Creating(net, layer))

    def _announce(self, net: int, layer: str) -> None:
        self.emit(Running(net, layer, FORWARD, self.iteration))

    def watch_weights(self) -> None:
        """Parameters may be broken from the start, by a filler or a file."""
        self.check_parameters(sums([param.data for param in self.net.params]), FORWARD, 0.0)

    def pass_at_rate_zero(self) -> None:
        """One pass; what it leaves in the parameters, BatchNorm's averages, is taken back."""
        counted = [
            layer.params[index]
            for layer in self.net.layers
            for index in (range(len(layer.params)) if layer.changes_params else layer.statistics)
            if layer.params[index:]
        ]
        kept = [data.clone() for data in counted]
        random = self.net.generator.get_state()
        self.compute(0.0)
        self.net.clear_gradients()
        if self.job.statistics_every and self.passes:
            after = self.net.generator.get_state()
            for event in alone(self.net, self.batch, random, self.precision()):
                self.emit(event)
            self.net.generator.set_state(after)
        for data, before in zip(counted, kept, strict=True):
            data.data.copy_(before)
        self.own.report()  # type: ignore[no-untyped-call]

    def iterate(self) -> None:
        rate = self.rate()
        collector = self.compute(rate)
        if not math.isfinite(rate):
            values = Summary(int(math.isnan(rate)), int(math.isinf(rate)), 1, math.nan, math.nan)
            raise self.broken(Culprit(RATE, "", "", "", values, {}), rate)
        self.solver.step([param.data.grad for param in self.net.params], rate)
        self.last_rate = rate
        self.net.clear_gradients()
        self.health = self.solver.sums + sums([self.net.params[number].data for number in self.solver.frozen])
        if collector is not None:
            if collector.names is None:
                self.own.report()  # type: ignore[no-untyped-call]
            collector.params(self.net, CHANGE, self.solver.updates.items())
            self.tell(collector.fetch(self.iteration))
        self.emit(Iteration(self.iteration, rate, self.loss, self.losses))

    def rate(self) -> float:
        rates = self.job.rates
        return rates[self.iteration] if self.iteration < len(rates) else self.solver.rate

    def compute(self, rate: float) -> Collector | None:
        """All passes of an iteration; raises Broken where a value is not finite."""
        net = self.net
        collector = self.collector()
        random = net.generator.get_state()
        batches = []
        total = torch.zeros((), device=self.device)
        self.gradient_sums.clear()
        self.watches_all = collector is not None and collector.names is None
        passes = min(1, self.passes) if self.iteration == BEFORE else self.passes
        self.feeds[0].leave_out(passes)
        for number in range(passes):
            batch = self.feeds[0].next(self.iteration)
            batches.append(batch)
            self.batch = batch
            if collector is not None and number == passes - 1:
                net.on_top, net.on_gradient = collector.on_top, collector.on_gradient
                # The pass at rate 0 looks at all there is.
                net.every_version = self.iteration == BEFORE
            with self.precision():
                outputs = net.forward(batch)
            if self.iteration > BEFORE:
                self.answers.add(partial(_values_of, net))
            net.backward()
            net.on_top = net.on_gradient = None
            net.every_version = True
            total = total + net.loss
        gradients = [param.data.grad for param in net.params]
        if net.gradient_scale != 1:
            # NVIDIA's fork takes the scale off again where it updates.
            torch._foreach_div_([one for one in gradients if one is not None], net.gradient_scale)
        health = list(self.gradient_sums.values())
        if self.device.type != "cpu":
            health = sums([gradient for gradient in gradients if gradient is not None])
        shown = self.shown(outputs) if passes else {}
        signs = [total / max(1, passes), *shown.values(), *self.health, *health]
        numbers = torch.stack(signs).tolist()
        self.loss = numbers[0]
        self.losses = dict(zip(shown, numbers[1:], strict=False))
        statistics: list[Statistics] = []
        if collector is not None:
            collector.params(net, DATA, enumerate(param.data for param in net.params))
            collector.params(net, DIFF, enumerate(gradients))
            statistics = collector.fetch(self.iteration)
        if self.iteration == BEFORE and (self.job.statistics_every or self.job.watch):
            self.tell(statistics)  # also where it breaks: nothing else tells what was read
        if not all(map(math.isfinite, numbers)) or (collector is not None and collector.bad):
            self.watch_update()
            self.search(batches, random, rate)
        if self.iteration != BEFORE:
            self.tell(statistics)
        if self.iteration == BEFORE:
            self.emit(Iteration(BEFORE, 0.0, self.loss, self.losses))
        return collector

    def tell(self, statistics: list[Statistics]) -> None:
        for event in statistics:
            self.emit(event)

    def shown(self, outputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Losses, and outputs of one value, on the device."""
        found = {name: self.net.blob(name).sum() for name, _ in self.net.losses}
        return found | {name: top.reshape(()) for name, top in outputs.items() if top.numel() == 1}

    def collector(self) -> Collector | None:
        """What watches all blobs in the pass at rate 0, and where all statistics are wanted; else the watched ones."""
        job = self.job
        every = job.statistics_every
        last = job.iterations - 1
        if every and (self.iteration < 1 or self.iteration % every == 0 or self.iteration == last):
            return Collector(self.net, None)
        if self.iteration == BEFORE and not job.watch:
            return Collector(self.net, None)
        return Collector(self.net, frozenset(job.watch)) if job.watch else None

    def search(self, batches: list[dict[str, Tensor]], random: Tensor, rate: float) -> None:
        """Run the passes once more, watched; raises Broken unless it was a false alarm, as of a sum that overflows."""
        net = self.net
        kept = [param.data.grad for param in net.params]
        net.clear_gradients()
        net.generator.set_state(random)
        for batch in batches:
            with self.precision():
                found = Search(net).run(batch)
            if found is not None:
                raise self.broken(found, rate)
        for param, gradient in zip(net.params, kept, strict=True):
            param.data.grad = gradient

    def watch_update(self) -> None:
        """Raises Broken where the last update left a parameter that is not finite."""
        self.check_parameters(self.health, UPDATE, self.last_rate, self.solver.iteration - 1)
        self.health = []

    def check_parameters(self, health: list[Tensor], where: str, rate: float, iteration: int = BEFORE) -> None:
        if health and not all(map(math.isfinite, torch.stack(health).tolist())):
            found = bad_parameter(self.net.params, where, self.solver.updates)
            if found is not None:
                raise self.broken(found, rate, iteration)

    def broken(self, culprit: Culprit, rate: float, iteration: int | None = None, net: int = 0) -> Broken:
        values = culprit.values
        return Broken(
            NonFinite(
                self.iteration if iteration is None else iteration,
                net,
                culprit.where,
                culprit.layer,
                culprit.kind,
                culprit.name,
                values.nan,
                values.inf,
                values.size,
                values.min,
                values.max,
                rate,
                culprit.inputs,
                culprit.rows,
                self.feeds[net].read - 1 if net in self.feeds else -1,
                *culprit.code,
            )
        )

    def labels_outside(self, error: LabelOutside) -> None:
        """Caffe goes on with whatever is in memory beside its scores, which is not known here: the run ends."""
        name = error.blob.original.name
        collector = Collector(self.net, None)
        collector.add(collector.writers.get(name, ""), BLOB, name, DATA, error.labels)
        self.tell(collector.fetch(self.iteration))
        self.emit(Note(f'the run ends at "{error.layer}", where Caffe reads memory beside the scores: {error.message}'))

    def test(self) -> None:
        """Each TEST net with the trained parameters; raises Broken where a value is not finite."""
        self.iteration = self.job.iterations
        for number, net in list(self.nets.items())[1:]:
            totals: dict[str, Tensor] = {}
            loss = torch.zeros((), device=self.device)
            passes = self.job.nets[number].iterations
            started = time.perf_counter()
            answers = self.answers.of_test(number, net.built.blobs)
            try:
                for index in range(passes):
                    batch = self.feeds[number].next(index)
                    with self.precision():
                        outputs = self.first_test(number, batch) if index == 0 else net.forward(batch)
                    answers.add(partial(_values_of, net))
                    loss = loss + net.loss
                    for name, top in outputs.items():
                        values = top.sum() / max(1, top.numel())
                        totals[name] = totals[name] + values if name in totals else values
            except LabelOutside as error:
                self.emit(Note(f'the TEST net ends at "{error.layer}", where Caffe reads beside: {error.message}'))
                continue
            except LayerError as error:
                self.emit(Refused(number, error.layer, error.message, "run"))
                continue
            if passes:
                means = {name: float(total) / passes for name, total in totals.items()}
                same = self.feeds[number].holds_the_same_as(self.feeds[0])
                seconds = time.perf_counter() - started
                self.emit(Tested(number, passes, float(loss) / passes, means, same, seconds))
                self.tell_answers(answers)

    def tell_answers(self, answers: Any) -> None:
        for kind, fields in answers.events():
            self.emit(KINDS[kind](**fields))

    def first_test(self, number: int, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        search = Search(self.nets[number])
        outputs = search.run_forward(batch)
        if search.found is not None:
            raise self.broken(search.found, 0.0, net=number)
        return outputs


def _values_of(net: TorchNet, name: str) -> Any:
    return net.blob(name).numpy(force=True)


def announce(net: TorchNet, tell: Callable[[str], None]) -> None:
    """Report each layer of a net before it runs."""

    def wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def traced(*arguments: Any) -> Any:
            tell(name)
            return function(*arguments)

        return traced

    for layer in net.layers:
        method = "read" if layer.takes_input else "forward"
        setattr(layer, method, wrapped(layer.name, getattr(layer, method)))
