from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Kind,
    Layer,
    Net,
    RefusalRule,
    Refused,
    Related,
    listed,
    plural,
    quoted,
    title,
)
from caffelint.lint.built import BuiltLayer, Shape, shape_text

from ._layer_params import sharing

_PERMISSIVE = 1


class SharedParameterMismatch(RefusalRule):
    """Layers share a parameter but give it different shapes or rates.

    ## Why is this bad?
    With `param { name: "w" }` all layers that name "w" use the parameter of the first. Caffe stops where
    shapes differ (with `share_mode: PERMISSIVE`, where numbers of elements differ), or where two layers set different
    values of `lr_mult` or `decay_mult`. The test net shares the parameters of the training net by the name of the
    layer, and there, too, numbers and shapes must match.

    ## Example
    ```
    layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 } }
    layer { name: "b" type: "InnerProduct" bottom: "more" top: "b" param { name: "w" lr_mult: 2 } }
    ```
    Use instead:
    ```
    layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 } }
    layer { name: "b" type: "InnerProduct" bottom: "more" top: "b" param { name: "w" lr_mult: 1 } }
    ```

    ## Known problems
    In nets with layers or fields of a fork, and where a shape depends on a data file, only the numbers of outputs are
    compared.

    ## References
    - net.cpp, AppendParam
    """

    code = "G014"
    name = "shared-parameter-mismatch"
    severity = ERROR
    claims = (Kind.SHARED_PARAM_SHAPE, Kind.SHARED_PARAM_MULTIPLIER)
    _OWNED = (
        'layer {{ name: "rois" type: "ROIPooling" bottom: "x" bottom: "r" top: "rois"'
        " roi_pooling_param {{ pooled_w: 7 pooled_h: 7 }} }}"
        ' layer {{ name: "a" type: "InnerProduct" bottom: "rois" top: "a" param {{ name: "w" }}'
        " inner_product_param {{ num_output: 8 }} }}"
        ' layer {{ name: "b" type: "InnerProduct" bottom: "rois" top: "b" param {{ name:"w" }}'
        " inner_product_param {{ num_output: {} }} }}"
    )
    VALID = [
        _OWNED.format(8),
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
        ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 }'
        " inner_product_param { num_output: 3 } }"
        ' layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" }'
        " inner_product_param { num_output: 3 } }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 }'
            " inner_product_param { num_output: 3 } }"
            ' layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" lr_mult: 2 }'
            " inner_product_param { num_output: 3 } }"
            ' layer { name: "c" type: "InnerProduct" bottom: "b" top: "c" param { name: "w" }'
            " inner_product_param { num_output: 4 } }",
            span=("lr_mult: 2", 'name: "w"'),
            message=(
                'InnerProduct "b": parameter "w" has lr_mult 2 here but 1 in InnerProduct "a"; use one value',
                'InnerProduct "c": parameter "w" is 4x3 but 3x3 in layer "a", which owns it',
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a"'
            " inner_product_param { num_output: 3 } include { phase: TRAIN } }"
            ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a"'
            " inner_product_param { num_output: 4 bias_term: false } include { phase: TEST } }",
            span='name: "a"',
            message='InnerProduct "a" has 1 parameter in TEST but 2 in TRAIN, so the test net cannot take the'
            " parameters of the training net",
        ),
        Invalid(
            'layer { name: "d" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } }'
            " include { phase: TRAIN } }"
            ' layer { name: "d" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: 8 dim: 8 } }'
            " include { phase: TEST } }"
            ' layer { name: "a" type: "Convolution" bottom: "data" top: "a"'
            " convolution_param { num_output: 3 kernel_size: 1 } }",
            span='name: "d"',
            message='Convolution "a" has parameters of 3x1x1x1 in TEST but 3x3x1x1 in TRAIN, so the test net cannot'
            ' take the parameters of the training net: Input "d" brings 1 channel in TEST but 3 in TRAIN',
        ),
        # A fork's layer is beside them.
        Invalid(
            _OWNED.format(84),
            span='name:"w"',
            message='InnerProduct "b": parameter "w" has 84 outputs here but 8 in InnerProduct "a", which owns it; give'
            " them names of their own, or set the same num_output",
        ),
        # What is read is not known.
        Invalid(
            'layer { name: "data" type: "HDF5Data" top: "l" hdf5_data_param { source: "a.txt" batch_size: 2 } }'
            ' layer { name: "a" type: "InnerProduct" bottom: "l" top: "a" param { name: "w" } param { name: "b" }'
            " inner_product_param { num_output: 16 } }"
            ' layer { name: "c" type: "InnerProduct" bottom: "a" top: "c" param { name:"w" } param { name:"b" }'
            " inner_product_param { num_output: 20 } }",
            span='name:"w"',
            message='InnerProduct "c": parameters "w" and "b" have 20 outputs here but 16 in InnerProduct "a", which'
            " owns them; give them names of their own, or set the same num_output",
        ),
    ]

    def report(self, refused: Refused) -> Iterator[Finding]:
        for finding in super().report(refused):
            if refused.refusal.kind is Kind.SHARED_PARAM_MULTIPLIER:
                layer, number = refused.refusal.values["other"]
                field = str(refused.refusal.field[-1])
                place = refused.net.layers[layer].at("param", number, field)
                finding.related = (Related(f"the other {field}", place),)
            yield finding

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_plain:
            for finding in () if net.document.is_damaged else self._of_outputs(net, is_of_a_fork=True):
                finding.severity, finding.certainty = WARNING, LIKELY
                yield finding
            return
        yield from self._of_outputs(net)
        if not any(layer.phases == (TEST,) for layer in net.layers):
            return
        train = next((one for one in net.states() if TRAIN in one.phases), None)
        trained = {layer.name: layer for layer in train.layers if layer.params} if train else {}
        said = set()
        for layer in (layer for one in net.states() if TRAIN not in one.phases for layer in one.layers):
            twin = trained.get(layer.name)
            if twin is None or not twin.params or not layer.params or layer.index is None or twin.index is None:
                continue
            if layer.index in said:
                continue
            here, there = [one.shape for one in layer.params], [one.shape for one in twin.params]
            if here != there:
                said.add(layer.index)
                what, caffe = _difference(here, there)
                source, why = _input(layer, twin)
                yield self.finding(
                    net.layers[layer.index if source is None else source].at("name"),
                    f"{title(layer)} has {what}, so the test net cannot take the parameters of the training net{why}",
                    evidence=f"Caffe stops with: {caffe}",
                    phases=(TEST,),
                    related=(Related("in TRAIN", net.layers[twin.index].at("name")),),
                )

    def _of_outputs(self, net: Net, is_of_a_fork: bool = False) -> Iterator[Finding]:
        """Layers whose inputs are not known, and that share parameters with another number of outputs.

        In nets of forks all layers of BVLC's are compared: how many outputs these have hangs on no layer of a fork.
        """
        owners: dict[tuple[str, str], Layer] = {}
        named = sharing(net)
        states = net.states() if named else ()
        unknown = {layer.index for one in states for layer in one.layers if layer.params is None}
        for layer in named:
            names = [one.name for one in layer.message.param if one.name]
            outputs, other = 0 if layer.depends_on_stage else _outputs(layer), None
            for phase in layer.phases if outputs else ():
                found = [owners.setdefault((phase, name), layer) for name in names]
                other = other or next((one for one in found if _outputs(one) not in (0, outputs)), None)
            if other is None or not (is_of_a_fork or layer.index in unknown) or other.type != layer.type:
                continue
            shared = [name for name in names if any(owners[phase, name] is other for phase in layer.phases)]
            strict = all(one.share_mode != _PERMISSIVE for one in layer.message.param)
            if not shared or not strict:
                continue
            number = [one.name for one in layer.message.param].index(shared[0])
            are = "parameters {} have" if len(shared) > 1 else "parameter {} has"
            yield self.finding(
                layer.at("param", number, "name"),
                f"{title(layer)}: {are.format(listed([quoted(one) for one in shared]))} {outputs} outputs here but"
                f" {_outputs(other)} in {title(other)}, which owns {'them' if len(shared) > 1 else 'it'};"
                " give them names of their own, or set the same num_output",
                evidence="Caffe stops with: Cannot share param",
                related=(Related("the owner", other.at("name")),),
            )


