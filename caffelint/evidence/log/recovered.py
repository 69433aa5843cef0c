"""The solver and the nets that a log holds, because Caffe prints them whole before it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import caffelint
from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.learning_rate import Schedule, schedule
from caffelint.caffe.place import Place
from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import Shape
from caffelint.caffe.solver import Solver
from caffelint.evidence.log.values import Line, Logged, Text
from caffelint.lint.config import Config
from caffelint.lint.discover import resolve
from caffelint.lint.file import File, load
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Report, ReportedFinding
from caffelint.text.writing import temporary_folder

_NETS = re.compile(rb'^(?:net|train_net|test_net): "[^"\n]*"\n', re.M)
_STATE = re.compile(rb"^(state \{\n) *phase: T\w+ *\n", re.M)
"""What Caffe adds to a net that it prints; a net that says so itself is one of a single phase."""
_OF_HERE_RULES = (
    "net-file-not-found",
    "source-not-found",
    "snapshot-prefix-unusable",
    "source-is-mean-file",
    "python-class-not-found",
    "python-module-is-path",
    "needs-gpu",
    "prefetch-zero",
    "legacy-format",
)
"""What depends on the machine, or on how the text was written before Caffe printed it."""
_TRAIN, _TEST = "TRAIN", "TEST"


class Recovered:
    """What the texts of one run hold. solver, train, tests: None or empty where the log does not hold them whole.

    file: the solver that was run, as the user says; it and its net count where the log holds none.
    shapes: of the tops of the layers that make data, as Caffe printed them.
    """

    def __init__(self, run: Logged, file: File | None = None):
        solver = run.text("solver")
        self.solver_text = solver if solver and solver.whole else None
        self.solver_file = load(solver.data, kind="solver") if self.solver_text and solver else None
        nets = [(text, load(text.data, kind="net")) for text in run.texts if text.kind == "net" and text.whole]
        self.train: tuple[Text, File] | None = None
        self.tests: list[tuple[Text, File]] = []
        for text, file in nets:
            if file.net is None:
                continue
            if phase_of(file) == _TEST:
                self.tests.append((text, file))
            elif self.train is None:
                self.train = text, file
        self.is_of_file = file is not None and not run.texts
        if self.is_of_file and file is not None:
            self.solver_file = file
        self._net = self.train[1] if self.train is not None else net_file(file) if file and self.is_of_file else None
        self._built: BuiltNet | None = None
        self.shapes = _shapes(self.train[1], run.shapes) if self.train is not None else {}

    @property
    def solver(self) -> Solver | None:
        return self.solver_file.solver if self.solver_file else None

    @property
    def schedule(self) -> Schedule | None:
        """None where the log holds no solver, or one of a policy that is not known."""
        if self.solver is None:
            return None
        found = schedule(self.solver.message)
        return None if found.problem else found

    @property
    def built(self) -> BuiltNet | None:
        """The training net as Caffe built it; shapes that only the data gives are those that it printed."""
        net = self._net.net if self._net is not None else None
        if self._built is None and net is not None:
            self._built = build(net.message, _TRAIN, input_shapes=self.shapes, assume_inputs=True)
        return self._built

    @property
    def refusals(self) -> list[Refusal]:
        """What Caffe refuses of the training net and of the test nets."""
        found = list(self.built.refusals) if self.built else []
        for _, file in self.tests:
            if file.net is not None:
                found += build(file.net.message, _TEST, assume_inputs=True).refusals
        return found

    def line_of(self, layer: str, *path: str | int) -> Line | None:
        """The line of the log with a field of a layer of the training net; without a path, where the layer begins."""
        if self.train is None or self.train[1].net is None:
            return None
        text, file = self.train
        for one in file.net.layers if file.net else ():
            if one.name == layer:
                return line_in(text, one.at(*path))
        return None

    def solver_line(self, field: str) -> Line | None:
        """The line of the log with a field of the solver."""
        if self.solver is None or self.solver_text is None:
            return None
        return line_in(self.solver_text, self.solver.at(field))


def net_file(file: File) -> File | None:
    """The training net that the solver names, as a check of the solver finds it."""
    solver = file.solver
    name = (solver.message.train_net or solver.message.net) if solver else ""
    path, _, _ = resolve(name, file.path)
    try:
        return load(read(path), path, kind="net") if path else None
    except ReadError:
        return None


def line_in(text: Text, place: Place) -> Line:
    """The line of the log with a place of a text that it holds."""
    source = place.document.source
    number = source.position(place.start).line
    return Line(text.line + number - 1, source.line(number))


def _shapes(file: File, printed: Mapping[str, Sequence[Shape]]) -> dict[str, Shape]:
    """The shapes of the tops of the layers that make data, by name."""
    found: dict[str, Shape] = {}
    for layer in file.net.layers if file.net else ():
        if not layer.message.bottom:
            found |= dict(zip(layer.message.top, printed.get(layer.name, ()), strict=False))
    return found


def phase_of(file: File) -> str:
    """TRAIN or TEST, as Caffe writes it into the state of a net that it prints; TRAIN where it does not."""
    state: Any = file.net.message.state if file.net else None
    return _TEST if state is not None and state.HasField("phase") and state.phase == 1 else _TRAIN


class _Part(NamedTuple):
    text: Text
    cut: int


def check(recovered: Recovered, path: str, config: Config) -> Report:
    """What `caffelint check` says of the texts, with the lines of the log at `path`. Nothing of them is run.

    They are a repository of their own, so that nothing beside it counts, and no file that they name is opened.
    """
    texts = _files(recovered)
    if not texts:
        return Report()
    config = copy(config)
    config.roots, config.read_data, config.baseline = [], False, None
    config.input_shape = {
        top: "x".join(map(str, shape)) for top, shape in recovered.shapes.items()
    } | config.input_shape
    with temporary_folder("caffelint-log-") as folder:
        Path(folder, ".git").mkdir()
        for name, (_, data) in texts.items():
            Path(folder, name).write_bytes(data)
        first = "solver.prototxt" if "solver.prototxt" in texts else next(iter(texts))
        report = caffelint.check([str(Path(folder, first))], config)
        there = os.path.join(folder, "")
    found = tuple(
        one._replace(message=one.message.replace(there, ""), evidence=one.evidence.replace(there, ""))
        for finding in report.findings
        if (one := _in_log(finding, path, {k: v[0] for k, v in texts.items()}))
    )
    return report._replace(findings=found, failures=(), lookalikes=(), caffes=())


def _files(recovered: Recovered) -> dict[str, tuple[Text, bytes]]:
    """The files of a project, by name: the solver's one line that names the net names those that were printed."""
    nets: list[tuple[str, str, Text]] = []
    if recovered.train is not None:
        nets.append(("train_net", "train.prototxt", recovered.train[0]))
    solver = recovered.solver_text
    tests = len(recovered.solver.message.test_iter) if recovered.solver else 0
    for number, (text, _) in enumerate(recovered.tests[:tests]):
        nets.append(("test_net", f"test{number}.prototxt", text))
    files = {name: (text, _STATE.sub(rb"\1\n", text.data, 1)) for _, name, text in nets}
    if solver is None or recovered.train is None:
        return files
    named = "".join(f'{field}: "{name}" ' for field, name, _ in nets).encode()
    data, count = _NETS.subn(b"", solver.data)
    if len(recovered.tests) != tests or count != 1 or b"net_param" in data:
        return files
    data = _NETS.sub(named + b"\n", solver.data)
    return {"solver.prototxt": (solver, data)} | files


def _in_log(finding: ReportedFinding, path: str, texts: Mapping[str, Text]) -> ReportedFinding | None:
    if finding.name in _OF_HERE_RULES:
        return None
    names: Sequence[str] = [name for name in texts if Path(finding.file).name == name]
    if not names:
        return None
    shift = texts[names[0]].line - 1
    line, end = finding.line, finding.end_line
    related = tuple(
        one._replace(file=path, line=one.line + texts[Path(one.file).name].line - 1)
        for one in finding.related
        if Path(one.file).name in texts
    )
    return finding._replace(
        file=path,
        line=line + shift if line else None,
        end_line=end + shift if end else None,
        related=related,
        fixes=(),
    )
