from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from caffelint.lint import (
    INFO,
    LIKELY,
    WARNING,
    Compared,
    Finding,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    compiled_later,
    listed,
    near,
    quoted,
)

if TYPE_CHECKING:
    from caffelint.lint import Asked

_MOST = 5
"""Names of a net that are told: more are those of another net."""
_COMMENTED = compiled_later(r"^[ \t]*#[^\n\"']{0,200}\b(?:top|name)[ \t]*:[ \t]*[\"']([^\"'\n]{1,100})", re.MULTILINE)
_SPLIT = "_split_"
"""In the names that insert_splits.cpp gives: those of blobs, too."""
_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    ' layer { name: "fc8" type: "InnerProduct" bottom: "data" top: "fc8" inner_product_param { num_output: 8 } }'
    ' layer { name: "prob" type: "Softmax" bottom: "fc8" top: "prob" }'
)
_SCRIPT = """
import caffe
net = caffe.Net("deploy.prototxt", "a.caffemodel", caffe.TEST)
out = net.forward()
print(%s)
"""


class ScriptReadsMissingBlob(NetRule):
    """A Python script asks a net that it builds for a blob, layer or output that this net does not have.

    ## Why is this bad?
    The script ends with a KeyError or a ValueError, after the net was loaded and has run.

    ## Example
    `deploy.prototxt` ends in a layer `prob`, and `classify.py`:
    ```python
    net = caffe.Net("deploy.prototxt", "net.caffemodel", caffe.TEST)
    out = net.forward()
    print(out["fc8"])
    ```
    Use instead:
    ```python
    print(net.blobs["fc8"].data)
    ```

    ## Known problems
    Only names that are written out are read, and nets that are built of a file whose name is. What a script asks only
    under a condition, or with its failure caught, is left out.

    ## References
    - pycaffe.py, _Net_blobs, _Net_params and _Net_forward, which gives the outputs of the net alone
    """

    code = "G048"
    name = "script-reads-missing-blob"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "deploy.prototxt": _NET}
    VALID = [
        _FILES | {"classify.py": _SCRIPT % "out['prob'], net.blobs['fc8'].data, net.params['fc8'][0].data"},
        _FILES | {"classify.py": _SCRIPT % "net.blobs['pool5'].data if 'pool5' in net.blobs else 0"},
        {
            "README.md": "",
            "deploy.prototxt": 'layer { name: "a" type: "Silence" }',
            "classify.py": _SCRIPT % "net.blobs['data'].data",
        },
    ]
    INVALID = [
        Invalid(
            _FILES | {"classify.py": _SCRIPT % "net.blobs['prob1'].data"},
            span='name: "prob"',
            message='"classify.py" (line 5) asks for the blob "prob1", which this net does not have; "prob" is near',
        ),
        Invalid(
            _FILES
            | {"deploy.prototxt": _NET + '\n# layer { name: "roi"\n#   bottom: "fc8" top: "roi" }\n'}
            | {"classify.py": _SCRIPT % "net.blobs['roi'].data"},
            span='name: "prob"',
            message='"classify.py" (line 5) asks for the blob "roi", which is commented out in line 2 of this net; put'
            " it back",
        ),
        Invalid(
            _FILES | {"classify.py": _SCRIPT % "out['fc8']"},
            span='name: "prob"',
            message='"classify.py" (line 5) asks for the output "fc8", but "prob" reads it, so forward() does not give'
            ' it; ask for net.blobs["fc8"].data',
        ),
        Invalid(
            _FILES | {"classify.py": _SCRIPT % "net.params['ip'][0].data"},
            span='name: "prob"',
            message='"classify.py" (line 5) asks for the layer "ip", which this net does not have; ask for one'
            ' that it has, as its last, "prob"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        runs = net.runs
        if not runs or not runs.asked or not net.layers:
            return
        wrong: dict[tuple[str, str], _Wrong | None] = {}
        lines: dict[tuple[str, str], dict[str, int]] = {}
        for place, asked in runs.asked:
            key = asked.kind, asked.name
            if key not in wrong:
                wrong[key] = None if _SPLIT in asked.name else _wrong(asked, net)
            lines.setdefault(key, {}).setdefault(place.path, place.line)
        found = {name: (kind, one) for (kind, name), one in reversed(wrong.items()) if one is not None}
        stopping = (lines[kind, name] for name, (kind, _) in found.items())
        sound = {path for asking in lines.values() for path in asking}.difference(*stopping)
        for name, (kind, one) in islice(reversed(found.items()), _MOST):
            scripts = [f"{quoted(path)} (line {line})" for path, line in lines[kind, name].items()]
            asks = f'{listed(scripts)} ask{"s" * (len(scripts) == 1)} for the {kind} "{name}"'
            # Where other scripts get what they ask for, these may be for what the net was once.
            severity = INFO if one.is_far and sound else None
            yield self.finding(one.layer.at("name"), f"{asks}, {one.text}", severity=severity)


class _Wrong(NamedTuple):
    """The layer to look at, and what is wrong with what a script asks. is_far: has the net nothing like it?"""

    layer: Layer
    text: str
    is_far: bool = False


class _Names(NamedTuple):
    """The last layer that makes each blob, that of each name, and those that read each blob and make another."""

    blobs: dict[str, Layer]
    layers: dict[str, Layer]
    readers: dict[str, list[Layer]]


def _names(net: Net) -> _Names:
    readers: dict[str, list[Layer]] = {}
    for layer in net.layers:
        tops = frozenset(layer.tops)
        for name in dict.fromkeys(layer.bottoms):
            if name not in tops:
                readers.setdefault(name, []).append(layer)
    blobs = {top: layer for layer in net.layers for top in layer.tops}
    return _Names(blobs, {layer.name: layer for layer in net.layers}, readers)


def _commented_out(net: Net) -> dict[str, int]:
    """The lines of the names and tops of layers that are comments."""
    source = net.document.source
    return {found[1]: source.line_number(found.start(1)) for found in _COMMENTED.finditer(source.text)}


def _wrong(asked: Asked, net: Net) -> _Wrong | None:
    """What is wrong with what a script asks; None where the net has it."""
    names = net.once(_names)
    named = names.blobs if asked.kind != "layer" else names.layers
    if not named:
        return None
    if asked.name not in named:
        last = net.layers[-1]
        if line := net.once(_commented_out).get(asked.name):
            return _Wrong(last, f"which is commented out in line {line} of this net; put it back")
        lacks = "which this net does not have"
        if nearest := near(asked.name, named, within=net.once(Compared)):
            return _Wrong(named[nearest[0]], f'{lacks}; "{nearest[0]}" is near')
        return _Wrong(last, f'{lacks}; ask for one that it has, as its last, "{list(named)[-1]}"', is_far=True)
    readers = names.readers.get(asked.name)
    if asked.kind != "output" or not readers:
        return None
    by = listed([f'"{one.name}"' for one in readers])
    reads = "reads" if len(readers) == 1 else "read"
    text = f'but {by} {reads} it, so forward() does not give it; ask for net.blobs["{asked.name}"].data'
    return _Wrong(readers[0], text)
