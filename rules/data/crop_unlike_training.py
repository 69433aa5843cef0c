from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from caffelint.lint import (
    DISPLAY,
    ERROR,
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    Related,
    fix,
    title,
    write,
)
from caffelint.lint.built import BuiltLayer, BuiltNet, image_of

from ._layers import IMAGE_READERS, is_tested, pairs, transform_place

_MOST_PAIRS = 4
"""Blobs of data: for each the net is built twice."""
_UNCUT = 32
"""By how much images are usually larger than what is cut out of them: 256 and 224."""
_LAYER = 'layer { name: "d" type: "Data" top: "d" transform_param { %s } data_param { batch_size: 2 } %s }'
_FC = ' layer { name: "fc" type: "InnerProduct" bottom: "d" top: "fc" inner_product_param { num_output: 9 } }'
_TRAIN, _TEST = "include { phase: TRAIN }", "include { phase: TEST }"


class CropUnlikeTraining(NetRule):
    """Testing cuts images of another size than training, and the net fits only one.

    ## Why is this bad?
    An InnerProduct has a weight for each value of its bottom. The test net takes the weights of the training net, and
    Caffe stops at the first test if they have another shape. It does not crop unless `crop_size` says so: images of
    256 x 256 stay so.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } transform_param { crop_size: 227 } }
    layer { name: "data" type: "Data" top: "data" include { phase: TEST } }
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } transform_param { crop_size: 227 } }
    layer { name: "data" type: "Data" top: "data" include { phase: TEST } transform_param { crop_size: 227 } }
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
    ```

    ## Known problems
    Where one phase has no `crop_size`, its images may have just the size that is cut in the other.

    ## References
    - net.cpp, ShareTrainedLayersWith; data_transformer.cpp, InferBlobShape
    """

    code = "D028"
    name = "crop-unlike-training"
    severity = ERROR
    VALID = [
        _LAYER % ("crop_size: 8", _TRAIN) + _LAYER % ("crop_size: 8", _TEST) + _FC,
        # A pooling over the whole map makes one size of all.
        _LAYER % ("crop_size: 8", _TRAIN)
        + _LAYER % ("crop_size: 9", _TEST)
        + ' layer { name: "p" type: "Pooling" bottom: "d" top: "p" pooling_param { global_pooling: true } }'
        + _FC.replace('bottom: "d"', 'bottom: "p"'),
    ]
    INVALID = [
        Invalid(
            _LAYER % ("crop_size: 8", _TRAIN) + _LAYER % ("crop_size: 80", _TEST) + _FC,
            span="crop_size: 80",
            message='Data "d": testing cuts 80x80 but training cuts 8x8, and InnerProduct "fc" has other weights for'
            " each size, so Caffe stops at the first test; make crop_size equal",
        ),
        Invalid(
            _LAYER % ("crop_size: 8", _TRAIN) + _LAYER % ("mirror: false", _TEST) + _FC,
            span="transform_param",
            message='Data "d": testing cuts nothing but training cuts 8x8, and InnerProduct "fc" has other weights for'
            " each size, so Caffe stops at the first test unless these images have just that size; set crop_size: 8"
            " here, too",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or net.solvers and not is_tested(net):
            return
        single = (one for one in pairs(net) if len(one.testing) == len(one.training) == 1)
        for pair in islice(single, _MOST_PAIRS):
            if pair.testing[0] is not pair.training[0]:
                yield from self._compare(pair.testing[0], pair.training[0])

    def _compare(self, tested: Layer, trained: Layer) -> Iterator[Finding]:
        here, there = _Cut.of(tested), _Cut.of(trained)
        if here is None or there is None or here.size == there.size or not (here.crop or there.crop):
            return
        crop = here.crop or there.crop
        side = crop + _UNCUT
        ours = _built(tested, TEST, here.size or (side, side))
        theirs = _built(trained, TRAIN, there.size or (side, side))
        unlike = _unlike(ours, theirs) if ours and theirs else None
        if unlike is None:
            return
        fixes: tuple[Fix, ...] = ()
        where, unless, advice = tested, "", "make crop_size equal"
        if not (here.size and there.size):
            where, setting = trained if here.size else tested, f"set crop_size: {crop}"
            unless, advice = " unless these images have just that size", f"{setting} here, too"
            fixes = fix(setting, DISPLAY, write(where, "transform_param", "crop_size", value=str(crop)))
        yield self.finding(
            transform_place(where, "crop_size"),
            f'{title(tested)}: testing {here.text} but training {there.text}, and {unlike.type} "{unlike.name}" has'
            f" other weights for each size, so Caffe stops at the first test{unless}; {advice}",
            severity=WARNING if unless else ERROR,
            certainty=LIKELY if unless else None,
            evidence="Caffe stops with: Cannot share param 0 weights from layer",
            phases=(TEST,),
            related=() if where is trained else (Related("training does this", transform_place(trained, "crop_size")),),
            fixes=fixes,
        )


class _Cut(NamedTuple):
    """What a layer makes of images: `size` is height and width, None if the text does not tell; `crop` 0 for none."""

    size: tuple[int, int] | None
    crop: int

    @classmethod
    def of(cls, layer: Layer) -> _Cut | None:
        image = image_of(layer.kind) if layer.type in IMAGE_READERS else None
        if image is None:
            return None
        *_, height, width = image
        return cls((height, width) if height and width else None, layer.message.transform_param.crop_size)

    @property
    def text(self) -> str:
        if self.size is None:
            return "cuts nothing"
        return f"{'cuts' if self.crop else 'reads'} {self.size[0]}x{self.size[1]}"


def _built(layer: Layer, phase: str, size: tuple[int, int]) -> BuiltNet | None:
    """Its net for a phase, with images of this size in likely channels; None where Caffe would not load it."""
    state = next((one for built in layer.net.states() for one in built.states if one.phase == phase), None)
    if state is None:
        return None
    image = image_of(layer.kind)
    channels = image[1] if image else None
    built = layer.net.likely(state, {layer.tops[0]: (1, channels or 3, *size)})
    return None if built.refusals else built


def _unlike(tested: BuiltNet, trained: BuiltNet) -> BuiltLayer | None:
    """The first layer whose weights have another shape in training."""
    shapes = {layer.name: layer.params[0].shape for layer in trained.layers if layer.params}
    return next(
        (
            one
            for one in tested.layers
            if one.params and shapes.get(one.name, one.params[0].shape) != one.params[0].shape
        ),
        None,
    )
