"""A net that cannot give the answers that its loss asks for, or cannot by chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.values import UNKNOWN, Values
from caffelint.lint.edits import write
from caffelint.smoke.diagnosis.change import Change, of_layer, written_layer
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.losses import read_at_first
from caffelint.smoke.diagnosis.trouble import DIES, STOPS, Trouble
from caffelint.smoke.events import BLOB, DATA
from caffelint.smoke.run import Run
from caffelint.text.layout import take_out

_SEED = 12345
_LAST = -5.0
_MOST_DROPPED = 0.9
_RARE, _OPEN = 0.1, 1.0
_OUTSIDE = 0.2
"""Of the range of the targets."""
_NORMAL = Values(-5.0, 5.0)
"""What values with a mean of 0 and a variance of 1 hardly leave."""


def bounded_outputs(run: Run) -> Iterator[Hypothesis]:
    """An activation or a normalisation right before a distance, which cannot give a good part of the targets.

    field: `bounded`. layers: that layer and the loss. value, figure: least and greatest target.
    """
    for loss in run.loss_layers:
        if not loss.is_distance or len(loss.bottoms) != 2:
            continue
        last, target = loss.bottoms[0].maker, loss.bottoms[1].original
        if last is None or not (last.is_activation or last.normalises) or target.producer is None:
            continue
        found = run.statistics(-1, target.producer.name, BLOB, target.name, DATA)
        if found is None or not found.max > found.min:
            continue
        low, high, *_ = last.values([UNKNOWN] * len(last.bottoms))[0] if last.is_activation else _NORMAL
        outside = max(low - found.min, found.max - high) / (found.max - found.min)
        if math.isfinite(outside) and outside > _OUTSIDE:
            place = run.place(last.name)
            score = STRONG + min(outside, 1)
            yield Hypothesis(
                "layer", place, score, _left_out(run, last, loss), "bounded", (last, loss), found.min, found.max
            )


def rectified_scores(run: Run) -> Iterator[Hypothesis]:
    """An activation right before a loss of classes, which lets no score fall below 0.

    field: `rectified`. layers: the activation and the loss.
    """
    for loss in run.loss_layers:
        if len(loss.bottoms) < 2 or not loss.reads_classes(1):
            continue
        last = loss.bottoms[0].maker
        if last is not None and last.rectifies:
            place = run.place(last.name)
            yield Hypothesis("layer", place, STRONG, _left_out(run, last, loss), "rectified", (last, loss))


def _left_out(run: Run, layer: BuiltLayer, loss: BuiltLayer) -> tuple[Change, ...]:
    """The loss reads what the layer reads."""
    written, reads = written_layer(run, layer), written_layer(run, loss)
    if written is None or written.node is None or reads is None:
        return ()
    text = f'no {layer.type} "{layer.name}"'
    if layer.runs_in_place:
        document = run.nets[0].document
        gone = take_out(document, document.root, [written.node])
        return (Change(text, tuple((document.path, edit) for edit in gone), layer.name),)
    edits = write(reads, "bottom", 0, value=f'"{layer.message.bottom[0]}"')
    return (Change(text, edits, layer.name),) if edits else ()


def dropped(run: Run) -> Iterator[Hypothesis]:
    """A Dropout layer that leaves next to nothing. field: `dropped`. value: its ratio."""
    for layer in run.built[0].layers:
        ratio = layer.message.dropout_param.dropout_ratio if layer.type == "Dropout" and layer.message else 0.0
        if _MOST_DROPPED < ratio < 1:
            changes = of_layer(run, layer, "dropout_param", "dropout_ratio", value=0.5)
            place = run.place(layer.name, 0, "dropout_param", "dropout_ratio")
            yield Hypothesis("layer", place, -math.log10(1 - ratio) + 1, changes, "dropped", (layer,), ratio)


def dropped_answers(run: Run) -> Iterator[Hypothesis]:
    """A Dropout right before a loss, which sets some of the answers themselves to 0.

    field: `answers`. layers: the Dropout and the loss. value: its ratio.
    """
    for loss in run.loss_layers:
        last = loss.bottoms[0].maker if loss.bottoms else None
        if last is not None and last.type == "Dropout" and last.need_backward:
            ratio = last.message.dropout_param.dropout_ratio
            changes = _left_out(run, last, loss)
            yield Hypothesis("layer", run.place(last.name), STRONG, changes, "answers", (last, loss), ratio)


def by_chance(run: Run, was: Trouble) -> Iterator[Hypothesis]:
    """Units that die in the run may live with other first weights and batches."""
    if was.kind in (STOPS, DIES) and was.iteration > 0:
        change = Change("another random_seed", (), seed=_SEED)
        yield Hypothesis("start", run.solver.at("base_lr"), _LAST, (change,), "seed")


def rare_targets(run: Run) -> Iterator[Hypothesis]:
    """A sigmoid before a distance that gives a half at first, where the targets are 0 nearly everywhere, or 1: the many
    pull it to their side until it is shut, before it has learned where the few are. field: `prior`; value: their mean.
    """
    for loss in run.loss_layers:
        if not loss.is_distance or len(loss.bottoms) < 2:
            continue
        sigmoid, targets = loss.bottoms[0].producer, read_at_first(run, loss, 1)
        if sigmoid is None or sigmoid.type != "Sigmoid" or targets is None or targets.min < 0 or targets.max > 1:
            continue
        rare, maker = min(targets.mean, 1 - targets.mean), sigmoid.bottoms[0].maker
        starts = read_at_first(run, sigmoid, 0)
        if not 0 < rare < min(_RARE, targets.std) or starts is None or abs(starts.mean) > _OPEN or maker is None:
            continue
        changes = _left_out(run, sigmoid, loss)
        if "bias_filler" in maker.fillers:
            start = f"{math.log(targets.mean / (1 - targets.mean)):.2g}"
            text = f'{{ type: "constant" value: {start} }}'
            changes += of_layer(run, maker, maker.block, "bias_filler", value=text)
        place = run.place(maker.name)
        yield Hypothesis("fillers", place, STRONG, changes, "prior", (maker, loss), targets.mean)
