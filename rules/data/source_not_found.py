from __future__ import annotations

import os
import re
from collections.abc import Iterator

from caffelint.lint import WARNING, Finding, Invalid, Layer, LayerRule, Option

_PLACES = {
    "Data": (("data_param", "source"),),
    "ImageData": (("image_data_param", "source"), ("image_data_param", "mean_file")),
    "HDF5Data": (("hdf5_data_param", "source"),),
    "WindowData": (("window_data_param", "source"), ("window_data_param", "mean_file")),
    "AnnotatedData": (("data_param", "source"), ("annotated_data_param", "label_map_file")),
    "VideoData": (("video_data_param", "source"),),
}
_MEAN = ("transform_param", "mean_file")
_TEMPLATE = re.compile(r"[$<>{}%]|\.\.\.|(?i:path/to|edit.?me|your)")
_MOST_FOLDERS = 32


class SourceNotFound(LayerRule):
    """A data layer names a source or a mean file that does not exist.

    ## Why is this bad?
    Caffe ends when it opens it, after the layers above were set up; for the data of TEST that is after the whole of
    the training net was built.

    ## Example
    ```
    data_param { source: "examples/mnist/mnist_train_lmbd" batch_size: 64 }
    ```
    Use instead:
    ```
    data_param { source: "examples/mnist/mnist_train_lmdb" batch_size: 64 }
    ```

    ## Known problems
    Says nothing unless `check-sources` is set: data are seldom on the machine that looks at the text. Whether a path
    exists is all that is looked at, never what is there.

    ## Options
    - `check-sources`: look whether sources exist
    - `roots`: folders that relative paths may start from, beside the working directory and the folders of the file

    ## References
    - data_layer.cpp, image_data_layer.cpp, hdf5_data_layer.cpp; db_lmdb.cpp, Open
    """

    code = "D005"
    name = "source-not-found"
    severity = WARNING
    layer_types = tuple(_PLACES)
    OPTIONS = {
        "check-sources": Option(False, "Look whether the sources of data layers exist on this machine."),
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
            message='the source "there_is_no_such_lmdb" does not exist, from the working directory or beside this file',
            options={"check-sources": True},
        ),
        Invalid(
            _DATA.format("/no/such/place", ' transform_param { mean_file: "no_mean.binaryproto" }'),
            span=['source: "/no/such/place"', 'mean_file: "no_mean.binaryproto"'],
            message=[
                'the source "/no/such/place" does not exist',
                'the mean_file "no_mean.binaryproto" does not exist, from the working directory or beside this file',
            ],
            options={"check-sources": True},
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not self.options["check-sources"]:
            return
        for block, field in (*_PLACES[layer.type], _MEAN):
            if not layer.has(block, field):
                continue
            path = getattr(layer.param(block), field)
            if path and "\0" not in path and not _TEMPLATE.search(path) and not self._exists(path, layer):
                where = "" if os.path.isabs(path) else ", from the working directory or beside this file"
                yield self.finding(layer.at(block, field), f'the {field} "{path}" does not exist{where}')

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
