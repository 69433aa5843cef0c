"""What Caffe refuses about a net, as findings: each refusal belongs to one rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from caffelint.lint import PHASES, Finding, Fix, Layer, Net, Place, Rule
from caffelint.lint.built import MESSAGE, Field, Refusal

OWNERS = (
    ("Unknown bottom blob", "unknown-bottom"),
    ("produced by multiple sources", "duplicate-top"),
    ("blob(s) as ", "wrong-blob-count"),
    ("one top blob as output for each bottom", "wrong-blob-count"),
    ("include rules or exclude rules", "phase-rule-conflict"),
    ("Too many params specified", "too-many-params"),
    ("Cannot share param", "shared-parameter-mismatch"),
    ("has mismatched", "shared-parameter-mismatch"),
    ("propagate_down param", "propagate-down-count"),
    ("loss_weight must be", "loss-weight-count"),
    ("does not allow in-place", "in-place-not-supported"),
    ("Cannot configure batch normalization", "batchnorm-param-not-frozen"),
    ("blob size exceeds INT_MAX", "blob-too-large"),
    ("LRN only supports odd", "lrn-out-of-domain"),
    ("Unknown filler name", "unknown-filler-type"),
    ("Infogain matrix source", "infogain-unnormalized"),
    ("normalize is deprecated", "infogain-unnormalized"),
    ("mean_file and mean_value", "mean-file-and-mean-value"),
    ("does not transform data", "transform-on-hdf5"),
    ("Positive batch size", "no-batch-size"),
    ("top_k must be less", "top-k-out-of-range"),
)
"""Part of Caffe's phrase, and the rule that speaks of it; `refused-by-caffe` has all others."""

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
    for phrase, name in OWNERS:
        if phrase in refusal.caffe:
            if name == "duplicate-top" and "overwritten in place" in refusal.message:
                return "in-place-after-branch"
            if name == "duplicate-top" and "in place" in refusal.message:
                return "in-place-not-supported"
            return name
    return "refused-by-caffe"


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
    met: dict[tuple[int, str, str], tuple[Refusal, list[str]]] = {}
    for one in nets:
        for refusal in one.refusals:
            if refusal.index is not None:
                key = (refusal.index, refusal.message.replace(one.phase, ""), refusal.field or "")
                phases = met.setdefault(key, (refusal, []))[1]
                phases += [phase for phase in one.phases if phase not in phases]
    groups: dict[tuple[str, str], list[tuple[Layer, Refusal, list[str]]]] = {}
    for index, message, field in sorted(met, key=lambda key: key[0]):
        layer = net.layers[index]
        if not (wrong and layer.node and _is_misread(layer.node, wrong, unknown)):
            groups.setdefault((message, field), []).append((layer, *met[index, message, field]))
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


def where(layer: Layer, field: str | None) -> Place:
    """The place of a refusal's field, such as `bottom[1]` or `param[0].lr_mult`."""
    if not field:
        return layer.at("type")
    path: list[str | int] = []
    for name, index in re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", field):
        path.append(name)
        if index:
            path.append(int(index))
    return layer.at(*path)


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
