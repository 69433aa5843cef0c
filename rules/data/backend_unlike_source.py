from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write
from caffelint.lint.built import types_that

_NEAR = 2
"""The last parts of a path: folders above these hold sets of any kind."""


class BackendUnlikeSource(LayerRule):
    """`backend` does not fit the kind of database in the name of the source, often because it is missing.

    ## Why is this bad?
    The default backend is LEVELDB, but today's tools write LMDB. With a database of the other kind Caffe aborts:
    "Failed to open leveldb" or "No such file or directory".

    ## Example
    ```
    data_param { source: "train_lmdb" batch_size: 64 }
    ```
    Use instead:
    ```
    data_param { source: "train_lmdb" batch_size: 64 backend: LMDB }
    ```

    ## Known problems
    It judges only by the name, and does not report a path that names both kinds or neither. Where `backend: LMDB` is
    written it is an info: today's tools write LMDB, whatever the name that is kept from before.

    ## Fix safety
    Unsafe: the name of a database does not prove its kind.

    ## References
    - caffe.proto, DataParameter; db.cpp, GetDB; db_leveldb.cpp and db_lmdb.cpp, Open
    """

    code = "D017"
    name = "backend-unlike-source"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.has_setting("backend"))
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "train_lmdb" backend: LMDB } }',
        'layer { name: "data" type: "Data" data_param { source: "train_leveldb" } }',
        'layer { name: "data" type: "Data" data_param { source: "train_db" } }',
        'layer { name: "data" type: "Data" data_param { source: "from_leveldb/train_lmdb" backend: LMDB } }',
        'layer { name: "data" type: "Data" data_param { source: "/sets/lmdb/21/train/" backend: LEVELDB } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "train_lmdb" } }',
            span='source: "train_lmdb"',
            message='Data "data": source "train_lmdb" looks like an LMDB, but backend defaults to LEVELDB; set'
            " backend: LMDB",
            fixed='layer { name: "data" type: "Data" data_param { source: "train_lmdb" backend: LMDB } }',
        ),
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "train_leveldb" backend: LMDB } }',
            span="backend: LMDB",
            message='Data "data": source "train_leveldb" looks like a LEVELDB, but backend is LMDB; set backend:'
            " LEVELDB",
            fixed='layer { name: "data" type: "Data" data_param { source: "train_leveldb" backend: LEVELDB } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.message.data_param
        name = "/".join(block.source.lower().rstrip("/").split("/")[-_NEAR:])
        kinds = {kind for kind in ("lmdb", "leveldb") if kind in name}
        if len(kinds) != 1:
            return
        kind = kinds.pop().upper()
        backend = block.DB.Name(block.backend)
        if backend == kind:
            return
        is_set = layer.has("data_param", "backend")
        # Who writes LMDB, as today's tools do unless they are told otherwise, has thought of it; names stay.
        is_meant = is_set and backend == "LMDB"
        article = "an" if kind == "LMDB" else "a"
        yield self.finding(
            layer.at("data_param", "backend" if is_set else "source"),
            f'{title(layer)}: source "{block.source}" looks like {article} {kind}, but backend'
            f" {'is' if is_set else 'defaults to'} {backend}; set backend: {kind}",
            severity=INFO if is_meant else None,
            evidence="Caffe stops when it opens a database of the other kind",
            fixes=fix(f"set backend: {kind}", UNSAFE, write(layer, "data_param", "backend", value=kind)),
        )
