from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    File,
    Finding,
    Invalid,
    Layer,
    TextRule,
    fix,
    provenance,
    quoted,
    suggest,
    titles,
    write,
)
from caffelint.lint.built import BVLC_TYPES

_BVLC = "bvlc"


class UnknownLayerType(TextRule):
    """A layer type that no known Caffe registers, or that only forks do.

    ## Why is this bad?
    Caffe reads the text, and aborts when it builds the net: `Unknown layer type: convolution (known types: ...)`. It is
    an error where the type is a known one with a slip in case or spelling, where the repository holds its own Caffe and
    none of its sources registers the type, or where the dialect is given. Otherwise it is an info: people know which
    types their own Caffe registers.

    ## Example
    ```
    layer { name: "conv1" type: "convolution" }
    ```
    Use instead:
    ```
    layer { name: "conv1" type: "Convolution" }
    ```

    ## Fix safety
    Safe where only case is wrong: Caffe refuses the type anyway. Otherwise unsafe, since the name is a guess.

    ## References
    - caffe/layer_factory.hpp, LayerRegistry::CreateLayer
    """

    code = "P010"
    name = "unknown-layer-type"
    severity = ERROR
    VALID = [
        'layer { name: "conv1" type: "Convolution" }',
        'layers { name: "conv1" type: CONVOLUTION }',
        'input: "data" input_dim: 1 input_dim: 3 layer { name: "conv1" type: "Convolution" bottom: "data" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "conv1" type: "convolution" }',
            span='type: "convolution"',
            message='"convolution" is not a layer type, so Caffe stops at load; did you mean "Convolution"?',
            fixed='layer { name: "conv1" type: "Convolution" }',
        ),
        Invalid(
            'layer { name: "conv1" type: "Convolutoin" }',
            span='type: "Convolutoin"',
            message='"Convolutoin" is not a layer type, so Caffe stops at load; did you mean "Convolution"?',
            fixed='layer { name: "conv1" type: "Convolution" }',
        ),
        Invalid(
            'layer { name: "a" type: "convolution" } layer { name: "b" type: "convolution" }',
            span='type: "convolution"',
            message='"convolution" is not a layer type, so Caffe stops at load; did you mean "Convolution"? (2 times)',
            fixed='layer { name: "a" type: "Convolution" } layer { name: "b" type: "Convolution" }',
        ),
        # The name of its class.
        Invalid(
            'layer { name: "loss" type: "EuclideanLossLayer" bottom: "fc8" bottom: "label" top: "loss" }',
            span='type: "EuclideanLossLayer"',
            message='"EuclideanLossLayer" is not a layer type, so Caffe stops at load; did you mean "EuclideanLoss"?',
            fixed='layer { name: "loss" type: "EuclideanLoss" bottom: "fc8" bottom: "label" top: "loss" }',
        ),
        # What the older format calls SOFTMAX_LOSS.
        Invalid(
            'layer { name: "loss" type: "SoftmaxLoss" bottom: "fc8" bottom: "label" top: "loss" }',
            span='type: "SoftmaxLoss"',
            message='"SoftmaxLoss" is not a layer type, so Caffe stops at load; did you mean "SoftmaxWithLoss"?',
            fixed='layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }',
        ),
        Invalid(
            'layers { name: "ip" type: INNER_PRODUCT bottom: "data" top: "ip" }'
            ' layer { name: "relu" type: "Relu" bottom: "ip" top: "ip" }',
            span='type: "Relu"',
            message='"Relu" is not a layer type, so Caffe stops at load; did you mean "ReLU"?',
            fixed='layers { name: "ip" type: INNER_PRODUCT bottom: "data" top: "ip" }'
            ' layer { name: "relu" type: "ReLU" bottom: "ip" top: "ip" }',
        ),
        Invalid(
            'layer { name: "a" type: "MyOwnThing" } layer { name: "b" type: "MyOwnThing" }',
            span='type: "MyOwnThing"',
            message='MyOwnThing "a", "b": no known Caffe has this layer type, so Caffe stops at load unless your own'
            " registers it",
        ),
        # With a field that no known Caffe has, it is no slip of Convolution.
        Invalid(
            'layer { name: "a" type: "ConvolutionSK" convolution_param { kernel_size: 3 stride: 1 kstride: 2 } }',
            span='type: "ConvolutionSK"',
            message='ConvolutionSK "a": no known Caffe has this layer type, so Caffe stops at load unless your own'
            " registers it",
        ),
        Invalid(
            'layer { name: "a" type: "MyOwnThing" }',
            span='type: "MyOwnThing"',
            message='MyOwnThing "a": dialect bvlc lacks this layer type and stops at load',
            options={"dialect": "bvlc"},
        ),
        Invalid(
            'layer { name: "r" type: "RReLU" rrelu_param { lb: 3 } }',
            span='type: "RReLU"',
            message='RReLU "r": no known Caffe has this layer type, so Caffe stops at load unless your own registers'
            " it",
        ),
        Invalid(
            'layer { name: "n" type: "PriorBox" }',
            span='type: "PriorBox"',
            message='PriorBox "n": BVLC\'s Caffe lacks this layer type and stops; SSD (weiliu89/caffe), NVIDIA Caffe'
            " and 12 more have it (pass --dialect ssd)",
        ),
        Invalid(
            'layer { name: "n" type: "PriorBox" }',
            span='type: "PriorBox"',
            message='PriorBox "n": dialect segnet lacks this layer type and stops at load; it is in dialect ssd,'
            " nvcaffe and 19 more",
            options={"dialect": "segnet"},
        ),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        for net in file.nets:
            for type_, layers in net.by_type.items():
                own = file.caffe.registered.layers if file.caffe else frozenset[str]()
                if type_ in own or type_ in file.known_types:
                    continue
                all_known = bool(file.caffe and file.caffe.knows_types)
                if not all_known and type_ in BVLC_TYPES and file.dialect in (None, _BVLC):
                    continue
                # What Caffe's upgrade makes of `input` points to the file itself, which has no name.
                # The older formats have an enum of types.
                written = [layer for layer in layers if layer.node and layer.node.name == "layer"]
                if all_known:
                    if written and type_:
                        yield self._not_registered(own, type_, written)
                    continue
                if written and not provenance().may_have_type(file.dialect or _BVLC, type_):
                    yield from self._report(file, type_, written, provenance().layer_type(type_))

    def _not_registered(self, own: frozenset[str], type_: str, layers: list[Layer]) -> Finding:
        """A type that no source of the project's own Caffe registers; `own` are those that one does."""
        older = provenance().like_v1_type(type_)
        if meant := suggest(type_, own) or (older if older in own else None):
            return self._misspelt(type_, meant, layers)
        evidence = f"Caffe says: Unknown layer type: {type_}"
        message = f"{titles(layers)}: this project's Caffe lacks this layer type and stops at load"
        forks = provenance().layer_type(type_)
        message += f"; it is in {provenance().describe(forks)}" if forks else "; add its source there, or take another"
        return self.finding(layers[0].at("type"), message, evidence=evidence, certainty=CERTAIN)

    def _misspelt(self, type_: str, meant: str, layers: list[Layer]) -> Finding:
        times = f" ({len(layers)} times)" if len(layers) > 1 else ""
        message = f'"{type_}" is not a layer type, so Caffe stops at load; did you mean "{meant}"?{times}'
        edits = [write(layer, "type", value=quoted(meant)) for layer in layers]
        safety = SAFE if type_.lower() == meant.lower() else UNSAFE
        fixes = fix(f'write type: "{meant}"', safety, *edits)
        evidence = f"Caffe says: Unknown layer type: {type_}"
        return self.finding(layers[0].at("type"), message, evidence=evidence, certainty=CERTAIN, fixes=fixes)

    def _report(self, file: File, type_: str, layers: list[Layer], forks: frozenset[str]) -> Iterator[Finding]:
        known = provenance()
        if not type_:
            return
        subject = titles(layers)
        place = layers[0].at("type")
        # Of a dialect that is given, all types are known, or only those that it adds.
        sure = file.dialect is not None and known.is_caffe(file.dialect) and not known.adds_to_bvlc(file.dialect)
        if forks:
            if file.dialect:
                message = (
                    f"dialect {file.dialect} lacks this layer type and stops at load; it is in {known.dialects(forks)}"
                )
            else:
                # Of the forks that have the type one is named that has the fields of the file too.
                likely = known.infer(use.forks for use in file.bound.fork_uses) if file.bound else forks
                best = known.best(forks.intersection(file.likely_dialects) or forks & likely or forks)
                having = f"{known.describe(forks, best)} {known.has(forks)} it"
                having += f" (pass --dialect {best})" if best in file.likely_dialects else ""
                message = f"BVLC's Caffe lacks this layer type and stops; {having}"
            severity = ERROR if sure else WARNING if file.dialect else INFO
            certainty = CERTAIN if sure else LIKELY
            yield self.finding(
                place, f"{subject}: {message}", severity=severity, certainty=certainty, dialects=file.likely_dialects
            )
            return
        evidence = f"Caffe says: Unknown layer type: {type_}"
        types = _types(file.dialect or _BVLC)
        meant = _of_class(type_, types) or suggest(type_, types) or known.like_v1_type(type_)
        is_own = any(layer.has_block_of_its_own or _has_own_fields(file, layer) for layer in layers)
        if meant and (not is_own or meant.lower() == type_.lower()):
            yield self._misspelt(type_, meant, layers)
            return
        if sure:
            message = f"{subject}: dialect {file.dialect} lacks this layer type and stops at load"
            yield self.finding(place, message, evidence=evidence, certainty=CERTAIN)
            return
        message = f"{subject}: no known Caffe has this layer type, so Caffe stops at load unless your own registers it"
        yield self.finding(place, message, evidence=evidence, severity=INFO, certainty=LIKELY)


def _of_class(type_: str, types: tuple[str, ...]) -> str | None:
    """EuclideanLoss for EuclideanLossLayer, its class in C++ (layer_factory.hpp, REGISTER_LAYER_CLASS)."""
    of_class = type_.removesuffix("Layer")
    return of_class if of_class != type_ and of_class in types else None


def _has_own_fields(file: File, layer: Layer) -> bool:
    """Has it fields that no known Caffe has, other than slips? Then the type is of a Caffe that has them."""
    return any(
        problem.own and layer.node and layer.node.start <= problem.start < layer.node.end for problem in file.problems
    )


@cache
def _types(dialect: str) -> tuple[str, ...]:
    """The layer types that the dialect has, or may have."""
    known = provenance()
    return tuple(name for name in known.layer_types() if known.may_have_type(dialect, name))
