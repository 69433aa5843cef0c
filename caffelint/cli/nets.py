"""Which nets `caffelint summary` shows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.states import SolverNet
    from caffelint.lint.discover import NamedNet
    from caffelint.lint.report import Failure
    from caffelint.lint.summary import Summary


_MOST_SHOWN, _LEAST_SHOWN = 100, 10
_MOST_TEXT = 1 << 20
"""How many nets of a solver are shown: bytes of text, as often as they are built, beyond the first few nets."""


class Shown(NamedTuple):
    """A net to show: its file and, if it is a solver's, the file of the solver and what the solver builds from it."""

    file: str
    solver: str = ""
    build: SolverNet | None = None


def net_of(file: str, roots: Sequence[str]) -> str:
    """The one net that a solver trains, told of on stderr; else the file itself."""
    from caffelint.cli.tell import tell
    from caffelint.lint.discover import named_nets, relative
    from caffelint.lint.role import names_a_net

    if not os.path.isfile(file) or not names_a_net(file):
        return file
    found = {net.path for net in named_nets(file, roots) if net.field != "test_net"}
    path, *others = found or {None}
    if path is None or others:
        return file
    tell(f"{file}: a solver; its net is {relative(path)}")
    return relative(path)


def nets(file: str, named: bool, roots: Sequence[str], failed: list[Failure]) -> Iterator[Shown]:
    """The nets of a solver if the solver was named, else the file itself; missing nets go to `failed`."""
    from caffelint.lint.discover import named_nets
    from caffelint.lint.read import ReadError, read
    from caffelint.lint.role import names_a_net

    try:
        inside = named and b"net_param" in read(file)
    except ReadError:
        inside = False
    found = named_nets(file, roots) if named and names_a_net(file) else []
    if found or inside:
        yield from _of_solver(file, found, failed)
    if not found and not inside:
        yield Shown(file)


def _of_solver(file: str, found: Sequence[NamedNet], failed: list[Failure]) -> Iterator[Shown]:
    """The nets that it builds, each once in each state."""
    from caffelint.caffe.states import solver_nets
    from caffelint.lint.file import load
    from caffelint.lint.reach import OUTSIDE
    from caffelint.lint.read import read
    from caffelint.lint.report import Failure
    from caffelint.schema.messages import NetParameter

    solver = load(read(file), file).solver
    if solver is None:
        yield Shown(file)
        return
    missing = (net for net in found if net.path is None)
    failed += (
        Failure(file, f'{net.field} "{net.name}" {OUTSIDE if net.outside else "does not exist"}') for net in missing
    )
    paths = {(net.field, net.position): net.path for net in found}
    text, shown, builds = 0, 0, solver_nets(solver.message)
    inside = sum(build.field.endswith("_param") for build in builds)
    seen = set()
    for build in builds:
        is_inside = build.field.endswith("_param")
        path = file if is_inside else paths.get((build.field, build.position))
        key = (path, is_inside and build, build.test is None, build.state(solver.message, NetParameter()))
        if path is None or key in seen:
            continue
        seen.add(key)
        text += os.path.getsize(path) // (inside if is_inside else 1)
        if shown == _MOST_SHOWN or (text > _MOST_TEXT and shown >= _LEAST_SHOWN):
            failed.append(Failure(file, f"builds {len(builds)} nets, of which {shown} are shown"))
            return
        shown += 1
        yield Shown(path, file, build)


def as_meant(found: list[Summary], data: bytes) -> list[Summary]:
    """The summaries without the phase that Caffe refuses, if the net is made for the other one; a note says so."""
    from caffelint.lint.summary import only_phase

    refused = [summary for summary in found if summary.loads is False]
    if len(refused) != 1 or len(found) == 1:
        return found
    meant = only_phase(data, found[0].file)
    if meant is None or meant == refused[0].phase:
        return found
    note = f"this net is for {meant} only: it has no layers for {refused[0].phase}, and Caffe refuses it there"
    return [one._replace(notes=(note, *one.notes)) for one in found if one.phase == meant]
