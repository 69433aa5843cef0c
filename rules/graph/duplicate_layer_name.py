from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, WARNING, Finding, Invalid, Layer, Net, NetRule, Related

from ._learning import has_parameters


class DuplicateLayerName(NetRule):
    """Two layers of one phase share a name, and one of them has parameters.

    ## Why is this bad?
    Caffe finds parameters by the name of their layer: when the test net takes those of the training net, and when a
    .caffemodel is loaded. All layers of a name go to the first of that name. So the first ends with the parameters of
    the last, the others keep random ones, and where the numbers or shapes of parameters differ Caffe ends with
    "Incompatible number of blobs" or "shape mismatch". Training itself says nothing.

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

    ## References
    - net.cpp, ShareTrainedLayersWith and CopyTrainedLayersFrom
    """

    code = "G004"
    name = "duplicate-layer-name"
    severity = ERROR
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
            'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "fc1" top: "fc2" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc2" bottom: "label" }',
            span='name: "fc"',
            message='layer name "fc" is taken (InnerProduct, line 1): Caffe copies parameters by name, so both go to'
            " the first of the two; give this InnerProduct a name of its own",
        ),
        Invalid(
            'layer { name: "up" type: "Deconvolution" bottom: "data" top: "up" }'
            ' layer { name: "up" type: "Dropout" bottom: "up" top: "up" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "up" bottom: "label" }',
            span='name: "up"',
            message='layer name "up" is taken (Deconvolution, line 1): Caffe copies parameters by name, and ends with'
            ' "Incompatible number of blobs"; give this Dropout a name of its own',
        ),
        Invalid(
            'layer { type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { type: "InnerProduct" bottom: "fc1" top: "fc2" }',
            span="layer",
            message="layer has no name, like another one (InnerProduct, line 1): Caffe copies parameters by name, so"
            " both go to the first of the two; give this InnerProduct a name of its own",
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
            if _is_conditional(layer):
                continue
            second = has_parameters(layer.type, len(layer.bottoms))
            others = [
                (*found, first)
                for (phases, first), found in above.items()
                if (first or second) and not set(phases).isdisjoint(layer.phases)
            ]
            if others:
                _, other, first = min(others, key=lambda found: found[0])
                known = f'layer name "{layer.name}" is taken' if layer.name else "layer has no name, like another one"
                both = first and second
                what = "so both go to the first of the two" if both else 'and ends with "Incompatible number of blobs"'
                yield self.finding(
                    layer.at("name"),
                    f"{known} ({other.type}, line {other.at().line}): Caffe copies parameters by name, {what};"
                    f" give this {layer.type} a name of its own",
                    evidence="the test net and every reload of the weights copy parameters by name",
                    severity=ERROR if layer.net.role == "train" else WARNING,
                    related=(Related("the other one", other.at("name")),),
                )
                return
            above.setdefault((layer.phases, second), (number, layer))


def _is_conditional(layer: Layer) -> bool:
    """Does it hang on a stage or level whether the layer is there?"""
    return any(
        rule.stage or rule.not_stage or rule.HasField("min_level") or rule.HasField("max_level")
        for rule in (*layer.message.include, *layer.message.exclude)
    )
