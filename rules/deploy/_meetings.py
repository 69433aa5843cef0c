from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from caffelint.lint import CERTAIN, LIKELY, UNSAFE, Finding, Net, NetRule, Option, Place, fix, title
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
        for name in self.options["targets"]:
            for met in meetings(net, name):
                if met.fact.verdict == self.verdict:
                    yield self._finding(net, met)

    def _finding(self, net: Net, met: Met) -> Finding:
        fact = met.fact
        subject = title(met.layer) if met.layer else "the net"
        remedy = f"; {fact.remedy}" if fact.remedy else ""
        fixes = fix(f"rewrite it for {met.target.name}", UNSAFE, rewritten(met)) if fact.rewrite and met.layer else ()
        return self.finding(
            _place(net, met),
            f"{subject}: {met.target.name} {fact.does}{remedy}",
            evidence=f"{met.target.title}, {met.target.version}; {fact.source or 'its list of layers'}",
            certainty=CERTAIN if fact.known == RUN else LIKELY,
            fixes=fixes,
        )


def _place(net: Net, met: Met) -> Place:
    """The first field that the fact is about, else the layer; of the net its first line."""
    if met.layer is None:
        return net.at("name") if net.message.name else net.layers[0].at()
    block = met.layer.block
    for field in met.fact.fields:
        if block and met.layer.has(block, field):
            return met.layer.at(block, field)
    return met.layer.at("type")
