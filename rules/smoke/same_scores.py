from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, ERROR, LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import (
    BLOB,
    DATA,
    BuiltLayer,
    Run,
    SmokeRule,
    Statistics,
    dead_layers,
    is_zero,
    matrix,
    same_scores,
    weightless,
    weights,
)

from ._cause import small_start
from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._no_gradient import no_weights
from ._numbers import extent

_SHOWN = 6
_CUT = NET.replace('bottom: "fc" top: "log"', 'bottom: "mean" top: "log"').replace(
    'layer { name: "log" type: "Log"',
    'layer { name: "mean" type: "DummyData" top: "mean" dummy_data_param { shape { dim: 8 dim: 4 } } }\n'
    'layer { name: "log" type: "InnerProduct" inner_product_param { num_output: 10 }',
)
_FED = NET.replace('type: "DummyData"', 'type: "Python" python_param { module: "m" layer: "Feed" }').replace(
    "dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }", "}"
)
_FED = _FED.replace(
    'type: "Log" bottom: "fc"', 'type: "InnerProduct" inner_product_param { num_output: 10 } bottom: "data"'
)
_READ = _FED.replace(
    'type: "Python" python_param { module: "m" layer: "Feed" }', 'type: "Data" data_param { source: "d" }'
)


def _blobs(at: int, **same: bool) -> list[Statistics]:
    return [Statistics(at, name, BLOB, name, DATA, 0, 1, 0.5, 0.3, 0, same=value) for name, value in same.items()]


