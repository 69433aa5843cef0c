from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import CERTAIN, TRAIN, WARNING, Cause, Finding, Invalid, title

from ._example import NET, project, records
from ._words import number

_REMEDY = "give the right class the largest value of each row, as the identity does"
_NET = NET.replace("SoftmaxWithLoss", "InfogainLoss").replace(
    'top: "loss"', 'top: "loss"\n  infogain_loss_param { source: "H.binaryproto" }'
)
_FILES = project(records(0, 1, 2, 0, 1, 2), _NET)


class WrongAnswersRewarded(DatasetRule):
    """A row of the matrix of an InfogainLoss is larger for another class than for its own.

    ## Why is this bad?
    The loss of a label is -sum(H[label][class] * log(probability of the class)): H tells what an answer is worth, not
    what a mistake costs. With a matrix of costs, which has zeros on its diagonal, the net learns to give any answer but
    the right one.

    ## References
    - infogain_loss_layer.cpp, Forward_cpu; run on Caffe 1.0: an accuracy of 0 after training
    """

    code = "E135"
    name = "wrong-answers-rewarded"
    severity = WARNING
    certainty = CERTAIN
    VALID = [
        {**_FILES, "H.binaryproto": "1 0 0; 0 1 0; 0 0 1"},
        {**_FILES, "H.binaryproto": "1 0.2 0; 0.2 1 0; 0 0 1"},
        # That says nothing of its labels, as E103 and smoke tell.
        {**_FILES, "H.binaryproto": "0 0 0; 0 1 0; 0 0 1"},
    ]
    INVALID = [
        Invalid(
            {**_FILES, "H.binaryproto": "0 1 1; 2 0 2; 3 3 0"},
            span='source: "H.binaryproto"',
            message='InfogainLoss "loss": "H.binaryproto" rewards wrong answers in 3 of 3 rows: a label 0 is worth 1 as'
            " class 1 and 0 as itself, as in a matrix of costs; give the right class the largest value of each row, as"
            " the identity does",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        told: set[int] = set()
        for feed, facts in data.read:
            for key in facts.tops if TRAIN in feed.phases else ():
                for reader in feed.readers(key):
                    layer = reader.layer
                    found = data.matrices.get(layer.message.infogain_loss_param.source)
                    if layer.type != "InfogainLoss" or found is None or layer.index is None or layer.index in told:
                        continue
                    rows = found.rows
                    wrong = [at for at, row in enumerate(rows) if at < len(row) and row[at] < max(row)]
                    if not wrong:
                        continue
                    told.add(layer.index)
                    label = wrong[0]
                    best = max(range(len(rows[label])), key=rows[label].__getitem__)
                    costs = not any(row[at] for at, row in enumerate(rows) if at < len(row))
                    what = (
                        f'{title(layer)}: "{found.source}" rewards wrong answers in {len(wrong)} of {len(rows)} rows:'
                    )
                    what += f" a label {label} is worth {number(rows[label][best])} as class {best} and"
                    what += f" {number(rows[label][label])} as itself{', as in a matrix of costs' * costs}"
                    yield self.finding(
                        feed.net.layers[layer.index].at("infogain_loss_param", "source"),
                        f"{what}; {_REMEDY}",
                        phases=feed.phases,
                        cause=Cause("labels", what, _REMEDY, CERTAIN),
                    )
