from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, PHASES, Finding, Invalid, Layer, Net, NetRule, Related

from ._layers import same_path

_LAYER = 'layer { name: "%s" type: "Data" top: "%s" data_param { source: "a" batch_size: 9 %s} }'


class LeveldbOpenedTwice(NetRule):
    """Two Data layers of one net open the same LevelDB, which only one can.

    ## Why is this bad?
    A LevelDB is locked by the layer that opens it, and Caffe ends its process at the second one: "Failed to open
    leveldb". LMDB can be read by several at once.

    ## Example
    ```
    layer { name: "a" type: "Data" top: "a" data_param { source: "db" batch_size: 64 } }
    layer { name: "b" type: "Data" top: "b" data_param { source: "db" batch_size: 64 } }
    ```
    Use instead:
    ```
    layer { name: "a" type: "Data" top: "a" data_param { source: "lmdb" batch_size: 64 backend: LMDB } }
    layer { name: "b" type: "Data" top: "b" data_param { source: "lmdb" batch_size: 64 backend: LMDB } }
    ```

    ## References
    - db_leveldb.cpp, Open; data_layer.cpp, DataLayer
    """

    code = "D018"
    name = "leveldb-opened-twice"
    severity = ERROR
    layer_types = ("Data",)
    VALID = [
        _LAYER % ("a", "a", "backend: LMDB ") + _LAYER % ("b", "b", "backend: LMDB "),
        # Of two stages only one is built.
        _LAYER.replace("} }", '} include { stage: "a" } }') % ("a", "a", "")
        + _LAYER.replace("} }", '} include { stage: "b" } }') % ("b", "a", ""),
    ]
    INVALID = [
        Invalid(
            _LAYER % ("a", "a", "") + _LAYER % ("b", "b", ""),
            span='source: "a"',
            message="'a' has the LevelDB 'a' open already, which locks it; use LMDB, which several can read",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for phase in PHASES:
            opened: dict[str, Layer] = {}
            found = False
            for layer in net.layers:
                if layer.type != "Data" or phase not in layer.phases or layer.depends_on_stage:
                    continue
                block = layer.message.data_param
                if not block.source or block.backend != block.LEVELDB:
                    continue
                first = opened.setdefault(same_path(block.source), layer)
                # Two that make one blob are told apart by a field that caffelint does not know.
                if first is not layer and first.tops[:1] != layer.tops[:1]:
                    found = True
                    yield self.finding(
                        layer.at("data_param", "source"),
                        f"{first.name!r} has the LevelDB {block.source!r} open already, which locks it; use LMDB, which"
                        " several can read",
                        evidence="Caffe ends with: Failed to open leveldb",
                        related=(Related("opened here first", first.at("data_param", "source")),),
                    )
            if found:
                return
