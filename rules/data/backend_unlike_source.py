from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, UNSAFE, WARNING, Finding, Given, Invalid, Layer, LayerRule, fix, title, write
from caffelint.lint.built import types_that

from ._backends import kind_of


class BackendUnlikeSource(LayerRule):
    """`backend` does not fit the kind of database that the source is by its name, or that a script makes there.

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
    It judges by the name, unless a script of the project makes the database at the same path. It does not
    report a path that names both kinds or neither, and one that scripts open as both. Where `backend: LMDB` is written
    it is an info by the name: today's tools write LMDB, whatever the name that is kept from before.

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
        'layer { type: "Data" data_param { source: "train_lmdb" backend: top } }',
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
        kind = kind_of(layer)
        block = layer.message.data_param
        backend = block.DB.Name(block.backend)
        if kind is None or backend == kind.name or layer.given("data_param", "backend") is Given.UNREADABLE:
            return
        is_set = layer.has("data_param", "backend")
        # Who writes LMDB, as today's tools do unless they are told otherwise, has thought of it; names stay.
        is_meant = is_set and backend == "LMDB" and not kind.place
        yield self.finding(
            layer.at("data_param", "backend" if is_set else "source"),
            f"{title(layer)}: {kind.text}, but backend {'is' if is_set else 'defaults to'} {backend}; set backend:"
            f" {kind.name}",
            severity=INFO if is_meant else None,
            evidence=f"{kind.place}Caffe stops when it opens a database of the other kind",
            fixes=fix(f"set backend: {kind.name}", UNSAFE, write(layer, "data_param", "backend", value=kind.name)),
        )