class SameScores(SmokeRule):
    """The scores that a loss reads are the same for every item of a batch.

    ## Why is this bad?
    The net then gives one answer to any input, and the most that it can learn is how often each label occurs: the loss
    falls a little, and stays. Either no path leads from the data to the loss, as where a layer reads a constant
    instead, or a layer on the path makes the same of everything.

    ## Known problems
    Recurrent nets, whose first axis is time, and batches of one item are not judged.

    ## References
    - net.cpp, ForwardFromTo; run on Caffe 1.0
    """

    code = "X121"
    name = "same-scores"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), *_blobs(-1, data=False, fc=False, log=True), *_blobs(5, log=False)),
        project(*losses(*CALM), *_blobs(-1, log=False), *_blobs(5, log=True)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), *_blobs(-1, mean=True, log=True), *_blobs(5, mean=True, log=True), net=_CUT),
            span='bottom: "mean"',
            message='the scores of SoftmaxWithLoss "loss", "log", are the same for every item, so the net learns'
            ' nothing from its input: InnerProduct "log" reads only DummyData "mean", which is the same for all',
        ),
        Invalid(
            project(*losses(*CALM), *_blobs(-1, data=True, log=True), *_blobs(5, data=True, log=True), net=_READ),
            span='bottom: "data"',
            message='the scores of SoftmaxWithLoss "loss", "log", are the same for every item, so the net learns'
            ' nothing from its input: InnerProduct "log" reads only Data "data", which is the same for all',
        ),
        Invalid(
            project(*losses(*CALM), *_blobs(-1, relu=False, log=True), *_blobs(5, relu=False, log=True)),
            span="layer",
            message='the scores of SoftmaxWithLoss "loss", "log", are the same for every item, so the net learns'
            ' nothing from its input: Log "log" makes the same of all that it reads',
        ),
        Invalid(
            project(
                *losses(*CALM),
                Statistics(-1, "data", BLOB, "label", DATA, 0, 9, 4, 3, 0),
                *_blobs(-1, data=True, log=True),
                *_blobs(5, data=True, log=True),
                net=_FED,
            ),
            span="layer",
            message='the scores of SoftmaxWithLoss "loss", "log", are the same for every item, so the net learns'
            ' nothing from its input: all items of a batch that Python "data" (m.Feed) brings are equal in "data", but'
            " not in what else it brings",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if not run.finite or len(run.iterations) < 2 or dead_layers(run):
            return
        yield from _of_matrix(self, run)
        found = same_scores(run)
        learning = list(weights(run))
        if found is None or (learning and all(is_zero(one.gradient) for one in learning)):
            return
        scores = found.loss.bottoms[0].original.name
        what = f'the scores of {title(found.loss)}, "{scores}", are the same for every item'
        what += ", so the net learns nothing from its input"
        if found.ends.bottoms:
            place = run.place(found.ends.name)
            why = f"{title(found.ends)} makes the same of all that it reads{_read(run, found.ends)}"
            cause, small = Cause("layer", what, why, known=run.known([found.ends.name])), small_start(run)
            if weightless(run, found.ends):
                cause, small = Cause("fillers", what, no_weights(run, found.ends)), None
            yield worded(self, place, cause if small is None else small._replace(what=what))
            return
        if found.ends.type == "Python" and _differ(run, found.ends):
            param = found.ends.message.python_param
            own, brought = f"{title(found.ends)} ({param.module}.{param.layer})", found.reads.bottoms[0].original.name
            why = f'all items of a batch that {own} brings are equal in "{brought}", but not in what else it brings'
            remedy = "its forward may put one and the same array into the batch, again and again: append a copy"
            known = run.known(rules=("python-appends-one-array", "python-changes-its-data"))
            yield worded(self, run.place(found.ends.name), Cause("python-layer", what, why, known=known), remedy)
            return
        bottom = next(at for at, blob in enumerate(found.reads.bottoms) if blob.maker is found.ends)
        place = run.place(found.reads.name, 0, "bottom", bottom)
        why = f"{title(found.reads)} reads only {title(found.ends)}, which is the same for all"
        remedy = f"let {title(found.reads)} read a blob that depends on the data"
        known = run.known([found.reads.name])
        if found.ends.data_source:
            remedy = "look at a few records as the net reads them, and at what makes them"
            known = run.known([found.reads.name, found.ends.name], ("record-constant",))
        yield worded(self, place, Cause("layer", what, why, known=known), remedy)


def _of_matrix(rule: SmokeRule, run: Run) -> Iterator[Finding]:
    """An H with which one answer costs nothing, whatever the label is: the loss falls to 0 and shows nothing."""
    for layer in run.loss_layers:
        found = matrix(layer)
        if found is None or found.broken:
            continue
        empty = [row for row, values in enumerate(found.rows) if not any(values)]
        place = run.place(layer.name, 0, "infogain_loss_param", "source")
        if (answer := found.answer) is None:
            if len(empty) > 1:  # one alone may be a class that is left out on purpose
                what = f'{title(layer)}: in "{found.source}", its H, the rows of {_counted(empty)} are all 0, so labels'
                what += " of these give no gradient and the net never learns them"
                remedy = (
                    "give each class its weight, also where it is far below 1; a division of integers makes 0 of it"
                )
                yield worded(rule, place, Cause("loss", what, ""), remedy, severity=WARNING, certainty=LIKELY)
            continue
        what = f'{title(layer)}: in "{found.source}", its H, only column {answer} is not 0, so always to answer class'
        what += f" {answer} costs nothing"
        why = f"labels of {_counted(empty)} give no gradient" if empty else "no label gives any other gradient"
        remedy = "write H again, with 1, or a weight of the class, on its whole diagonal"
        yield worded(rule, place, Cause("loss", what, why), remedy, severity=ERROR, certainty=CERTAIN)


def _differ(run: Run, layer: BuiltLayer) -> bool:
    """Are the items of any of its tops not all equal?"""
    found = [run.statistics(-1, layer.name, BLOB, top.name, DATA) for top in layer.tops]
    return any(one is not None and not one.same for one in found)


def _counted(rows: list[int]) -> str:
    shown = f"{', '.join(map(str, rows[:_SHOWN]))}{', ...' if len(rows) > _SHOWN else ''}"
    return f"class{'es' if len(rows) > 1 else ''} {shown}"


def _read(run: Run, layer: BuiltLayer) -> str:
    """What its first bottom held."""
    blob = layer.bottoms[0].original
    found = run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA) if blob.producer is not None else None
    return f', "{blob.name}", which is {extent(found.min, found.max)}' if found is not None else ""
