"""Runs rules over files that are read: each over the layers of the types that it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from caffelint.caffe.fork_fields import has_fork_fields
from caffelint.caffe.layers import BVLC_TYPES
from caffelint.caffe.net import Layer, Net
from caffelint.caffe.plain_inputs import has_plain_inputs
from caffelint.caffe.refusal import OF_EVERY_CAFFE, OF_PLAIN_INPUTS, OF_PLAIN_LAYERS, Kind
from caffelint.caffe.refused import Refused
from caffelint.caffe.solver import Solver
from caffelint.caffe.states import TRAIN
from caffelint.lint.file import File
from caffelint.lint.finding import ERROR, INFO, LIKELY, WARNING, Finding
from caffelint.lint.registry import RuleInfo, all_rules, claims
from caffelint.lint.rule import Rule

_CHANGED = "this project's own source of this layer type differs from BVLC's"
_OTHER_DATA = "this project's own source of the data layer differs from BVLC's, so the shape may be another"
_OF_LAYERS = "L"
_OF_THE_TEXT = ("P", "G")
"""Families on the text and on how names connect layers, which forks leave alone."""
_OF_A_CLASS = frozenset({"wrong-blob-count", "too-many-params", "backward-not-implemented"})
"""Rules of these families on what the class of a layer decides, of which other source says nothing."""


class RuleSet:
    """The selected rules, imported when first needed, with their options."""

    def __init__(
        self,
        infos: Iterable[RuleInfo],
        options: Mapping[str, Mapping[str, Any]] | None = None,
        claiming: Iterable[RuleInfo] | None = None,
    ):
        """`claiming`: the rules whose claims count, selected or not; all that are installed by default."""
        self._infos = list(infos)
        self._options = options or {}
        self._loaded: dict[str, Any] = {}
        self._by_kind: dict[str, list[RuleInfo]] = {}
        for info in self._infos:
            self._by_kind.setdefault(info.kind, []).append(info)
        self._problem = {info.name: info for info in self._by_kind.get("problem", ())}
        names = {info.name for info in self._infos}
        others = all_rules() if claiming is None else claiming
        known = {info.name: info for info in (*others, *self._infos)}
        self._claims = {kind: info if info.name in names else None for kind, info in claims(known.values()).items()}
        self._layer: dict[str, list[RuleInfo]] = {}
        self._any_layer = [info for info in self._by_kind.get("layer", ()) if not info.layer_types]
        for info in self._by_kind.get("layer", ()):
            for type_ in info.layer_types:
                self._layer.setdefault(type_, []).append(info)
        self._for_type: dict[str, tuple[Any, ...]] = {}

    def rule(self, info: RuleInfo) -> Any:
        if info.name not in self._loaded:
            self._loaded[info.name] = info.load()(self._options.get(info.name))
        return self._loaded[info.name]

    def add(self, rule: type[Rule]) -> None:
        """Use this class for the rule of its name, wherever it was imported from."""
        self._loaded[rule.name] = rule(self._options.get(rule.name))

    def check_file(self, file: File) -> Iterator[Finding]:
        """What the rules say of one file by itself: its text, its solver, its net."""
        for problem in file.problems:
            if problem.kind in self._problem:
                yield from self.rule(self._problem[problem.kind]).report(problem, file)
        for info in self._by_kind.get("text", ()):
            yield from self.rule(info).check(file)
        if file.solver:
            yield from self.check_solver(file.solver)
        if file.net:
            yield from self.check_net(file.net)

    def check_solver(self, solver: Solver) -> Iterator[Finding]:
        for info in self._by_kind.get("solver", ()):
            yield from self.rule(info).check(solver)

    def check_net(self, net: Net) -> Iterator[Finding]:
        if net.bound.caffe is None:
            yield from self._check_net(net)
            return
        registered = net.bound.caffe.registered
        layers = [layer for type_ in registered.changed for layer in net.by_type.get(type_, ())]
        names = {layer.name for layer in layers}
        counted = {layer.name for layer in layers if layer.type in registered.counts}
        data = {top for layer in layers if layer.kind.is_data for top in layer.tops}
        several = {type_ for type_, same in net.by_type.items() if _takes_several(net, same[0])}
        types = {layer.name: layer.type for layer in net.layers} if several else {}
        readers = {layer.name for layer in net.layers if data and not data.isdisjoint(layer.bottoms)}
        still = {layer.name for one in net.refused() if _is_checked_there(one) for layer in one.layers}
        for finding in self._check_net(net):
            is_told = finding.name == "wrong-blob-count" and finding.place.layer in counted
            of_class = finding.name in _OF_A_CLASS and not is_told
            of_source = of_class or not finding.code.startswith(_OF_THE_TEXT)
            if finding.code.startswith(_OF_LAYERS) and types.get(finding.place.layer) in several:
                continue  # what is known of BVLC's layer is not of this one
            if finding.place.layer in still and finding.code.startswith(_OF_LAYERS):
                pass
            elif finding.place.layer in names and finding.severity == ERROR and of_source:
                finding.severity, finding.certainty = INFO if of_class else WARNING, LIKELY
                finding.evidence = "; ".join(filter(None, [finding.evidence, _CHANGED]))
            elif finding.place.layer in readers and finding.code.startswith(_OF_LAYERS) and finding.severity == ERROR:
                finding.severity, finding.certainty = INFO, LIKELY
                finding.evidence = "; ".join(filter(None, [finding.evidence, _OTHER_DATA]))
            yield finding

    def _check_net(self, net: Net) -> Iterator[Finding]:
        rules = self._for_type
        for type_, layers in net.by_type.items():
            if type_ not in rules:
                rules[type_] = tuple(self.rule(info) for info in self._any_layer + self._layer.get(type_, []))
            for rule in rules[type_]:
                for layer in layers:
                    yield from rule.check(layer)
        if "refusal" in self._by_kind:
            yield from self._check_refusals(net)
        for info in self._by_kind.get("net", ()):
            if not info.layer_types or not net.by_type.keys().isdisjoint(info.layer_types):
                yield from self.rule(info).check(net)

    def _check_refusals(self, net: Net) -> Iterator[Finding]:
        """What Caffe refuses, from the rules that claim it; of nets of forks only what they refuse as well."""
        for refused in net.refused():
            kind = refused.refusal.kind
            if refused.phases == (TRAIN,) and net.is_only_tested:
                continue
            if kind is Kind.UNKNOWN_FILLER and net.bound.caffe:
                if refused.refusal.values["type"] in net.bound.caffe.registered.fillers:
                    continue
            info = self._claims.get(kind.value, self._claims.get(""))
            sure = net.is_plain or kind in OF_EVERY_CAFFE or _is_of_the_project(refused) or _is_checked_there(refused)
            if info is not None and info.kind == "refusal" and (sure or _is_of_a_plain_layer(refused)):
                for finding in self.rule(info).report(refused):
                    if not sure and finding.severity != INFO:
                        finding.severity, finding.certainty = WARNING, LIKELY
                    yield finding
        for info in self._by_kind["refusal"]:
            if info.checks:
                yield from self.rule(info).check(net)

    def check_project(self, solver: Solver) -> Iterator[Finding]:
        """What the rules say of a solver together with its nets."""
        for info in self._by_kind.get("project", ()):
            yield from self.rule(info).check(solver)

    def check_evidence(self, kind: str, subject: Any) -> Iterator[Finding]:
        """What the rules of that kind say of something that is no prototxt: see `EVIDENCE`."""
        for info in self._by_kind.get(kind, ()):
            yield from self.rule(info).check(subject)


def _takes_several(net: Net, layer: Layer) -> bool:
    """Is its block of another form in the project's Caffe, as where it works on volumes?"""
    block, caffe = layer.kind.block, net.bound.caffe
    return caffe is not None and bool(block) and caffe.takes_several(getattr(layer.message, block).DESCRIPTOR)


