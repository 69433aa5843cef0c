from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.lint import (
    LIKELY,
    TEST,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    Related,
    fix,
    quoted,
    remove,
    title,
    write,
)

from ._layers import (
    IMAGE_READERS,
    differing_part,
    is_for_training,
    is_held_out,
    pairs,
    transform_place,
    without_held_out,
)

_LAYER = 'layer { name: "d" type: "Data" top: "d" transform_param { %s } include { phase: %s } }'
_OWN = _LAYER.replace('"Data"', '"OwnData"').replace("}", '} data_param { source: "a" batch_size: 9 }', 1)

_EQUAL = "make them equal"


class TrainTestTransformMismatch(NetRule):
    """Testing applies a different scale, or subtracts a different mean, than training.

    ## Why is this bad?
    The net is tested on values that it has never seen: off by a mean of 100, or 256 times too large. The poor accuracy
    looks like overfitting.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } transform_param { scale: 0.00390625 } }
    layer { name: "data" type: "Data" top: "data" include { phase: TEST } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } transform_param { scale: 0.00390625 } }
    layer { name: "data" type: "Data" top: "data" include { phase: TEST } transform_param { scale: 0.00390625 } }
    ```

    ## Known problems
    Two different mean files are reported only if their names say that one is of the training set, or of no set, and the
    other of the test set, since a padded training set has its own mean; a mean file in one phase with mean values in
    the other is not. Crop and mirror are expected to differ. Of layers of a project's own type, `transform_param` is
    taken for Caffe's.

    ## Fix safety
    Unsafe: testing gets the scale of training, or its mean where it has none or its own, so the scores change.

    ## References
    - data_transformer.cpp, Transform
    """

    code = "D009"
    name = "train-test-transform-mismatch"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _LAYER % ("scale: 0.1 mirror: true crop_size: 227", "TRAIN") + _LAYER % ("scale: 0.1 crop_size: 227", "TEST"),
        # 1/256 or 1/255.
        _LAYER % ("scale: 0.00390625", "TRAIN") + _LAYER % ("scale: 0.00392157", "TEST"),
        _LAYER % ('mean_file: "a.binaryproto"', "TRAIN") + _LAYER % ("mean_value: 104 mean_value: 117", "TEST"),
        _LAYER % ('mean_file: "padded.binaryproto"', "TRAIN") + _LAYER % ('mean_file: "mean.binaryproto"', "TEST"),
        _LAYER % ('mean_file: "train/mean.binaryproto"', "TRAIN") + _LAYER % ('mean_file: "mean.binaryproto"', "TEST"),
        _LAYER % ('mean_file: "padded.binaryproto"', "TRAIN") + _LAYER % ('mean_file: "val_mean.binaryproto"', "TEST"),
        _LAYER % ("scale: 1", "TRAIN") + 'layer { name: "d" type: "Data" top: "d" include { phase: TEST } }',
    ]
    INVALID = [
        Invalid(
            _LAYER % ("scale: 0.00390625", "TRAIN") + _LAYER % ("mirror: false", "TEST"),
            span="transform_param",
            message='Data "d": testing has no scale but training has scale 0.00390625, so the net is tested on input'
            " that differs from its training input; make them equal",
            fixed=_LAYER % ("scale: 0.00390625", "TRAIN") + _LAYER % ("mirror: false scale: 0.00390625", "TEST"),
        ),
        Invalid(
            _LAYER % ("scale: 0.1 mean_value: 104", "TRAIN") + _LAYER % ("scale: 0.5 mean_value: 128", "TEST"),
            span=("scale: 0.5", "mean_value: 128"),
            message=(
                'Data "d": testing has scale 0.5 but training has scale 0.1, so the net is tested on input that'
                " differs from its training input; make them equal",
                'Data "d": testing subtracts mean_value 128 but training subtracts mean_value 104, so the net is'
                " tested on input that differs from its training input; make them equal",
            ),
            fixed=_LAYER % ("scale: 0.1 mean_value: 104", "TRAIN") + _LAYER % ("scale: 0.1 mean_value: 128", "TEST"),
        ),
        Invalid(
            _LAYER % ('mean_file: "m.binaryproto"', "TRAIN") + _LAYER % ("crop_size: 9", "TEST"),
            span="transform_param",
            message='Data "d": testing subtracts no mean but training subtracts mean_file "m.binaryproto", so the'
            " net is tested on input that differs from its training input; make them equal",
            fixed=_LAYER % ('mean_file: "m.binaryproto"', "TRAIN")
            + _LAYER % ('crop_size: 9 mean_file: "m.binaryproto"', "TEST"),
        ),
        Invalid(
            _LAYER % ('mean_file: "train_mean.binaryproto"', "TRAIN")
            + _LAYER % ('mean_file: "val_mean.binaryproto"', "TEST"),
            span='mean_file: "val_mean.binaryproto"',
            message='Data "d": testing subtracts mean_file "val_mean.binaryproto" but training subtracts mean_file'
            ' "train_mean.binaryproto", so the net is tested on input that differs from its training input; subtract'
            " the training mean in both",
            fixed=_LAYER % ('mean_file: "train_mean.binaryproto"', "TRAIN")
            + _LAYER % ('mean_file: "train_mean.binaryproto"', "TEST"),
        ),
        Invalid(
            _OWN % ("mirror: true", "TRAIN")
            + _OWN % ('mean_file: "m.binaryproto"', "TEST")
            + 'layer { name: "loss" type: "EuclideanLoss" bottom: "d" bottom: "d" }',
            span='mean_file: "m.binaryproto"',
            message='OwnData "d": testing subtracts mean_file "m.binaryproto" but training subtracts no mean, so the'
            " net is tested on input that differs from its training input; make them equal",
        ),
        Invalid(
            _LAYER % ('mean_file: "a_mean.binaryproto"', "TRAIN")
            + _LAYER % ('mean_file: "a_test_mean.binaryproto"', "TEST"),
            span='mean_file: "a_test_mean.binaryproto"',
            message='Data "d": testing subtracts mean_file "a_test_mean.binaryproto" but training subtracts mean_file'
            ' "a_mean.binaryproto", so the net is tested on input that differs from its training input; subtract the'
            " training mean in both",
            fixed=_LAYER % ('mean_file: "a_mean.binaryproto"', "TRAIN")
            + _LAYER % ('mean_file: "a_mean.binaryproto"', "TEST"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train":
            return
        for pair in pairs(net, own=True):
            training = [layer for layer in pair.training if layer.type in IMAGE_READERS or not layer.kind.known]
            for layer in pair.testing:
                same_type = [other for other in training if other.type == layer.type]
                if not same_type or layer in training:
                    continue
                if not any(_same_scale(layer, other) for other in same_type):
                    yield self._finding(
                        layer,
                        "scale",
                        f"{title(layer)}: testing has {_scale(layer)} but training has {_scale(same_type[0])}",
                        same_type[0],
                    )
                if not any(_same_mean(layer, other) for other in same_type):
                    field = "mean_value" if len(_transform(layer).mean_value) else "mean_file"
                    files = all(_transform(one).mean_file for one in (layer, *same_type))
                    yield self._finding(
                        layer,
                        field,
                        f"{title(layer)}: testing subtracts {_mean(layer)} but training subtracts"
                        f" {_mean(same_type[0])}",
                        same_type[0],
                        "subtract the training mean in both" if files else _EQUAL,
                    )

    def _finding(self, layer: Layer, field: str, message: str, training: Layer, remedy: str = _EQUAL) -> Finding:
        related = (Related("training does this", transform_place(training, field)),)
        return self.finding(
            transform_place(layer, field),
            f"{message}, so the net is tested on input that differs from its training input; {remedy}",
            phases=(TEST,),
            related=related,
            fixes=_as_in_training(layer, field, training),
        )


def _as_in_training(layer: Layer, field: str, training: Layer) -> tuple[Fix, ...]:
    """Give testing the scale of training, or its mean if testing has none or a file of its own."""
    wanted, given = _transform(training), _transform(layer)
    if field == "scale":
        if not wanted.HasField(field):
            return fix("remove scale", UNSAFE, remove(layer, "transform_param", field))
        value = transform_place(training, field).text.partition(":")[2].strip()
        return fix(f"set scale: {value}", UNSAFE, write(layer, "transform_param", field, value=value))
    if len(given.mean_value):
        return ()
    if wanted.mean_file:
        value = quoted(wanted.mean_file)
        return fix(f"set mean_file: {value}", UNSAFE, write(layer, "transform_param", "mean_file", value=value))
    edits = [write(layer, "transform_param", "mean_value", value=f"{mean:g}") for mean in wanted.mean_value]
    if len(edits) > 1 and (layer.node is None or layer.node.first("transform_param") is None):
        return ()
    return fix("set mean_value as in training", UNSAFE, *edits)


def _transform(layer: Layer) -> Any:
    return layer.message.transform_param


def _same_scale(one: Layer, other: Layer) -> bool:
    a, b = _transform(one).scale, _transform(other).scale
    return bool(abs(a - b) <= 0.05 * max(abs(a), abs(b)))


def _same_mean(one: Layer, other: Layer) -> bool:
    a, b = _transform(one), _transform(other)
    if a.mean_file and b.mean_file:
        return not _of_two_sets(a.mean_file, b.mean_file)
    if a.mean_file or b.mean_file:
        return bool(a.mean_file or len(a.mean_value)) and bool(b.mean_file or len(b.mean_value))
    channels = max(len(a.mean_value), len(b.mean_value))
    return all(abs(x - y) <= 1 for x, y in zip(_spread(a, channels), _spread(b, channels), strict=True))


def _of_two_sets(testing: str, training: str) -> bool:
    """Whether the last parts in which two paths differ say that they are of the test and of the training set.

    What has the name of the former without its word for testing, is of all data or of those for training.
    """
    tested, trained = differing_part(testing, training), differing_part(training, testing)
    return is_held_out(tested) and (is_for_training(trained) or without_held_out(tested) == without_held_out(trained))


def _spread(transform: Any, channels: int) -> list[float]:
    """A mean for each channel; one value counts for all channels, and none as 0."""
    means = list(transform.mean_value) or [0.0]
    return means * channels if len(means) == 1 else means + [0.0] * (channels - len(means))


def _scale(layer: Layer) -> str:
    return f"scale {_transform(layer).scale:g}" if _transform(layer).HasField("scale") else "no scale"


def _mean(layer: Layer) -> str:
    transform = _transform(layer)
    if transform.mean_file:
        return f'mean_file "{transform.mean_file}"'
    means = ", ".join(f"{mean:g}" for mean in transform.mean_value)
    return f"mean_value {means}" if means else "no mean"
