from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    PHASES,
    TEST,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    title,
    write,
)

from ._layers import (
    IMAGE_READERS,
    is_for_training,
    is_never_tested,
    is_test_net,
    is_tested,
    makers,
    source_of,
    transform_place,
)

_RANDOM_ANYWAY = "WindowData"
"""Draws its windows at random in TEST, too (window_data_layer.cpp, load_batch)."""
_LAYER = 'layer { name: "data" type: "Data" top: "data" transform_param { %s } %s}'
_SOURCED = (
    'layer {{ name: "{0}" type: "Data" top: "{0}" transform_param {{ {1} }}'
    ' data_param {{ source: "{2}" batch_size: 9 }} }}'
)
_LOSS = ' layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "data" top: "loss" }'


class AugmentationInTesting(NetRule):
    """Testing mirrors its images at random.

    ## Why is this bad?
    `mirror: true` also flips about half of the images in the TEST phase (a crop is taken from the middle there, but
    mirroring is not switched off), so two tests of the same net on the same set give different results. Where one layer
    serves both phases, testing gets what was meant for training.

    ## Example
    ```
    layer { name: "data" type: "Data" include { phase: TEST } transform_param { mirror: true crop_size: 227 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" include { phase: TEST } transform_param { mirror: false crop_size: 227 } }
    ```

    ## Fix safety
    Unsafe: the test scores change. There is no fix for a layer that is part of both phases.

    ## References
    - data_transformer.cpp, Transform
    """

    code = "D010"
    name = "augmentation-in-testing"
    severity = WARNING
    layer_types = IMAGE_READERS
    VALID = [
        _LAYER % ("mirror: true", "include { phase: TRAIN } "),
        _LAYER % ("mirror: false crop_size: 227", "include { phase: TEST } "),
        # Which windows a test takes is drawn at random anyway.
        (_LAYER % ("mirror: true crop_size: 9", "include { phase: TEST } ")).replace('"Data"', '"WindowData"'),
        # Part of both phases, but no solver tests.
        _LAYER % ("mirror: true", ""),
    ]
    INVALID = [
        Invalid(
            _LAYER % ("mirror: true", "include { phase: TEST } ")
            + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }',
            span="mirror: true",
            message='Data "data": testing mirrors half of its images at random; set mirror: false',
            fixed=_LAYER % ("mirror: false", "include { phase: TEST } ")
            + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }',
        ),
        # In a block where it is ignored.
        Invalid(
            (_LAYER % ("mirror: true", "include { phase: TEST } data_param { mirror: false } "))
            + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }',
            span="mirror: true",
            message='Data "data": mirror: false in data_param is ignored, so testing mirrors half of its images at'
            " random; set mirror: false in transform_param",
            fixed=(_LAYER % ("mirror: false", "include { phase: TEST } data_param { mirror: false } "))
            + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }',
        ),
        Invalid(
            {
                "solver.prototxt": 'train_net: "train.prototxt" test_net: "val.prototxt" test_iter: 9',
                "train.prototxt": _SOURCED.format("data", "mirror: true", "train_lmdb") + _LOSS,
                "val.prototxt": _SOURCED.format("data", "", "val_lmdb")
                + _SOURCED.format("Data1", "mirror: true", "train_lmdb")
                + _LOSS,
            },
            span="mirror: true",
            message='Data "Data1": reads "train_lmdb" and mirrors at random as in training, beside the data layer for'
            " testing; remove it and all that reads it",
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" test_iter: 9 test_interval: 100',
                "net.prototxt": _LAYER % ("mirror: true", ""),
            },
            span="mirror: true",
            message='Data "data" is part of both phases, so testing also mirrors half of its images at random; give'
            " testing a data layer without mirror",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if is_never_tested(net):
            return
        for layer in net.layers_that(lambda kind: kind.is_data):
            if not layer.tops or TEST not in layer.phases:
                continue
            if not layer.message.transform_param.mirror or layer.type == _RANDOM_ANYWAY:
                continue
            if net.role != "train" and layer.phases != (TEST,):
                continue
            fixes: tuple[Fix, ...] = ()
            # Whoever writes so meant not to mirror; only the place is wrong.
            block = layer.kind.data_block
            written = layer.kind.has_setting("mirror") and layer.has(block, "mirror")
            off = written and not layer.param(block).mirror
            ignored = f": mirror: false in {block} is ignored, so" if off else ""
            if is_test_net(net) and _is_of_training(net, layer):
                message = (
                    f'{title(layer)}: reads "{source_of(layer)[1]}" and mirrors at random as in training, beside the'
                    " data layer for testing; remove it and all that reads it"
                )
            elif TRAIN not in layer.phases or is_test_net(net):
                path = transform_place(layer, "mirror").field.split(".")
                fixes = fix("set mirror: false", UNSAFE, write(layer, *path, value="false"))
                where = "set mirror: false in transform_param" if off else "set mirror: false"
                message = f"{title(layer)}{ignored or ':'} testing mirrors half of its images at random; {where}"
            elif (
                is_tested(net) and layer.phases == PHASES and layer.tops and len(makers(net, TEST)[layer.tops[0]]) == 1
            ):
                message = (
                    f"{title(layer)} is part of both phases, so testing also mirrors half of its images at random;"
                    " give testing a data layer without mirror"
                )
            else:
                continue
            yield self.finding(
                transform_place(layer, "mirror"),
                message,
                evidence="two tests of the same weights on the same images give different results",
                phases=(TEST,),
                fixes=fixes,
            )


def _is_of_training(net: Net, layer: Layer) -> bool:
    """Does a layer read the training set, and another one of TEST other data, as NetSpec writes two nets into one?"""
    sources = {source_of(other)[1] for others in makers(net, TEST).values() for other in others}
    return is_for_training(source_of(layer)[1]) and not all(map(is_for_training, sources))
