from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, python_classes, title
from caffelint.smoke.rule import BLOB, DATA, BuiltLayer, Run, SmokeRule, Statistics

from ._evidence import worded
from ._example import CALM, NET, losses, project

_LEAST = 3
_OWN = NET.replace(
    'type: "DummyData" top: "data" top: "label"\n  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }',
    'type: "Python" top: "data" top: "label" python_param { module: "batches" layer: "Batches" } }',
)


def _batch(iteration: int, mean: float) -> list[Statistics]:
    return [
        Statistics(iteration, "data", BLOB, "data", DATA, 0, 1, mean, 0.2, 0),
        Statistics(iteration, "data", BLOB, "label", DATA, 0, 9, 4.5, 3, 0.1),
    ]


class SameBatch(SmokeRule):
    """A Python layer that brings the data gives the same values in each iteration.

    ## Why is this bad?
    The net sees a single batch, and learns it by heart: the loss falls to 0, and TEST stays poor. Mostly the layer does
    not count on to its next records, or starts again at each forward pass.

    ## Known problems
    A batch that holds all records, on purpose, is reported like any other. Nets that have other data as well are not
    judged.

    ## References
    - pycaffe, python_layer.hpp: setup runs once, reshape and forward in each iteration
    """

    code = "X125"
    name = "same-batch"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), *_batch(-1, 0.4), *_batch(0, 0.5), *_batch(5, 0.4), net=_OWN),
        project(*losses(*CALM), *_batch(-1, 0.4), *_batch(0, 0.4), net=_OWN),
        project(*losses(*CALM), *_batch(-1, 0.4), *_batch(0, 0.4), *_batch(5, 0.4)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), *_batch(-1, 0.4), *_batch(0, 0.4), *_batch(5, 0.4), net=_OWN),
            span="layer",
            message='Python "data" (batches.Batches) gives the same batch in each iteration: the net learns only that'
            " one; make its forward go on to the next records",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        sources = [layer for layer in run.built[0].layers if not layer.bottoms]
        if run.synthetic or not sources or not all(_same(run, layer) for layer in sources):
            return
        layer = sources[0]
        p = layer.message.python_param
        what = f"{title(layer)} ({p.module}.{p.layer}) gives the same batch in each iteration"
        why = f"the net learns only that one; {_remedy(run, layer)}"
        yield worded(self, run.place(layer.name), Cause("python-layer", what, why, LIKELY))


def _remedy(run: Run, layer: BuiltLayer) -> str:
    """What to change: the place where reshape undoes what forward has done, if there is one."""
    net = run.nets[0]
    for python in python_classes(net.layers[layer.index]) if layer.index is not None else ():
        if python.set_back is not None:
            name, line = python.set_back
            where = f"{python.module.file}:{line}"
            return f"its reshape, which Caffe calls before each forward, sets {name} back ({where}); do that in setup"
    return "make its forward go on to the next records"


def _same(run: Run, layer: BuiltLayer) -> bool:
    """Is it a Python layer all of whose values were the same each time that they were measured?"""
    if layer.type != "Python" or layer.message is None:
        return False
    for top in layer.tops:
        seen = [one._replace(iteration=0) for one in run.values_of(top.name) if one.layer == layer.name]
        if len(seen) < _LEAST or len(set(seen)) > 1:
            return False
    return True
