from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    phase_name,
    remove,
    replace,
)

MADE_A_TEST_NET = (
    "state makes the training net a TEST net: layers for TRAIN are left out, Dropout and BatchNorm act as in TEST;"
    " remove it"
)


class PhaseFieldIgnored(NetRule):
    """`phase` stands on a layer, where it filters nothing, or `state` in a net, where it forces a phase.

    ## Why is this bad?
    Only `include` and `exclude` rules decide whether a layer is in a net. `phase: TEST` written on the layer itself
    leaves it in both phases and makes it behave as in TEST even while training: a Dropout drops nothing, a BatchNorm
    takes stored statistics. `state { phase: TEST }` in the net file builds the training net as a test net.

    ## Example
    ```
    layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" phase: TEST }
    ```
    Use instead:
    ```
    layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" include { phase: TEST } }
    ```

    ## Fix safety
    Unsafe: the layer is left out of the other phase, or the net is trained as a TRAIN net, which it was not.

    ## References
    - net.cpp, FilterNet and Init; solver.cpp, InitTrainNet
    """

    code = "G020"
    name = "phase-field-ignored"
    severity = WARNING
    VALID = [
        'layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" include { phase: TEST } }',
        # The same phase as its rule: nothing changes.
        'layer { name: "drop" type: "Dropout" bottom: "ip" top: "ip" phase: TEST include { phase: TEST } }',
        'state { phase: TEST } layer { name: "data" type: "Input" top: "data" }',
        'state { stage: "quick" } layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" top: "data" phase: TRAIN }'
            ' layer { name: "drop" type: "Dropout" bottom: "data" top: "data" phase: TEST }',
            span=("phase: TRAIN", "phase: TEST"),
            message=(
                "phase on a layer filters nothing: data is in both phases, and acts as in TRAIN;"
                " write include { phase: TRAIN } to have it there alone",
                "phase on a layer filters nothing: drop is in both phases, and acts as in TEST;"
                " write include { phase: TEST } to have it there alone",
            ),
            fixed=(
                'layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } } layer { name: "drop" '
                'type: "Dropout" bottom: "data" top: "data" include { phase: TEST } }'
            ),
        ),
        Invalid(
            'state { phase: TEST } layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }',
            span="phase: TEST",
            message=MADE_A_TEST_NET,
            fixed='layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }',
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" train_state { phase: TEST }',
                "net.prototxt": 'layer { name: "data" type: "Input" top: "data" }',
            },
            span="phase: TEST",
            message="train_" + MADE_A_TEST_NET,
            fixed={
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": 'layer { name: "data" type: "Input" top: "data" }',
            },
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        message = net.message
        if message.HasField("state") and message.state.HasField("phase") and phase_name(message.state.phase) != TRAIN:
            if net.role == "train":
                yield self.finding(
                    net.at("state", "phase"),
                    MADE_A_TEST_NET,
                    fixes=fix("remove it", UNSAFE, remove(net, "state", "phase")),
                )
        for solver in net.solvers:
            state = solver.message.train_state
            if state.HasField("phase") and phase_name(state.phase) != TRAIN:
                yield self.finding(
                    solver.at("train_state", "phase"),
                    f"train_{MADE_A_TEST_NET}",
                    fixes=fix("remove it", UNSAFE, remove(solver, "train_state", "phase")),
                )
        for layer in net.layers:
            if layer.message.HasField("phase"):
                yield from self._judge(layer)

    def _judge(self, layer: Layer) -> Iterator[Finding]:
        phase = phase_name(layer.message.phase)
        if layer.phases == (phase,):
            return
        yield self.finding(
            layer.at("phase"),
            f"phase on a layer filters nothing: {layer.name} is in both phases, and acts as in {phase};"
            f" write include {{ phase: {phase} }} to have it there alone",
            fixes=()
            if layer.message.include or layer.message.exclude
            else fix(
                f"write include {{ phase: {phase} }}",
                UNSAFE,
                (replace(layer.at("phase"), f"include {{ phase: {phase} }}"),),
            ),
        )
