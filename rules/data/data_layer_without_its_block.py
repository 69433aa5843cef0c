from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    UNSAFE,
    Finding,
    Given,
    Invalid,
    Layer,
    LayerRule,
    Net,
    fix,
    quoted,
    title,
    write,
)
from caffelint.lint.built import layer_class

from ._layers import READERS

_BLOCKS = tuple(layer_class(type_).block for type_ in READERS)
_OTHERS = (*_BLOCKS, "input_param", "memory_data_param", "dummy_data_param")
_TYPE = dict(zip(_BLOCKS, READERS, strict=True))
_TYPE.update(input_param="Input", memory_data_param="MemoryData", dummy_data_param="DummyData")

_TAKEN_FOR_ITS_OWN = frozenset(_BLOCKS)
"""Blocks of other data layers: the layer ignores them, which unused-parameter-block reports."""


class DataLayerWithoutItsBlock(LayerRule):
    """A data layer lacks its block (`data_param` of a Data layer, ...), or the block has no `source`.

    ## Why is this bad?
    The layer does not know what to read. It tries to open a file with an empty name, and Caffe aborts. Often there is a
    block, but that of another layer type, which is not read.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" image_data_param { source: "train.txt" batch_size: 64 } }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" top: "data"
      image_data_param { source: "train.txt" batch_size: 64 }
    }
    ```

    ## Known problems
    Some tools, among them DIGITS, fill in the source later; for a layer with a stage, where a layer lacks its
    num_output, too, and where none of several data layers has a source or a backend and no solver names the net, it is
    an info.

    ## Fix safety
    Unsafe: the type is guessed from the block, although Caffe refuses the layer as it is.

    ## References
    - DataLayerSetUp of data_layer.cpp, image_data_layer.cpp and window_data_layer.cpp; hdf5_data_layer.cpp, LayerSetUp
    """

    code = "D015"
    name = "data-layer-without-its-block"
    severity = ERROR
    layer_types = READERS
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "a_lmdb" batch_size: 1 } }',
        'layers { name: "data" type: IMAGE_DATA image_data_param { source: "a.txt" } }',
        'layer { name: "data" type: "Input" input_param { shape { dim: 1 } } }',
        'layer { name: "data" type: "ImageData" data_param { source: "a.txt" batch_size: 1 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" top: "data" }',
            span='type: "Data"',
            message='Data "data" has no data_param and so no source or batch_size; add data_param { ... }',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" input_param { shape { dim: 1 } } }',
            span='type: "Data"',
            message='Data "data" has no data_param, only input_param, which it does not read; set type: "Input"',
            fixed='layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 } } }',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" data_param { batch_size: 64 backend: LMDB } }',
            span="data_param",
            message='Data "data" has no source; set it in data_param',
        ),
        Invalid(
            'layer { name: "data" type: "Data" data_param { batch_size: 64 } include { stage: "train" } }',
            span="data_param",
            message='Data "data" has no source; set it in data_param',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        has_block = layer.message.HasField(block)
        if has_block and layer.given(block, "source") is not Given.NOTHING:
            return
        evidence = f"Caffe stops with: {_phrase(layer)}"
        filled_in = layer.net.once(_is_filled_in) or any(rule.stage for rule in layer.message.include)
        severity, certainty = (INFO, LIKELY) if filled_in else (None, None)
        if not has_block:
            other = next((name for name in _OTHERS if layer.message.HasField(name)), "")
            if other in _TAKEN_FOR_ITS_OWN:
                return
            yield self.finding(
                layer.at("type"),
                f'{title(layer)} has no {block}, only {other}, which it does not read; set type: "{_TYPE[other]}"'
                if other
                else f"{title(layer)} has no {block} and so no source or batch_size; add {block} {{ ... }}",
                evidence=evidence,
                severity=None if other else severity,
                certainty=None if other else certainty,
                fixes=fix(f'set type: "{_TYPE[other]}"', UNSAFE, write(layer, "type", value=quoted(_TYPE[other])))
                if other
                else (),
            )
        else:
            yield self.finding(
                layer.at(block, "source"),
                f"{title(layer)} has no source; set it in {block}",
                evidence=evidence,
                severity=severity,
                certainty=certainty,
            )


def _is_filled_in(net: Net) -> bool:
    return _lacks_outputs(net) or _lacks_all_sources(net)


def _lacks_outputs(net: Net) -> bool:
    """Has a layer no num_output? DIGITS fills in the number of classes, and the data with it."""
    weighted = net.layers_that(lambda kind: kind.is_linear and kind.has_setting("num_output"))
    return any(layer.given(layer.kind.block, "num_output") is Given.NOTHING for layer in weighted)


def _lacks_all_sources(net: Net) -> bool:
    """Does no data layer, of several in a net that no solver names, say what it reads and how that is stored?

    DIGITS takes such nets and fills in all databases; a source that somebody forgot is missing beside its backend.
    """
    readers = [layer for layer in net.layers if layer.type in READERS]
    fields = ((layer, field) for layer in readers for field in ("source", "backend") if layer.kind.has_setting(field))
    return (
        len(readers) > 1 and not net.solvers and not any(layer.has(layer.kind.block, field) for layer, field in fields)
    )


def _phrase(layer: Layer) -> str:
    """What Caffe says when it opens a source without a name (db_leveldb.cpp and db_lmdb.hpp for Data)."""
    block = layer.message.data_param
    if layer.type == "Data" and block.backend == block.LMDB:
        return "No such file or directory"
    return layer.kind.cannot_open
