from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Finding, Invalid, Layer, Net, NetRule, provenance

_LISTED = 3


class UnusedParameterBlock(NetRule):
    """A parameter block that the layer's type does not read: Caffe ignores it without a word.

    ## Why is this bad?
    The settings in it have no effect, and the layer runs with the defaults of the block that it does read. Mostly the
    type was changed and the block forgotten, or a block was copied from another layer.

    Told of types and blocks that BVLC's Caffe has: forks give the same name to layers that read different blocks.

    ## Example
    ```
    layer { type: "Convolution" pooling_param { stride: 2 } }
    ```
    Use instead:
    ```
    layer { type: "Convolution" convolution_param { stride: 2 } }
    ```

    ## References
    - the source of each layer type in caffe/layers
    """

    code = "P011"
    name = "unused-parameter-block"
    severity = WARNING
    VALID = [
        'layer { name: "a" type: "Convolution" convolution_param { stride: 2 } }',
        'layer { name: "a" type: "MyOwnThing" convolution_param { stride: 2 } }',
        'layer { name: "a" type: "SoftmaxWithLoss" loss_param { } softmax_param { } include { } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "c1" type: "Convolution" pooling_param { stride: 2 } }',
            span="pooling_param",
            message="Convolution reads no pooling_param, it is ignored (layer c1); it reads convolution_param",
        ),
        Invalid(
            'layer { name: "r1" type: "Silence" relu_param { } } layer { name: "r2" type: "Silence" relu_param { } }',
            span="relu_param",
            message="Silence reads no relu_param, it is ignored (layers r1, r2)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        known = provenance()
        unused: dict[tuple[str, str], list[Layer]] = {}
        reads: dict[str, frozenset[str] | None] = {}
        for layer in net.layers:
            type_ = layer.type
            if type_ not in reads:
                reads[type_] = known.param_blocks(type_) if "bvlc" in known.layer_type(type_) else None
            used = reads[type_]
            if used is None:
                continue
            for field, _ in layer.message.ListFields():
                if field.name.endswith("_param") and field.name not in used and field.number < 10_000:
                    unused.setdefault((type_, field.name), []).append(layer)
        for (type_, block), layers in unused.items():
            names = [layer.name for layer in layers]
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            where = f"layer{'s' * (len(names) > 1)} {', '.join(names[:_LISTED])}{more}"
            message = f"{type_} reads no {block}, it is ignored ({where})"
            if used := reads[type_]:
                message += f"; it reads {' and '.join(sorted(used))}"
            yield self.finding(layers[0].at(block), message)
