from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, WARNING, Cause, CauseKind, Finding, Invalid, listed, title
from caffelint.smoke.rule import (
    LACKS,
    UNKNOWN,
    BuiltLayer,
    Refused,
    Run,
    Running,
    SmokeRule,
    WithoutGpu,
    asks_for_gpu,
    wants_cudnn,
)

from ._evidence import evidence, guessed, subject
from ._example import CALM, SOLVER, losses, project

_LONGEST = 300
_MEANS = "Specify either 1 mean_value or as many as channels: "
"""As DataTransformer says it, before the number of channels."""
_TOO_LARGE = "blob size exceeds INT_MAX"
"""As Blob::Reshape says it."""

_MANY = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { batch_size: 99999999 } }'


class RefusedAtLoad(SmokeRule):
    """Caffe aborts with a failed check while it loads the solver, a net or weights, or on the first values.

    ## Why is this bad?
    The same happens in the real run, after the queue and the loading of the data. The finding gives Caffe's own message
    and the layer that it was creating.

    ## References
    - net.cpp, Init and CopyTrainedLayersFrom; solver.cpp, Init; the CHECKs of each layer's LayerSetUp and Reshape
    """

    code = "X107"
    name = "refused-at-load"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(Refused(0, "log", "base > 0 (-2 vs. 0) base must be positive.", "load")),
            span="layer",
            message='Log "log": Caffe aborts: base > 0 (-2 vs. 0) base must be positive',
        ),
        Invalid(
            project(
                Refused(0, "", 'Message type "caffe.FillerParameter" has no field named "typ".', "load", UNKNOWN, 4)
            ),
            span='inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }',
            message='this Caffe cannot parse the net: Message type "caffe.FillerParameter" has no field named "typ"',
        ),
        Invalid(
            project(Refused(0, "fc", "Cannot copy param 0 weights from layer 'fc'; shape mismatch.", "weights")),
            span="layer",
            message='InnerProduct "fc": the weights do not fit: Cannot copy param 0 weights from layer'
            " 'fc'; shape mismatch",
        ),
        Invalid(
            project(Refused(-1, "", '"a.caffemodel" is not a caffemodel', "weights")),
            span='net: "n.prototxt"',
            message='the weights cannot be read: "a.caffemodel" is not a caffemodel',
        ),
        Invalid(
            project(
                Refused(0, "data", "shape[i] <= 0x7fffffff / count_ (28 vs. 21) blob size exceeds INT_MAX", "load"),
                net=_MANY,
            ),
            span="batch_size: 99999999",
            message='Data "data": Caffe aborts: batch_size 99999999 makes a blob of more than 2,147,483,647 values:'
            " shape[i] <= 0x7fffffff / count_ (28 vs. 21) blob size exceeds INT_MAX",
        ),
        Invalid(
            project(WithoutGpu("this Caffe was built CPU_ONLY"), *losses(*CALM), solver=SOLVER + "solver_mode: GPU"),
            span="solver_mode: GPU",
            message="solver_mode is GPU, and this Caffe was built CPU_ONLY, so `caffe train` stops at the start here;"
            " set solver_mode: CPU, or train elsewhere",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        yield from self._without_gpu(run)
        for event in run.all(Refused):
            said = " ".join(event.message.split()).removesuffix(".")[:_LONGEST]
            running = run.first(Running)
            layer = event.layer or (running.layer if running else "")
            net = max(event.net, running.net if running and not event.layer else 0)
            place = run.place(layer, net) if layer else run.solver.at(event.field) if event.field else run.solver.at()
            refused = run.layer(layer, net)
            of = subject(run, layer, net) if layer else ""
            what, why = f"{of}: Caffe aborts" if of else "Caffe aborts", said
            kind: CauseKind = "refusal"
            notes = []
            severity = None
            if event.line:
                place = run.line(event.line, event.net)
                what = f"this Caffe cannot parse the {'solver' if event.net < 0 else 'net'}"
            if event.kind == LACKS:
                severity = WARNING  # not the fault of the net
                kind, what, why = "engine", said, ""
                notes.append("run it with a Caffe that has it: --caffe-python COMMAND")
            elif event.during == "weights" and not layer:
                what = "the weights cannot be read"
            elif event.during == "weights":
                what = f"{of}: the weights do not fit"
                remedy = "rename the layer to train it from scratch"
                notes.append(
                    "or give it the shape of the weights" if remedy in said else f"{remedy}, or give it that shape"
                )
            elif 0 <= net < len(run.built) and run.built[net].refusals and event.during == "load":
                refusal = run.built[net].refusals[0]
                if refusal.message != said:
                    notes.append(refusal.message)
                if refusal.layer == layer and refusal.field:
                    place = run.place(layer, net, *refusal.field)
            if refused is not None and wants_cudnn(refused) and event.during == "load":
                place = run.place(layer, net, refused.block, "engine")
                notes.append("engine: CUDNN needs a Caffe that is built with cuDNN; remove it, or set engine: CAFFE")
            if refused is not None and event.during == "load" and (channels_last := _channels_last(refused)):
                notes.append(channels_last)
            if refused is not None and (means := _means(run, net, said)):
                notes.append(means)
            if refused is not None and _TOO_LARGE in said and refused.batch_size:
                place = run.place(layer, net, refused.block, "batch_size")
                what = f"{what}: batch_size {refused.batch_size} makes a blob of more than 2,147,483,647 values"
                notes.append("lower it; to average over more records, raise iter_size")
            source = refused.data_source if refused is not None and refused.is_data else ""
            if source and source not in said:
                notes.append(f'its source is "{source}"')
            if event.during == "run":
                where = f" in the {running.where} pass" if running else ""
                notes.append(f"the net was loaded; Caffe aborted{where} on the first values")
            guess = guessed(run) if event.during != "weights" and event.kind != LACKS and not event.line else ""
            if guess:
                severity = WARNING  # the guess may be wrong, and not the net
                notes.append(guess)
            known = tuple(one for one in run.known([layer]) if one.message not in notes)
            yield self.finding(
                place,
                f"{what}: {why}" if why else what,
                severity=severity,
                certainty=LIKELY if guess else None,
                evidence=evidence(*notes, known=known),
                cause=Cause(kind, what, "; ".join(part for part in (why, *notes) if part), known=known),
            )

    def _without_gpu(self, run: Run) -> Iterator[Finding]:
        """What a run on the CPU does not meet: what asks for a GPU, if there is none."""
        event = run.first(WithoutGpu)
        if event is None or run.first(Refused) is not None:
            return
        for one in asks_for_gpu(run.solver, run.built[0])[:1]:
            if isinstance(one, BuiltLayer):
                what, place = f"{title(one)} has engine: CUDNN", run.place(one.name, 0, one.block, "engine")
                remedy = "remove it, or set engine: CAFFE"
            else:
                what, place = "solver_mode is GPU", run.solver.at("solver_mode")
                remedy = "set solver_mode: CPU"
            what += f", and {event.why}, so `caffe train` stops at the start here; {remedy}, or train elsewhere"
            yield self.finding(place, what, severity=INFO, cause=Cause("gpu", what))


def _means(run: Run, net: int, said: str) -> str:
    """Where mean_value stands neither once nor as often as there are channels, in all data layers of the text."""
    channels = said.partition(_MEANS)[2].strip()
    if not channels.isdecimal():
        return ""
    count = int(channels)
    counts = [(layer, len(layer.message.transform_param.mean_value)) for layer in run.nets[net].layers]
    wrong = [layer for layer, found in counts if found > 1 and found != count]
    lines = listed([f"line {layer.at('transform_param', 'mean_value').line}" for layer in wrong])
    ways = "one mean_value" if count == 1 else f"one mean_value, or {count}"
    have = "1 channel" if count == 1 else f"{count} channels"
    return f"the records have {have}: set {ways} in all data layers ({lines})" if wrong else ""


def _channels_last(layer: BuiltLayer) -> str:
    """Does it read records that seem to be written as most libraries hold images, height x width x channels?"""
    blob = layer.bottoms[0] if layer.bottoms else None
    shape = blob.shape if blob is not None else None
    maker = blob.maker if blob is not None else None
    if blob is None or maker is None or maker.bottoms or not shape or len(shape) != 4:
        return ""
    _, height, width, channels = shape
    if channels not in (1, 3, 4) or min(height, width) <= channels:
        return ""
    read = f'"{blob.original.name}" is {height} channels of {width}x{channels} pixels to Caffe, and looks as if it were'
    written = f"{height}x{width} pixels of {channels} channels"
    return f"{read} {written}; write it as channels x height x width (numpy: transpose(0, 3, 1, 2))"
