from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._layers import READERS, same_path, transform_place

_DATABASE = ("lmdb", "leveldb", "_mdb", ".mdb")
_LIST = (".txt", ".lst", ".list", ".csv")
_HDF5 = (".h5", ".hdf5")


class SourceIsMeanFile(LayerRule):
    """The `source` of a data layer is a mean file or another file that it cannot read, or its mean_file is a data set.

    ## Why is this bad?
    Data opens a database (LMDB or LevelDB, each a directory), ImageData and WindowData open a list in a text file, and
    HDF5Data opens a text file that names HDF5 files. With anything else Caffe aborts, with a message about the database
    or about the first line rather than about the path.

    ## Example
    ```
    transform_param { mean_file: "data/ilsvrc12/imagenet_mean.binaryproto" }
    data_param { source: "data/ilsvrc12/imagenet_mean.binaryproto" batch_size: 50 backend: LMDB }
    ```
    Use instead:
    ```
    transform_param { mean_file: "data/ilsvrc12/imagenet_mean.binaryproto" }
    data_param { source: "examples/imagenet/ilsvrc12_val_lmdb" batch_size: 50 backend: LMDB }
    ```

    ## Known problems
    It judges by the ends of the names. Only a .binaryproto or .prototxt, or a path that is both source and mean file,
    is an error.

    ## References
    - data_layer.cpp, db_lmdb.cpp, image_data_layer.cpp and hdf5_data_layer.cpp; data_transformer.cpp, DataTransformer
    """

    code = "D014"
    name = "source-is-mean-file"
    severity = ERROR
    layer_types = READERS
    VALID = [
        'layer { type: "Data" data_param { source: "a_lmdb" } transform_param { mean_file: "m.binaryproto" } }',
        'layer { name: "d" type: "ImageData" image_data_param { source: "train.txt" } }',
        'layer { name: "d" type: "HDF5Data" hdf5_data_param { source: "train_h5_list.txt" } }',
        # A list of what a database once held.
        'layer { name: "d" type: "ImageData" image_data_param { source: "train_lmdb.txt" } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "d" type: "Data" data_param { source: "mean.binaryproto" } }',
            span='source: "mean.binaryproto"',
            message='Data "d": source "mean.binaryproto" looks like a mean file, but Data reads a database (LMDB or'
            " LevelDB), so Caffe stops at the start; set source to such a database",
        ),
        Invalid(
            'layer { name: "d" type: "Data" data_param { source: "test.prototxt" } }',
            span='source: "test.prototxt"',
            message='Data "d": source "test.prototxt" is a net or a solver, but Data reads a database (LMDB or'
            " LevelDB), so Caffe stops at the start; set source to such a database",
        ),
        Invalid(
            'layer { name: "d" type: "Data" data_param { source: "mean" } transform_param { mean_file: "mean" } }',
            span='source: "mean"',
            message='Data "d": source "mean" is the mean_file of the same layer, but Data reads a database (LMDB or'
            " LevelDB), so Caffe stops at the start; set source to such a database",
        ),
        Invalid(
            'layer { name: "d" type: "HDF5Data" hdf5_data_param { source: "train.h5" } }',
            span='source: "train.h5"',
            message='HDF5Data "d": source "train.h5" looks like an HDF5 file, but HDF5Data reads a text file with the'
            " names of HDF5 files, so Caffe stops at the start; set source to such a file",
        ),
        Invalid(
            'layer { name: "d" type: "Data" data_param { source: "train.txt" } }',
            span='source: "train.txt"',
            message='Data "d": source "train.txt" looks like a text file, but Data reads a database (LMDB or LevelDB),'
            " so Caffe stops at the start; set source to such a database",
        ),
        Invalid(
            'layer { name: "d" type: "ImageData" image_data_param { source: "train_lmdb" } }',
            span='source: "train_lmdb"',
            message='ImageData "d": source "train_lmdb" looks like a database, but ImageData reads a text file with an'
            " image and its label on each line, so Caffe may stop at the start; set source to such a file",
        ),
        Invalid(
            'layer { name: "d" type: "Data" data_param { source: "a" } transform_param { mean_file: "train_lmdb" } }',
            span='mean_file: "train_lmdb"',
            message='Data "d": mean_file "train_lmdb" looks like a database, so Caffe may stop at the start; make a'
            " .binaryproto with compute_image_mean",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        source: str = getattr(layer.message, block).source
        mean_file: str = layer.message.transform_param.mean_file
        name = same_path(source).lower()
        if mean_file and same_path(mean_file).lower().endswith((*_DATABASE, *_LIST, *_HDF5)):
            yield self.finding(
                transform_place(layer, "mean_file"),
                f'{title(layer)}: mean_file "{mean_file}" looks like {_kind(mean_file)}, so Caffe may stop at the'
                " start; make a .binaryproto with compute_image_mean",
                severity=WARNING,
                certainty=LIKELY,
            )
        if not source:
            return
        stops = True
        if name.endswith(".prototxt"):
            what, sure = "is a net or a solver", True
        elif name.endswith(".binaryproto"):
            what, sure = "looks like a mean file", True
        elif source == mean_file:
            what, sure = "is the mean_file of the same layer", True
        elif name.endswith((_LIST if layer.kind.has_setting("backend") else _DATABASE) + _HDF5):
            what, sure = f"looks like {_kind(source)}", False
            stops = not name.endswith(_DATABASE)  # a list may be called by the database that was made of it
        else:
            return
        yield self.finding(
            layer.at(block, "source"),
            f'{title(layer)}: source "{source}" {what}, but {layer.type} reads {_READS[layer.type]}, so'
            f" Caffe {'stops' if stops else 'may stop'} at the start; set source to such a"
            f" {'database' if layer.type == 'Data' else 'file'}",
            severity=ERROR if sure else WARNING,
            certainty=None if sure else LIKELY,
        )


_READS = {  # words for a message
    "Data": "a database (LMDB or LevelDB)",
    "ImageData": "a text file with an image and its label on each line",
    "WindowData": "a text file of windows",
    "HDF5Data": "a text file with the names of HDF5 files",
}


def _kind(path: str) -> str:
    name = same_path(path).lower()
    if name.endswith(_DATABASE):
        return "a database"
    return "an HDF5 file" if name.endswith(_HDF5) else "a text file"
