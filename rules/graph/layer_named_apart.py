from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    TEST,
    TRAIN,
    UNSAFE,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    fix,
    quoted,
    title,
    write,
)

from ._fixed import is_fixed


class LayerNamedApart(NetRule):
    """A layer with parameters is only in TEST, and TRAIN has no layer of its name.

    ## Why is this bad?
    The test net takes its parameters from the training net by the name of the layer. A layer that TRAIN does not have
    keeps the random values of its filler, so its scores mean nothing; the log says "Ignoring source layer" alone.

    ## Example
    ```
    layer { name: "fc_train" type: "InnerProduct" bottom: "pool" top: "fc" include { phase: TRAIN } }
    layer { name: "fc_test" type: "InnerProduct" bottom: "pool" top: "fc" include { phase: TEST } }
    ```
    Use instead:
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" include { phase: TRAIN } }
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" include { phase: TEST } }
    ```

    ## Fix safety
    Unsafe: the layer gets trained weights in place of its initial ones.

    ## References
    - net.cpp, ShareTrainedLayersWith
    """

    code = "G021"
    name = "layer-named-apart"
    severity = ERROR
    _FC = 'layer { name: "%s" type: "InnerProduct" bottom: "data" top: "fc" include { phase: %s }%s }'
    _LOSS = ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" }'
    VALID = [
        _FC % ("fc", "TRAIN", "") + _FC % ("fc", "TEST", "") + _LOSS,
        # A constant layer: nothing to learn.
        _FC % ("sum", "TEST", " param { lr_mult: 0 } inner_product_param { weight_filler { value: 1 } }") + _LOSS,
        # TRAIN is never built from this file.
        _FC % ("fc", "TEST", ""),
    ]
    INVALID = [
        Invalid(
            _FC % ("fc_train", "TRAIN", "") + _FC % ("fc_test", "TEST", "") + _LOSS,
            span='name: "fc_test"',
            message='InnerProduct "fc_test" is in TEST but TRAIN has no layer of that name, so it keeps its initial'
            ' parameters; name it "fc_train" as in TRAIN',
            fixed=_FC % ("fc_train", "TRAIN", "") + _FC % ("fc_train", "TEST", "") + _LOSS,
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        tested = [layer for layer in net.conditional if layer.phases == (TEST,) and layer.kind.has_parameters]
        apart = [layer for layer in tested if not is_fixed(layer)]
        if not apart or net.role != "train":
            return
        train = [layer for layer in net.layers if TRAIN in layer.phases]
        names = {layer.name for layer in train}
        learning = [layer for layer in train if layer.kind.has_parameters]
        if not learning or {phase for one in net.states() for phase in one.phases} != {TRAIN, TEST}:
            return
        tests = {layer.name for layer in net.layers if TEST in layer.phases}
        for layer in apart:
            if layer.name in names:
                continue
            twin = next((other for other in learning if other.type == layer.type and other.name not in tests), None)
            name = quoted(twin.name) if twin else ""
            advice = f"name it {name} as in TRAIN" if twin else "add it to TRAIN, or remove it from TEST"
            yield self.finding(
                layer.at("name"),
                f"{title(layer)} is in TEST but TRAIN has no layer of that name, so it keeps its initial parameters;"
                f" {advice}",
                phases=(TEST,),
                related=(Related("the layer in TRAIN", twin.at("name")),) if twin else (),
                fixes=fix(f"set name: {name}", UNSAFE, write(layer, "name", value=name)) if twin else (),
            )
