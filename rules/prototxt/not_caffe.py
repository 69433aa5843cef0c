from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, File, Finding, Invalid, Place, TextRule


class NotCaffe(TextRule):
    """The file holds no Caffe net and no solver: another program's text, or nothing.

    ## Why is this bad?
    It need not be: ONNX, TensorFlow and label maps use the same suffix, and so does MyCaffe, whose parser and some
    fields are its own. Nothing in the file is checked, and this says so, once. With a dialect, a file of MyCaffe is
    checked.

    ## Example
    ```
    item { name: "cat" label: 1 }
    ```
    Use instead: name the files that are nets and solvers, or exclude the others in the configuration.
    """

    code = "P014"
    name = "not-caffe"
    severity = INFO
    VALID = [
        'layer { name: "a" }',
        "base_lr: 0.1",
        'name: "net"',
    ]
    INVALID = [
        Invalid(
            'item { name: "cat" label: 1 }',
            span="item",
            message="this is no Caffe net or solver but a label map, it seems; it is not checked",
        ),
        Invalid(
            "apples: 3 pears: 4",
            span="apples",
            message="this is no Caffe net or solver: it starts with apples; it is not checked",
        ),
        Invalid(
            "max_iter: 9 type: ADAM snapshot_prefix: a\\b snapshot_include_weights: True snapshot_include_state: True",
            span="max_iter",
            message="this is no Caffe net or solver but one of MyCaffe, it seems; it is not checked",
        ),
        Invalid("# nothing yet\n", span="", message="the file is empty: it holds neither a net nor a solver"),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        if file.kind != "other":
            return
        fields = file.document.root.fields
        if not fields:
            if not file.problems:
                place = Place(file.document, 0, 0)
                yield self.finding(place, "the file is empty: it holds neither a net nor a solver")
            return
        name = fields[0].name
        what = f" but {file.seems}, it seems" if file.seems else f": it starts with {name[:40]}"
        start, end = fields[0].name_span
        yield self.finding(Place(file.document, start, end), f"this is no Caffe net or solver{what}; it is not checked")
