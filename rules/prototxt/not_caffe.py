from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, File, Finding, Invalid, Place, TextRule


class NotCaffe(TextRule):
    """The file is neither a Caffe net nor a solver: it is another program's text, or empty.

    ## Why is this bad?
    It need not be: ONNX, TensorFlow and label maps use the same suffix, and so does MyCaffe, which has its own parser
    and some fields of its own. caffelint checks nothing in such a file, and says so once. With a dialect configured, it
    does check a MyCaffe file.

    ## Example
    ```
    item { name: "cat" label: 1 }
    ```
    Instead, name the files that are nets and solvers, or exclude the others in the configuration.
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
            message="this looks like a label map, not a Caffe net or solver; not checked",
        ),
        Invalid(
            "apples: 3 pears: 4",
            span="apples",
            message='this does not look like a Caffe net or solver (it starts with "apples"); not checked',
        ),
        Invalid(
            "max_iter: 9 type: ADAM snapshot_prefix: a\\b snapshot_include_weights: True snapshot_include_state: True",
            span="max_iter",
            message="this looks like a MyCaffe file, not a Caffe net or solver; not checked",
        ),
        Invalid("# nothing yet\n", span="", message="the file is empty, so there is no net or solver to check"),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        if file.kind != "other":
            return
        fields = file.document.root.fields
        if not fields:
            if not file.problems:
                place = Place(file.document, 0, 0)
                yield self.finding(place, "the file is empty, so there is no net or solver to check")
            return
        name = fields[0].name
        if file.seems:
            message = f"this looks like {file.seems}, not a Caffe net or solver; not checked"
        else:
            message = f'this does not look like a Caffe net or solver (it starts with "{name[:40]}"); not checked'
        start, end = fields[0].name_span
        yield self.finding(Place(file.document, start, end), message)
