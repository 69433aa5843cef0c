"""Who makes a blob, from the text alone: names within a phase, in the order in which the layers stand."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint import (
    TEST,
    UNSAFE,
    Fix,
    Layer,
    NamedTuple,
    Net,
    compiled_later,
    fix,
    python_classes,
    quoted,
    remove,
    rename_blob,
    source,
    title,
    write,
)

PLAIN_LABELS = ("label", "labels")
"""Blobs whose classes are those of the whole data set."""
_MOST_ALIKE = 64
"""Layers of a type up to which a top is renamed for all but them: each renaming looks at all."""
_FARTHEST = 500
"""Layers between the two up to which it is looked whether one makes either blob anew."""
_LONGEST_CHAIN = 50
_NUM_CLASSES = compiled_later(r"""\bnum_classes["']?\s*[:=]\s*(\d{1,9})(?!\d)""")


def keeps_classes(layer: Layer) -> bool:
    """Has its first top as many channels, or entries, as its first bottom? Reshape mostly."""
    return bool(layer.kind.hands_on or layer.kind.keeps_channels)


def keeps_axes(layer: Layer) -> bool:
    """Are its classes, besides, on the axis on which those of its bottom are? A Flatten may put places beside them."""
    return keeps_classes(layer) and not layer.kind.rearranges


def first_alike(maker: Layer, phase: str) -> Layer:
    """The first of a chain of layers of one type, not in place: what reads the last is to read what it reads."""
    for _ in range(_LONGEST_CHAIN):
        above = source(maker, 0, phase)
        if above is None or above.layer.type != maker.type or above.layer.in_place or not above.layer.bottoms:
            break
        maker = above.layer
    return maker


def read_before(layer: Layer, maker: Layer, phases: tuple[str, ...]) -> tuple[Fix, ...]:
    """The fix that lets a layer's first bottom be what the layer that makes it reads.

    The top of a layer that works in place is renamed, for all that read it but this one and others of its type; a
    ReLU that nothing else reads is removed.
    """
    if not maker.bottoms or layer.index - maker.index > _FARTHEST:
        return ()
    name, above = layer.bottoms[0], maker.bottoms[0]
    between = layer.net.layers[maker.index + 1 : layer.index]
    seen = [other for other in between if not set(phases).isdisjoint(other.phases)]
    if phases != layer.phases or name not in maker.tops or any({name, above} & set(other.tops) for other in seen):
        return ()
    if not maker.in_place:
        return fix(f"set bottom: {quoted(above)}", UNSAFE, write(layer, "bottom", 0, value=quoted(above)))
    if len(layer.net.by_type[layer.type]) > _MOST_ALIKE:
        return ()
    known = layer.net.once(_renamings)
    if (maker.index, name, layer.type) not in known:
        alike = [other.at("bottom") for other in layer.net.by_type[layer.type] if other.bottoms]
        kept = {at for bottom in alike for at in range(bottom.start, bottom.end)}
        edits = rename_blob(maker, name)
        edits = edits and tuple(pair for pair in edits if pair[1].start not in kept)
        what = f"rename the top {quoted(name)} of {title(maker)} to {edits[0][1].text}" if edits else ""
        what += f", so that the {layer.type} reads what is before it" if edits else ""
        if edits and len(edits) == 1 and maker.kind.rectifies and (gone := remove(maker)):
            what, edits = f"remove {title(maker)}", gone  # nobody wants to look at it, as at probabilities
        known[maker.index, name, layer.type] = fix(what, UNSAFE, edits)
    return known[maker.index, name, layer.type]


def _renamings(net: Net) -> dict[tuple[int, str, str], tuple[Fix, ...]]:
    """Of `read_before`, by the layer that works in place, its top and the type that is to read before it."""
    return {}


def class_count(layer: Layer) -> int:
    """`num_output` of a layer that makes scores; 0 if it makes none, or if it is not set."""
    return int(layer.kind.parameters.num_output) if layer.kind.shaped_by else 0


def scored_classes(layer: Layer) -> int:
    """How many classes the scores have that a layer reads in TEST; 0 where that is unknown."""
    scores = source(layer, 0, TEST, keeps_classes)
    return class_count(scores.layer) if scores else 0


def classes_in_param_str(layer: Layer) -> int:
    """`num_classes` in the param_str of a Python layer; 0 if it is missing, or if several differ.

    Where its class gives a top that width, it is the length of a vector, and labels beside that may be others.
    """
    if layer.type != "Python" or any(one.shapes_by("num_classes") for one in python_classes(layer)):
        return 0
    found = {int(number) for number in _NUM_CLASSES.findall(layer.message.python_param.param_str)}
    return found.pop() if len(found) == 1 else 0


class Scores(NamedTuple):
    """The index of the layer that makes them, and the number of the top."""

    layer: int
    top: int


def labels_by_scores(layers: Iterable[Layer]) -> dict[Scores, dict[str, Layer]]:
    """By the scores that layers read, the first layer for each of the labels that they read with them, by name.

    The layers that make labels for training and for testing differ; their tops have one name.
    """
    found: dict[Scores, dict[str, Layer]] = {}
    for layer in layers:
        for phase in layer.phases if len(layer.bottoms) > 1 else ():
            scores, labels = source(layer, 0, phase, keeps_classes), source(layer, 1, phase)
            if scores is not None:
                label = labels.layer.tops[labels.top] if labels is not None else layer.bottoms[1]
                found.setdefault(Scores(scores.layer.index, scores.top), {}).setdefault(label, layer)
    return found


def left_over(outputs: int, classes: int) -> str:
    """What follows where a layer scores another number of classes than its labels have."""
    if outputs > classes:
        return f"{outputs - classes} output{' is' if outputs - classes == 1 else 's are'} never trained"
    last = f" to {classes - 1}" if classes - 1 > outputs else ""
    return f"label{'s' if last else ''} {outputs}{last} {'have' if last else 'has'} no score"


def count_place(layer: Layer) -> tuple[str, str]:
    """The path to the `num_output` of such a layer."""
    return (layer.kind.block, "num_output")


def only(phases: tuple[str, ...], layer: Layer) -> tuple[str, ...]:
    """The phases to name in a finding: none where it holds in all phases that the layer is part of."""
    return () if phases == layer.phases else phases
