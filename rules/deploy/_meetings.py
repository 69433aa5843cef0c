from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from caffelint.lint import CERTAIN, LIKELY, TEST, UNSAFE, Finding, Net, NetRule, Option, Place, fix, title
from caffelint.lint.deploy import RUN, Met, meetings

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
        for mets in alike.values():
            yield self._finding(net, mets)

    def _finding(self, net: Net, mets: list[Met]) -> Finding:
        """One finding for the targets of which the same is to be said."""
        met = mets[0]
        fact = met.fact
        subject = title(met.layer) if met.layer else "the net"
        remedy = f"; {fact.remedy}" if fact.remedy else ""
        *most, last = [one.target.name for one in mets]
        names = f"{', '.join(most)} and {last}" if most else last
        who = f"each of {names}" if most else last
        does = fact.does if len(mets) == 1 or fact.source else f"has no layer of type {fact.types[0]}"
        fixes = fix(f"rewrite it for {names}", UNSAFE, rewritten(met)) if fact.rewrite and met.layer else ()
        return self.finding(
            _place(net, met),
            f"{subject}: {who} {does}{remedy}",
            evidence=" | ".join(_source(one) for one in mets),
            certainty=CERTAIN if any(one.fact.known == RUN for one in mets) else LIKELY,
            fixes=fixes,
        )


def _said(met: Met) -> tuple[object, ...]:
    """Equal for what is the same of several targets; what none of them takes is, however each says so."""
    fact = met.fact
    return met.layer.index if met.layer else None, fact.does if fact.source else "", fact.remedy, fact.rewrite


def _source(met: Met) -> str:
    return f"{met.target.title}, {met.target.version}; {met.fact.source or 'its list of layers'}"


def _place(net: Net, met: Met) -> Place:
    """The first field that the fact is about, else the layer; of the net the first layer that deployment leaves out."""
    if met.layer is None:
        field = next((field for field in met.fact.fields if getattr(net.written, field)), None)
        if field or not net.layers:
            return net.at(field, 0) if field else net.at()
        left_out = next((layer for layer in net.layers if TEST not in layer.phases), net.layers[0])
        return left_out.at("include" if left_out.has("include") else "exclude")
    block = met.layer.block
    for field in met.fact.fields:
        if block and met.layer.has(block, field):
            return met.layer.at(block, field)
    return met.layer.at("type")
