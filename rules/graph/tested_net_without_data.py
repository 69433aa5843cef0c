from __future__ import annotations

import os
import re
from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Finding, Invalid, Net, NetRule, file_name, quoted, titles

_TESTS = frozenset(["val", "test", "validation"])
_OTHERS = frozenset(["train", "trainval", "solver", "deploy"])


class TestedNetWithoutData(NetRule):
    """A net whose file is called a net for tests has data in the TRAIN phase only.

    ## Why is this bad?
    Such a file is mostly a copy of the training net beside it. A solver builds its test nets in the TEST phase, in
    which nothing makes the data, so Caffe stops; and what was meant for training, as `mirror` and the source, is left
    in it.

    ## Example
    `val.prototxt`:
    ```
    layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TEST } }
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
    ```

    ## References
    - net.cpp, FilterNet; solver.cpp, InitTestNets; gombru/WebVision@eb5e946
    """

    code = "G038"
    name = "tested-net-without-data"
    severity = WARNING
    certainty = LIKELY
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label"%s }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
    )
    _TRAIN = " include { phase: TRAIN }"
    VALID = [
        {"val.prototxt": _NET % ""},
        {"train_val.prototxt": _NET % _TRAIN},
        {"val.prototxt": _NET % _TRAIN + " " + _NET % " include { phase: TEST }"},
        {"solver.prototxt": 'net: "val.prototxt"', "val.prototxt": _NET % _TRAIN},
    ]
    INVALID = [
        Invalid(
            {"val_lmdb.prototxt": _NET % _TRAIN},
            span="phase: TRAIN",
            message='Data "data" is for TRAIN only, but "val_lmdb.prototxt" is a net for tests by its name, and in TEST'
            ' nothing makes "data"; set phase: TEST',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        words = set(re.findall(r"[a-z]+", os.path.basename(net.path).lower().partition(".prototxt")[0]))
        if net.solvers or words.isdisjoint(_TESTS) or not words.isdisjoint(_OTHERS):
            return
        data = [layer for layer in net.layers if not layer.bottoms and layer.tops]
        made = {blob for layer in data for blob in layer.tops}
        readers = [layer for layer in net.in_phase(TEST) if not made.isdisjoint(layer.bottoms)]
        if (
            not readers
            or len(net.written.input)
            or not all(layer.phases == (TRAIN,) and layer.has("include") for layer in data)
        ):
            return
        blob = next(name for name in readers[0].bottoms if name in made)
        yield self.finding(
            data[0].at("include", 0, "phase"),
            f"{titles(data)} {'is' if len(data) == 1 else 'are'} for TRAIN only, but {quoted(file_name(net.path))} is a"
            f" net for tests by its name, and in TEST nothing makes {quoted(blob)}; set phase: TEST",
            layers=data,
        )
