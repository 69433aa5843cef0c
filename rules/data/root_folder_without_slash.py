from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, quoted, title, write
from caffelint.lint.built import types_that
from caffelint.lint.disk import found_from, is_template, starts


class RootFolderWithoutSlash(LayerRule):
    """`root_folder` does not end in a slash, and Caffe puts it before each path as it is.

    ## Why is this bad?
    From `images` and `cat.jpg` Caffe makes `imagescat.jpg`, and aborts: "Could not load cat.jpg".

    ## Example
    ```
    image_data_param { source: "train.txt" root_folder: "images" }
    ```
    Use instead:
    ```
    image_data_param { source: "train.txt" root_folder: "images/" }
    ```

    ## Known problems
    A list whose paths begin with a slash works as it is, and the list is not read: an info, unless there is a folder of
    that name.

    ## Fix safety
    Unsafe: the text may be meant as the beginning of the file names.

    ## References
    - image_data_layer.cpp, DataLayerSetUp; window_data_layer.cpp, DataLayerSetUp
    """

    code = "D019"
    name = "root-folder-without-slash"
    severity = INFO
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.has_setting("root_folder") and not kind.fork)
    VALID = [
        'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "images/" } }',
        'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" } }',
        'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "</path/to/VOC>" } }',
        r'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "D:\\images\\" } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "images" } }',
            span='root_folder: "images"',
            message='ImageData "data": root_folder "images" does not end in a slash, so Caffe reads "imagescat.jpg"'
            ' for "cat.jpg"; unless all paths in the list begin with one, set root_folder: "images/"',
            fixed=(
                'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "images/" } }'
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        folder: str = getattr(layer.message, block).root_folder
        if not is_template(folder) and not folder.endswith(("/", "\\")):
            is_there = found_from(folder, [*starts(layer.net.path)])
            yield self.finding(
                layer.at(block, "root_folder"),
                f'{title(layer)}: root_folder "{folder}" does not end in a slash, so Caffe reads "{folder}cat.jpg" for'
                f' "cat.jpg"; unless all paths in the list begin with one, set root_folder: {quoted(folder + "/")}',
                severity=WARNING if is_there else INFO,
                evidence=f'"{folder}" is a folder here' if is_there else "",
                fixes=fix("add a slash", UNSAFE, write(layer, block, "root_folder", value=quoted(folder + "/"))),
            )
