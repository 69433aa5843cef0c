"""What functions of numpy, cv2, PIL and scikit-image make of images, by their last names."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from caffelint.project import python_pixels as pixels
from caffelint.project.python_nodes import dotted, short
from caffelint.project.python_pixels import BLANK, DRAWN, DRAWN_WHOLE, MEAN, Pixels, Value

_KEEP = frozenset(
    (
        *("array", "asarray", "asanyarray", "ascontiguousarray", "copy", "squeeze", "clip", "pad"),
        *("fliplr", "flipud", "flip", "rot90", "maximum", "minimum", "copyMakeBorder", "GaussianBlur"),
        *("medianBlur", "blur", "warpAffine", "warpPerspective", "getRectSubPix", "rotate", "crop"),
        *("resize_image", "deepcopy", "fromarray", "filter", "mirror"),
    )
)
"""What leaves the size of values, and the axes, as they are, by its last name."""
_TYPES = frozenset(["float32", "float64", "float16", "uint8", "int32", "float_"])
_LISTS = frozenset(["stack", "vstack", "hstack", "dstack", "concatenate"])
_AT_FIRST = frozenset(["stack", "vstack", "concatenate"])
SAME = frozenset(["reshape", "transpose", "astype", "copy", "float", "mean", "squeeze", "swapaxes", "tolist"])
"""What makes another array of the same numbers, or a mean of a mean."""
_BLANKS = frozenset(["zeros", "empty", "ones", "zeros_like", "empty_like", "list", "ndarray"])
_DRAWS = {"randint": DRAWN_WHOLE, "randrange": DRAWN_WHOLE, "uniform": DRAWN, "gauss": DRAWN, "normal": DRAWN}
"""With two numbers, of random and numpy.random; with three they draw an array."""


def by_method(node: ast.Call, name: str, of: Pixels) -> Value:
    """Of an image."""
    types = [word.value for word in node.keywords if word.arg == "dtype"]
    if name == "astype":
        return pixels.cast(of, [*node.args, *types][0] if node.args or types else None)
    if name == "transpose":
        return pixels.permuted(of, node.args)
    if name == "swapaxes":
        return pixels.exchanged(of, node.args)
    if name == "reshape":
        return pixels.reshaped(of, node.args, node.lineno, short(node))
    if name == "convert":  # PIL
        mode = node.args[0].value if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) else ""
        if mode == pixels.RGB:
            return of._replace(axes="HWC")
        return of._replace(order="", axes="HW") if mode == "L" else None
    return of if name in ("resize", "thumbnail") else _kept(of, name)


def by_function(node: ast.Call, name: str, values: Sequence[Value], skimage: Collection[str]) -> Value:
    """Of what a function is given. skimage: the names that are imported from scikit-image."""
    if name in _BLANKS:
        return BLANK
    if name in _DRAWS:
        return _DRAWS[name] if len(node.args) < 3 and not node.keywords else None
    if not any(isinstance(one, Pixels) for one in values) and pixels.is_mean(name):
        return MEAN
    first = values[0] if values else None
    if not isinstance(first, Pixels):
        return first if name in _KEEP or name in _TYPES or name in SAME else None
    rest = node.args[1:]
    types = [word.value for word in node.keywords if word.arg == "dtype"]
    if name in _TYPES:
        return pixels.cast(first, ast.Constant(name))
    if name in ("array", "asarray"):
        given = [*rest, *types]
        return pixels.cast(first, given[0]) if given else first
    if name in _LISTS:
        return first.unordered if name not in _AT_FIRST or rest or node.keywords else first
    if name == "transpose":
        return pixels.permuted(first, rest or [w.value for w in node.keywords if w.arg == "axes"])
    if name == "swapaxes":
        return pixels.exchanged(first, rest)
    if name in ("rollaxis", "moveaxis"):
        return pixels.moved(first, rest, name == "rollaxis")
    if name == "expand_dims":
        axes = [*rest, *(word.value for word in node.keywords)]
        at = pixels.whole(axes[0]) if len(axes) == 1 else None
        return pixels.with_axis(first, at if at is not None else -1)
    if name == "reshape":
        return pixels.reshaped(first, rest, node.lineno, short(node))
    if name == "cvtColor":
        return pixels.turned(first, rest[0] if rest else None)
    if name == "resize":
        return _resized(node, first, skimage)
    if name == "imresize":
        return first if first.is_whole else None
    return _kept(first, name)


def _kept(value: Pixels, name: str) -> Pixels | None:
    if name == "squeeze":
        return value._replace(axes="" if "N" in value.axes else value.axes)
    return value if name in _KEEP else None


def _resized(node: ast.Call, value: Pixels, skimage: Collection[str]) -> Value:
    """That of scikit-image makes fractions of whole numbers, unless it is told not to."""
    owner = dotted(node.func).rpartition(".")[0].rpartition(".")[2]
    if owner in ("cv2", "cv", "io"):
        return value
    is_of_skimage = owner == "transform" or "resize" in skimage and not owner
    if not is_of_skimage or value.is_whole is None:
        return None
    keeps = any(word.arg == "preserve_range" for word in node.keywords) or not value.is_whole
    return value._replace(is_whole=False) if keeps else value._replace(factor=value.factor / 255, is_whole=False)
