from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    UNSAFE,
    WARNING,
    File,
    Finding,
    Fix,
    Invalid,
    Layer,
    TextRule,
    provenance,
    replace,
    suggest,
)
from caffelint.lint.built import BVLC_TYPES

_BVLC = "bvlc"
_LISTED = 3


class UnknownLayerType(TextRule):
    """A layer type that no known Caffe registers, or that only forks do.

    ## Why is this bad?
    Caffe reads the text, and aborts when it builds the net: `Unknown layer type: convolution (known types: ...)`. It is
    an error where the type is a slip of a known one, in case or spelling; an info where forks have it; else a warning,
    since people register types of their own without a change to caffe.proto.

    ## Example
    ```
    layer { name: "conv1" type: "convolution" }
    ```
    Use instead:
    ```
    layer { name: "conv1" type: "Convolution" }
    ```

    ## References
    - caffe/layer_factory.hpp, LayerRegistry::CreateLayer
    """

    code = "P010"
    name = "unknown-layer-type"
    severity = ERROR
    VALID = [
        'layer { name: "conv1" type: "Convolution" }',
        'layers { name: "conv1" type: CONVOLUTION }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "conv1" type: "convolution" }',
            span='type: "convolution"',
            message='"convolution" is no layer type; did you mean "Convolution"?',
            fixed='layer { name: "conv1" type: "Convolution" }',
        ),
        Invalid(
            'layer { name: "a" type: "MyOwnThing" } layer { name: "b" type: "MyOwnThing" }',
            span='type: "MyOwnThing"',
            message='no Caffe that caffelint knows has a layer type "MyOwnThing" (layers a, b)',
        ),
        Invalid(
            'layer { name: "n" type: "PriorBox" }',
            span='type: "PriorBox"',
            message='"PriorBox" is a layer type of SSD (weiliu89/caffe), NVIDIA Caffe and 12 more,'
            " not of BVLC's Caffe (layer n)",
        ),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        for net in file.nets:
            found: dict[str, list[Layer]] = {}
            for layer in net.layers if not net.written.layers else ():  # older formats have an enum of types
                found.setdefault(layer.type, []).append(layer)
            for type_, layers in found.items():
                if type_ in BVLC_TYPES and file.dialect in (None, _BVLC):
                    continue
                forks = provenance().layer_type(type_)
                if (file.dialect or _BVLC) not in forks:
                    yield from self._report(file, type_, layers, forks)

    def _report(self, file: File, type_: str, layers: list[Layer], forks: frozenset[str]) -> Iterator[Finding]:
        known = provenance()
        if not type_ or not any(layer.node for layer in layers):
            return
        where = _layers(layers)
        place = layers[0].at("type")
        if forks:
            whose = f"dialect {file.dialect}" if file.dialect else "BVLC's Caffe"
            message = f'"{type_}" is a layer type of {known.describe(forks)}, not of {whose} ({where})'
            severity = WARNING if file.dialect else INFO
            yield self.finding(place, message, severity=severity, certainty=LIKELY)
            return
        evidence = f"Caffe says: Unknown layer type: {type_}"
        own = file.dialect or _BVLC
        types = known.layer_types()
        meant = suggest(type_, [name for name in types if own in known.layer_type(name)])
        if meant:
            message = f'"{type_}" is no layer type; did you mean "{meant}"?'
            edits = tuple(replace(layer.at("type"), f'type: "{meant}"') for layer in layers if layer.node)
            fix = Fix(f"write {meant}", UNSAFE, edits)
            yield self.finding(place, message, evidence=evidence, certainty=CERTAIN, fixes=(fix,))
            return
        message = f'no Caffe that caffelint knows has a layer type "{type_}" ({where})'
        yield self.finding(place, message, evidence=evidence, severity=WARNING, certainty=LIKELY)


def _layers(layers: list[Layer]) -> str:
    names = [layer.name for layer in layers if layer.name]
    if not names:
        return f"{len(layers)} layers without a name" if len(layers) > 1 else "a layer without a name"
    listed = ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
    return f"layer {listed}" if len(names) == 1 else f"layers {listed}"
