from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import ERROR, WARNING, Finding, Invalid, SmokeRule
from caffelint.smoke.run import Refused, Run, Running

from ._example import CALM, losses, project

_LONGEST = 300
_LINE = re.compile(r"(\d+):\d+: (.+)")
_OF_THE_SOLVER = re.compile(r"\bparam_\.([a-z_]+?)(?:_size)?\(\)")
"""As `param_.test_iter_size()` in solver.cpp."""
_NOT_RUN = "the torch engine does not run"
_PREFIX = re.compile(r"^Check failed: ")


class RefusedAtLoad(SmokeRule):
    """Caffe ended with a failed check, where it loaded the solver, a net or weights, or with the first values.

    ## Why is this bad?
    The same happens in the real run, behind the queue and the loading of the data. Caffe's own words are told, and the
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
            project(Refused(0, "log", "Check failed: base > 0 (-2 vs. 0) base must be positive.", "load")),
            span="layer",
            message='at "log" Caffe ends: base > 0 (-2 vs. 0) base must be positive',
        ),
        Invalid(
            project(Refused(0, "", '4:63: Message type "caffe.FillerParameter" has no field named "typ".', "load")),
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
            said = " ".join(_PREFIX.sub("", event.message).split()).removesuffix(".")[:_LONGEST]
            running = run.first(Running)
            layer = event.layer or (running.layer if running else "")
            net = max(event.net, running.net if running and not event.layer else 0)
            at = f'at "{layer}" ' if layer else ""
            message = f"{at}Caffe ends: {said}"
            evidence = []
            place = run.place(layer, net) if layer else run.solver.at()
            if not layer and (named := _OF_THE_SOLVER.search(said)):
                place = run.solver.at(named[1])
            if found := _LINE.match(said):
                place = run.line(int(found[1]), net)
                if '"caffe.SolverParameter"' in found[2]:  # the copy of a solver keeps its lines, too
                    place = run.line(int(found[1]), -1)
                message = f"this Caffe cannot read it: {found[2]}"
            severity = None
            if _NOT_RUN in said:
                severity = WARNING  # that is no fault of the net
                message = said
                evidence.append("run it with the Caffe that has it: --caffe-python COMMAND")
            elif event.during == "weights" and not layer:
                message = f"the weights cannot be read: {said}"
            elif event.during == "weights":
                message = f'the weights do not fit "{layer}": {said}'
                evidence.append("give the layer another name to start it anew, or the shape that the weights have")
            elif 0 <= net < len(run.built) and run.built[net].refusals and event.during == "load":
                refusal = run.built[net].refusals[0]
                evidence.append(refusal.message)
                if refusal.layer == layer and refusal.field:
                    place = run.place(layer, net, *refusal.field)
            if event.during == "run":
                where = f" in its {running.where} pass" if running else ""
                evidence.append(f"the net was loaded; it ended{where} when values came in")
            known = run.explained([layer])
            if known and not any(part in known for part in evidence):
                evidence.append(f"see {known}")
            yield self.finding(place, message, severity=severity, evidence=". ".join(evidence))
