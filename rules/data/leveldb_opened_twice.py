from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, PHASES, Finding, Invalid, Layer, Net, NetRule, Related, title

from ._layers import same_path

_LAYER = 'layer { name: "%s" type: "Data" top: "%s" data_param { source: "a" batch_size: 9 %s} }'


class LeveldbOpenedTwice(NetRule):
    """Two Data layers of one net open the same LevelDB, but only one of them can.

    ## Why is this bad?
    A layer that opens a LevelDB (the default `backend`) locks it, and Caffe aborts at the second one: "Failed to open
    leveldb". Several layers can read the same LMDB.

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
        # Only one of the two stages is built.
        _LAYER.replace("} }", '} include { stage: "a" } }') % ("a", "a", "")
        + _LAYER.replace("} }", '} include { stage: "b" } }') % ("b", "a", ""),
    ]
    INVALID = [
        Invalid(
            _LAYER % ("a", "a", "") + _LAYER % ("b", "b", ""),
            span='source: "a"',
            message='Data "b": LevelDB "a" is already opened and locked by Data "a"; use an LMDB, which several'
            " layers can read",
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
                # Two that make the same blob differ in a field that caffelint does not know.
                if first is not layer and first.tops[:1] != layer.tops[:1]:
                    found = True
                    yield self.finding(
                        layer.at("data_param", "source"),
                        f'{title(layer)}: LevelDB "{block.source}" is already opened and locked by {title(first)};'
                        " use an LMDB, which several layers can read",
                        evidence="Caffe stops with: Failed to open leveldb",
                        related=(Related("opened here first", first.at("data_param", "source")),),
                    )
            if found:
                return
