"""Weights that nothing loads, in a file beside the solver or the net, of layers that are frozen as if they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.run import Run

_SUFFIXES = (".caffemodel", ".caffemodel.h5")
_MOST_ENTRIES, _MOST_FILES, _MOST_TRIED = 1000, 20, 2
_SCORE = 6.0
"""Frozen layers, and a file that holds weights of all of them, are no chance."""


def weights_beside(run: Run) -> Iterator[Hypothesis]:
    """Files that hold weights of all layers that are frozen at what their fillers drew. field: `beside`."""
    frozen = [layer for layer in run.built[0].layers if _is_frozen(layer)]
    if run.loaded or run.customs.hands_over or not frozen:
        return
    able = islice((path for path in _files(run) if _holds(path, frozen)), _MOST_TRIED)
    changes = tuple(Change(f'--weights "{os.path.relpath(path)}"', (), weights=path) for path in able)
    if changes:
        place = run.place(frozen[0].name, 0, "param", 0, "lr_mult")
        yield Hypothesis("weights", place, _SCORE, changes, "beside", tuple(frozen))


def _is_frozen(layer: BuiltLayer) -> bool:
    return bool(layer.has_weights and layer.fillers and layer.params) and not any(
        param.lr_mult for param in layer.params or ()
    )


def _files(run: Run) -> Iterator[str]:
    paths = dict.fromkeys(
        os.path.dirname(os.path.abspath(one)) for one in (run.solver.path, *(net.path for net in run.nets))
    )
    found = []
    for folder in paths:
        try:
            with os.scandir(folder) as entries:
                found += sorted(
                    entry.path for entry in islice(entries, _MOST_ENTRIES) if entry.name.endswith(_SUFFIXES)
                )
        except OSError:
            continue
    return islice(found, _MOST_FILES)


def _holds(path: str, layers: list[BuiltLayer]) -> bool:
    """Does a file hold weights of the same size for each of these layers?"""
    try:
        stored = {layer.name: layer.blobs for layer in read_weights(path).layers}
    except (Unreadable, OSError):
        return False
    for layer in layers:
        shape = layer.params[0].shape if layer.params else None
        blob = stored.get(layer.name, {}).get(0)
        if shape is None or blob is None or _bare(blob.shape) != _bare(shape):
            return False
    return True


def _bare(shape: tuple[int, ...]) -> list[int]:
    """Without the axes of one item that files of older Caffes begin with."""
    first = next((at for at, side in enumerate(shape) if side != 1), len(shape))
    return [*shape[first:]]
