"""What the text of a layer sets, in a few words for its box."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from caffelint.caffe.windows import DILATION, KERNEL, PAD, STRIDE, side_field

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.windows import Window

_OF_WINDOWS = frozenset(
    [KERNEL, STRIDE, PAD, DILATION, *(side_field(name, axis) for name in (KERNEL, STRIDE, PAD) for axis in (0, 1))]
)
_MOST = 3
_LONGEST = 16


def settings(layer: BuiltLayer) -> str:
    """`64, 7x7/2` of a convolution, `MAX, 3x3/2` of a pooling; empty for a layer without a block of its own."""
    if layer.message is None or not layer.block:
        return ""
    written = layer.written_windows()
    fields = list(_fields(layer.parameters))
    if written is not None:
        fields = [text for text in fields if " " not in text or text.startswith("group ")]
        fields.insert(1 if fields else 0, _windows(*written))
    return ", ".join(fields[:_MOST])


def _windows(tall: Window, wide: Window) -> str:
    text = f"{tall.kernel}x{wide.kernel}"
    if (tall.stride, wide.stride) != (1, 1):
        text += f"/{tall.stride}" if tall.stride == wide.stride else f"/{tall.stride}x{wide.stride}"
    if (tall.dilation, wide.dilation) != (1, 1):
        text += f" dilated {max(tall.dilation, wide.dilation)}"
    return text


def _fields(message: Any) -> Iterator[str]:
    """Each field as `name value`; the value only of those that explain themselves."""
    for field, value in message.ListFields():
        if field.message_type is not None or field.name in _OF_WINDOWS:
            continue
        if field.is_repeated:
            text = "x".join(map(str, value[:4]))
        elif field.enum_type is not None:
            text = field.enum_type.values_by_number[value].name
        elif isinstance(value, bool):
            text = str(value).lower()
        else:
            text = f"{value:g}" if isinstance(value, float) else str(value)
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        is_plain = field.name == "num_output" or field.enum_type is not None
        yield text if is_plain else f"{field.name} {text}"
