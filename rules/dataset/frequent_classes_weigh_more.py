from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import LIKELY, TRAIN, WARNING, Cause, Finding, Invalid, title

from ._example import NET, project, records
from ._labels import come_together
from ._words import number, path

_FEW, _TIMES = 20, 2.0
"""How many records tell; how much the weights and the numbers of two classes differ where they say something."""
_REMEDY = "take 1 / frequency in place of the frequency"
_SHOWN = 4
_NET = NET.replace("SoftmaxWithLoss", "InfogainLoss").replace(
    'top: "loss"', 'top: "loss"\n  infogain_loss_param { source: "H.binaryproto" }'
)


class FrequentClassesWeighMore(DatasetRule):
    """The matrix of an InfogainLoss gives the classes that are frequent in the training data the larger weights.

    ## Why is this bad?
    Weights on the diagonal of H are for classes that are rare: 1 / frequency makes up for it. The frequency itself, in
    its place, makes rare classes rarer still, and the net answers with the frequent ones alone.

    ## Known problems
    Only the diagonal is looked at, and only where the larger weight is that of the more frequent one for all classes
    that differ clearly.

    ## References
    - infogain_loss_layer.cpp, Backward_cpu; run on Caffe 1.0: the accuracy of balanced records stays at chance
    """

    code = "E130"
    name = "frequent-classes-weigh-more"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {**project(records(*[0] * 16, *[1] * 4, *[2] * 4), _NET), "H.binaryproto": "1 4 4"},
        {**project(records(*[0] * 16, *[1] * 4, *[2] * 4), _NET), "H.binaryproto": "1 1 1"},
        {**project(records(*[0] * 9, *[1] * 8, *[2] * 7), _NET), "H.binaryproto": "4 2 1"},
        # A rare one is worth more, a frequent one too.
        {**project(records(*[0] * 20, *[1] * 8, *[2] * 2), _NET), "H.binaryproto": "4 1 8"},
    ]
    INVALID = [
        Invalid(
            {**project(records(*[0] * 16, *[1] * 4, *[2] * 4), _NET), "H.binaryproto": "2 0.5 0.5"},
            span='source: "H.binaryproto"',
            message='InfogainLoss "loss": "H.binaryproto" weighs the classes of "train_lmdb" as often as they occur'
            " (weights 2, 0.5, 0.5 for 16, 4, 4 records), so the net learns the frequent ones alone; take 1 / frequency"
            " in place of the frequency",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                for reader in feed.readers(key) if TRAIN in feed.phases and top.values is not None else ():
                    layer = reader.layer
                    found = data.matrices.get(layer.message.infogain_loss_param.source)
                    if layer.type != "InfogainLoss" or found is None or layer.index is None or top.records < _FEW:
                        continue
                    weights = [row[at] for at, row in enumerate(found.rows)]
                    counts = [(top.values or {}).get(float(at), 0) for at in range(len(weights))]
                    if come_together(layer) or not _rise_with(weights, counts):
                        continue
                    shown = sorted(range(len(weights)), key=lambda at: -counts[at])[:_SHOWN]
                    what = f'{title(layer)}: "{found.source}" weighs the classes of {path(feed)} as often as they'
                    what += f" occur (weights {', '.join(number(weights[at]) for at in shown)} for"
                    what += f" {', '.join(f'{counts[at]:,}' for at in shown)} records), so the net learns the frequent"
                    what += " ones alone"
                    yield self.finding(
                        feed.net.layers[layer.index].at("infogain_loss_param", "source"),
                        f"{what}; {_REMEDY}",
                        phases=feed.phases,
                        cause=Cause("labels", what, _REMEDY, LIKELY),
                    )


def _rise_with(weights: Sequence[float], counts: Sequence[int]) -> bool:
    """Has of any two classes that differ in both clearly the more frequent one the larger weight, and do some?"""
    pairs = sorted((count, weight) for count, weight in zip(counts, weights, strict=True) if count)
    if len(pairs) < 2 or not all(0 < weight < math.inf for _, weight in pairs):
        return False
    if pairs[-1][0] < _TIMES * pairs[0][0] or pairs[-1][1] < _TIMES * pairs[0][1]:
        return False
    most = 0.0  # of the classes that are rarer, or as rare
    for _, weight in pairs:
        if weight * _TIMES < most:
            return False
        most = max(most, weight)
    return True
