from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import (
    AT_EXIT,
    CHECK,
    COPY,
    CUDA,
    DATA,
    DISK,
    GPU,
    KILLED,
    MEMORY,
    RAISED,
    SIGNAL,
    STATE,
    TEXT,
    Ended,
    LogEvidence,
    Logged,
    LogRule,
    Recovered,
    refusal_of,
    unknown_field,
)
from caffelint.lint import ERROR, INFO, Cause, CauseKind, Finding, Invalid, provenance

from ._example import NET, SOLVER, SOUND, losses
from ._words import back_to, joined, see

_KINDS: dict[str, CauseKind] = {
    CHECK: "refusal",
    TEXT: "refusal",
    MEMORY: "memory",
    AT_EXIT: "gpu",
    CUDA: "gpu",
    GPU: "gpu",
    DATA: "data",
    COPY: "weights",
    STATE: "weights",
    DISK: "crash",
    KILLED: "crash",
    RAISED: "python-layer",
    SIGNAL: "crash",
}
_REMEDIES = {
    MEMORY: "lower batch_size, or iter_size times a smaller one, or end what else takes the memory",
    AT_EXIT: "the program had ended already, and something gave its memory back too late: nothing is lost",
    CUDA: "an error of CUDA comes late: run with CUDA_LAUNCH_BLOCKING=1, or on the CPU, to see the layer; a label out"
    " of range is the usual cause in a loss",
    GPU: "choose another GPU or none (solver_mode: CPU, and no engine: CUDNN), or build Caffe for this one",
    DATA: "check that it is there, may be read, and is what the layer's backend says",
    COPY: "rename the layer to start it from its fillers, or give it the shape of the weights",
    STATE: "the state is of another type of solver, or of another net; `caffelint weights --snapshot` says which",
    DISK: "a snapshot cannot be written: make the folder of snapshot_prefix, or room on its disk",
    KILLED: "something outside ended it: the memory of the machine, a time limit of the queue, or a person",
    RAISED: "a Python layer, or the script, raised it; `caffelint smoke` shows the layer and its line",
    SIGNAL: "the usual cause on the CPU is a label out of range in a loss or Accuracy, below 0 or at or above its"
    " num_output (255 for pixels without a class needs ignore_label: 255); `caffelint data` names it",
    TEXT: "`caffelint check` names the place",
}
_SETTING_UP = (
    "no layer has run yet, so it is the GPU, its driver or cuDNN: see with nvidia-smi whether another program holds its"
    " memory, and whether Caffe was built for this GPU and this cuDNN"
)
_OF_DATA = {
    "data_transformer.cpp": "a record has another size than transform_param, the mean file or the records before it;"
    " `caffelint data` names it",
    "hdf5_data_layer.cpp": "the datasets of the file do not fit each other or the tops; `caffelint data` names them",
}
"""Failed checks of what was read, by the file of Caffe that they are in."""
_SHOWN = 240
_REFUSED = (
    "[libprotobuf ERROR google/protobuf/text_format.cc:317] Error parsing text-format caffe.NetParameter: %d:%d:"
    ' Message type "caffe.%s" has no field named "%s".\n'
)