def _is_of_the_project(refused: Refused) -> bool:
    """Is it a number of bottoms or tops that the net's own Caffe refuses, by the source of the layer?"""
    caffe = refused.net.bound.caffe
    counts = caffe.registered.counts if caffe else {}
    is_count = refused.refusal.kind in (Kind.BOTTOM_COUNT, Kind.TOP_COUNT)
    return is_count and bool(refused.layers) and refused.layers[0].type in counts


def _is_checked_there(refused: Refused) -> bool:
    """Does the net's own Caffe check it, too? Its sources of these layers are BVLC's, or give the same reason."""
    caffe, refusal = refused.net.bound.caffe, refused.refusal
    if caffe is None or not refused.layers or refusal.kind not in OF_PLAIN_LAYERS or not _is_of_a_plain_layer(refused):
        return False
    known = caffe.registered
    return all(
        layer.type in known.layers
        and (
            layer.type not in known.changed
            or bool(refusal.caffe)
            and any(refusal.caffe in said for said in known.says.get(layer.type, ()))
        )
        for layer in refused.layers
    )


def _is_of_a_plain_layer(refused: Refused) -> bool:
    """Is it a layer of BVLC's Caffe, in a net that has others, too, and that a fork would refuse as well?"""
    is_of_outputs = "outputs" in refused.refusal.values  # num_output by groups, whatever the bottom is
    if refused.refusal.kind in OF_PLAIN_INPUTS and not is_of_outputs:
        return has_plain_inputs(refused)
    return (
        refused.net.has_bvlc_dialect
        and (refused.refusal.kind in OF_PLAIN_LAYERS or is_of_outputs)
        and all(
            layer.type in BVLC_TYPES and not layer.kind.is_data and not has_fork_fields(layer.message)
            for layer in refused.layers
        )
    )
