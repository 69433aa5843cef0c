from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TEST, TRAIN, Finding, Invalid, Kind, Net, RefusalRule, Refused, Related, title
from caffelint.lint.built import Shape, shape_text


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
    Silent about shapes in nets with layers or fields of a fork, and where a shape depends on a data file.

    ## References
    - net.cpp, AppendParam
    """

    code = "G014"
    name = "shared-parameter-mismatch"
    severity = ERROR
    claims = (Kind.SHARED_PARAM_SHAPE, Kind.SHARED_PARAM_MULTIPLIER)
    VALID = [
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
        if not net.is_plain or not any(layer.phases == (TEST,) for layer in net.layers):
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
                yield self.finding(
                    net.layers[layer.index].at("name"),
                    f"{title(layer)} has {what}, so the test net cannot take the parameters of the training net",
                    evidence=f"Caffe stops with: {caffe}",
                    phases=(TEST,),
                    related=(Related("in TRAIN", net.layers[twin.index].at("name")),),
                )


def _difference(here: list[Shape], there: list[Shape]) -> tuple[str, str]:
    if len(here) != len(there):
        return (
            f"{len(here)} parameter{'s' if len(here) != 1 else ''} in TEST but {len(there)} in TRAIN",
            "Incompatible number of blobs",
        )
    one, other = next((a, b) for a, b in zip(here, there, strict=True) if a != b)
    return f"parameters of {shape_text(one)} in TEST but {shape_text(other)} in TRAIN", "Cannot share param 0 weights"
