"""Where the windows of a layer are on its map."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import Kind, Layer, NamedTuple, Net, Refused, title
from caffelint.lint.built import BuiltLayer, Pooling, Shape, Window, pooled_size, written_field


class Axis(NamedTuple):
    """One spatial axis of a pooling: the field that gives its stride, and its numbers."""

    field: str
    window: Window

    def last_start(self, size: int) -> int:
        """Where the last window over `size` pixels starts, where windows are rounded up."""
        _, stride, pad, _ = self.window
        return (pooled_size(size, self.window.kernel, stride, pad, padded=bool(pad)) - 1) * stride - pad


def axes(layer: Layer) -> list[Axis]:
    """Height and width of a Pooling; one of the two where they are alike, none where it takes the whole map."""
    windows = layer.kind.written_windows()
    if windows is None:
        return []
    both = [Axis(written_field(layer.kind.parameters, "stride", i), window) for i, window in enumerate(windows)]
    return both[:1] if windows[0] == windows[1] else both


def may_be_empty(axis: Axis, layer: Layer) -> bool:
    """Can a window lie outside the map, at some size of it?"""
    kind = layer.kind
    kernel, stride, pad, _ = axis.window
    return stride > kernel and not pad and isinstance(kind, Pooling) and kind.rounds_up


def misfits(layer: BuiltLayer) -> Iterator[tuple[int, str, int]]:
    """Kernel, side of the map and its size with padding, where the kernel is the larger."""
    bottom, top = (blobs[0].shape if blobs else None for blobs in (layer.bottoms, layer.tops))
    if bottom is None or top is None or len(bottom) != 4:
        return
    if 0 not in top and not layer.has_weights:
        return
    # A window that is larger than its map has one place on it at most.
    if all(size > 1 for size in top[2:]):
        return
    for window, side, size in zip(layer.written_windows() or (), ("height", "width"), bottom[2:], strict=False):
        padded = size + 2 * window.pad
        if padded and window.extent > padded:
            yield window.extent, side, padded


class Emptied(NamedTuple):
    """A layer whose top has no elements, since its window is larger than its map."""

    layer: BuiltLayer
    kernel: int
    side: str
    size: int

    @property
    def remedy(self) -> str:
        return (
            f"{title(self.layer)} makes an empty blob, since kernel {self.kernel} is larger than the {self.side} of"
            f" {self.size} (padding included); use a larger input, a smaller kernel or padding"
        )


def emptied(refused: Refused) -> Iterator[Emptied]:
    """Those whose empty tops layers read that Caffe refuses for it."""
    if refused.refusal.kind is not Kind.NO_ELEMENTS:
        return
    read = {bottom for layer in refused.layers for bottom in layer.bottoms}
    for one in refused.net.states():
        for layer in one.layers:
            if layer.tops and layer.tops[0].name in read and 0 in (layer.tops[0].shape or ()):
                yield from (Emptied(layer, *misfit) for misfit in misfits(layer))


def has_one_position(layer: Layer, axis: int) -> bool:
    """Has the kernel one position on its map, as far as is known, or may it, since the map may be a vector?"""
    shapes = layer.net.once(_likely_shapes).get(layer.index, [])
    if shapes and all(shape is not None and shape[axis + 2 : axis + 3] == (1,) for shape in shapes):
        return True
    return None in shapes and any(True for _ in layer.net.layers_that(_is_of_any_shape))


def _likely_shapes(net: Net) -> dict[int, list[Shape | None]]:
    """The shapes of the first tops of layers, by index, in each state in which they are built."""
    found: dict[int, list[Shape | None]] = {}
    for state in net.states():
        for layer in net.likely(state.state).layers:
            if layer.tops and layer.index is not None:
                found.setdefault(layer.index, []).append(layer.tops[0].shape)
    return found


def _is_of_any_shape(kind: type[BuiltLayer]) -> bool:
    """Does a type of data layer hand over what its files hold, be it no images?"""
    return bool(kind.is_data and not kind.prefetches and kind.has_setting("source"))
