from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    file_name,
    fix,
    title,
    write,
)
from caffelint.lint.built import BuiltLayer, Paired, paired

from ._layers import IMAGE_READERS, source_of, transform_place
from ._places import calls_points, has_place, is_place, says_only_target

_SMALL = 5
_IMAGE = (
    'layer {{ name: "images" type: "Data" top: "data"{} data_param {{ source: "images_lmdb" batch_size: 8 }}'
    " include {{ phase: TRAIN }} }}"
)
_MASK = _IMAGE.replace("images", "masks").replace('"data"', '"mask"')
_MIRROR = " transform_param {{ mirror: {} }}"
_ON = _MIRROR.format("true")
_MAP = (
    ' layer { name: "score" type: "Convolution" bottom: "data" top: "score" convolution_param { num_output: 2'
    ' kernel_size: 3 pad: 1 } } layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "mask" }'
)
_POINTS = (
    ' layer {{ name: "points" type: "HDF5Data" top: "{0}" hdf5_data_param {{ source: "train.txt" batch_size: 8 }} }}'
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 10 }} }}'
    ' layer {{ name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "{0}" }}'
)
_NAMED = 'name: "landmark" ' + _IMAGE.format(_ON) + _POINTS.format("label").replace("10", "4")


class MirroredApart(NetRule):
    """Training mirrors images by chance, and their targets, from another data layer, do not follow.

    ## Why is this bad?
    Each data layer draws for itself which of its records it mirrors. A mask then lies over the mirrored image of
    another half of the records, and a point that was left is where nothing is. The net learns what both have in common:
    blurred, symmetric answers.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" transform_param { mirror: true } data_param { source: "images" } }
    layer { name: "mask" type: "Data" top: "mask" transform_param { mirror: true } data_param { source: "masks" } }
    ```
    Use instead, with mirrored copies in both sources:
    ```
    layer { name: "data" type: "Data" top: "data" data_param { source: "images" } }
    layer { name: "mask" type: "Data" top: "mask" data_param { source: "masks" } }
    ```

    ## Known problems
    Where a layer predicts numbers, these depend on the side only if they are positions or directions, which the rule
    takes from the names of the blob and its data layer. Where these only say that it is a target, an even number of
    outputs may be points: a warning if it is called so, or the net, its file or the source of the target after what has
    positions, else an info. The rule is silent about classes of whole images, and cannot know a map that is the same
    for all images.

    ## Fix safety
    Unsafe: it changes what the net learns from.

    ## References
    - data_transformer.cpp, InitRand and Transform
    """

    code = "D026"
    name = "mirrored-apart"
    severity = WARNING
    certainty = LIKELY
    layer_types = IMAGE_READERS
    VALID = [
        _IMAGE.format("") + _MASK.format("") + _MAP,
        # Classes of whole images.
        _IMAGE.format(_ON) + _MASK.format("") + _MAP.replace("pad: 1", "pad: 1 stride: 2"),
        # What a face shows, not where.
        _IMAGE.format(_ON) + _POINTS.format("attributes"),
        _IMAGE.format(_ON) + _POINTS.format("bbox_count"),
        _IMAGE.format(_ON) + _POINTS.format("age").replace("train.txt", "joint_train/landmark_features.txt"),
        _IMAGE.format(_ON) + _POINTS.format("age").replace('"loss"', '"joint_loss"'),
        _IMAGE.format(_ON) + _POINTS.format("label").replace("10", "1"),
        _IMAGE.format(_MIRROR.format("false")) + _POINTS.format("landmarks"),
    ]
    INVALID = [
        Invalid(
            _IMAGE.format(_ON) + _MASK.format(_ON) + _MAP,
            span="mirror: true",
            message='Data "images" and "masks" mirror half of their records, each another half, but SoftmaxWithLoss'
            ' "loss" compares what is made of them point by point; set mirror: false in both',
        ),
        Invalid(
            _IMAGE.format(_ON) + _MASK.format("") + _MAP,
            span="mirror: true",
            message='Data "images" mirrors half of its records, but those of Data "masks", which SoftmaxWithLoss "loss"'
            " compares with them point by point, are not mirrored with them; set mirror: false",
            fixed=_IMAGE.format(_MIRROR.format("false")) + _MASK.format("") + _MAP,
        ),
        Invalid(
            _IMAGE.format(_ON) + _POINTS.format("landmarks"),
            span="mirror: true",
            message='Data "images" mirrors half of its records, but "landmarks" of HDF5Data "points", which depends on'
            " the side, is not mirrored with them; set mirror: false",
            fixed=_IMAGE.format(_MIRROR.format("false")) + _POINTS.format("landmarks"),
        ),
        # Four numbers that a net of this name is to find.
        Invalid(
            _NAMED,
            span="mirror: true",
            message='Data "images" mirrors half of its records, but "label" of HDF5Data "points", 4 numbers that seem'
            " to be x and y of points, is not mirrored with them; set mirror: false",
            fixed=_NAMED.replace(_ON, _MIRROR.format("false")),
        ),
        Invalid(
            _IMAGE.format(_ON) + _POINTS.format("label"),
            span="mirror: true",
            message='Data "images" mirrors half of its records, but "label" of HDF5Data "points" is not mirrored with'
            " them; set mirror: false if these are positions or directions",
            fixed=_IMAGE.format(_MIRROR.format("false")) + _POINTS.format("label"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not any(layer.message.transform_param.mirror for layer in net.layers_of(IMAGE_READERS)):
            return
        for built in net.states():
            known: dict[BuiltLayer, bool] = {}
            if built.phase == TRAIN and built.is_wired:
                told: set[int | None] = set()
                for pair in paired(built):
                    found = None if pair.data.index in told else self._pair(net, pair, known)
                    if found is not None:
                        told.add(pair.data.index)
                        yield found

    def _pair(self, net: Net, pair: Paired, known: dict[BuiltLayer, bool]) -> Finding | None:
        loss, data, target = pair
        mirroring = [one for one in (data, target) if _mirrors(one)]
        if not mirroring or data.index is None or target.index is None or loss.index is None:
            return None
        first, other = (mirroring[0], target if mirroring[0] is data else data)
        name = loss.bottoms[1].original.name
        layer = net.layers[first.index or 0]
        place, sided = transform_place(layer, "mirror"), None
        remedy = "set mirror: false"
        if _is_map(loss, known):
            if len(mirroring) == 2:
                said = f'{title(data)} and "{target.name}" mirror half of their records, each another half, but'
                said += f" {title(loss)} compares what is made of them point by point; {remedy} in both"
            else:
                said = f"{title(first)} mirrors half of its records, but those of {title(other)}, which"
                said += f" {title(loss)} compares with them point by point, are not mirrored with them; {remedy}"
        elif first is data and loss.is_distance and (sided := _sided(net, loss, target)) is not None:
            said = f'{title(first)} mirrors half of its records, but "{name}" of {title(target)}{sided}'
            said += f" is not mirrored with them; {remedy}"
            if not sided:
                said += " if these are positions or directions"
        else:
            return None
        edits = write(layer, *place.field.split("."), value="false") if len(mirroring) == 1 else None
        return self.finding(
            place,
            said,
            severity=INFO if sided == "" else None,
            phases=(TRAIN,),
            related=(Related("the other records", net.layers[other.index or 0].at()),),
            fixes=fix(remedy, UNSAFE, edits),
        )


def _sided(net: Net, loss: BuiltLayer, target: BuiltLayer) -> str | None:
    """What shows that targets depend on the side, as words to follow them; empty if they may, None if not."""
    name, shape = loss.bottoms[1].original.name, loss.bottoms[0].shape
    if is_place(name) or is_place(target.name):
        return ", which depends on the side,"
    numbers = prod(shape[1:]) if shape else 0
    if not numbers or numbers % 2 or not says_only_target(name):
        return None
    around = (net.message.name, file_name(net.path), source_of(net.layers[target.index or 0])[1])
    if calls_points(name) or any(map(has_place, around)):
        return f", {numbers} numbers that seem to be x and y of points,"
    return ""


def _mirrors(layer: BuiltLayer) -> bool:
    return bool(layer.transforms and layer.message.transform_param.mirror)


def _is_map(loss: BuiltLayer, known: dict[BuiltLayer, bool]) -> bool:
    """Has a loss scores at more than one place of each image? Where sizes are unknown, an upsampling, or that nothing
    takes steps or joins all places, shows it.
    """
    shape = loss.bottoms[0].shape
    if shape is not None:
        return len(shape) == 4 and min(shape[2:]) > 1
    layer = loss.bottoms[0].maker
    passed = []
    while layer is not None and layer not in known and (found := _shows_map(layer)) is None:
        passed.append(layer)
        layer = layer.bottoms[0].maker
    answer = False if layer is None else known[layer] if layer in known else bool(found)
    known.update(dict.fromkeys(passed, answer))
    return answer


def _shows_map(layer: BuiltLayer) -> bool | None:
    """Does a layer show by itself that it makes a map, or none? None if that depends on what it reads."""
    if layer.upsamples or not layer.bottoms:
        return True
    windows = layer.written_windows()
    moves = windows is not None and all(one.stride == 1 and one.kernel <= _SMALL for one in windows)
    return None if moves or layer.keeps_pixels or layer.compares_maps else False
