from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, Finding, Invalid, Net, NetRule, compiled_later, quoted, title
from caffelint.lint.built import types_that
from caffelint.lint.disk import found_from, is_template, starts

from ._layers import is_never_tested, same_path

_ROLE = compiled_later(r"(?<![a-z])(?:val(?:id(?:ation)?)?|test(?:ing)?|dev|eval)(?![a-z])")
_DATA = (
    ' layer {{ name: "data" type: "Data" top: "data" top: "label" data_param {{ source: "{}" }} include {{ phase: {} }}'
    " }}"
)
_SCRIPT = "convert_imageset ./ train.txt cats_train_lmdb\nconvert_imageset ./ test.txt cats_test_lmdb\n"


def _net(source: str) -> str:
    loss = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }'
    return _DATA.format("cats_train_lmdb", "TRAIN") + _DATA.format(source, "TEST") + loss


class SourceNotMade(NetRule):
    """A net reads a data base that no script makes, beside one of nearly that name that it does not read.

    ## Why is this bad?
    Caffe stops as it builds the test net: it cannot open the data base. The names differ in `val` and `test` only.

    ## Example
    Where a script runs `convert_imageset ./ test.txt cats_test_lmdb`:
    ```
    data_param { source: "cats_val_lmdb" }
    ```
    Use instead:
    ```
    data_param { source: "cats_test_lmdb" }
    ```

    ## Known problems
    Only data bases are known that shell scripts of the project make with convert_imageset.

    ## References
    - convert_imageset.cpp; db_lmdb.cpp, Open
    """

    code = "D033"
    name = "source-not-made"
    severity = INFO
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.is_data and not kind.fork and kind.has_setting("backend"))
    _FILES = {"README.md": "", "make.sh": _SCRIPT}
    VALID = [
        _FILES | {"net.prototxt": _net("cats_test_lmdb")},
        _FILES | {"net.prototxt": _net("dogs_val_lmdb")},
        _FILES | {"net.prototxt": _net("cats_val_lmdb"), "more.sh": "convert_imageset ./ val.txt cats_val_lmdb\n"},
    ]
    INVALID = [
        Invalid(
            _FILES | {"net.prototxt": _net("cats_val_lmdb")},
            span='source: "cats_val_lmdb"',
            message='Data "data": no convert_imageset makes "cats_val_lmdb", but make.sh:2 makes "cats_test_lmdb",'
            ' which this net does not read; set source: "cats_test_lmdb"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        made = net.runs.made if net.runs else ()
        if not made or is_never_tested(net):
            return
        opened = {os.path.basename(one.path) for solver in net.solvers if solver.runs for one in solver.runs.databases}
        folder = os.path.dirname(os.path.abspath(net.path))
        layers = [layer for layer in net.layers_of(self.layer_types) if layer.kind.data_source]
        read = [one for one in made if any(one.is_of(layer.kind.data_source, folder) for layer in layers)]
        makers = {one.place.path for one in read}
        for layer in layers:
            source = layer.kind.data_source
            name = os.path.basename(same_path(source))
            if name in opened or is_template(source) or any(one.is_of(source, folder) for one in read):
                continue
            near = [
                one
                for one in made
                if one not in read
                and one.place.path in makers
                and _ROLE.sub("", os.path.basename(one.base)) == _ROLE.sub("", name) != name
            ]
            if len(near) == 1 and not found_from(source, [*starts(net.path)]):
                other = quoted(source.replace(name, os.path.basename(near[0].base)))
                yield self.finding(
                    layer.at(layer.kind.data_block, "source"),
                    f"{title(layer)}: no convert_imageset makes {quoted(source)}, but {near[0].place} makes"
                    f" {quoted(near[0].base)}, which this net does not read; set source: {other}",
                )
