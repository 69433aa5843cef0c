"""Convolutions whose pad or kernel makes maps of another size than those of all others do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import log2

from caffelint.lint import NamedTuple
from caffelint.lint.built import BuiltLayer, BuiltNet, Window, written_field

from ._odd import LEAST, odd_one


class OddWindow(NamedTuple):
    """A convolution, the field at fault, its value and the right one, and what the others do."""

    layer: BuiltLayer
    field: str
    value: int
    right: int
    others: str


def odd_windows(one: BuiltNet) -> Iterator[OddWindow]:
    """Each convolution once, for the first reason that is found."""
    layers = [
        layer
        for layer in one.layers
        if layer.type == "Convolution" and layer.index is not None and layer.written_windows()
    ]
    told = set()
    for found in chain(_odd_pads(layers), _even_kernels(layers), _first_without(layers)):
        if found.layer not in told:
            told.add(found.layer)
            yield found


def _odd_pads(layers: Sequence[BuiltLayer]) -> Iterator[OddWindow]:
    """One pad of many that does not keep the size of the map."""
    groups: dict[tuple[int, int], list[tuple[BuiltLayer, int]]] = {}
    for layer in layers:
        windows = layer.written_windows()
        if windows and windows[0] == windows[1] and windows[0].dilation == 1:
            kernel, stride, pad, _ = windows[0]
            groups.setdefault((kernel, stride), []).append((layer, pad - kernel // 2))
            if stride == 1 and kernel % 2:
                groups.setdefault((0, stride), []).append((layer, max(pad - kernel // 2, 0)))
    for (kernel, stride), rows in groups.items():
        odd = odd_one(rows, ends=False)
        if odd and odd.others == 0:
            windows = odd.layer.written_windows()
            half = windows[0].kernel // 2 if windows else 0
            if windows and windows[0].pad > windows[0].kernel:
                continue  # so many are meant, as those that FCN puts around an image
            like = f"with kernel_size {kernel} and stride {stride} have {half}"
            others = f"the other {odd.many} convolutions {like if kernel else 'with stride 1 make no map larger'}"
            yield OddWindow(odd.layer, "pad", half + odd.value, half, others)


def _even_kernels(layers: Sequence[BuiltLayer]) -> Iterator[OddWindow]:
    """A kernel that makes a map larger by one, while with the pad that it has all others keep its size."""
    for axis in (0, 1):
        groups: dict[int, list[tuple[BuiltLayer, int]]] = {}
        for layer in layers:
            window = _windows(layer)[axis]
            if window.stride == window.dilation == 1 and 0 < window.pad < window.kernel:
                groups.setdefault(window.pad, []).append((layer, window.kernel))
        for pad, rows in groups.items():
            right = 2 * pad + 1
            odd = [layer for layer, kernel in rows if kernel == right - 1]
            many = sum(kernel == right for _, kernel in rows)
            if many < LEAST * max(1, len(odd)) or many + len(odd) < len(rows):
                continue
            for layer in odd:
                kernel, other = (written_field(layer.parameters, name, axis) for name in ("kernel_size", "pad"))
                others = f"{many} other convolutions with {other} {pad} have {right}"
                yield OddWindow(layer, kernel, right - 1, right, others)


def _first_without(layers: Sequence[BuiltLayer]) -> Iterator[OddWindow]:
    """A first convolution that is the only one of its kernel without a pad, by which maps are then halved unevenly."""
    if len(layers) <= LEAST:
        return
    first, (window, wide) = layers[0], _windows(layers[0])
    half = window.kernel // 2
    same = [layer for layer in layers[1:] if _windows(layer)[0]._replace(pad=0) == window]
    if window != wide or window.pad or window.stride != 1 or window.kernel % 2 == 0 or half == 0:
        return
    if len(same) < LEAST or any(pad != half * dilation for layer in same for _, _, pad, dilation in _windows(layer)):
        return
    if _halves_unevenly(first, layers):
        others = f"{len(same)} other convolutions with kernel_size {window.kernel} and stride 1 have {half}"
        yield OddWindow(first, "pad", 0, half, others)


def _halves_unevenly(first: BuiltLayer, layers: Sequence[BuiltLayer]) -> bool:
    """Could maps of the size of its bottom be halved as often as the net does it, which those that it makes cannot?"""
    shapes = [blob.shape for blob in (*first.bottoms, *first.tops)]
    sizes = {blob.shape[2] for layer in layers for blob in layer.bottoms if blob.shape and len(blob.shape) == 4}
    if len(shapes) != 2 or not all(shape and len(shape) == 4 and shape[2] > 0 for shape in shapes):
        return False
    before, after = (shape[2] for shape in shapes if shape)
    times = round(log2(before / min((size for size in sizes if size > 1), default=before)))
    return times > 1 and before % 2**times == 0 != after % 2**times


def _windows(layer: BuiltLayer) -> tuple[Window, Window]:
    windows = layer.written_windows()
    assert windows is not None
    return windows
