from __future__ import annotations

import os
import re
from collections.abc import Iterator

from caffelint.lint import WARNING, Finding, Invalid, Layer, LayerRule, Option, title
from caffelint.lint.built import types_that

_OTHERS = (("transform_param", "mean_file"), ("annotated_data_param", "label_map_file"))
_TEMPLATE = re.compile(r"[$<>{}%]|\.\.\.|(?i:path/to|edit.?me|your)")
_MOST_FOLDERS = 32


class SourceNotFound(LayerRule):
    """The source or the mean file of a data layer does not exist.

    ## Why is this bad?
    Caffe aborts when it opens the file, after it has set up the layers above; for the data of TEST that is after it has
    built the whole training net.

    ## Example
    ```
    data_param { source: "examples/mnist/mnist_train_lmbd" batch_size: 64 }
    ```
    Use instead:
    ```
    data_param { source: "examples/mnist/mnist_train_lmdb" batch_size: 64 }
    ```

    ## Known problems
    It reports nothing unless `check-sources` is set, since the data are rarely on the machine where the text is
    checked. It looks only at whether a path exists, never at what it holds.

    ## Options
    - `check-sources`: check that sources exist
    - `roots`: folders that relative paths may start from, besides the working directory and the folders of the file

    ## References
    - data_layer.cpp, image_data_layer.cpp, hdf5_data_layer.cpp; db_lmdb.cpp, Open
    """

    code = "D005"
    name = "source-not-found"
    severity = WARNING
    layer_types = types_that(lambda kind: kind.is_data and kind.has_setting("source"))
    OPTIONS = {
        "check-sources": Option(False, "Check that the sources of data layers exist on this machine."),
        "roots": Option([], "Folders that relative paths may start from."),
    }
    _DATA = 'layer {{ name: "d" type: "Data" top: "a" data_param {{ source: "{}" batch_size: 1 }}{} }}'
    VALID = [
        _DATA.format("there_is_no_such_lmdb", ""),
    ]
    INVALID = [
        Invalid(
            _DATA.format("there_is_no_such_lmdb", ""),
            span='source: "there_is_no_such_lmdb"',
            message='Data "d": source "there_is_no_such_lmdb" does not exist in the working directory or beside this'
            " file, so Caffe stops at the start; correct the path",
            options={"check-sources": True},
        ),
        Invalid(
            _DATA.format("/no/such/place", ' transform_param { mean_file: "no_mean.binaryproto" }'),
            span=['source: "/no/such/place"', 'mean_file: "no_mean.binaryproto"'],
            message=[
                'Data "d": source "/no/such/place" does not exist, so Caffe stops at the start; correct the path',
                'Data "d": mean_file "no_mean.binaryproto" does not exist in the working directory or beside this'
                " file, so Caffe stops at the start; correct the path",
            ],
            options={"check-sources": True},
        ),
    ]

    @property
    def asks_disk(self) -> bool:
        return bool(self.options["check-sources"])

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not self.asks_disk:
            return
        for block, field in ((layer.kind.block, "source"), *_OTHERS):
            if not layer.has(block, field):
                continue
            path = getattr(layer.param(block), field)
            if path and "\0" not in path and not _TEMPLATE.search(path) and not self._exists(path, layer):
                where = "" if os.path.isabs(path) else " in the working directory or beside this file"
                message = (
                    f'{title(layer)}: {field} "{path}" does not exist{where}, so Caffe stops at the start; correct the'
                    " path"
                )
                yield self.finding(layer.at(block, field), message)

    def _exists(self, path: str, layer: Layer) -> bool:
        if os.path.isabs(path):
            return os.path.exists(path)
        return any(os.path.exists(os.path.join(base, path)) for base in self._bases(layer.net.path))

    def _bases(self, file: str) -> Iterator[str]:
        """The working directory, the given roots, and the folders above the file up to the checkout's root."""
        yield os.getcwd()
        yield from self.options["roots"]
        folder = os.path.dirname(os.path.abspath(file))
        for _ in range(_MOST_FOLDERS):
            yield folder
            if os.path.dirname(folder) == folder or os.path.exists(os.path.join(folder, ".git")):
                return
            folder = os.path.dirname(folder)