class RunAborted(LogRule):
    """Caffe ended the run: a failed check, an error of CUDA or of a database, an exception, a signal.

    The finding gives Caffe's words, its file and line, the layer that it was setting up, and, where our model of Caffe
    refuses the printed net as well, the reason in its words.

    ## Why is this bad?
    Nothing after it was done, and what comes after the last snapshot is lost.
    """

    code = "T109"
    name = "run-aborted"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            SOLVER
            + NET.split("I1122 13:11:02.19")[0].replace('bottom: "label"', 'bottom: "data"')
            + "I1122 13:11:02.19 17644 net.cpp:84] Creating Layer loss\n"
            + "F1122 13:11:02.20 17644 softmax_loss_layer.cpp:47] Check failed: outer_num_ * inner_num_ =="
            " bottom[1]->count() (8 vs. 32) Number of labels must match number of predictions\n"
            "*** Check failure stack trace: ***\n",
            span="F1122 13:11:02.20 17644 softmax_loss_layer.cpp:47] Check failed: outer_num_ * inner_num_ =="
            " bottom[1]->count() (8 vs. 32) Number of labels must match number of predictions",
            message='Caffe aborts at softmax_loss_layer.cpp:47 in layer "loss": outer_num_ * inner_num_ =='
            " bottom[1]->count() (8 vs. 32) Number of labels must match number of predictions",
        ),
        Invalid(
            losses([2.3, 2.2])
            + "F1122 13:11:02.20 17644 syncedmem.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n",
            span="F1122 13:11:02.20 17644 syncedmem.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)"
            "  out of memory",
            message="Caffe aborts at syncedmem.cpp:71 after iteration 10: error == cudaSuccess (2 vs. 0) out of"
            " memory; lower batch_size, or iter_size times a smaller one, or end what else takes the memory",
        ),
        Invalid(
            "F1122 13:11:02.20 17644 layer_factory.hpp:81] Check failed: registry.count(type) == 1 (0 vs. 1) Unknown"
            " layer type: Relu (known types: AbsVal, HDF5Data)\n",
            span="F1122 13:11:02.20 17644 layer_factory.hpp:81] Check failed: registry.count(type) == 1 (0 vs. 1)"
            " Unknown layer type: Relu (known types: AbsVal, HDF5Data)",
            message="Caffe aborts at layer_factory.hpp:81: registry.count(type) == 1 (0 vs. 1) Unknown layer type:"
            " Relu",
        ),
        Invalid(
            "F1122 13:11:02.20 17644 hdf5_data_layer.cpp:55] Check failed: hdf_blobs_[i]->shape(0) == num (93 vs."
            " 100) \n",
            span="F1122 13:11:02.20 17644 hdf5_data_layer.cpp:55] Check failed: hdf_blobs_[i]->shape(0) == num (93 vs."
            " 100)",
            message="Caffe aborts at hdf5_data_layer.cpp:55: hdf_blobs_[i]->shape(0) == num (93 vs. 100); the datasets"
            " of the file do not fit each other or the tops; `caffelint data` names them",
        ),
        Invalid(
            "F1122 13:11:02.20 17644 sgd_solver.cpp:334] Check failed: state.history_size() == history_.size() (8 vs."
            " 4) Incorrect length of history blobs.\n",
            span="F1122 13:11:02.20 17644 sgd_solver.cpp:334] Check failed: state.history_size() == history_.size() (8"
            " vs. 4) Incorrect length of history blobs.",
            message="Caffe aborts at sgd_solver.cpp:334: state.history_size() == history_.size() (8 vs. 4) Incorrect"
            " length of history blobs; the state is of another type of solver, or of another net; `caffelint weights"
            " --snapshot` says which",
        ),
        Invalid(
            _REFUSED % (3, 143, "InnerProductParameter", "num_outputs"),
            span=_REFUSED.strip() % (3, 143, "InnerProductParameter", "num_outputs"),
            message="the run ends: Error parsing text-format caffe.NetParameter: 3:143: Message type"
            ' "caffe.InnerProductParameter" has no field named "num_outputs"; did you mean num_output?',
        ),
        Invalid(
            _REFUSED % (9, 16, "LayerParameter", "permute_param"),
            span=_REFUSED.strip() % (9, 16, "LayerParameter", "permute_param"),
            message="the run ends: Error parsing text-format caffe.NetParameter: 9:16: Message type"
            ' "caffe.LayerParameter" has no field named "permute_param"; this Caffe lacks permute_param; it is'
            " in dialect ssd, nvcaffe and 43 more; use that Caffe, or remove it",
        ),
        # As Caffe 1.0 writes it when `timeout` ends it.
        Invalid(
            losses([2.3, 2.2])
            + '*** Aborted at 1795385706 (unix time) try "date -d @1795385706" if you are using GNU date ***\n'
            + "PC: @     0x7f5c51940587 __sched_yield\n"
            + "*** SIGTERM (@0x343d) received by PID 13374 (TID 0x7f5c44688d00) from PID 13373; stack trace: ***\n",
            span='*** Aborted at 1795385706 (unix time) try "date -d @1795385706" if you are using GNU date ***',
            message="the run ends after iteration 10: SIGTERM (@0x343d) received by PID 13374 (TID 0x7f5c44688d00) from"
            " PID 13373; something outside ended it: the memory of the machine, a time limit of the queue, or a person",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if not run.ended:
                continue
            ended = _first(run)
            where = f" at {ended.at}" if ended.at else ""
            layer = ended.layer
            if layer and run.iteration is None:
                where += f' in layer "{layer}"'
            elif run.iteration is not None:
                where += f" after iteration {run.iteration}"
            who = "Caffe aborts" if ended.at else "the run ends"
            what = f"{who}{where}: {ended.message.rstrip('.')[:_SHOWN]}"
            refusal = refusal_of(ended, log.recovered(run)) if ended.kind in (CHECK, COPY) else None
            why = f'layer "{refusal.layer}": {refusal.message}' if refusal is not None and refusal.layer else ""
            why = why or (refusal.message if refusal is not None else "")
            remedy = "" if refusal else _field(ended) or _of_data(ended) or _remedy(ended, log.recovered(run))
            if ended.kind == DATA:
                remedy = joined(_sources(log, run, layer), remedy)
            known = log.known(run, layer) if layer else ()
            known = known or log.known(run)
            last = run.snapshots[-1].iteration if ended.kind == DISK and run.snapshots else 2**62
            back = back_to(log, run, last) if run.iteration is not None and run.snapshots else ""
            yield self.finding(
                log.at(ended.line, layer),
                joined(what, remedy),
                severity=INFO if ended.kind == AT_EXIT else None,
                evidence=joined(why, back, see(known)),
                cause=Cause(_KINDS[ended.kind], what, joined(why, remedy, back), known=known),
            )


def _first(run: Logged) -> Ended:
    """The one that says most: what protobuf says comes before the check that fails for it."""
    checks = [one for one in run.ended if one.kind not in (KILLED, SIGNAL)]
    return checks[0] if checks else run.ended[0]


def _field(ended: Ended) -> str:
    """What to do about a field that this Caffe does not know."""
    found = unknown_field(ended)
    if found is None or not (found.meant or found.forks):
        return ""
    if found.meant:
        return f"did you mean {found.meant}?"
    if "bvlc" in found.forks:
        return f"{found.name} is a field of newer Caffes; build BVLC's master, or remove it"
    return f"this Caffe lacks {found.name}; it is in {provenance().dialects(found.forks)}; use that Caffe, or remove it"


def _remedy(ended: Ended, recovered: Recovered) -> str:
    if ended.kind == CUDA and ended.layer:
        return _SETTING_UP
    nets = [file.net for _, file in (*([recovered.train] if recovered.train else []), *recovered.tests)]
    kinds = [layer.kind for net in nets if net for layer in net.layers]
    if ended.kind == SIGNAL and kinds and not any(one.looks_like_a_loss or one.reads_classes(1) for one in kinds):
        return "no layer of its nets reads labels: `caffelint smoke` shows whether it is the net or what runs it"
    return _REMEDIES.get(ended.kind, "")


def _of_data(ended: Ended) -> str:
    return _OF_DATA.get(ended.at.partition(":")[0], "") if ended.kind == CHECK else ""


def _sources(log: LogEvidence, run: Logged, layer: str) -> str:
    """The source of the layer that was being made, in the net that was printed last."""
    recovered = log.recovered(run)
    texts = [*([recovered.train] if recovered.train else []), *recovered.tests]
    file = max(texts, key=lambda one: one[0].line)[1] if texts else None
    for one in file.net.layers if file and file.net else ():
        if one.name == layer and one.kind.data_source:
            return f'its source is "{one.kind.data_source}"'
    return ""
