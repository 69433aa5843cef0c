from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, known_data, title, write

from ._layers import IMAGE_READERS, is_test_net, source_of, transform_place

_LAYER = (
    'layer {{ name: "data" type: "Data" top: "data" top: "label" transform_param {{ mirror: {} }}'
    ' data_param {{ source: "{}" }} include {{ phase: TRAIN }} }}'
)


class MirroredSigns(NetRule):
    """Training mirrors images of digits, letters or signs.

    ## Why is this bad?
    `mirror: true` flips half of the images. A cat stays a cat, but a mirrored 2 is no digit, a mirrored b is a d, and a
    mirrored "turn left" is "turn right". The net spends capacity on characters that never occur, and confuses those
    that do. Mostly the field is left over from a net for photographs.

    ## Example
    ```
    layer { type: "Data" transform_param { mirror: true } data_param { source: "mnist_train_lmdb" } }
    ```
    Use instead:
    ```
    layer { type: "Data" transform_param { mirror: false } data_param { source: "mnist_train_lmdb" } }
    ```

    ## Known problems
    The rule goes by the name of a known data set in the path.

    ## Fix safety
    Unsafe: it changes what the net learns from.

    ## References
    - data_transformer.cpp, Transform; abby621/tripletloss commit 444a415
    """

    code = "D025"
    name = "mirrored-signs"
    severity = WARNING
    certainty = LIKELY
    layer_types = IMAGE_READERS
    VALID = [
        _LAYER.format("false", "mnist_train_lmdb"),
        _LAYER.format("true", "cifar10_train_lmdb"),
        _LAYER.format("true", "fashion-mnist_train_lmdb"),
        # The tool of that name, not digits.
        _LAYER.format("true", "/opt/DIGITS/digits/jobs/20180910-174320-7e9c/train_db"),
    ]
    INVALID = [
        Invalid(
            _LAYER.format("true", "examples/mnist/mnist_train_lmdb"),
            span="mirror: true",
            message='Data "data": training mirrors half of its images, but MNIST ("examples/mnist/mnist_train_lmdb")'
            " shows digits, which mean something else or nothing if mirrored; set mirror: false",
            fixed=_LAYER.format("false", "examples/mnist/mnist_train_lmdb"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or is_test_net(net):
            return
        for layer in net.layers_of(IMAGE_READERS):
            _, path = source_of(layer)
            if TRAIN not in layer.phases or not path or not layer.message.transform_param.mirror:
                continue
            if shown := next((one for one in known_data(path) if one.shows), None):
                place = transform_place(layer, "mirror")
                yield self.finding(
                    place,
                    f'{title(layer)}: training mirrors half of its images, but {shown.name} ("{path}") shows'
                    f" {shown.shows}, which mean something else or nothing if mirrored; set mirror: false",
                    fixes=fix("set mirror: false", UNSAFE, write(layer, *place.field.split("."), value="false")),
                )
