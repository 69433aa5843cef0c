from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, listed, quoted, spoilt_of

_NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
_SCRIPT = """import caffe
net = caffe.Net("deploy.prototxt", "a.caffemodel", caffe.TEST)
im = cv2.imread("a.png")
%s
net.blobs["data"].data[...] = im
print %s
"""


class ScriptSpoilsImages(NetRule):
    """A Python script makes other images than it means of those that it opens, and gives them to the net.

    ## Why is this bad?
    The net answers without any message, but on images that are black, or whose pixels, colours and axes are mixed up:
    numpy calculates with the 8 bits of a pixel as long as nothing makes a fraction of it.

    ## Example
    ```python
    im = cv2.imread("cat.png").reshape(3, 224, 224)
    ```
    Use instead:
    ```python
    im = cv2.resize(cv2.imread("cat.png"), (224, 224)).transpose(2, 0, 1)
    ```

    ## Known problems
    Only images are followed that the script opens by caffe.io, cv2, PIL or the like. That `/` leaves whole numbers is
    told of scripts that Python 3 cannot read.

    ## References
    - numpy.org/doc, reshape, transpose and data types; docs.python.org/2, Numeric types
    """

    code = "G064"
    name = "script-spoils-images"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "deploy.prototxt": _NET}
    VALID = [
        _FILES | {"a.py": _SCRIPT % ("im = im.transpose(2, 0, 1) / 255.0", "net")},
        _FILES | {"a.py": _SCRIPT % ("im = im.transpose(2, 0, 1) / 255", "(net)")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"a.py": _SCRIPT % ("im = im / 255", "net")},
            span='name: "data"',
            message='"a.py" (line 4): im / 255 divides whole numbers, which in Python 2 leaves 0, so all images are'
            " black; divide by 255.0",
        ),
        Invalid(
            _FILES | {"a.py": _SCRIPT % ("im = im.reshape((1, 3, 8, 8))", "(net)")},
            span='name: "data"',
            message='"a.py" (line 4): im.reshape((1, 3, 8, 8)) moves no axes, so it mixes pixels with colours; use'
            " transpose",
        ),
        Invalid(
            _FILES | {"a.py": _SCRIPT % ("im -= 128", "(net)")},
            span='name: "data"',
            message='"a.py" (line 4): im -= 128 keeps whole numbers of 8 bits, so what is below 0 or above 255 wraps'
            " round; convert the image by astype(np.float32) first",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        spoilt = net.runs.spoilt if net.runs and net.layers else ()
        for place, one in spoilt[:1]:
            fact, remedy = spoilt_of(one)
            others = sorted({str(other) for other, _ in spoilt[1:]})
            yield self.finding(
                net.layers[0].at("name"),
                f"{quoted(place.path)} (line {place.line}): {fact}; {remedy}",
                evidence=f"so do {listed(others)}" if others else "",
            )
