from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    LIKELY,
    TEST,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Option,
    Valid,
    fix,
    quoted,
    title,
    write,
)
from caffelint.lint.built import types_that
from caffelint.lint.disk import (
    DataSource,
    data_of_this_machine,
    data_sources,
    found_from,
    is_ignored,
    is_template,
    near,
    starts,
)

from ._layers import is_never_tested

_OTHERS = (("transform_param", "mean_file"),)
_OF_CLASSES = (
    ("detection_output_param", "save_output_param", "label_map_file"),
    ("detection_output_param", "save_output_param", "name_size_file"),
    ("detection_evaluate_param", "name_size_file"),
)
_MOST_LAYERS = 100


class SourceNotFound(NetRule):
    """The source or the mean file of a data layer does not exist, although other data does, or begins with `~`.

    ## Why is this bad?
    Caffe aborts when it opens the file, after it has set up the layers above; for the data of TEST that is after it has
    built the whole training net. Caffe does not expand `~`, which a shell does.

    ## Example
    ```
    data_param { source: "examples/mnist/mnist_train_lmbd" batch_size: 64 }
    ```
    Use instead:
    ```
    data_param { source: "examples/mnist/mnist_train_lmdb" batch_size: 64 }
    ```

    ## Known problems
    Data is rarely on the machine where the text is checked, so a path is reported only if another source of the same
    net exists here without being part of the repository, or if `check-sources` is set; then it is a warning. So it is
    for a path that git ignores, which each clone lacks until somebody makes the data. Where a relative path leads to a
    folder of the repository with one file of nearly that name, it is a warning that names this one, also for the
    `label_map_file` and `name_size_file` of a DetectionOutput, which its LayerSetUp opens. Where a README tells its
    readers to set the paths, it is an info. It looks only at whether a path exists, never at what it holds.

    ## Options
    - `check-sources`: check that sources exist, also if none does
    - `roots`: folders that relative paths may start from, besides the working directory and the folders of the file

    ## References
    - data_layer.cpp, image_data_layer.cpp, hdf5_data_layer.cpp; db_lmdb.cpp, Open; detection_output_layer.cpp of SSD
    """

    code = "D005"
    name = "source-not-found"
    severity = ERROR
    layer_types = types_that(
        lambda kind: kind.is_data and kind.has_setting("source") or kind.block == _OF_CLASSES[0][0]
    )
    OPTIONS = {
        "check-sources": Option(False, "Check that the sources of data layers exist here, also if none does."),
        "roots": Option([], "Folders that relative paths may start from."),
    }
    _DATA = 'layer {{ name: "d" type: "Data" top: "a" data_param {{ source: "{}" batch_size: 1 }}{} }}'
    VALID = [
        _DATA.format("data/~old_lmdb", ""),
        _DATA.format("there_is_no_such_lmdb", ""),
        Valid(_DATA.format("/", ""), {"check-sources": True}),
    ]
    INVALID = [
        Invalid(
            _DATA.format("~/train_lmdb", ""),
            span='source: "~/train_lmdb"',
            message='Data "d": source "~/train_lmdb" starts with ~, which Caffe does not expand, so it stops at the'
            " start; write the full path",
        ),
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

    def check(self, net: Net) -> Iterator[Finding]:
        asked = bool(self.options["check-sources"])
        roots = self.options["roots"]
        sources = data_sources(net, roots)
        missing = {source.layer.index for source in sources if not source.folders}
        there = data_of_this_machine(sources)
        judges = there is not None or asked
        folders = [*dict.fromkeys(starts(net.path, roots))]
        for layer in net.layers_that(lambda kind: kind.is_data)[:_MOST_LAYERS]:
            if layer.phases == (TEST,) and is_never_tested(net):
                continue
            if layer.index in missing:
                yield from self._missing(layer, layer.kind.data_block, "source", there, folders, judges)
            for block, field in _OTHERS:
                if not layer.has(block, field):
                    continue
                path = getattr(layer.param(block), field)
                if not is_template(path) and not found_from(path, folders):
                    yield from self._missing(layer, block, field, there, folders, judges)
        for where in _OF_CLASSES:
            for layer in net.layers_having(where[0])[:_MOST_LAYERS]:
                path = _value(layer, where)
                if path and not is_template(path) and not found_from(path, folders):
                    yield from self._near(layer, where, path, folders)

    def _missing(
        self, layer: Layer, block: str, field: str, there: DataSource | None, folders: list[str], judges: bool
    ) -> Iterator[Finding]:
        path, place = getattr(layer.param(block), field), layer.at(block, field)
        if path.startswith("~/"):
            message = f'{title(layer)}: {field} "{path}" starts with ~, which Caffe does not expand, so it stops at the'
            yield self.finding(place, f"{message} start; write the full path")
        elif (found := list(self._near(layer, (block, field), path, folders, is_sure=there is not None))) or not judges:
            yield from found
        else:
            where = "" if os.path.isabs(path) else " in the working directory or beside this file"
            is_made = any(is_ignored(os.path.join(folder, path)) for folder in folders)
            remedy = "make the data, which git ignores, or correct the path" if is_made else "correct the path"
            message = f'{title(layer)}: {field} "{path}" does not exist{where}, so Caffe stops at the start; {remedy}'
            evidence = f'the source "{there.path}" of this net does exist' if there else ""
            severity = None if there and not is_made else WARNING
            yield self.finding(place, message, evidence=evidence, severity=severity)

    def _near(
        self, layer: Layer, where: tuple[str, ...], path: str, folders: list[str], is_sure: bool = False
    ) -> Iterator[Finding]:
        """The one file that may have been meant, in the folder that the path leads to."""
        other = near(path, layer.net.path, folders, by_words=where[-1] != "source")
        if other and not any(is_ignored(os.path.join(folder, path)) for folder in folders):
            yield self.finding(
                layer.at(*where),
                f'{title(layer)}: {where[-1]} "{path}" does not exist, so Caffe stops at the start; did you mean'
                f' "{other}"?',
                severity=None if is_sure else WARNING,
                certainty=None if is_sure else LIKELY,
                fixes=fix(f"name {quoted(other)}", UNSAFE, write(layer, *where, value=quoted(other))),
            )


def _value(layer: Layer, where: tuple[str, ...]) -> str:
    if not layer.has(*where):
        return ""
    found = layer.message
    for name in where:
        found = getattr(found, name)
    return str(found)
