from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    PHASES,
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
    write,
)

from ._learning import has_parameters
from ._names import free_name


class DuplicateLayerName(NetRule):
    """Two layers of one phase share a name, and one of them has parameters, or both bring data.

    ## Why is this bad?
    Caffe finds parameters by the name of their layer: when the test net takes those of the training net, and when a
    .caffemodel is loaded. All layers of a name go to the first of that name. So the first ends with the parameters of
    the last, the others keep random ones: a warning, for training itself says nothing and may go well. Where the
    numbers or shapes of parameters differ Caffe ends with "Incompatible number of blobs" or "shape mismatch".

    Of two data layers nothing is copied, but whoever asks for a layer by its name, to feed it or to look at it, gets
    the last one.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc1" }
    layer { name: "fc" type: "InnerProduct" bottom: "fc1" top: "fc2" }
    ```
    Use instead:
    ```
    layer { name: "fc1" type: "InnerProduct" bottom: "pool" top: "fc1" }
    layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" }
    ```

    ## Fix safety
    Unsafe: weights that are stored under the old name no longer reach this layer. Of a layer with parameters and one
    without it is the latter that gets another name, as the net's other layers of its type have it.

    ## References
    - net.cpp, ShareTrainedLayersWith, CopyTrainedLayersFrom and layer_by_name
    """

    code = "G004"
    name = "duplicate-layer-name"
    severity = ERROR
    _WIDTHS = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: %d } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: %d } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "data" }'
    )
    VALID = [
        # One per phase.
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" include { phase: TRAIN } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" include { phase: TEST } }',
        # Nothing to copy.
        'layer { name: "act" type: "ReLU" bottom: "a" top: "a" }'
        ' layer { name: "act" type: "ReLU" bottom: "b" top: "b" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "DummyData" top: "data" }'
            ' layer { name: "data" type: "DummyData" top: "label" }',
            span='name: "data"',
            message='layer name "data" is taken (DummyData, line 1): by name only this DummyData is found; give it a'
            " name of its own",
            fixed='layer { name: "data" type: "DummyData" top: "data" }'
            ' layer { name: "label" type: "DummyData" top: "label" }',
        ),
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "fc1" top: "fc2" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc2" bottom: "label" }',
            span='name: "fc"',
            message='layer name "fc" is taken (InnerProduct, line 1): Caffe copies parameters by name, so both go to'
            " the first of the two; give this InnerProduct a name of its own",
            fixed=(
                'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc1" } layer { name: "fc2" type: '
                '"InnerProduct" bottom: "fc1" top: "fc2" } layer { name: "loss" type: "EuclideanLoss" bottom: '
                '"fc2" bottom: "label" }'
            ),
        ),
        Invalid(
            _WIDTHS % (5, 5),
            span='name: "fc"',
            message='layer name "fc" is taken (InnerProduct, line 1): Caffe copies parameters by name, so both go to'
            " the first of the two; give this InnerProduct a name of its own",
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } } layer '
                '{ name: "fc" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 5 } '
                '} layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: '
                '5 } } layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "data" }'
            ),
        ),
        Invalid(
            _WIDTHS % (5, 6),
            span='name: "fc"',
            message='layer name "fc" is taken (InnerProduct, line 1): Caffe copies parameters by name, and ends with'
            ' "shape mismatch"; give this InnerProduct a name of its own',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } } layer '
                '{ name: "fc" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 5 } '
                '} layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: '
                '6 } } layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "data" }'
            ),
        ),
        Invalid(
            'layer { name: "up" type: "Deconvolution" bottom: "data" top: "up" }'
            ' layer { name: "up" type: "Dropout" bottom: "up" top: "up" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "up" bottom: "label" }',
            span='name: "up"',
            message='layer name "up" is taken (Deconvolution, line 1): Caffe copies parameters by name, and ends with'
            ' "Incompatible number of blobs"; give this Dropout a name of its own',
            fixed=(
                'layer { name: "up" type: "Deconvolution" bottom: "data" top: "up" } layer { name: "drop_up" type: '
                '"Dropout" bottom: "up" top: "up" } layer { name: "loss" type: "EuclideanLoss" bottom: "up" '
                'bottom: "label" }'
            ),
        ),
        Invalid(
            'layer { type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { type: "InnerProduct" bottom: "fc1" top: "fc2" }',
            span="layer",
            message="layer has no name, like another one (InnerProduct, line 1): Caffe copies parameters by name, so"
            " both go to the first of the two; give this InnerProduct a name of its own",
            fixed=(
                'layer { type: "InnerProduct" bottom: "data" top: "fc1" } layer { type: "InnerProduct" bottom: '
                '"fc1" top: "fc2" name: "fc2" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        names: dict[str, list[Layer]] = {}
        for layer in net.layers:
            names.setdefault(layer.name, []).append(layer)
        if len(names) == len(net.layers):
            return
        for layers in names.values():
            if len(layers) > 1:
                yield from self._judge(layers)

    def _judge(self, layers: list[Layer]) -> Iterator[Finding]:
        above: dict[tuple[tuple[str, ...], bool], tuple[int, Layer]] = {}
        for number, layer in enumerate(layers):
            if layer.depends_on_stage:
                continue
            second = has_parameters(layer.type, len(layer.bottoms))
            others = [
                (*found, first)
                for (phases, first), found in above.items()
                if (first or second) and not set(phases).isdisjoint(layer.phases)
            ]
            if others:
                _, other, _ = min(others, key=lambda found: found[0])
                known = f'layer name "{layer.name}" is taken' if layer.name else "layer has no name, like another one"
                refusal = _refusal(other, layer)
                what = f'and ends with "{refusal}"' if refusal else "so both go to the first of the two"
                severity = ERROR if refusal and layer.net.role == "train" else WARNING
                renamed, kept, which = layer, other, "this"
                if second and not has_parameters(other.type, len(other.bottoms)):  # what is stored keeps its name
                    renamed, kept, which = other, layer, "that"
                yield self.finding(
                    layer.at("name"),
                    f"{known} ({other.type}, line {other.at().line}): Caffe copies parameters by name, {what};"
                    f" give {which} {renamed.type} a name of its own",
                    evidence="the test net and every reload of the weights copy parameters by name",
                    severity=severity,
                    certainty=CERTAIN if refusal else LIKELY,
                    related=(Related("the other one", other.at("name")),),
                    fixes=_fixes(renamed, kept),
                )
                return
            for (phases, _), (_, other) in above.items():
                if not layer.bottoms and not other.bottoms and layer.name and set(phases) & set(layer.phases):
                    yield self.finding(
                        layer.at("name"),
                        f'layer name "{layer.name}" is taken ({other.type}, line {other.at().line}): by name only this'
                        f" {layer.type} is found; give it a name of its own",
                        severity=INFO,
                        related=(Related("the other one", other.at("name")),),
                        fixes=_fixes(layer, other),
                    )
                    return
            above.setdefault((layer.phases, second), (number, layer))


def _fixes(layer: Layer, other: Layer) -> tuple[Fix, ...]:
    """A name of its own, where the layer is the same one in each phase."""
    if layer.phases != PHASES or not (layer.name or layer.tops):
        return ()
    name = quoted(free_name(layer, other))
    return fix(f"name it {name}", UNSAFE, write(layer, "name", value=name))


def _refusal(one: Layer, other: Layer) -> str:
    """What Caffe ends with when it copies the parameters of one layer to the other; empty where it may not end."""
    if has_parameters(one.type, len(one.bottoms)) != has_parameters(other.type, len(other.bottoms)):
        return "Incompatible number of blobs"
    found = {layer.index: layer.params for net in one.net.states() for layer in net.layers}
    params, others = found.get(one.index), found.get(other.index)
    if params is None or others is None:
        return ""
    if len(params) != len(others):
        return "Incompatible number of blobs"
    return "shape mismatch" if any(a.shape != b.shape for a, b in zip(params, others, strict=True)) else ""
