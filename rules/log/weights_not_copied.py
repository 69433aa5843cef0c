from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule
from caffelint.lint import INFO, WARNING, Finding, Invalid, listed

from ._example import FALLING, NET, SOLVER, SOUND, losses
from ._words import joined

_START = "I1122 13:11:02.19 17644 caffe.cpp:155] Finetuning from alex.caffemodel\n"


def _ignored(*names: str) -> str:
    return "".join(f"I1122 13:11:02.19 17644 net.cpp:744] Ignoring source layer {name}\n" for name in names)


class WeightsNotCopied(LogRule):
    """The weights that were loaded hold layers that the net does not have, so these were left out.

    ## Why is this bad?
    Caffe copies weights by the names of layers and ignores all others without an error. A new last layer is meant to
    start from its fillers; a net none of whose layers has the name of one in the file starts from nothing.

    ## References
    - net.cpp, CopyTrainedLayersFrom
    """

    code = "T110"
    name = "weights-not-copied"
    severity = WARNING
    VALID = [SOUND, SOLVER + NET + _START + losses(FALLING)]
    INVALID = [
        Invalid(
            SOLVER + NET + _START + _ignored("conv1", "conv2", "fc8") + losses(FALLING),
            span="I1122 13:11:02.19 17644 net.cpp:744] Ignoring source layer conv1",
            message="3 layers of alex.caffemodel are ignored, as the net has none of these names: conv1, conv2 and"
            " fc8; these layers with weights start from their fillers unless the file holds them: fc",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if not run.ignored:
                continue
            recovered = log.recovered(run)
            built = recovered.built
            learnable = [layer.name for layer in built.layers if layer.params] if built else []
            names = list(dict.fromkeys(name for name, _ in run.ignored))
            without = [name for name in names if not _is_split(name)]
            if not without:
                continue
            model = run.weights[0][0] if run.weights else "the weights"
            what = f"{len(without)} layers of {model} are ignored, as the net has none of these names"
            if len(without) == 1:
                what = f"a layer of {model} is ignored, as the net has none of this name"
            what += f": {listed(without)}"
            after = ""
            if learnable:
                after = "these layers with weights start from their fillers unless the file holds them: "
                after += listed(learnable)
            yield self.finding(
                log.at(run.ignored[0][1]),
                joined(what, after),
                severity=None if len(without) > 2 and len(without) >= len(learnable) else INFO,
            )


def _is_split(name: str) -> bool:
    """Layers that Caffe inserts."""
    head, _, end = name.rpartition("_")
    return end == "split" and head.rpartition("_")[2].isdigit()
