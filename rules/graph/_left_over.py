"""What a deploy net keeps of the training net that it was copied from."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import (
    UNSAFE,
    Fix,
    Layer,
    Net,
    Refused,
    file_name,
    fix,
    is_called_deploy,
    quoted,
    title,
    titles,
    write,
)

_LABELS = 1
"""The bottom of a loss and of an Accuracy that holds what the scores are compared with."""


def is_to_deploy(net: Net) -> bool:
    """Is the net there to be run, as its name says? No solver names it."""
    name = file_name(net.path).lower()
    return is_called_deploy(name) and "train" not in name and not net.solvers


def only_takes_weights(net: Net) -> bool:
    """Is the net run with the weights of another one, and gives none? One with a loss may train as deploy, too."""
    if net.role == "deploy" or not net.is_only_tested:
        return net.role == "deploy"
    return not (is_called_deploy(file_name(net.path)) and any(layer.kind.looks_like_a_loss for layer in net.layers))


def compares_without_labels(refused: Refused) -> bool:
    """Are these what training compares with labels, in a net that is there to be run and so has none?

    Besides losses and Accuracies, a layer of another Caffe may be one, and a layer may have labels that it never takes.
    """
    net, layers = refused.net, refused.layers
    if not layers or not is_to_deploy(net) or all(map(_is_given_too_much, layers)):
        return False
    wrong = refused.refusal.values.get("blob", "")
    if not all(_compares(layer, wrong) or wrong and _is_given_too_much(layer) for layer in layers):
        return False
    return all(wrong in layer.bottoms[_LABELS:] if wrong else len(layer.bottoms) == _LABELS for layer in layers)


def _compares(layer: Layer, labels: str) -> bool:
    """A layer that BVLC's Caffe lacks is one if it reads a blob that is called labels."""
    is_others = not layer.kind.known or bool(layer.kind.fork)
    return layer.kind.plain_form is not None or is_others and "label" in labels.lower()


def _is_given_too_much(layer: Layer) -> bool:
    """A layer that takes one bottom and is given more, as a Softmax that was a loss is given the labels."""
    return layer.kind.bottom_counts.most == _LABELS < len(layer.bottoms)


def remedy(layers: Sequence[Layer]) -> str:
    """What to do with such layers."""
    kept = [layer for layer in layers if _is_given_too_much(layer)]
    layers = [layer for layer in layers if layer not in kept]
    losses = [layer for layer in layers if layer.kind.plain_form]
    if kept:
        labels = f"bottom {quoted(kept[0].bottoms[_LABELS])} of {titles(kept)}"
        return f"a deploy net has no labels, so remove {titles(layers)} and {labels}"
    if losses and (answer := _answer(losses[-1])):
        them = "it" if len(layers) == 1 else "them"
        return f"a deploy net has no labels, so remove {them}; {title(answer)} gives the answer"
    if len(layers) == 1 and losses:
        labels = f" and remove bottom {quoted(layers[0].bottoms[_LABELS])}" if len(layers[0].bottoms) > _LABELS else ""
        return f"a deploy net has no labels, so write type: {_plain(losses[0])}{labels}"
    them = "it" if len(layers) == 1 else "them"
    last = f" and put a {losses[-1].kind.plain_form} in place of the last loss" if losses else ""
    return f"a deploy net has no labels, so remove {them}{last}"


def plain_ending(layers: Sequence[Layer]) -> tuple[Fix, ...]:
    """A loss of scores alone becomes what makes the answer of these."""
    form = _plain(layers[0])
    if len(layers) > 1 or not layers[0].kind.plain_form or len(layers[0].bottoms) != _LABELS or _answer(layers[0]):
        return ()
    return fix(f"write type: {form}", UNSAFE, write(layers[0], "type", value=form))


def _answer(loss: Layer) -> Layer | None:
    """The layer that already makes the answer of the scores of a loss."""
    form, scores = loss.kind.plain_form, loss.bottoms[:_LABELS]
    return next((one for one in loss.net.layers if one.type == form and list(one.bottoms) == list(scores)), None)


def _plain(loss: Layer) -> str:
    """The type that makes the answer, as the text of that format has it."""
    form = loss.kind.plain_form or ""
    return form.upper() if loss.node is not None and loss.node.name == "layers" else quoted(form)


def left_over_data(refused: Refused) -> tuple[Layer, Layer] | None:
    """The data layer of training in a net that is there to be run, and the first maker of its blob: it has an Input."""
    layer, blob = refused.layers[0], refused.refusal.values["blob"]
    if not is_to_deploy(refused.net) or layer.bottoms:
        return None
    above = (
        one for one in refused.net.layers[: layer.index] if not refused.phases or {*refused.phases} & {*one.phases}
    )
    makers = [one for one in (*above, layer) if blob in one.tops and not one.bottoms]
    data = [one for one in makers if one.type != "Input"]
    return (data[0], makers[0]) if len(makers) == 2 and len(data) == 1 else None


def hands_back_gradients(net: Net) -> bool:
    """Does a script run the net backward, or does its text ask for the gradients of its input?"""
    return net.message.force_backward or bool(net.runs and net.runs.backward)


def is_of_nets_for_tests(net: Net) -> bool:
    """Does a solver of a net beside it test one that is called so?"""
    solvers = (solver for other in net.siblings for solver in other.solvers)
    return any(is_called_deploy(name) for solver in solvers for name in solver.message.test_net)


def written_twice(refused: Refused) -> Layer | None:
    """The loss that a loss is another version of: of the same name and labels; a stray quote is a slip."""
    layer, blob = refused.layers[0], refused.refusal.values["blob"]
    if len(refused.layers) > 1 or not (layer.kind.looks_like_a_loss or "loss" in layer.type.lower()):
        return None
    for other in refused.net.layers[: layer.index]:
        same = other.bottoms[1:] == layer.bottoms[1:] and layer.bottoms[1:]
        if same and blob in other.tops and other.name.strip("\"'") == layer.name.strip("\"'"):
            return other
    return None
