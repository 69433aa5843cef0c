from __future__ import annotations

import re
from collections.abc import Iterator

from google.protobuf.descriptor import FieldDescriptor

from caffelint.lint import (
    ERROR,
    FIRST_FORK_NUMBER,
    INFO,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    Provenance,
    fix,
    provenance,
    remove,
    replace,
    titles,
)

from ._ignored import is_for_others, lacks_what_it_has, matters

_FEW = 4
"""A type that more forks have is likely to read different blocks in each."""

_MAKES_DATA = frozenset(["input_param", "memory_data_param", "dummy_data_param"])
_SHARED = frozenset(["transform_param", "loss_param"])
"""Blocks that any type may read."""

_ALWAYS_READ = frozenset(["include", "exclude", "param"])


class UnusedParameterBlock(NetRule):
    """A parameter block that the layer's type does not read: Caffe ignores it silently.

    ## Why is this bad?
    The settings in it have no effect, and the layer runs with the defaults of the block that it does read. Usually the
    type was changed and the block forgotten, or a block was copied from another layer.

    The rule covers types and blocks that BVLC's Caffe has, since forks give the same name to layers that read different
    blocks. It covers a fork's type, as likely, where a block with the type's own name exists and the layer lacks it. A
    `loss_param` in a Softmax, left over from the loss that it was in training, is an info, as is a block that sets
    nothing but defaults, and a `transform_param` in an Input of a net that no solver names: it tells others how the
    images were prepared.

    ## Example
    ```
    layer { type: "Convolution" pooling_param { stride: 2 } }
    ```
    Use instead:
    ```
    layer { type: "Convolution" convolution_param { stride: 2 } }
    ```

    ## Fix safety
    Unsafe, since the block may be right and the type wrong. The block is renamed to the one that the type reads, where
    that has all of its fields and the layer lacks it; otherwise it is removed.

    ## References
    - the source of each layer type in caffe/layers
    """

    code = "P011"
    name = "unused-parameter-block"
    severity = WARNING
    has_no_effect = True
    VALID = [
        'layer { name: "a" type: "Convolution" convolution_param { stride: 2 } }',
        'layer { name: "a" type: "MyOwnThing" convolution_param { stride: 2 } }',
        'layer { name: "a" type: "ImageData" image_data_param { source: "a" } data_param { prefetch: 8 } }',
        'layer { name: "a" type: "Permute" permute_param { order: 1 } loss_param { } }',
        'layer { name: "a" type: "SoftmaxWithLoss" loss_param { } softmax_param { } include { } }',
        'layer { name: "a" type: "HDF5Data" hdf5_data_param { source: "a" } transform_param { scale: 2 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "c1" type: "Convolution" pooling_param { stride: 2 } }',
            span="pooling_param",
            message='Convolution "c1": pooling_param is ignored; Convolution reads convolution_param',
            fixed='layer { name: "c1" type: "Convolution" convolution_param { stride: 2 } }',
        ),
        Invalid(
            'layer { name: "r1" type: "Silence" relu_param { } } layer { name: "r2" type: "Silence" relu_param { } }',
            span="relu_param",
            message='Silence "r1", "r2": relu_param is ignored; remove it',
            fixed='layer { name: "r1" type: "Silence" } layer { name: "r2" type: "Silence" }',
        ),
        Invalid(
            'layer { name: "d" type: "ImageData" data_param { source: "a.txt" batch_size: 8 } }',
            span="data_param",
            message='ImageData "d": all of data_param but prefetch is ignored, so the layer has no source;'
            " ImageData reads image_data_param",
            fixed='layer { name: "d" type: "ImageData" image_data_param { source: "a.txt" batch_size: 8 } }',
        ),
        Invalid(
            'layer { name: "d" type: "ImageData" image_data_param { source: "a" batch_size: 8 }'
            ' data_param { source: "b" batch_size: 9 prefetch: 2 } }',
            span="data_param",
            message='ImageData "d": all of data_param but prefetch is ignored; ImageData reads image_data_param',
        ),
        Invalid(
            'layer { name: "d" type: "Interp" interp_param { zoom_factor: 2 } convolution_param { stride: 2 } }',
            span="convolution_param",
            message='Interp "d": convolution_param is probably ignored; Interp has interp_param',
        ),
        Invalid(
            'layer { name: "d" type: "Input" top: "d" transform_param { scale: 0.1 } }',
            span="transform_param",
            message='Input "d": transform_param is ignored, so scale is up to whoever feeds the net',
            fixed='layer { name: "d" type: "Input" top: "d" }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        known = provenance()
        unused: dict[tuple[str, str], list[Layer]] = {}
        reads: dict[str, frozenset[str] | None] = {}
        for type_, layers in net.by_type.items():
            used = known.param_blocks(type_) if "bvlc" in known.layer_type(type_) else None
            reads[type_] = used
            prefetches = _takes_prefetch_alone(layers[0])
            if used is None:
                layers = [layer for layer in layers if _own_block(layer, known) or _has_own(layer, known)]
            elif not prefetches and _blocks(layers) <= used | _ALWAYS_READ:
                continue
            for layer in layers:
                for field, value in layer.message.ListFields():
                    block = field.name
                    is_setting = block.endswith("_param") and field.number < FIRST_FORK_NUMBER
                    if not is_setting or block == layer.kind.refused_block:
                        continue
                    if used is None:
                        ignored = block not in _SHARED and block not in known.param_blocks(type_)
                    elif block == "data_param" and prefetches:
                        ignored = any(inner.name != "prefetch" for inner, _ in value.ListFields())
                    else:
                        ignored = block not in used and not (block in _MAKES_DATA and _lacks_source(layer))
                    if ignored and not lacks_what_it_has(layer, block):
                        unused.setdefault((type_, block), []).append(layer)
        for (type_, block), layers in unused.items():
            subject = titles(layers)
            used = reads[type_]
            if used is None:
                own = _own_block(layers[0], known) or " and ".join(sorted(known.param_blocks(type_) - _SHARED))
                message = f"{subject}: {block} is probably ignored; {type_} has {own}"
                yield self.finding(layers[0].at(block), message, certainty=LIKELY, layers=layers)
                continue
            if block in used:
                message = f"{subject}: all of {block} but prefetch is ignored"
                own = layers[0].kind.block
                if all(layer.has(own) for layer in layers):
                    yield self.finding(layers[0].at(block), f"{message}; {type_} reads {own}", layers=layers)
                    continue
                message += f", so the layer has no source; {type_} reads {own}"
                fixes = _renamed(layers, block, own)
                yield self.finding(layers[0].at(block), message, severity=ERROR, fixes=fixes, layers=layers)
                continue
            advice = f"{type_} reads {' and '.join(sorted(used))}" if used else "remove it"
            message = f"{subject}: {block} is ignored; {advice}"
            if is_for_others(type_, block):
                fields = " and ".join(field.name for field, _ in layers[0].param(block).ListFields())
                message = f"{subject}: {block} is ignored, so {fields or 'all of it'} is up to whoever feeds the net"
            severity = WARNING if matters(type_, block, layers) else INFO
            fixes = _fixes(layers, block, used)
            yield self.finding(layers[0].at(block), message, severity=severity, fixes=fixes, layers=layers)


def _blocks(layers: list[Layer]) -> set[str]:
    """Names of the layers' blocks as they are written: to ask the messages which fields they have takes far longer."""
    node_of = layers[0].net.bound.node
    return set[str]().union(*{node.blocks: None for layer in layers if (node := node_of(layer.message))})


def _fixes(layers: list[Layer], block: str, used: frozenset[str]) -> tuple[Fix, ...]:
    """The block renamed to the only one of the type's own, where it may be a slip for that; otherwise removed."""
    own = used - _SHARED
    if len(own) == 1 and all(layer.node and not layer.has(*own) and _fits(layer, block, *own) for layer in layers):
        return _renamed(layers, block, *own)
    return _removed(layers, block)


def _fits(layer: Layer, block: str, wanted: str) -> bool:
    """Whether all that a block holds, and it holds something, is of the same type in the wanted one."""
    inner = layer.node.first(block) if layer.node else None
    there, here = (layer.param(name).DESCRIPTOR.fields_by_name for name in (wanted, block))
    names = [field.name for field in inner.fields] if inner else []
    return bool(names) and all(
        name in there
        and name in here
        and there[name].number < FIRST_FORK_NUMBER
        and _type(there[name]) == _type(here[name])
        for name in names
    )


def _type(field: FieldDescriptor) -> object:
    return field.type, field.message_type or field.enum_type


def _removed(layers: list[Layer], block: str) -> tuple[Fix, ...]:
    """None for a data layer without its own block: there the type may be the slip."""
    if any(layer.kind.is_data and not _has_own(layer, provenance()) for layer in layers):
        return ()
    return fix(f"remove {block}", UNSAFE, *(remove(layer, block) for layer in layers))


def _renamed(layers: list[Layer], block: str, wanted: str) -> tuple[Fix, ...]:
    """The block renamed to the one that the layer reads, where that one has all of its fields."""
    for layer in layers:
        known = layer.param(wanted).DESCRIPTOR.fields_by_name
        if any(field.name not in known for field, _ in layer.param(block).ListFields()):
            return ()
        if layer.kind.is_data and not getattr(layer.param(block), "batch_size", 1):  # Caffe would not take it either
            return ()
    return fix(f"rename it to {wanted}", UNSAFE, *((replace(layer.at(block), wanted),) for layer in layers))


def _lacks_source(layer: Layer) -> bool:
    """Whether data-layer-without-its-block says which type was meant."""
    return bool(layer.kind.cannot_open and not layer.has(layer.kind.block))


def _takes_prefetch_alone(layer: Layer) -> bool:
    """Does it take `prefetch` from data_param, and all else from a block of its own (base_data_layer.cpp)?"""
    return bool(layer.kind.prefetches) and not layer.kind.fork and layer.kind.block != "data_param"


def _has_own(layer: Layer, known: Provenance) -> bool:
    """Has it a block that forks read in a layer of this type?"""
    return any(layer.has(name) for name in known.param_blocks(layer.type) - _SHARED)


def _own_block(layer: Layer, known: Provenance) -> str:
    """The block with the name of a fork's layer type, where it exists and the layer lacks it."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", layer.type).lower() + "_param"
    forks = known.layer_type(layer.type)
    if not 0 < len(forks) <= _FEW or name not in layer.message.DESCRIPTOR.fields_by_name or layer.has(name):
        return ""
    facts = known.field("LayerParameter", name)
    return name if facts and forks <= facts.forks else ""
