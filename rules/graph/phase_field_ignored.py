from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import (
    INFO,
    TEST,
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
    titles,
)

_PHASES = {TRAIN, TEST}


def _made_a_test_net(state: str) -> str:
    return (
        f"{state} {{ phase: TEST }} makes the training net a TEST net, so layers for TRAIN are left out and Dropout and"
        f" BatchNorm act as in TEST; remove phase from {state}"
    )


class PhaseFieldIgnored(NetRule):
    """`phase` is set on a layer, where it filters nothing, or in the `state` of a net, where it forces a phase.

    ## Why is this bad?
    Only `include` and `exclude` rules decide whether a layer is in a net. `phase: TEST` written on the layer itself
    leaves it in both phases and makes it behave as in TEST even in training: a Dropout drops nothing, and a BatchNorm
    uses stored statistics. `state { phase: TEST }` in the net file builds the training net as a test net.

    ## Example
    ```
    layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" phase: TEST }
    ```
    Use instead:
    ```
    layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" include { phase: TEST } }
    ```

    ## Known problems
    In a net that Caffe has printed, each layer has its phase. There only layers that act by phase, such as Dropout, are
    reported.

    ## Fix safety
    Unsafe: the layer is left out of the other phase, or the net is trained as a TRAIN net, unlike before.

    ## References
    - net.cpp, FilterNet and Init; solver.cpp, InitTrainNet
    """

    code = "G020"
    name = "phase-field-ignored"
    severity = WARNING
    has_no_effect = True
    _FED = (
        'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 9 } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "data" }'
    )
    VALID = [
        # A net as Caffe prints it.
        'layer { name: "data" type: "Input" top: "data" phase: TRAIN }'
        ' layer { name: "r" type: "ReLU" bottom: "data" top: "r" phase: TRAIN }',
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
                'Data "data": phase: TRAIN filters nothing, so the layer is in both phases and acts as in TRAIN; write'
                " include { phase: TRAIN } to include it only there",
                'Dropout "drop": phase: TEST filters nothing, so the layer is in both phases and acts as in TEST;'
                " write include { phase: TEST } to include it only there",
            ),
            fixed=(
                'layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } } layer { name: "drop" '
                'type: "Dropout" bottom: "data" top: "data" include { phase: TEST } }'
            ),
        ),
        Invalid(
            _FED + ' layer { name: "quiet" type: "Silence" bottom: "label" phase: TRAIN }',
            span="phase: TRAIN",
            message='Silence "quiet": phase filters nothing, and the other phase needs the layer, too; remove it',
            fixed=_FED + ' layer { name: "quiet" type: "Silence" bottom: "label" }',
        ),
        Invalid(
            'state { phase: TEST } layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }',
            span="phase: TEST",
            message=_made_a_test_net("state"),
            fixed='layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }',
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" train_state { phase: TEST }',
                "net.prototxt": 'layer { name: "data" type: "Input" top: "data" }',
            },
            span="phase: TEST",
            message=_made_a_test_net("train_state"),
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
                    _made_a_test_net("state"),
                    fixes=fix("remove phase", UNSAFE, remove(net, "state", "phase")),
                )
        for solver in net.solvers:
            state = solver.message.train_state
            if state.HasField("phase") and phase_name(state.phase) != TRAIN:
                yield self.finding(
                    solver.at("train_state", "phase"),
                    _made_a_test_net("train_state"),
                    fixes=fix("remove phase", UNSAFE, remove(solver, "train_state", "phase")),
                )
        unfiltered = [layer for layer in net.layers_having("phase") if layer.phases != (_phase(layer),)]
        if 2 * len(unfiltered) > len(net.layers):
            # A net as Caffe prints it (net.cpp, ToProto): it matters only where a phase is more than a filter.
            unfiltered = [layer for layer in unfiltered if _acts_by_phase(layer)]
        built = {phase for one in net.states() for phase in one.phases} if net.solvers else _PHASES
        needed = [layer for layer in unfiltered if _is_needed(net, layer)]
        if needed:
            yield self.finding(
                needed[0].at("phase"),
                f"{titles(needed)}: phase filters nothing, and the other phase needs the layer"
                f"{'s' * (len(needed) > 1)}, too; remove it",
                severity=INFO,
                fixes=fix("remove phase", UNSAFE, *(remove(layer, "phase") for layer in needed)),
                layers=needed,
            )
        unfiltered = [layer for layer in unfiltered if layer not in needed]
        for phase in dict.fromkeys(map(_phase, unfiltered)):
            # Where no other phase is built, there is nothing to leave out.
            severity = None if built - {phase} else INFO
            yield self._finding(phase, [layer for layer in unfiltered if _phase(layer) == phase], severity)

    def _finding(self, phase: str, layers: Sequence[Layer], severity: str | None) -> Finding:
        one = len(layers) == 1
        is_, acts, it = ("layer is", "acts", "it") if one else ("layers are", "act", "them")
        written = f"include {{ phase: {phase} }}"
        filtered = any(layer.message.include or layer.message.exclude for layer in layers)
        return self.finding(
            layers[0].at("phase"),
            f"{titles(layers)}: phase: {phase} filters nothing, so the {is_} in both phases and {acts} as in {phase};"
            f" write {written} to include {it} only there",
            fixes=()
            if filtered
            else fix(f"write {written}", UNSAFE, *((replace(layer.at("phase"), written),) for layer in layers)),
            layers=layers,
            severity=severity,
        )


def _is_needed(net: Net, layer: Layer) -> bool:
    """Is it all that keeps Caffe from showing in the other phase, too, what it silences there?"""
    if layer.tops or _acts_by_phase(layer):
        return False
    states = net.states()
    others = [one for one in states if _phase(layer) not in one.phases] or states  # without a solver, TRAIN alone
    built = [found for one in others for found in one.layers if found.name == layer.name]
    return any(len(blob.readers) == 1 for found in built for blob in found.bottoms)


def _phase(layer: Layer) -> str:
    return phase_name(layer.message.phase)


def _acts_by_phase(layer: Layer) -> bool:
    kind = layer.kind
    return bool(kind.is_data or kind.draws_at_random or kind.keeps_statistics)
