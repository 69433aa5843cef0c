from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    File,
    Finding,
    Invalid,
    Place,
    Solver,
    TextRule,
    readers,
    too_old,
    without_input_layer,
    without_solver_type,
)

_INPUTS = ("input", "input_dim", "input_shape")
_NETS = ("net_param", "train_net_param", "test_net_param")


class LegacyFormat(TextRule):
    """The file is in an old format, which newer versions of Caffe translate at each load.

    ## Why is this bad?
    Caffe still upgrades the file each time it loads it. New layer types and most forks' fields exist only in the
    current format, and people and tools that never saw the old one misread it. `caffelint upgrade` writes the current
    format and keeps all comments; `upgrade_net_proto_text` and `upgrade_solver_proto_text`, which come with Caffe, drop
    them.

    A net inside a solver (`net_param`) is never upgraded: Caffe ignores what is written there in an older format, and
    trains a net without layers.

    The rule is silent where the configured or inferred dialect lacks the newer form, as `caffelint upgrade` leaves the
    file alone then.

    ## Example
    ```
    layers { name: "relu1" type: RELU bottom: "conv1" top: "conv1" }
    ```
    Use instead:
    ```
    layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
    ```

    ## References
    - caffe/util/upgrade_proto.cpp; solver.cpp, InitTrainNet
    """

    code = "P008"
    name = "legacy-format"
    severity = INFO
    VALID = [
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }',
        'base_lr: 0.1 type: "Adam"',
        # Faster R-CNN and others with this type have no layer type Input.
        'input: "a" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8 layer { name: "p" type: "ROIPooling" }',
    ]
    INVALID = [
        Invalid(
            'name: "net"\nlayers { name: "relu1" type: RELU bottom: "a" top: "a" }',
            span="layers",
            message="layers { type: ENUM } is the format of 2013 and 2014, which Caffe translates at each load; run"
            ' `caffelint upgrade` to write layer { type: "Name" }',
        ),
        Invalid(
            'layers { layer { name: "relu1" type: "relu" } bottom: "a" top: "a" }',
            span="layers",
            message="layers { layer { ... } } is the format of 2013, which Caffe translates at each load; run"
            ' `caffelint upgrade` to write layer { type: "Name" }',
        ),
        Invalid(
            'input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8',
            span="input",
            message="input fields of a net are an older format, which Caffe translates at each load; run `caffelint"
            ' upgrade` to write layer { type: "Input" }',
        ),
        Invalid(
            'net_param { layers { name: "relu1" type: RELU bottom: "a" top: "a" } } base_lr: 0.1',
            span="layers",
            message='layers is an older format, which Caffe ignores in net_param; write layer { type: "Name" }, or put'
            " the net into a file of its own",
        ),
        Invalid(
            "base_lr: 0.1 solver_type: ADAM",
            span="solver_type",
            message="solver_type is the older form, which Caffe translates at each load; run `caffelint upgrade` to"
            ' write type: "Adam"',
        ),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        if file.solver:
            yield from self._inside(file.solver)
        fields = file.document.root.fields
        for name in dict.fromkeys([field.name for field in fields]):
            message = self._old(file, name)
            if message:
                if not _stays(file, name):
                    field = next(field for field in fields if field.name == name)
                    start, end = field.name_span
                    yield self.finding(Place(file.document, start, end, file.layer_at(start), (field.name,)), message)
                return

    def _inside(self, solver: Solver) -> Iterator[Finding]:
        """Nets inside a solver: what Caffe ignores in them."""
        for block in solver.document.root.fields:
            old = next((field for field in block.fields if field.name in ("layers", *_INPUTS)), None)
            if old is not None and block.name in _NETS:
                start, end = old.name_span
                yield self.finding(
                    Place(solver.document, start, end, path=(block.name, old.name)),
                    f"{old.name} is an older format, which Caffe ignores in {block.name}; write"
                    ' layer { type: "Name" }, or put the net into a file of its own',
                    severity=ERROR,
                )

    def _old(self, file: File, name: str) -> str:
        if file.solver and name == "solver_type":
            new = file.solver.type
            return (
                "solver_type is the older form, which Caffe translates at each load; run `caffelint upgrade` to write"
                f' type: "{new}"'
            )
        if not file.net:
            return ""
        if name == "layers":
            oldest = any(layer.HasField("layer") for layer in file.net.written.layers)
            form, years = ("layer { ... }", "2013") if oldest else ("type: ENUM", "2013 and 2014")
            return (
                f"layers {{ {form} }} is the format of {years}, which Caffe translates at each load;"
                ' run `caffelint upgrade` to write layer { type: "Name" }'
            )
        if name in _INPUTS:
            return (
                "input fields of a net are an older format, which Caffe translates at each load;"
                ' run `caffelint upgrade` to write layer { type: "Input" }'
            )
        return ""


def _stays(file: File, name: str) -> bool:
    """Whether `caffelint upgrade` leaves the form of a field as it is, for the Caffes that the file is for."""
    if file.bound is None:
        return False
    if file.caffe:
        form = {"solver_type": "type", "layers": "layer"}.get(name, "input")
        return bool(file.caffe.lacks_for(form))
    forks = readers(file.bound)
    if name == "solver_type":
        return bool(without_solver_type(forks))
    return bool(without_input_layer(forks) if name in _INPUTS else too_old(forks))
