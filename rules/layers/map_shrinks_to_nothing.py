from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, Related, title
from caffelint.lint.built import BuiltNet, types_that, written_field

from ._cover import MAP_AXES, fitting_side, is_to_cover, was_trained_whole
from ._halved import first_odd
from ._windows import emptied, misfits


class MapShrinksToNothing(NetRule):
    """A kernel is larger than the map it slides over, or an average smaller than the map it was meant to cover.

    ## Why is this bad?
    Caffe's division rounds towards 0, so a kernel that exceeds the map by less than its stride still gives one output,
    with zeros for the missing pixels; a pooling can give a blob with no elements. The input or crop is too small for
    the net, or the map is downsampled once too often.

    If the average before a classifier leaves more than one pixel, the input is larger than the one the net was made
    for, and the classifier gets many times the weights; pretrained weights no longer fit.

    ## Example
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 6 dim: 6 } } }
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { kernel_size: 7 stride: 2 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 12 dim: 12 } } }
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { kernel_size: 7 stride: 2 } }
    ```

    ## Known problems
    Silent if the size of the map comes from a data file, or in a net to deploy whose training net has no crop.
    Nets that use layers or fields of a fork are checked only for an average that is too small.

    ## References
    - conv_layer.cpp, compute_output_shape; pooling_layer.cpp, Reshape; run on Caffe 1.0
    """

    code = "L011"
    name = "map-shrinks-to-nothing"
    severity = WARNING
    risks_nan = True
    layer_types = types_that(lambda kind: kind.has_setting("kernel_size") or kind.has_setting("slice_point"))
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: %d dim: 9 } } }'
        ' layer { name: "c" type: "Convolution" bottom: "data" top: "c"'
        " convolution_param { num_output: 2 kernel_size: 7 stride: 2%s } }"
    )
    _AVERAGE = (
        'layer { name: "data" type: "Data" top: "data" transform_param { crop_size: %d } data_param { batch_size: 8 } }'
        ' layer { name: "c" type: "Convolution" bottom: "data" top: "c"'
        " convolution_param { num_output: 2 kernel_size: 32 stride: 32 } }"
        ' layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { pool: AVE kernel_size: %d } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "p" top: "fc" inner_product_param { num_output: 9 } }'
    )
    _DEPLOYED = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: %d dim: %d } } }'
        + (_AVERAGE[_AVERAGE.index(' layer { name: "c"') :])
    )
    _PADDED = (
        _AVERAGE.replace("kernel_size: 32 stride: 32", "kernel_size: 16 stride: 16")
        .replace('bottom: "c" top: "p"', 'bottom: "h" top: "p"')
        .replace(
            ' layer { name: "p"',
            ' layer { name: "h" type: "Pooling" bottom: "c" top: "h"'
            " pooling_param { kernel_size: 3 stride: 2 pad: %d } }"
            ' layer { name: "p"',
        )
    )
    _FLAT = (
        'layer { name: "data" type: "Data" top: "x" transform_param { crop_size: 64 } data_param { batch_size: 2 } }'
        ' layer { name: "a" type: "InnerProduct" bottom: "x" top: "a" inner_product_param { num_output: 9 } }'
        ' layer { name: "p" type: "Pooling" bottom: "a" top: "p" pooling_param { pool: AVE kernel_size: 7 } }'
        ' layer { name: "b" type: "InnerProduct" bottom: "p" top: "b" inner_product_param { num_output: 9 } }'
    )
    VALID = [
        *(_PADDED % (224, 0, 7), _NET % (7, ""), _NET % (6, " pad: 1"), _AVERAGE % (224, 7), _AVERAGE % (299, 3)),
        _FLAT,  # what Caffe refuses is no map
        # It was trained on whole images, of a size that no text gives.
        {
            "train_val.prototxt": _AVERAGE.replace(" transform_param { crop_size: %d }", "").replace(
                'top: "data"', 'top: "data" top: "label"'
            )
            % 7
            + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }',
            "deploy.prototxt": _DEPLOYED % (299, 299, 7),
        },
    ]
    INVALID = [
        Invalid(
            _DEPLOYED % (299, 299, 7),
            span="dim: 299",
            message='Pooling "p": kernel_size 7 does not cover the 9x9 map, so the output is 3x3, not 1x1; use an input'
            " of 224x224, which makes the map 7x7",
        ),
        # Rounded up, a padded map of even size is one too large.
        Invalid(
            _PADDED % (224, 1, 7),
            span="pooling_param",
            message='Pooling "p": kernel_size 7 does not cover the 8x8 map, so the output is 2x2, not 1x1; Pooling "h"'
            " makes 8x8 of 14x14, not 7x7; set pad: 0 there",
        ),
        Invalid(
            _AVERAGE % (299, 7),
            span="crop_size: 299",
            message='Pooling "p": kernel_size 7 does not cover the 9x9 map, so the output is 3x3, not 1x1; set'
            " crop_size:"
            " 224, which makes the map 7x7",
        ),
        Invalid(
            _AVERAGE % (224, 6),
            span="kernel_size: 6",
            message='Pooling "p": kernel_size 6 does not cover the 7x7 map, so the output is 2x2, not 1x1; set'
            " kernel_size:"
            " 7, or global_pooling: true",
        ),
        Invalid(
            _NET % (6, ""),
            span="kernel_size: 7",
            message='Convolution "c": kernel 7 is larger than the height of 6 (padding included), so the pixels'
            " outside count as 0; use a larger input, a smaller kernel or padding",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 2 dim: 9 } } }'
            ' layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { kernel_size: 3 stride: 1 } }',
            span="kernel_size: 3",
            message='Pooling "p": kernel 3 is larger than the height of 2 (padding included), so the output is empty;'
            " use a larger input, a smaller kernel or padding",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "s" type: "Slice" bottom: "data" top: "a" top: "b" slice_param { slice_point: 3 } }',
            span="slice_point: 3",
            message='Slice "s": slice_point is the size of the axis, so top "b" is empty',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            yield from self._uncovered(net, one)
        if not net.is_plain:
            return
        # Where Caffe cannot read what they make, refused-by-caffe names them.
        said = {made.layer.index for refused in net.refused() for made in emptied(refused)}
        for one in net.states():
            for layer in one.layers:
                if layer.type not in self.layer_types or layer.index is None or layer.index in said:
                    continue
                if not layer.upsamples:
                    for kernel, side, size in misfits(layer):
                        said.add(layer.index)
                        mine = net.layers[layer.index]
                        field = written_field(layer.parameters, "kernel_size", ("height", "width").index(side))
                        is_empty = 0 in (layer.tops[0].shape or ())
                        what = "the output is empty" if is_empty else "the pixels outside count as 0"
                        yield self.finding(
                            mine.at(layer.block, field),
                            f"{title(mine)}: kernel {kernel} is larger than the {side} of {size} (padding included),"
                            f" so {what}; use a larger input, a smaller kernel or padding",
                        )
                        break
                if layer.type == "Slice":
                    empty = [top.name for top in layer.tops if top.shape is not None and 0 in top.shape]
                    if empty and 0 not in (layer.bottoms[0].shape or ()):
                        said.add(layer.index)
                        yield self.finding(
                            net.layers[layer.index].at("slice_param", "slice_point", -1),
                            f"{title(net.layers[layer.index])}: slice_point is the size of the axis, so top"
                            f' "{empty[0]}" is empty',
                        )

    def _uncovered(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        """An average that was meant to cover the whole map before a classifier, and does not."""
        averages = [layer for layer in one.layers if layer.type == "Pooling" and is_to_cover(layer)]
        if not averages:
            return
        layer = averages[-1]
        if one.memory is None:
            one = net.likely(one.state)
            layer = next(likely for likely in one.layers if likely.index == layer.index)
        shape, kernel = layer.bottoms[0].shape, layer.parameters.kernel_size
        is_square = shape is not None and len(shape) == MAP_AXES and shape[2] == shape[3]
        if shape is None or not is_square or shape[2] <= kernel or layer.index is None:
            return
        side, left = shape[2], shape[2] - kernel + 1
        place = net.layers[layer.index].at("pooling_param", "kernel_size")
        related: tuple[Related, ...] = ()
        what = f"set kernel_size: {side}, or global_pooling: true"
        data = next((made for made in one.layers if made.tops and not made.bottoms), None)
        size = fitting_side(net, one, data, layer)
        if data is not None and data.index is not None and size:
            if net.role == "deploy" and was_trained_whole(net, layer):
                return
            related = (Related("the average", place),)
            maker = net.layers[data.index]
            crop = maker.has("transform_param", "crop_size")
            what = f"set crop_size: {size}, which makes" if crop else f"use an input of {size}x{size}, which makes"
            what += f" the map {kernel}x{kernel}"
            place = maker.at(*(("transform_param", "crop_size") if crop else ("input_param", "shape", 0, "dim", -2)))
        elif odd := first_odd(layer, kernel):
            related = (Related("the average", place),)
            maker = net.layers[odd.layer.index or 0]
            place = maker.at(odd.layer.block)
            what = f"{title(maker)} makes {odd.made}x{odd.made} of {odd.side}x{odd.side}, not {odd.meant}x{odd.meant}"
            what += f"; set {odd.cure} there" if odd.cure else "; correct that"
        yield self.finding(
            place,
            f"{title(layer)}: kernel_size {kernel} does not cover the {side}x{side} map, so the output is"
            f" {left}x{left}, not 1x1; {what}",
            certainty=LIKELY,
            phases=one.phases,
            related=related,
        )
