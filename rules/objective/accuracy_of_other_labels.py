from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, Net, NetRule, Related, compiled_later, quoted, title

from ._graph import Scores, class_count, labels_by_scores

_SOME = 8
_WORD = compiled_later(r"[a-z]{2,}|[0-9]+")
_HEAD = (
    ' layer {{ name: "fc_{0}" type: "InnerProduct" bottom: "pool" top: "fc_{0}" }}'
    ' layer {{ name: "loss_{0}" type: "SoftmaxWithLoss" bottom: "fc_{0}" bottom: "{1}" top: "loss_{0}" }}'
    ' layer {{ name: "acc_{0}" type: "Accuracy" bottom: "fc_{0}" bottom: "{2}" top: "acc_{0}" }}'
)
_DATA = 'layer { name: "data" type: "Python" top: "pool" top: "colour" top: "shape" }'
_SHAPE = _HEAD.format("shape", "shape", "shape")


class AccuracyOfOtherLabels(NetRule):
    """Accuracy compares scores with the labels of another head than the loss that trains them.

    ## Why is this bad?
    The value is that of a guess, although the head learns. Or it is the loss that has the wrong labels, and then the
    head learns what another one is for.

    ## Example
    ```
    layer { name: "loss_colour" type: "SoftmaxWithLoss" bottom: "fc_colour" bottom: "colour" top: "loss_colour" }
    layer { name: "acc_colour" type: "Accuracy" bottom: "fc_colour" bottom: "shape" top: "acc_colour" }
    layer { name: "loss_shape" type: "SoftmaxWithLoss" bottom: "fc_shape" bottom: "shape" top: "loss_shape" }
    ```
    Use instead:
    ```
    layer { name: "loss_colour" type: "SoftmaxWithLoss" bottom: "fc_colour" bottom: "colour" top: "loss_colour" }
    layer { name: "acc_colour" type: "Accuracy" bottom: "fc_colour" bottom: "colour" top: "acc_colour" }
    layer { name: "loss_shape" type: "SoftmaxWithLoss" bottom: "fc_shape" bottom: "shape" top: "loss_shape" }
    ```

    ## Known problems
    Scores that are trained for several labels, or compared with those of their loss as well, are not judged, nor are
    labels that no other head reads: they may be cleaner ones. So may those of another head: they are reported only
    where names say which labels the scores are for, the heads score other numbers of classes, or two heads have each
    other's.

    ## References
    - accuracy_layer.cpp, Forward_cpu
    """

    code = "O021"
    name = "accuracy-of-other-labels"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Accuracy",)
    VALID = [
        _DATA + _HEAD.format("colour", "colour", "colour") + _SHAPE,
        # Cleaner labels, which nothing is trained for.
        _DATA.replace('"shape"', '"clean"') + _HEAD.format("colour", "colour", "clean"),
        # A student of the labels that a teacher makes, measured on the true ones.
        _DATA + _HEAD.format("colour", "soft", "shape") + _SHAPE,
        # Compared with both.
        _DATA
        + _HEAD.format("colour", "colour", "colour")
        + _SHAPE
        + ' layer { name: "both" type: "Accuracy" bottom: "fc_colour" bottom: "shape" top: "both" }',
    ]
    INVALID = [
        Invalid(
            _DATA + _HEAD.format("colour", "colour", "shape") + _SHAPE,
            span='bottom: "shape"',
            message='Accuracy "acc_colour" compares "fc_colour" with "shape", but SoftmaxWithLoss "loss_colour" trains'
            ' it for "colour"; set bottom: "colour"',
        ),
        Invalid(
            _DATA + _HEAD.format("colour", "shape", "colour") + _SHAPE,
            span='bottom: "shape"',
            message='SoftmaxWithLoss "loss_colour" trains "fc_colour" for "shape", as "loss_shape" does "fc_shape", but'
            ' Accuracy "acc_colour" compares it with "colour", which no loss reads; set bottom: "colour"',
        ),
        Invalid(
            _DATA + _HEAD.format("colour", "colour", "shape") + _HEAD.format("shape", "shape", "colour"),
            span=['bottom: "shape"', 'bottom: "colour"'],
            message=[
                'Accuracy "acc_colour" compares "fc_colour" with "shape", but SoftmaxWithLoss "loss_colour" trains it'
                ' for "colour"; give both the same labels',
                'Accuracy "acc_shape" compares "fc_shape" with "colour", but SoftmaxWithLoss "loss_shape" trains it'
                ' for "shape"; give both the same labels',
            ],
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        losses_of_classes = [one for one in net.layers_that(lambda kind: kind.is_loss) if one.kind.reads_classes(1)]
        trained = labels_by_scores(losses_of_classes)
        measured = labels_by_scores(net.layers_of(("Accuracy",)))
        heads: dict[str, list[Scores]] = {}
        for scores, losses in trained.items():
            for label in losses:
                heads.setdefault(label, []).append(scores)
        agreed = {label for scores, losses in trained.items() for label in losses if label in measured.get(scores, {})}
        for scores, seen in measured.items():
            losses = trained.get(scores, {})
            if len(losses) != 1 or not seen.keys().isdisjoint(losses):
                continue
            ((wanted, loss),) = losses.items()
            for read, accuracy in seen.items():
                others = heads.get(read, ())
                if others:
                    swapped = any(wanted in measured.get(head, {}) for head in others[:_SOME])
                    is_called_so = _is_called(wanted, read, accuracy.name, *loss.bottoms[:1], loss.name)
                    if not (swapped or is_called_so or _score_otherwise(net, scores, others[0])):
                        continue  # a head for pseudo labels, measured on the true ones
                    better = f"set bottom: {quoted(wanted)}"
                    yield self.finding(
                        accuracy.at("bottom", 1),
                        f'{title(accuracy)} compares "{accuracy.bottoms[0]}" with "{read}", but {title(loss)} trains it'
                        f' for "{wanted}"; {"give both the same labels" if swapped or heads[wanted][1:] else better}',
                        related=(Related("the loss", loss.at("bottom", 1)),),
                    )
                elif wanted in agreed:
                    other = next(head for head in heads[wanted] if head != scores)
                    sibling = trained[other][wanted]
                    yield self.finding(
                        loss.at("bottom", 1),
                        f'{title(loss)} trains "{loss.bottoms[0]}" for "{wanted}", as "{sibling.name}" does'
                        f' "{sibling.bottoms[0]}", but {title(accuracy)} compares it with "{read}", which no loss'
                        f" reads; set bottom: {quoted(read)}",
                        # Else they may be cleaner labels, and not to be trained for.
                        severity=None if _is_called(read, wanted, *loss.bottoms[:1], loss.name) else INFO,
                        related=(Related("the Accuracy", accuracy.at("bottom", 1)),),
                    )


def _is_called(label: str, other: str, *names: str) -> bool:
    """Has one of these names a word of a label that another label lacks?"""
    own = _words(label) - _words(other)
    return any(own & _words(name) for name in names)


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.lower()))


def _score_otherwise(net: Net, scores: Scores, other: Scores) -> bool:
    """Do two heads score different numbers of classes?"""
    mine, theirs = (class_count(net.layers[one.layer]) for one in (scores, other))
    return bool(mine and theirs) and mine != theirs
