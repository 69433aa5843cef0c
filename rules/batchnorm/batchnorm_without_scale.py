from __future__ import annotations

from collections.abc import Iterator

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
    fix,
    title,
    titles,
    write,
)
from caffelint.lint.built import BuiltLayer, BuiltNet, types_that

from ._norms import norms

_OTHERS = 5
"""So many others have a Scale where one that has none is a slip."""

_TAKE_NORMALISED = frozenset(["Python", *types_that(lambda kind: kind.is_distance or kind.normalises)])


def _block(i: int, scaled: bool) -> str:
    """A convolution of an example net with its BatchNorm; all write to "c" in turn."""
    convolution = f' layer {{ name: "c{i}" type: "Convolution" bottom: "c" top: "c" convolution_param {{'
    scale = f' layer {{ name: "scale{i}" type: "Scale" bottom: "c" top: "c" scale_param {{ bias_term: true }} }}'
    norm = f' num_output: 8 kernel_size: 1 }} }} layer {{ name: "bn{i}" type: "BatchNorm" bottom: "c" top: "c" }}'
    return convolution + norm + scale * scaled


class BatchnormWithoutScale(NetRule):
    """A BatchNorm without a Scale after it, or with one that learns no shift.

    ## Why is this bad?
    Caffe's BatchNorm only subtracts the mean and divides by the deviation. The learned scale and shift of the paper
    are a separate layer, `Scale` with `bias_term: true`. Without it every output has mean 0 and deviation 1, and a ReLU
    after it cuts off half of everything, whatever is learned. `bias_term` of a Scale is false by default, unlike that
    of a Convolution, so a Scale that does not set it leaves the ReLU where it is. The bias of a Convolution before the
    BatchNorm does not help: the mean that BatchNorm subtracts contains it.

    ## Example
    ```
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
    layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
    ```
    Use instead:
    ```
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
    layer { name: "scale" type: "Scale" bottom: "conv" top: "conv" scale_param { bias_term: true } }
    layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
    ```

    ## Known problems
    Some nets are meant that way. The rule is silent where a layer with weights follows, also after a Concat or a
    pooling, which can scale and shift by itself, and where a distance, another norm or a Python layer follows, which
    may want normalised features, unless at least five others have a Scale and a single one has none. Of nets that use
    layers or fields of a fork, whose BatchNorm may have both, it only reports such a single one. Where no BatchNorm of
    the net has a Scale, it is an info.

    ## References
    - batch_norm_layer.hpp; BVLC/caffe#3347
    """

    code = "B003"
    name = "batchnorm-without-scale"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("BatchNorm",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }'
        ' layer { name: "next" type: "%s" bottom: "bn" top: "next" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "next" bottom: "label" top: "loss" }'
    )
    _SCALED = (_NET % "ReLU").replace(
        ' layer { name: "next"', ' layer { name: "scale" type: "Scale" bottom: "bn" top: "bn" } layer { name: "next"'
    )
    _BLOCKS = (
        'layer { name: "data" type: "Data" top: "c" top: "label" include { phase: TRAIN } }%s'
        ' layer { name: "ip" type: "InnerProduct" bottom: "c" top: "ip" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    )
    VALID = [
        _BLOCKS % "".join(_block(i, i not in (3, 4)) for i in range(8)),
        _SCALED.replace('bottom: "bn" top: "bn" }', 'bottom: "bn" top: "bn" scale_param { bias_term: true } }'),
        _SCALED.replace(
            '} layer { name: "next"',
            '} layer { name: "bias" type: "Bias" bottom: "bn" top: "bn" } layer { name: "next"',
        ),
        _NET % "Scale",
        (_NET % "Concat").replace(
            ' layer { name: "loss"',
            ' layer { name: "fc" type: "InnerProduct" bottom: "next" top: "fc" inner_product_param { num_output: 9 } }'
            ' layer { name: "loss"',
        ),
        (_NET % "Pooling").replace(
            ' layer { name: "loss"',
            ' layer { name: "drop" type: "Dropout" bottom: "next" top: "next" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "next" top: "fc" inner_product_param { num_output: 9 } }'
            ' layer { name: "loss"',
        ),
        (_NET % "ReLU").replace('top: "bn" }', 'top: "bn" batch_norm_param { scale_bias: true } }'),
    ]
    INVALID = [
        Invalid(
            _BLOCKS % "".join(_block(i, i != 3) for i in range(6)),
            span='type: "BatchNorm"',
            message='BatchNorm "bn3": no Scale follows, so the layer learns no scale or shift; add a Scale with'
            " bias_term: true after it",
        ),
        # Whatever fork it is for.
        Invalid(
            _BLOCKS % "".join(_block(i, i != 3) for i in range(6)) + ' layer { name: "x" type: "Own" bottom: "ip" }',
            span='type: "BatchNorm"',
            message='BatchNorm "bn3": no Scale follows, so the layer learns no scale or shift; add a Scale with'
            " bias_term: true after it",
        ),
        Invalid(
            _BLOCKS
            % "".join(_block(i, True) for i in range(6)).replace(
                ' layer { name: "bn3" type: "BatchNorm"',
                ' layer { name: "bn" type: "BatchNorm" bottom: "c" top: "c" } layer { name: "bn3" type: "BatchNorm"',
            ),
            span='type: "BatchNorm"',
            message='BatchNorm "bn": BatchNorm "bn3" normalises its top again, so the layer is superfluous; remove one'
            " of them",
        ),
        Invalid(
            _SCALED,
            span='type: "Scale"',
            message='Scale "scale": bias_term is false by default, so after BatchNorm it learns no shift; set'
            " bias_term: true",
            fixed=_SCALED.replace(
                'top: "bn" } layer { name: "next"', 'top: "bn" scale_param { bias_term: true } } layer { name: "next"'
            ),
        ),
        Invalid(
            _NET % "ReLU",
            span='type: "BatchNorm"',
            message='BatchNorm "bn": no Scale follows, so the layer learns no scale or shift; add a Scale with'
            " bias_term: true after it",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not norms(net, TRAIN) or net.role != "train":
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            if net.is_plain:
                yield from self._unshifted(net, one)
            read = [(layer, _readers(layer)) for layer in one.layers if layer.type == "BatchNorm" and layer.tops]
            bare = [
                layer
                for layer, readers in read
                if readers and not any(reader.is_linear or reader.type in _TAKE_NORMALISED for reader in readers)
            ]
            # A fork's BatchNorm may scale by itself; but not where all others of the net have a Scale.
            bare = bare if net.is_plain else []
            bare = bare or _odd([layer for layer, readers in read if not any(map(_scales, readers))], len(read))
            if len(bare) == 1 and (again := _normalised_again(bare[0])):
                yield self.finding(
                    net.layers[bare[0].index or 0].at("type"),
                    f"{title(bare[0])}: {title(again)} normalises its top again, so the layer is superfluous; remove"
                    " one of them",
                    phases=(TRAIN,),
                    layers=[net.layers[bare[0].index or 0]],
                )
            elif bare:
                these = "the layer learns" if len(bare) == 1 else "these layers learn"
                yield self.finding(
                    net.layers[bare[0].index or 0].at("type"),
                    f"{titles(bare)}: no Scale follows, so {these} no scale or shift; add a Scale with bias_term: true"
                    f" after {'it' if len(bare) == 1 else 'each'}",
                    phases=(TRAIN,),
                    layers=[net.layers[layer.index or 0] for layer in bare],
                    # A net without any Scale is meant that way, or at least trains.
                    severity=None if any(_scales(reader) for _, readers in read for reader in readers) else INFO,
                )
            return

    def _unshifted(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        """Scales between a BatchNorm and an activation that have no bias."""
        found = [net.layers[layer.index] for layer in one.layers if layer.index is not None and _is_unshifted(layer)]
        if found:
            is_set = found[0].has("scale_param", "bias_term")
            it = "it learns" if len(found) == 1 else "they learn"
            yield self.finding(
                found[0].at("scale_param", "bias_term") if is_set else found[0].at("type"),
                f"{titles(found)}: bias_term is false{'' if is_set else ' by default'}, so after BatchNorm {it} no"
                " shift; set bias_term: true",
                phases=(TRAIN,),
                fixes=fix(
                    "set bias_term: true",
                    UNSAFE,
                    *(write(layer, "scale_param", "bias_term", value="true") for layer in found),
                ),
                layers=found,
            )


def _odd(unscaled: list[BuiltLayer], norms: int) -> list[BuiltLayer]:
    """The only one of many behind a Convolution that no Scale follows: a slip, whatever reads it but a Bias."""
    if len(unscaled) != 1 or norms <= _OTHERS or not unscaled[0].bottoms or not unscaled[0].tops:
        return []
    maker, readers = unscaled[0].bottoms[0].maker, unscaled[0].tops[0].readers
    is_plain = maker is not None and maker.type == "Convolution" and all(reader.type != "Bias" for reader, _ in readers)
    return unscaled if is_plain else []


def _normalised_again(layer: BuiltLayer) -> BuiltLayer | None:
    """The BatchNorm that alone reads one."""
    readers = _readers(layer)
    return readers[0] if len(readers) == 1 and readers[0].type == "BatchNorm" else None


def _scales(layer: BuiltLayer) -> bool:
    return layer.type == "Scale" or not layer.known


def _is_unshifted(layer: BuiltLayer) -> bool:
    if layer.type != "Scale" or len(layer.bottoms) != 1 or layer.parameters.bias_term or not layer.tops:
        return False
    maker = layer.bottoms[0].maker
    readers = layer.tops[0].readers
    return maker is not None and maker.type == "BatchNorm" and any(reader.is_activation for reader, _ in readers)


def _readers(layer: BuiltLayer) -> list[BuiltLayer]:
    """What reads the tops of a layer, also after layers that only arrange values anew, leave some out or pool them:
    a factor and a shift of a channel come through these as they are."""
    found: list[BuiltLayer] = []
    waiting, seen = [layer], {layer}
    for one in waiting:
        for reader in (reader for top in one.tops for reader, _ in top.readers):
            if reader not in seen:
                seen.add(reader)
                (waiting if reader.rearranges or reader.hands_on or reader.pools else found).append(reader)
    return found
