"""How an image becomes the input that a net was trained on, told from its data layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.lint.edits import quoted

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import Shape


class Card(NamedTuple):
    """The steps for one input, in Caffe's order (data_transformer.cpp, Transform): crop, subtract, multiply.

    shape: of one batch. channel_order: "BGR", as OpenCV reads images; "" where there are not three channels.
    mean_values: one for each channel, or one for all.
    """

    input: str
    shape: tuple[int, ...]
    channel_order: str
    resize: tuple[int, int] | None
    crop: int
    mean_values: tuple[float, ...]
    mean_file: str
    scale: float

    def as_json(self) -> dict[str, Any]:
        return self._asdict()

    def lines(self) -> list[str]:
        """As the comment of a net: no name in them ends a line."""
        dims = "x".join(map(str, self.shape))
        order = f", channels in the order {self.channel_order}" if self.channel_order else ""
        steps = [f"{quoted(self.input)} is {dims}{order}, values 0 to 255"]
        if self.resize:
            steps.append(f"resize to {self.resize[0]} x {self.resize[1]} (height x width)")
        if self.crop:
            steps.append(f"take the {self.crop} x {self.crop} pixels in the middle")
        if self.mean_values:
            steps.append(f"subtract {', '.join(f'{value:g}' for value in self.mean_values)}")
        if self.mean_file:
            steps.append(f"subtract the mean in {quoted(self.mean_file)}")
        if self.scale != 1:
            steps.append(f"multiply by {self.scale:.9g}")
        return steps


def card(layer: BuiltLayer, name: str, shape: Shape) -> Card | None:
    """The card of a data layer's first top; None where the layer transforms nothing."""
    if not layer.transforms and not layer.message.HasField("transform_param"):
        return None
    t = layer.message.transform_param
    return Card(
        name,
        tuple(shape),
        "BGR" if len(shape) == 4 and shape[1] == 3 else "",
        resize(layer),
        int(t.crop_size),
        tuple(t.mean_value),
        t.mean_file,
        float(f"{t.scale:.7g}"),  # as it was written, before it became a float of 32 bits
    )


def resize(layer: BuiltLayer) -> tuple[int, int] | None:
    """The height and width that a layer scales images to, in whichever block it says so; None for none."""
    for _, block in layer.message.ListFields():
        sides = int(getattr(block, "new_height", 0)), int(getattr(block, "new_width", 0))
        if all(sides):
            return sides
    return None
