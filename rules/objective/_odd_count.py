"""Which of several layers that give a number of classes is the odd one."""

from __future__ import annotations

from caffelint.lint import Layer, Net, title

from ._graph import class_count, classes_in_param_str, left_over


def twin_with_classes(layer: Layer, classes: int) -> Layer | None:
    """The one other Python layer of a net that has a `num_classes`, if it is this number."""
    found = layer.net.once(_counts)
    if len(found) - (layer in found) != 1:
        return None
    return next(other if count == classes else None for other, count in found.items() if other is not layer)


def _counts(net: Net) -> dict[Layer, int]:
    """The number of classes of each Python layer that has one."""
    return {layer: count for layer in net.by_type.get("Python", ()) if (count := classes_in_param_str(layer))}


def odd_labels(labels: Layer, scores: Layer, twin: Layer) -> str:
    """A layer makes labels of other classes than both its twin and a classifier have."""
    classes, count = classes_in_param_str(labels), class_count(scores)
    return (
        f"{title(labels)}: num_classes {classes}, but {title(twin)} has {count} and {title(scores)} as many outputs,"
        f" so {left_over(count, classes)}; set num_classes to {count}"
    )


def arrives(classifier: Layer, loss: Layer) -> bool:
    """Do all scores of a layer reach the loss? A Reshape and a Pooling between them may join several of each class."""
    for built in loss.net.states():
        for layer in loss.net.likely(built.states[0]).layers:
            if layer.index == loss.index:
                shape, axis = layer.bottoms[0].shape, layer.class_axis
                return shape is None or axis >= len(shape) or shape[axis] == class_count(classifier)
    return True
