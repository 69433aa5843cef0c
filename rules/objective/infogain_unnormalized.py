from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Kind,
    Layer,
    LayerRule,
    fix,
    provenance,
    readers,
    remove,
    replace,
    source,
    sources,
    title,
)

from ._graph import only, read_before

_MOST_SCORES = 2
_LOSS = 'layer { name: "loss" type: "InfogainLoss" bottom: "fc" bottom: "label" top: "loss"'
_FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }'


class InfogainUnnormalized(LayerRule):
    """The bottoms of an InfogainLoss are not what this version of Caffe expects.

    ## Why is this bad?
    Since March 2016 InfogainLoss applies softmax itself and takes raw scores; a Softmax before it is then applied
    twice, and even a perfect answer keeps a large loss. Before that, and in forks that branched off earlier, it took
    probabilities: raw scores give it the logarithm of negative numbers, clamped at 1e-20.

    Its matrix H comes from the file in `infogain_loss_param.source` or from a third bottom. With neither, Caffe stops;
    with both, the file is not read. An H of zeros makes the loss and its gradient zero.

    ## Example
    ```
    layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
    layer {
      name: "loss" type: "InfogainLoss" bottom: "prob" bottom: "label"
      infogain_loss_param { source: "H.binaryproto" }
    }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "InfogainLoss" bottom: "fc" bottom: "label"
      infogain_loss_param { source: "H.binaryproto" }
    }
    ```

    ## Options
    `dialect`: name your fork, and the rule knows which of the two versions it has.

    ## Fix safety
    Safe for `normalize`, which Caffe refuses: the newer field means the same. The others are unsafe, since the loss
    changes or a setting without effect is removed.

    ## References
    - infogain_loss_layer.cpp, LayerSetUp and Reshape; BVLC/caffe pull request 3855, commit 337b07589
    """

    code = "O001"
    name = "infogain-unnormalized"
    severity = WARNING
    risks_nan = True
    claims = (
        Kind.MISSING_INFOGAIN_MATRIX,
        Kind.NORMALIZE_OF_INFOGAIN,
    )
    layer_types = ("InfogainLoss",)
    VALID = [
        _FC + _LOSS + ' infogain_loss_param { source: "H.binaryproto" } }',
        _FC + _LOSS + ' bottom: "H" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "prob" type: "Softmax" bottom: "data" top: "fc" }'
            + _LOSS
            + ' infogain_loss_param { source: "H.binaryproto" } }',
            span='bottom: "fc"',
            message='InfogainLoss "loss" applies softmax itself since 2016, so after Softmax "prob" it is applied'
            ' twice; set bottom: "data"',
            fixed='layer { name: "prob" type: "Softmax" bottom: "data" top: "fc" }'
            + 'layer { name: "loss" type: "InfogainLoss" bottom: "data" bottom: "label" top: "loss"'
            + ' infogain_loss_param { source: "H.binaryproto" } }',
        ),
        Invalid(
            _FC + _LOSS + ' infogain_loss_param { source: "H.binaryproto" } }',
            options={"dialect": "c3d-1.0"},
            span='bottom: "fc"',
            message='in c3d-1.0, InfogainLoss "loss" takes probabilities but InnerProduct "fc" makes none; put a'
            " Softmax between them",
        ),
        Invalid(
            _FC + _LOSS + " }",
            span='type: "InfogainLoss"',
            message='InfogainLoss "loss": matrix H is missing; set source in infogain_loss_param, or add a third'
            " bottom",
        ),
        Invalid(
            _FC + _LOSS + ' infogain_loss_param { source: "H.binaryproto" } loss_param { normalize: true } }',
            span="normalize: true",
            message='InfogainLoss "loss" does not take normalize: true; set normalization: VALID, which means the same',
            fixed=_FC
            + _LOSS
            + ' infogain_loss_param { source: "H.binaryproto" } loss_param { normalization: VALID } }',
        ),
        Invalid(
            _FC + _LOSS + ' bottom: "H" infogain_loss_param { source: "H.binaryproto" } }',
            span='source: "H.binaryproto"',
            message='InfogainLoss "loss": source "H.binaryproto" is never read, because H comes from bottom "H";'
            " remove one of the two",
            fixed=_FC + _LOSS + ' bottom: "H" }',
        ),
        Invalid(
            'layer { name: "H" type: "DummyData" top: "H" dummy_data_param { shape { dim: 3 dim: 3 } } }'
            + _FC
            + _LOSS
            + ' bottom: "H" }',
            span='bottom: "H"',
            message='InfogainLoss "loss": DummyData "H" fills the matrix H with 0, so nothing learns',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        yield from self._normalized(layer)
        yield from self._matrix(layer)
        if layer.has("loss_param", "normalize"):
            mode = "VALID" if layer.param("loss_param").normalize else "BATCH_SIZE"
            value = "true" if mode == "VALID" else "false"
            yield self.finding(
                layer.at("loss_param", "normalize"),
                f"{title(layer)} does not take normalize: {value}; set normalization: {mode}, which means the same",
                severity=ERROR,
                evidence='Caffe stops with: normalize is deprecated. use "normalization"',
                fixes=fix(
                    f"set normalization: {mode}",
                    SAFE,
                    remove(layer, "loss_param", "normalize")
                    if layer.has("loss_param", "normalization")
                    else (replace(layer.at("loss_param", "normalize"), f"normalization: {mode}"),),
                ),
            )

    def _normalized(self, layer: Layer) -> Iterator[Finding]:
        older = self._fork_of_before(layer)
        for (made_by, _), phases in sources(layer, 0):
            if made_by.type == "Softmax" and not older:
                bottom = f'; set bottom: "{made_by.bottoms[0]}"' if made_by.bottoms else ""
                yield self.finding(
                    layer.at("bottom"),
                    f"{title(layer)} applies softmax itself since 2016, so after {title(made_by)} it is applied"
                    f" twice{bottom}",
                    evidence="softmax of probabilities is nearly uniform: the loss stays large and learning is slow",
                    severity=INFO if self._may_be_older(layer) else None,
                    phases=only(phases, layer),
                    fixes=read_before(layer, made_by, phases),
                )
            elif older and made_by.kind.shaped_by:
                yield self.finding(
                    layer.at("bottom"),
                    f"in {older}, {title(layer)} takes probabilities but {title(made_by)} makes none; put a Softmax"
                    " between them",
                    evidence="it takes the logarithm of each score; scores below 1e-20 count as 1e-20",
                    phases=only(phases, layer),
                )

    def _may_be_older(self, layer: Layer) -> bool:
        """Is the net in the format of 2014, or for forks of which some have no softmax inside the loss?"""
        is_old = layer.node is not None and layer.node.name == "layers"
        # BVLC's AccuracyLayer makes two tops at most (accuracy_layer.hpp, MaxTopBlobs).
        is_of_a_fork = any(len(one.tops) > _MOST_SCORES for one in layer.net.layers_of(["Accuracy"]))
        return is_old or is_of_a_fork or not readers(layer.net.bound) <= _forks_with_softmax()

    def _fork_of_before(self, layer: Layer) -> str:
        """The fork that is linted for, if its InfogainLoss has no softmax inside."""
        fork = layer.net.bound.dialect
        return fork if fork and fork not in _forks_with_softmax() else ""

    def _matrix(self, layer: Layer) -> Iterator[Finding]:
        has_file = layer.has("infogain_loss_param", "source")
        if len(layer.bottoms) < 3:
            if not has_file:
                yield self.finding(
                    layer.at("infogain_loss_param") if layer.has("infogain_loss_param") else layer.at("type"),
                    f"{title(layer)}: matrix H is missing; set source in infogain_loss_param, or add a third bottom",
                    severity=ERROR,
                    evidence="Caffe stops with: Infogain matrix source must be specified.",
                )
            return
        if has_file:
            yield self.finding(
                layer.at("infogain_loss_param", "source"),
                f'{title(layer)}: source "{layer.message.infogain_loss_param.source}" is never read, because H comes'
                f' from bottom "{layer.bottoms[2]}"; remove one of the two',
                fixes=fix("remove source", UNSAFE, remove(layer, "infogain_loss_param", "source")),
            )
        for phase in layer.phases:
            made = source(layer, 2, phase)
            if made is None:
                continue
            if made.layer.type == "DummyData" and _fills_with_zero(made.layer, made.top):
                yield self.finding(
                    layer.at("bottom", 2),
                    f"{title(layer)}: {title(made.layer)} fills the matrix H with 0, so nothing learns",
                    severity=ERROR,
                    evidence="loss and gradient are sums over the rows of H",
                )
                return
            if made.layer.type == "Input":
                yield self.finding(
                    layer.at("bottom", 2),
                    f"{title(layer)}: the matrix H comes from {title(made.layer)}, which is all zeros unless a program"
                    " fills it, so `caffe train` learns nothing; set source in infogain_loss_param",
                    certainty=LIKELY,
                )
                return


def _fills_with_zero(layer: Layer, top: int) -> bool:
    fillers = layer.param("dummy_data_param").data_filler
    if not fillers:
        return True
    filler = fillers[top if len(fillers) > 1 else 0]
    return bool(filler.type == "constant" and filler.value == 0)


def _forks_with_softmax() -> frozenset[str]:
    """Those whose InfogainLoss has a softmax inside, which came together with its field `axis`."""
    axis = provenance().field("InfogainLossParameter", "axis")
    return axis.forks if axis else frozenset()
