from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, Solver, SolverRule


class NetFileNotFound(SolverRule):
    """A net that the solver names was not found.

    ## Why is this bad?
    Caffe opens a net's name from the directory that it is run in, not from the solver's folder, and ends the process
    if there is no such file. Looked for it was beside the solver, in the working directory, in the configured `roots`
    and in every folder above the solver. A net that lies beside the solver under its bare name only is judged
    together with it, and said as info: from here, Caffe would not find it. What lies outside of the checkout and of
    `roots` is not read.

    ## Example
    ```
    net: "models/mymodel/trainval.prototxt"  # the file is called train_val.prototxt
    ```
    Use instead:
    ```
    net: "models/mymodel/train_val.prototxt"
    ```

    ## References
    - util/io.cpp, ReadProtoFromTextFile
    """

    code = "S003"
    name = "net-file-not-found"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        'net: "train_val.prototxt" base_lr: 0.01',
        {"a/solver.prototxt": 'net: "a/train_val.prototxt" base_lr: 0.01', "a/train_val.prototxt": 'name: "n"'},
    ]
    INVALID = [
        Invalid(
            {"a/solver.prototxt": 'net: "a/trainval.prototxt" base_lr: 0.01', "a/train_val.prototxt": 'name: "n"'},
            span='net: "a/trainval.prototxt"',
            message='the net "a/trainval.prototxt" is not found beside the solver, in the working directory, in a'
            " configured root or in a folder above the solver",
        ),
        Invalid(
            {"a/solver.prototxt": 'train_net: "/home/me/train.prototxt" base_lr: 0.01', "b.prototxt": 'name: "n"'},
            span='train_net: "/home/me/train.prototxt"',
            message='"/home/me/train.prototxt" is not on this machine: a path relative to where Caffe is run works'
            " anywhere",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for missing in solver.missing:
            if missing.name.startswith("~"):
                message = f'"{missing.name}" is not found: Caffe expands no ~; write the whole path, or a relative one'
            elif missing.name.startswith("/") or missing.name[1:3] in (":/", ":\\"):
                message = (
                    f'"{missing.name}" is not on this machine: a path relative to where Caffe is run works anywhere'
                )
            else:
                message = (
                    f'the net "{missing.name}" is not found beside the solver, in the working directory, in a'
                    " configured root or in a folder above the solver"
                )
            yield self.finding(solver.at(missing.field, missing.position), message)
        for outside in solver.outside:
            message = f'"{outside.name}" lies outside of the checkout, and was not read'
            evidence = "allow its folder by roots in your settings; a checkout must not choose what of yours is quoted"
            yield self.finding(solver.at(outside.field, outside.position), message, evidence=evidence)
        for found in solver.beside:
            bare = found.name.replace("\\", "/").rpartition("/")[2]
            yield self.finding(
                solver.at(found.field, found.position),
                f'"{found.name}" does not lead to a file from here; the {bare} beside the solver is taken for it',
                evidence="Caffe opens the name as it stands, from the directory that it is run in",
                severity=INFO,
            )
