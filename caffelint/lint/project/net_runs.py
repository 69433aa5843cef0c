"""Which nets the scripts of a project may tell something of."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from caffelint.lint.discover import NamedNet
from caffelint.lint.project.border import top_of
from caffelint.project.mentions import NetRuns, Stopped
from caffelint.text.patterns import compiled_later

_LAYERS = compiled_later(rb"^[ \t]*layers?\b", re.MULTILINE)
_READS = b'Data"'
"""How the type of a layer that reads records ends."""
_JUDGES = b'"Accuracy"'
_HDF5 = b"HDF5"


def is_solver_alone(data: bytes) -> bool:
    """May a text be a solver's, and not that of a net?"""
    return b"base_lr" in data and not _LAYERS.search(data)


def runs_by_net(contents: Mapping[str, bytes], nets: Sequence[tuple[str, Sequence[NamedNet]]]) -> Mapping[str, NetRuns]:
    """What the scripts of the project tell of each of these nets, if a rule may ask or no solver names it."""
    solved = {net.path for _, named in nets for net in named}
    found: dict[str, NetRuns] = {}
    for path, data in contents.items():
        may_be_trained = b"TRAIN" in data or b"oss" in data
        asks = path not in solved or b"use_global_stats" in data
        # Where it reads records or judges, scripts may fill its blobs in vain, or judge by the training net.
        is_filled = path in solved and (_READS in data or _JUDGES in data)
        reads = may_be_trained and (b"Data" in data or b"DATA" in data)
        if not _LAYERS.search(data):
            continue
        folder, name = os.path.split(os.path.abspath(path))
        top = top_of(folder)
        stopped = _stopped_in(top).get(os.path.join(folder, name), ()) if top else ()
        if top and (asks or is_filled or reads or stopped):
            from caffelint.lint.project.conversions import made_in
            from caffelint.lint.project.datasets import datasets_in
            from caffelint.lint.project.misnamed import misnamed_in
            from caffelint.lint.project.scripts import runs_of_net, runs_of_solved

            told = NetRuns()
            if asks:
                told = runs_of_net(top, folder, name, path in solved)
            elif is_filled:
                told = runs_of_solved(top, folder, name)
            named = (one for one in made_in(top) if one.base.rpartition("/")[2].encode() in data) if reads else ()
            makers = {one.place.path for one in named}
            made = tuple(one for one in made_in(top) if one.place.path in makers) if makers else ()
            written = datasets_in(top) if may_be_trained and _HDF5 in data else ()
            misnamed = misnamed_in(top).get(os.path.join(folder, name), ())
            if asks or made or written or misnamed or stopped or told.supplied or told.judged:
                found[path] = told._replace(made=made, datasets=written, misnamed=misnamed, stopped=stopped)
    return found


def _stopped_in(top: str) -> Mapping[str, tuple[Stopped, ...]]:
    from caffelint.lint.project.stopped import stopped_in  # to read scripts takes time at the start

    return stopped_in(top)
