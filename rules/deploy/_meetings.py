from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from caffelint.lint import (
    CERTAIN,
    LIKELY,
    TEST,
    UNSAFE,
    Finding,
    Layer,
    Net,
    NetRule,
    Option,
    Place,
    fix,
    listed,
    titles,
)
from caffelint.lint.deploy import RUN, Fact, Met, meetings

from ._rewrites import rewritten

DATA = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 dim: 9 dim: 7 } } }'
"""What the nets of examples begin with."""
TARGETS: Mapping[str, Option] = {
    "targets": Option([], "The converters that the net is for; filled in by the setting `target`."),
}


class DeployRule(NetRule):
    """Reports the facts of one verdict."""

    verdict: ClassVar[str] = ""
    OPTIONS = TARGETS

    def check(self, net: Net) -> Iterator[Finding]:
        alike: dict[tuple[object, ...], list[Met]] = {}
        for name in self.options["targets"]:
            for met in meetings(net, name):
                if met.fact.verdict == self.verdict:
                    alike.setdefault(_said(met), []).append(met)
        causes: dict[tuple[object, ...], list[list[Met]]] = {}
        for mets in alike.values():
            causes.setdefault(_cause(mets), []).append(mets)
        for of_layers in causes.values():
            yield self._finding(net, of_layers[0], [mets[0].layer for mets in of_layers if mets[0].layer])

    def _finding(self, net: Net, mets: list[Met], layers: list[Layer]) -> Finding:
        """One finding for the targets and the layers of which the same is to be said."""
        met = mets[0]
        fact = met.fact
        subject = titles(layers) if layers else "the net"
        remedy = f"; {fact.remedy}" if fact.remedy else ""
        names: dict[str, list[str]] = {}
        for one in mets:
            names.setdefault(_does(one.fact, alone=len(mets) == 1), []).append(one.target.name)
        does = "; ".join(f"{'each of ' if len(of) > 1 else ''}{listed(of)} {what}" for what, of in names.items())
        fixes = (
            fix(f"rewrite it for {listed([one.target.name for one in mets])}", UNSAFE, rewritten(met))
            if fact.rewrite and met.layer
            else ()
        )
        return self.finding(
            _place(net, met),
            f"{subject}: {does}{remedy}",
            evidence=" | ".join(_source(one) for one in mets),
            certainty=CERTAIN if any(one.fact.known == RUN for one in mets) else LIKELY,
            fixes=fixes,
        )


def _does(fact: Fact, alone: bool) -> str:
    """What a target does; that several do not know a type is said in the same words of each."""
    return fact.does if fact.source or alone else f"has no layer of type {fact.types[0]}"


def _said(met: Met) -> tuple[object, ...]:
    """Equal for what is mended by the same, or else the same, of several targets."""
    fact = met.fact
    does = "" if fact.remedy else _does(fact, alone=False)
    return met.layer.index if met.layer else None, does, fact.remedy, fact.rewrite


def _cause(mets: list[Met]) -> tuple[object, ...]:
    """Equal for layers of which the same is to be said; each that can be rewritten has a finding with its own fix."""
    met = mets[0]
    own = met.layer.index if met.layer and met.fact.rewrite else None
    facts = tuple((one.target.name, _does(one.fact, alone=False)) for one in mets)
    return met.layer.type if met.layer else "", own, facts, met.fact.remedy


def _source(met: Met) -> str:
    return f"{met.target.title}, {met.target.version}; {met.fact.source or 'its list of layers'}"


def _place(net: Net, met: Met) -> Place:
    """The first field that the fact is about, else the layer; of the net the first layer that deployment leaves out."""
    if met.layer is None:
        field = next((field for field in met.fact.fields if getattr(net.written, field)), None)
        if field or not net.layers:
            return net.at(field, 0) if field else net.at()
        left_out = next((layer for layer in net.layers if TEST not in layer.phases), net.layers[0])
        return left_out.at(next((field for field in ("include", "exclude") if left_out.has(field)), "type"))
    block = met.layer.block
    for field in met.fact.fields:
        if block and met.layer.has(block, field):
            return met.layer.at(block, field)
    return met.layer.at("type")
