from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, plural, quoted, title

if TYPE_CHECKING:
    from caffelint.lint import Channels

_NET = 'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: {} dim: 8 dim: 8 }} }} }}'
_CLASSIFIER = 'import caffe\nnet = caffe.Classifier("d.prototxt", "a.caffemodel"%s)\nnet.predict([%s])\n'
_OPENED = "caffe.io.load_image(path)"
_GREY = {"README.md": "", "d.prototxt": _NET.format(1)}
_COLOUR = {"README.md": "", "d.prototxt": _NET.format(3)}
_SWAP = "channel_swap"
_REMEDIES = {
    (_SWAP, 3): "write channel_swap=(2, 1, 0) or none",
    (_SWAP, 1): "leave it out",
    ("load_image", 1): "open them with color=False",
}
"""By what the script has, and the channels of the net."""


class ScriptCountsChannelsOtherwise(NetRule):
    """A Python script gives a net images of another number of channels than its input has.

    ## Why is this bad?
    The script ends with an exception: pycaffe takes an order of as many channels as the input has, and copies no image
    of three channels into a blob of one.

    ## Example
    `deploy.prototxt` has `input_param { shape { dim: 1 dim: 1 dim: 28 dim: 28 } }`, and `classify.py`:
    ```python
    net = caffe.Classifier("deploy.prototxt", "net.caffemodel", channel_swap=(2, 1, 0))
    net.predict([caffe.io.load_image("digit.png")])
    ```
    Use instead:
    ```python
    net = caffe.Classifier("deploy.prototxt", "net.caffemodel")
    net.predict([caffe.io.load_image("digit.png", color=False)])
    ```

    ## Known problems
    Only nets are read that are built of a file whose name is written out, and what is done in any case.

    ## References
    - io.py, Transformer.set_channel_swap and load_image; classifier.py, predict
    """

    code = "G058"
    name = "script-counts-channels-otherwise"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _COLOUR | {"a.py": _CLASSIFIER % (", channel_swap=(2, 1, 0)", _OPENED)},
        _GREY | {"a.py": _CLASSIFIER % ("", "caffe.io.load_image(path, color=False)")},
    ]
    INVALID = [
        Invalid(
            _COLOUR | {"a.py": _CLASSIFIER % (", channel_swap=[0]", _OPENED)},
            span='type: "Input"',
            message='"a.py" (line 2) gives a channel_swap of 1 channel, but Input "data" has 3, so it ends with an'
            " exception; write channel_swap=(2, 1, 0) or none",
        ),
        Invalid(
            _GREY | {"a.py": _CLASSIFIER % ("", _OPENED)},
            span='type: "Input"',
            message='"a.py" (line 3) opens images of 3 channels, but Input "data" has 1, so it ends with an'
            " exception; open them with color=False",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        inputs = _channels(net) if net.runs and net.runs.channels else []
        told: set[str] = set()
        for place, one in net.runs.channels if net.runs and inputs else ():
            found = next((given for given in inputs if one.blob in ("", given[0])), None)
            if found and found[2] and found[2] != one.number and place.path not in told:
                told.add(place.path)
                yield self.finding(
                    found[1].at("type"), f"{quoted(place.path)} (line {place.line}) {_says(one, found[1], found[2])}"
                )


def _says(one: Channels, layer: Layer, count: int) -> str:
    what = "gives a channel_swap" if one.by == _SWAP else "opens images"
    remedy = _REMEDIES.get((one.by, count), f"give it {plural(count, 'channel')}")
    return (
        f"{what} of {plural(one.number, 'channel')}, but {title(layer)} has {count}, so it ends with an exception;"
        f" {remedy}"
    )


def _channels(net: Net) -> list[tuple[str, Layer, int]]:
    """The inputs of a net in their order, each with its layer and channels; 0 for what has none."""
    found: list[tuple[str, Layer, int]] = []
    for layer in net.layers:
        if layer.type == "Input":
            shapes = layer.message.input_param.shape
            for number, top in enumerate(layer.tops):
                # One shape is that of all tops: input_layer.cpp, LayerSetUp.
                mine = shapes[:1] if len(shapes) == 1 else shapes[number : number + 1]
                dims = list(mine[0].dim) if mine else []
                found.append((top, layer, dims[1] if len(dims) == 4 else 0))
    return found
