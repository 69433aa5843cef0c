from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule, title
from caffelint.lint.built import BuiltLayer

from ._one_value import may_be_loss
from ._parts import is_whole
from ._skipped import goes_on, is_step, skips
from ._sliced import parts, reads_labels


class UnusedBlob(NetRule):
    """No layer in TRAIN reads the result of a layer that should learn, or that others bypass.

    ## Why is this bad?
    A head whose output no loss reads keeps the weights that it started with. A pooling, an activation or a Concat that
    belongs between two others is bypassed where its top has the wrong name, or where the next layer reads the blob
    before it. Caffe takes the unread blob for an output of the net and prints it.

    ## Example
    ```
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" }
    layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" }
    layer { name: "aux" type: "InnerProduct" bottom: "conv" top: "aux" }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" }
    layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" }
    layer { name: "aux" type: "InnerProduct" bottom: "conv" top: "aux" }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    layer { name: "aux_loss" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "aux_loss" }
    ```
    or keep the branch out of TRAIN.

    ## References
    - net.cpp, Init ("This network produces output")
    """

    code = "G005"
    name = "unused-blob"
    severity = WARNING
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET + ' layer { name: "cut" type: "Slice" top: "image" top: "rest" }',
        # Depth for one trunk, and all for the other; a Slice cannot leave the rest out.
        _NET.replace(
            ' layer { name: "fc"',
            ' layer { name: "cut" type: "Slice" bottom: "data" top: "colour" top: "depth" slice_param { axis: 1 } }'
            ' layer { name: "aside" type: "InnerProduct" bottom: "depth" top: "aside"'
            " inner_product_param { num_output: 2 } }"
            ' layer { name: "beside" type: "SoftmaxWithLoss" bottom: "aside" bottom: "label" top: "beside" }'
            ' layer { name: "fc"',
        ),
        # A look at what is trained.
        _NET + ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }',
        _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
        " include { phase: TEST } inner_product_param { num_output: 9 } }",
        # The loss of a stage that a script sets.
        _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
        " inner_product_param { num_output: 9 } }"
        ' layer { name: "aux_loss" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "aux_loss"'
        ' include { phase: TRAIN stage: "second" } }',
        # Frozen on purpose.
        _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
        " param { lr_mult: 0 } param { lr_mult: 0 } inner_product_param { num_output: 9 } }",
    ]
    INVALID = [
        Invalid(
            _NET[_NET.index('layer { name: "fc"') :]
            + ' layer { name: "fc6_scale" type: "Scale" bottom: "fc6" top: "fc6_scale" }',
            span='top: "fc6_scale"',
            message='Scale "fc6_scale": nothing reads "fc6_scale" in TRAIN, so the layer learns nothing; give it a loss'
            " or keep it out of TRAIN",
        ),
        Invalid(
            _NET + ' layer { name: "aux" type: "InnerProduct" bottom: "data" top: "aux"'
            " inner_product_param { num_output: 9 } }"
            ' layer { name: "prob" type: "Softmax" bottom: "aux" top: "prob" }',
            span='top: "prob"',
            message='InnerProduct "aux": nothing reads "prob" in TRAIN, so the layer learns nothing; give it a loss or'
            " keep it out of TRAIN",
        ),
        Invalid(
            _NET.replace(
                ' layer { name: "fc"',
                ' layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 9'
                ' kernel_size: 1 } } layer { name: "fc"',
            ),
            span='top: "c"',
            message='Convolution "c": nothing reads "c" in TRAIN, so the layer learns nothing, and InnerProduct "fc"'
            ' after it reads "data" instead; let "fc" read "c"',
        ),
        # Two trunks.
        Invalid(
            _NET.replace(
                ' layer { name: "fc"',
                ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 2 }'
                ' } layer { name: "b" type: "Convolution" bottom: "data" top: "b" convolution_param { num_output: 9'
                ' kernel_size: 1 } } layer { name: "fc"',
            ).replace('bottom: "data" top: "fc"', 'bottom: "b" top: "fc"'),
            span='top: "a"',
            message='InnerProduct "a": nothing reads "a" in TRAIN, so the layer learns nothing; give it a loss or keep'
            " it out of TRAIN",
        ),
        Invalid(
            _NET.replace('bottom: "data" top: "fc"', 'bottom: "c" top: "fc"').replace(
                ' layer { name: "fc"',
                ' layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 9'
                ' kernel_size: 1 } } layer { name: "pool" type: "Pooling" bottom: "c" top: "pool" pooling_param {'
                ' kernel_size: 2 } } layer { name: "fc"',
            ),
            span='top: "pool"',
            message='Pooling "pool": nothing reads "pool", and InnerProduct "fc" reads "c" instead, so the layer has no'
            ' effect; let "fc" read "pool", or remove the layer',
        ),
        Invalid(
            _NET.replace('bottom: "data" top: "fc"', 'bottom: "c" top: "fc"').replace(
                ' layer { name: "fc"',
                ' layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 9'
                ' kernel_size: 1 } } layer { name: "norm" type: "LRN" bottom: "c" top: "norm" } layer { name: "fc"',
            ),
            span='top: "norm"',
            message='LRN "norm": nothing reads "norm", and InnerProduct "fc" reads "c" instead, so the layer has no'
            ' effect; let "fc" read "norm", or remove the layer',
        ),
        # The labels are among what the net learns from.
        Invalid(
            _NET.replace(
                ' top: "label" }',
                ' } layer { name: "cut" type: "Slice" bottom: "data" top: "image" top: "label" }',
            ),
            span='top: "image"',
            message='Slice "cut": nothing reads "image", and InnerProduct "fc" reads "data" instead, which still holds'
            ' "label"; let "fc" read "image"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.solvers and not net.once(is_whole) and any(layer.kind.is_loss for layer in net.layers):
            yield from self._of_part(net)
            return
        yield from self._bypassed(net)
        for one in net.states():
            if one.phase != TRAIN or not one.is_wired or not one.has_loss:
                continue
            if not net.may_be_trained:
                return
            read = {blob for layer in net.in_phase(TRAIN) if layer.depends_on_stage for blob in layer.bottoms}
            for name in one.outputs:
                if name in read:
                    continue  # a loss of another stage, as in training by steps
                blob = one.blobs[name]
                maker = blob.producer
                idle = maker and _idle(maker)
                if maker and idle and maker.index is not None:
                    mine = net.layers[maker.index]
                    top = mine.tops.index(name) if name in mine.tops else 0
                    what, remedy = "the layer learns nothing", "give it a loss or keep it out of TRAIN"
                    if other := skips(maker, one.followers.get(maker)):
                        what += f', and {title(other)} after it reads "{other.bottoms[0].original.name}" instead'
                        remedy = f'let "{other.name}" read "{name}"'
                    elif may_be_loss(blob):
                        remedy = f"set loss_weight: 1 at {title(maker)} if that is a loss, or keep it out of TRAIN"
                    yield self.finding(
                        mine.at("top", top),
                        f'{title(idle)}: nothing reads "{name}" in TRAIN, so {what}; {remedy}',
                        phases=(TRAIN,),
                    )
            return

    def _bypassed(self, net: Net) -> Iterator[Finding]:
        """Layers without weights that nothing reads in any phase, though others go on from what they read."""
        if net.role != "train" or not net.may_be_trained:
            return
        for one in net.states():
            if one.phase != TRAIN or not one.is_wired:
                continue
            read = {blob for layer in net.layers for blob in layer.bottoms}
            last = {blob: layer for layer in net.in_phase(TRAIN) if goes_on(layer) for blob in layer.bottoms}
            for name in one.outputs:
                maker = one.blobs[name].producer
                if maker is None or maker.index is None or name in read:
                    continue
                mine = net.layers[maker.index]
                if parts(maker) and mine.bottoms:
                    yield from self._whole_read(mine, name)
                    continue
                if not is_step(maker) or list(mine.tops) != [name]:
                    continue
                blob = next((blob for blob in mine.bottoms if blob in last and last[blob].index > mine.index), None)
                if blob is not None:
                    other = last[blob]
                    remedy = f'let "{other.name}" read "{name}", or remove the layer'
                    if other.type == mine.type:
                        remedy = "remove it"  # two ways to do one thing, of which one was left over
                    yield self.finding(
                        mine.at("top"),
                        f'{title(mine)}: nothing reads "{name}", and {title(other)} reads "{blob}" instead, so the'
                        f" layer has no effect; {remedy}",
                        phases=(TRAIN,),
                    )
            return

    def _whole_read(self, slice_: Layer, part: str) -> Iterator[Finding]:
        """A part that nothing reads, while a layer that learns goes on from the whole, with the labels in it."""
        if whole := reads_labels(slice_, part):
            yield self.finding(
                slice_.at("top", slice_.tops.index(part)),
                f'{title(slice_)}: nothing reads "{part}", and {title(whole.reader)} reads "{slice_.bottoms[0]}"'
                f' instead, which still holds "{whole.labels}"; let "{whole.reader.name}" read "{part}"',
                certainty=LIKELY,
                phases=(TRAIN,),
            )

    def _of_part(self, net: Net) -> Iterator[Finding]:
        """In the end of a net, with its loss but without its data, which is not built."""
        layers = net.in_phase(TRAIN)
        read = {blob for layer in layers for blob in layer.bottoms}
        for layer in layers:
            own = layer.kind.known and layer.kind.learns and not layer.kind.is_loss
            if own and layer.tops and read.isdisjoint(layer.tops):
                yield self.finding(
                    layer.at("top"),
                    f'{title(layer)}: nothing reads "{layer.tops[0]}" in TRAIN, so the layer learns nothing; give it a'
                    " loss or keep it out of TRAIN",
                    phases=(TRAIN,),
                )


def _idle(layer: BuiltLayer) -> BuiltLayer | None:
    """The nearest layer above, or this one, that could learn and does not, with none with weights in between."""
    while layer.known and not layer.need_backward:
        if layer.learns:
            return layer
        if len(layer.bottoms) != 1 or layer.bottoms[0].producer is None:
            return None
        layer = layer.bottoms[0].producer
    return None