def _outputs(layer: Layer) -> int:
    """By how many the first axis of its weights, and its bias, are long; 0 if that is not known."""
    plain = layer.kind.is_linear and layer.kind.has_weights and layer.kind.shaped_by and not layer.kind.upsamples
    turned = layer.kind.has_setting("transpose") and layer.kind.parameters.transpose
    return int(layer.kind.parameters.num_output) if plain and not turned else 0


def _input(here: BuiltLayer, there: BuiltLayer) -> tuple[int | None, str]:
    """The layer whose data has other channels than in TRAIN, if that is why; and so in words."""
    makers = [one.bottoms[0].maker_beyond(lambda _: True) if one.bottoms else None for one in (here, there)]
    one, other = makers
    if one is None or other is None or one.index is None or one.bottoms or other.bottoms:
        return None, ""
    channels = [shape[1] if (shape := each.tops[0].shape) and len(shape) > 1 else 0 for each in (one, other)]
    if 0 in channels or channels[0] == channels[1]:
        return None, ""
    colours = [each.parameters.is_color if each.has_setting("is_color") else None for each in (one, other)]
    remedy = f"; set is_color: {str(colours[1]).lower()} here, too" if colours[0] != colours[1] else ""
    return (
        one.index,
        f": {title(one)} brings {plural(channels[0], 'channel')} in TEST but {channels[1]} in TRAIN{remedy}",
    )


def _difference(here: list[Shape], there: list[Shape]) -> tuple[str, str]:
    if len(here) != len(there):
        return (
            f"{len(here)} parameter{'s' if len(here) != 1 else ''} in TEST but {len(there)} in TRAIN",
            "Incompatible number of blobs",
        )
    one, other = next((a, b) for a, b in zip(here, there, strict=True) if a != b)
    return f"parameters of {shape_text(one)} in TEST but {shape_text(other)} in TRAIN", "Cannot share param 0 weights"
