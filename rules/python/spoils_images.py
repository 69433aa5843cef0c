from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, spoilt_of, title

from ._claim import claims, read_in, where


class PythonSpoilsImages(LayerRule):
    """A Python layer makes other images than it means of those that it opens.

    ## Why is this bad?
    numpy calculates with the 8 bits of a pixel as long as nothing makes a fraction of it: what is brighter than 255
    becomes nearly black. `reshape` moves no axes: of height x width x 3 it makes 3 images in which pixels and colours
    are mixed. Both go unseen, and the net learns less, or what it cannot use.

    ## Example
    `batch = batch.reshape(n, 3, size, size)`. Use instead:
    ```
    batch = batch.transpose(0, 3, 1, 2)
    ```

    ## Known problems
    The module is read, not run. Only images are followed that its class opens by cv2, PIL or the like.

    ## References
    - numpy.org/doc, reshape, transpose and data types
    """

    code = "Y022"
    name = "python-spoils-images"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def forward(self, bottom, top):\n"
        "        top[0].data[...] = self.load(self.path)\n\n    def load(self, path):\n"
        "        im = np.array(Image.open(path).convert('RGB'))\n        {}\n        return im\n"
    )
    _NET = 'layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "Data" } }'
    VALID = [
        {"net.prototxt": _NET, "m.py": _MODULE.format("im = im.transpose(2, 0, 1)")},
        {"net.prototxt": _NET, "m.py": _MODULE.format("im = im.astype(float) + random.randint(0, 9)")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("im = im.reshape(3, self.h, self.w)")},
            span='layer: "Data"',
            message='Python "data": im.reshape(3, self.h, self.w) moves no axes, so it mixes pixels with colours'
            " (m.py:10); use transpose",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("im[:, :, 0] += random.randint(0, 9)")},
            span='layer: "Data"',
            message='Python "data": im[:, :, 0] += random.randint(0, 9) keeps whole numbers of 8 bits, so what is below'
            " 0 or above 255 wraps round (m.py:10); convert the image by astype(np.float32) first",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for python, found in claims(layer, lambda python: next(iter(python.spoilt), None)):
            fact, remedy = spoilt_of(found)
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {fact} ({where(python, found.line)}); {remedy}",
                evidence=read_in(python),
            )
