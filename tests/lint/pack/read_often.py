from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, Finding, Invalid, Net, NetRule

from ._words import times

DATA = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
READER = ' layer { name: "r%d" type: "ReLU" bottom: "data" top: "t%d" }'


class ReadOften(NetRule):
    """A blob with many readers costs a copy of it for each.

    ## Why is this bad?
    net.cpp, InsertSplits: each copy has a gradient of its own.
    """

    code = "H301"
    name = "read-often"
    severity = INFO
    VALID = [DATA + READER % (1, 1)]
    INVALID = [
        Invalid(
            DATA + "".join(READER % (i, i) for i in range(3)),
            span='top: "data"',
            message='Input "data": blob "data" is read 3 times',
        )
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for built in net.states():
            for layer in built.layers:
                for number, blob in enumerate(layer.tops):
                    if layer.index is not None and len(blob.readers) > 2:
                        written = net.layers[layer.index]
                        shown = f'{layer.type} "{layer.name}": blob "{blob.name}"'
                        yield self.finding(
                            written.at("top", number),
                            f"{shown} is read {times(len(blob.readers))}",
                            phases=built.phases,
                        )
