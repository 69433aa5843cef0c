from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, WARNING, Cause, CauseKind, Finding, Invalid
from caffelint.smoke.rule import LACKS, UNKNOWN, Refused, Run, Running, SmokeRule

from ._evidence import evidence
from ._example import CALM, losses, project

_LONGEST = 300


class RefusedAtLoad(SmokeRule):
    """Caffe ended with a failed check, where it loaded the solver, a net or weights, or with the first values.

    ## Why is this bad?
    The same happens in the real run, after the queue and the loading of the data. Caffe's own words are told, and the
    layer that was being made.

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
            message='at "log" Caffe ends: base > 0 (-2 vs. 0) base must be positive',
        ),
        Invalid(
            project(
                Refused(0, "", 'Message type "caffe.FillerParameter" has no field named "typ".', "load", UNKNOWN, 4)
            ),
            span='inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }',
            message='this Caffe cannot read it: Message type "caffe.FillerParameter" has no field named "typ"',
        ),
        Invalid(
            project(Refused(0, "fc", "Cannot copy param 0 weights from layer 'fc'; shape mismatch.", "weights")),
            span="layer",
            message="the weights do not fit \"fc\": Cannot copy param 0 weights from layer 'fc'; shape mismatch",
        ),
        Invalid(
            project(Refused(-1, "", "a.caffemodel is no caffemodel", "weights")),
            span='net: "n.prototxt"',
            message="the weights cannot be read: a.caffemodel is no caffemodel",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Refused):
            said = " ".join(event.message.split()).removesuffix(".")[:_LONGEST]
            running = run.first(Running)
            layer = event.layer or (running.layer if running else "")
            net = max(event.net, running.net if running and not event.layer else 0)
            place = run.place(layer, net) if layer else run.solver.at(event.field) if event.field else run.solver.at()
            what, why = f'at "{layer}" Caffe ends' if layer else "Caffe ends", said
            kind: CauseKind = "refusal"
            notes = []
            severity = None
            if event.line:
                place = run.line(event.line, event.net)
                what = "this Caffe cannot read it"
            if event.kind == LACKS:
                severity = WARNING  # that is no fault of the net
                kind, what, why = "engine", said, ""
                notes.append("run it with the Caffe that has it: --caffe-python COMMAND")
            elif event.during == "weights" and not layer:
                what = "the weights cannot be read"
            elif event.during == "weights":
                what = f'the weights do not fit "{layer}"'
                notes.append("give the layer another name to start it anew, or the shape that the weights have")
            elif 0 <= net < len(run.built) and run.built[net].refusals and event.during == "load":
                refusal = run.built[net].refusals[0]
                if refusal.message != said:
                    notes.append(refusal.message)
                if refusal.layer == layer and refusal.field:
                    place = run.place(layer, net, *refusal.field)
            if event.during == "run":
                where = f" in its {running.where} pass" if running else ""
                notes.append(f"the net was loaded; it ended{where} when values came in")
            known = tuple(one for one in run.known([layer]) if one.message not in notes)
            yield self.finding(
                place,
                f"{what}: {why}" if why else what,
                severity=severity,
                evidence=evidence(*notes, known=known),
                cause=Cause(kind, what, "; ".join(part for part in (why, *notes) if part), known=known),
            )
