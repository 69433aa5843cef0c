from __future__ import annotations

from collections.abc import Collection, Iterator
from math import log
from typing import TYPE_CHECKING

from caffelint.lint import (
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    Place,
    Related,
    quoted,
)

from ._partner import Training, training_nets
from ._scaled import LEAST_MEAN, is_bgr, scaled, times

if TYPE_CHECKING:
    from caffelint.lint import Fed

_TIMES = 8.0
"""By what factor values differ that a net does not get used to."""
_MOST = 1e6
"""The same factor, beyond which the numbers are no scales of images."""
BY_HAND = "blobs"
_NONE = "1"
"""The value of a setting that does nothing."""
_FC = ' layer {{ name: "{0}" type: "InnerProduct" bottom: "{1}" top: "{0}" inner_product_param {{ num_output: 8 }} }}'
_SCRIPT = """
import caffe
net = caffe.Classifier("deploy.prototxt", "a.caffemodel", %s)
print(net.predict([caffe.io.load_image("cat.png")]))
"""


class DeployFedOtherwise(NetRule):
    """A script gives a deploy net images of another scale than training does, or without the mean that it subtracts.

    ## Why is this bad?
    The weights fit what training has seen. Values that are 255 times as large, or larger by a mean of 120, saturate one
    layer after the other, and the answers are wrong without any message.

    ## Example
    `train.prototxt` has `transform_param { scale: 0.00390625 }`, and `classify.py`:
    ```python
    net = caffe.Classifier("deploy.prototxt", "net.caffemodel", raw_scale=255)
    net.predict([caffe.io.load_image("cat.png")])
    ```
    Use instead:
    ```python
    net = caffe.Classifier("deploy.prototxt", "net.caffemodel", raw_scale=255, input_scale=0.00390625)
    net.predict([caffe.io.load_image("cat.png")])
    ```

    ## Known problems
    Only Python is read that opens images by caffe.io, cv2 or Image, transforms them by one Transformer or Classifier,
    or puts them into a blob itself, and builds one net. Which mean it is is not told.

    ## References
    - io.py, load_image (from 0 to 1) and Transformer.preprocess; classifier.py; data_transformer.cpp, Transform
    """

    code = "G046"
    name = "deploy-fed-otherwise"
    severity = WARNING
    certainty = LIKELY
    _DATA = (
        'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train" }'
        " transform_param { %s } }"
    )
    _LABELS = 'layer { name: "labels" type: "Data" top: "label" data_param { source: "labels" } }'
    _INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 64 } } }'
    _BODY = _FC.format("a", "data") + _FC.format("b", "a") + _FC.format("c", "b")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
    _NETS = {"README.md": "", "deploy.prototxt": _INPUT + _BODY}
    VALID = [
        _NETS
        | {
            "train.prototxt": _DATA % "scale: 0.00390625" + _BODY + _LOSS,
            "classify.py": _SCRIPT % "raw_scale=255, input_scale=1 / 256.0",
        },
        _NETS | {"train.prototxt": _DATA % "scale: 0.00390625" + _BODY + _LOSS, "classify.py": _SCRIPT % "None"},
    ]
    INVALID = [
        Invalid(
            _NETS
            | {
                "train.prototxt": _DATA % "scale: 0.0125" + _BODY + _LOSS,
                "classify.py": 'n = caffe.Net("deploy.prototxt")\nn.blobs["data"].data[...] = cv2.imread("a.png")\n',
            },
            span='type: "Input"',
            message='"classify.py" (line 2) gives "data" values 80 times as large as in training: it puts them into the'
            ' blob as it opens them, but "train.prototxt" has scale: 0.0125; multiply them by 0.0125',
        ),
        Invalid(
            _NETS
            | {
                "train.prototxt": (_DATA % "scale: 0.0125").replace(' top: "label"', "") + _LABELS + _BODY + _LOSS,
                "classify.py": _SCRIPT % "raw_scale=255",
            },
            span='type: "Input"',
            message='"classify.py" (line 3) gives "data" values 80 times as large as in training: it sets no'
            ' input_scale, but "train.prototxt" has scale: 0.0125; set input_scale=0.0125',
        ),
        Invalid(
            _NETS
            | {
                "train.prototxt": _DATA % "mean_value: 120" + _BODY + _LOSS,
                "classify.py": _SCRIPT % "raw_scale=255",
            },
            span='type: "Input"',
            message='"classify.py" (line 3) gives "data" images as they are, but "train.prototxt" subtracts a mean of'
            " 120; set mean=...",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        fed = net.runs.fed if net.runs else ()
        mine = [one for one in scaled(net, TEST) if not one.of_images] if fed else []
        if len(mine) != 1:
            return
        trained = [one for one in net.once(training_nets) if one.is_close]
        names = {layer.name for layer in net.layers}
        theirs = [_Given.of(one, mine[0].blob, names) for one in trained]
        given = theirs[0] if len({one and one.kind for one in theirs}) == 1 else None
        source = next(layer for layer in net.in_phase(TEST) if layer.type == "Input" and layer.tops)
        for place, one in fed if given else ():
            if one.spoilt or one.blob and one.blob != source.tops[0]:
                continue
            found = given and (_scaled(one, given, mine[0].scale) or _less_mean(one, given) or _in_order(one, given))
            if given and found:
                text, remedy = found[0], " and ".join(_advice(one, source.tops[0], *each) for each in found[1].items())
                yield self.finding(
                    source.at("type"),
                    f'{quoted(place.path)} (line {place.line}) gives "{source.tops[0]}" {text}; {remedy}',
                    related=(Related("what training does", given.place),) if given.place else (),
                )
                return


class _Given(NamedTuple):
    """What a training net makes of images: its file, and where and how it scales. `mean`: what it subtracts, as text;
    empty for nothing, and None where that is not clear.
    """

    file: str
    place: Place | None
    scale: float
    mean: str | None
    is_bgr: bool

    @property
    def kind(self) -> tuple[float, bool, bool, bool]:
        return self.scale, bool(self.mean), self.mean is None, self.is_bgr

    @classmethod
    def of(cls, training: Training, blob: str, names: Collection[str]) -> _Given | None:
        """None where it does not read images alone, does something else in testing, or has layers of no such name that
        make something else of the images.
        """
        found: list[_Given] = []
        for phase in (TRAIN, TEST):
            readers = [one for one in training.net.in_phase(phase) if not one.bottoms and one.tops]
            ends = [one for one in scaled(training.net, phase) if one.blob == blob]
            if found and not readers:
                continue  # TRAIN alone has data
            if len(ends) == 1 and ends[0].layer in readers:
                readers = [ends[0].layer]  # others read labels
            if not (len(ends) == len(readers) == 1 and readers[0].kind.data_source and ends[0].of_images):
                return None
            if any(blob in one.bottoms and one.name not in names for one in training.net.in_phase(phase)):
                return None
            mean = _mean(readers[0]) if ends[0].layer is readers[0] else None
            found.append(cls(training.file, ends[0].place, ends[0].scale, mean, is_bgr(readers[0])))
        return found[0] if len({one.kind for one in found}) == 1 else None


def _mean(reader: Layer) -> str | None:
    transform = reader.message.transform_param
    if transform.mean_file:
        return f"the mean in {quoted(transform.mean_file)}"
    means = list(transform.mean_value)
    if not means:
        return ""
    return f"a mean of {', '.join(f'{one:g}' for one in means)}" if max(means) >= LEAST_MEAN else None


def _scaled(fed: Fed, given: _Given, by_net: float) -> tuple[str, dict[str, str]] | None:
    """What is said of values of another size than in training, and which settings are to have which values, as text."""
    ratio = fed.factor * by_net / given.scale
    if 1 / _TIMES < ratio < _TIMES or not 1 / _MOST < ratio < _MOST:
        return None
    size = f"{times(ratio)} times as large as" if ratio > 1 else f"{times(1 / ratio)} times smaller than"
    why = f"{quoted(given.file)} has scale: {given.scale:g}"
    if fed.by == BY_HAND:
        now = fed.input_scale
        what = f"it multiplies them by {now:.3g}" if now else "it puts them into the blob as it opens them"
        what += ", from 0 to 1" * (fed.opened < 1)
        return f"values {size} in training: {what}, but {why}", {
            "input_scale": f"{given.scale / by_net / fed.opened:.3g}"
        }
    wanted = {"raw_scale": round(1 / fed.opened), "input_scale": given.scale / by_net}
    off = {one: abs(log((getattr(fed, one) or 1) / value)) for one, value in wanted.items()}
    name = max(wanted, key=lambda one: off[one])
    now = getattr(fed, name)
    what = f"its {name} is {now:g}" if now else f"it sets no {name}"
    if name == "raw_scale":
        why = f"the images that it opens go from 0 to {round(255 * fed.opened)}"
    return f"values {size} in training: {what}, but {why}", {
        one: f"{value:g}" for one, value in wanted.items() if one == name or off[one] >= log(_TIMES)
    }


def _less_mean(fed: Fed, given: _Given) -> tuple[str, dict[str, str]] | None:
    """What is said where only one of script and training subtracts a mean."""
    if fed.has_mean and given.mean == "":
        return f"images less a mean, but {quoted(given.file)} subtracts none", {"mean": _NONE}
    if fed.has_mean is False and given.mean:
        return f"images as they are, but {quoted(given.file)} subtracts {given.mean}", {"mean": "..."}
    return None


def _in_order(fed: Fed, given: _Given) -> tuple[str, dict[str, str]] | None:
    if not (fed.is_rgb and given.is_bgr):
        return None
    order = "RGB" if fed.by == BY_HAND else "RGB, as it opens them"
    return f"images in the order {order}, but {quoted(given.file)} reads BGR", {"channel_swap": "(2, 1, 0)"}


def _advice(fed: Fed, top: str, name: str, value: str) -> str:
    if fed.by == BY_HAND:
        if name == "input_scale":
            return (
                "leave that out" if value == _NONE else f"multiply them by {value}" + " instead" * bool(fed.input_scale)
            )
        return "reverse the channels" if name == "channel_swap" else f"subtract {'none' if value == _NONE else 'it'}"
    if value == _NONE:
        return f"leave {name} out"
    return f"set {name}={value}" if fed.by == "Classifier" else f"call set_{name}({top!r}, {value})"
