"""What Caffe refuses about a net, as findings: each refusal belongs to one rule."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from typing import NamedTuple

from caffelint.lint import PHASES, Finding, Fix, Layer, Net, Place, Rule
from caffelint.lint.built import MESSAGE, Field, Kind, Refusal

OWNERS = {
    Kind.UNKNOWN_BOTTOM: "unknown-bottom",
    Kind.BOTTOM_MADE_BELOW: "unknown-bottom",
    Kind.BOTTOM_LEFT_OUT: "unknown-bottom",
    Kind.BOTTOM_USED_UP: "unknown-bottom",
    Kind.DUPLICATE_TOP: "duplicate-top",
    Kind.OVERWRITES_SHARED_BLOB: "in-place-after-branch",
    Kind.IN_PLACE_NUMBER: "in-place-not-supported",
    Kind.IN_PLACE: "in-place-not-supported",
    Kind.BOTTOM_COUNT: "wrong-blob-count",
    Kind.TOP_COUNT: "wrong-blob-count",
    Kind.INCLUDE_AND_EXCLUDE: "phase-rule-conflict",
    Kind.PARAM_COUNT: "too-many-params",
    Kind.SHARED_PARAM_SHAPE: "shared-parameter-mismatch",
    Kind.SHARED_PARAM_MULTIPLIER: "shared-parameter-mismatch",
    Kind.PROPAGATE_DOWN_COUNT: "propagate-down-count",
    Kind.LOSS_WEIGHT_COUNT: "loss-weight-count",
    Kind.STATISTIC_WITH_RATE: "batchnorm-param-not-frozen",
    Kind.BLOB_TOO_LARGE: "blob-too-large",
    Kind.EVEN_LOCAL_SIZE: "lrn-out-of-domain",
    Kind.UNKNOWN_FILLER: "unknown-filler-type",
    Kind.MISSING_INFOGAIN_MATRIX: "infogain-unnormalized",
    Kind.NORMALIZE_OF_INFOGAIN: "infogain-unnormalized",
    Kind.MEAN_FILE_AND_MEAN_VALUE: "mean-file-and-mean-value",
    Kind.TRANSFORM_OF_HDF5: "transform-on-hdf5",
    Kind.MISSING_BATCH_SIZE: "no-batch-size",
    Kind.TOP_K_TOO_LARGE: "top-k-out-of-range",
}
"""The rule that speaks of each kind; `refused-by-caffe` has all others."""

LISTED = 3


class Refused(NamedTuple):
    """A refusal, the phases it is met in (empty for both), and all layers that meet the same one."""

    refusal: Refusal
    phases: tuple[str, ...]
    layers: tuple[Layer, ...]
    place: Place

    @property
    def message(self) -> str:
        others = [layer.name for layer in self.layers[1:]]
        if not others:
            return self.refusal.message
        return f"{self.refusal.message} (also in {listed(others)})"

    @property
    def evidence(self) -> str:
        caffe = self.refusal.caffe
        return f"Caffe ends with: {caffe}" if caffe else "Caffe dies without a message"


def listed(names: list[str]) -> str:
    """`a, b, c and 174 more`."""
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"


def owner(refusal: Refusal) -> str:
    """The name of the rule that a refusal belongs to."""
    return OWNERS.get(refusal.kind, "refused-by-caffe")


@lru_cache(maxsize=2)
def refusals(net: Net) -> tuple[Refused, ...]:
    """All that Caffe refuses, of one cause once, in the order of the text.

    Silent where the text has errors, since layers may be missing then, and about layers that hold a field which no
    Caffe knows.
    """
    if net.document.problems:
        return ()
    wrong = [problem.start for problem in net.bound.problems]
    # Of a field that is unknown in many places the problem tells the first alone.
    told_once = ("unknown-field", "fork-field") if net.bound.dialect else ("unknown-field",)
    unknown = {problem.field.rpartition(".")[2] for problem in net.bound.problems if problem.kind in told_once}
    nets = net.states()
    met: dict[tuple[int, Hashable], tuple[Refusal, list[str]]] = {}
    for one in nets:
        for refusal in one.refusals:
            if refusal.index is not None:
                key = (refusal.index, refusal.cause)
                phases = met.setdefault(key, (refusal, []))[1]
                phases += [phase for phase in one.phases if phase not in phases]
    groups: dict[Hashable, list[tuple[Layer, Refusal, list[str]]]] = {}
    for index, cause in sorted(met, key=lambda key: key[0]):
        layer = net.layers[index]
        if not (wrong and layer.node and _is_misread(layer.node, wrong, unknown)):
            groups.setdefault(cause, []).append((layer, *met[index, cause]))
    everywhere = {phase for one in nets for phase in one.phases}
    return tuple(
        Refused(
            refusal,
            () if set(phases) == everywhere else tuple(phase for phase in PHASES if phase in phases),
            tuple(one[0] for one in group),
            where(layer, refusal.field),
        )
        for group in groups.values()
        for layer, refusal, phases in group[:1]
    )


def _is_misread(node: Field, wrong: list[int], unknown: set[str]) -> bool:
    """Does the block hold one of the places that are wrong, or one of the unknown fields at any depth?"""
    return any(node.start <= start < node.end for start in wrong) or bool(unknown and _holds(node, unknown))


def _holds(node: Field, names: set[str]) -> bool:
    return any(field.name in names or (field.kind == MESSAGE and _holds(field, names)) for field in node.fields)


def where(layer: Layer, field: tuple[str | int, ...]) -> Place:
    """The place of a refusal's field."""
    return layer.at(*field) if field else layer.at("type")


def findings(
    rule: Rule, net: Net, mend: Callable[[Refused], tuple[Fix, ...]] = lambda refused: ()
) -> Iterator[Finding]:
    """The findings of a rule that has nothing to add to what Caffe refuses but how to mend it."""
    for refused in refusals(net):
        if owner(refused.refusal) == rule.name:
            yield rule.finding(
                refused.place,
                refused.message,
                evidence=refused.evidence,
                phases=refused.phases,
                fixes=mend(refused),
            )
