"""What transform_param makes of the values of images, by their ends and sums (data_transformer.cpp, Transform)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from caffelint.evidence.data.sources import Feed
from caffelint.evidence.data.values import Top

if TYPE_CHECKING:
    from caffelint.evidence.data.evidence import DataEvidence


class After(NamedTuple):
    """The values that a layer puts into the net. means: of the channels. spread: the largest of them."""

    low: float
    high: float
    means: tuple[float, ...]
    spread: float

    @property
    def middle(self) -> str:
        means = ", ".join(f"{mean:.4g}" for mean in self.means[:4])
        return f"mean {means}, spread {self.spread:.4g}"


def transformed_values(data: DataEvidence, feed: Feed, top: Top) -> Iterator[After]:
    """The values after mean and scale; nothing where there is no transform_param that changes them."""
    param = feed.layer.message.transform_param
    if not feed.made.transforms or not top.channels or not feed.layer.message.HasField("transform_param"):
        return
    means = list(param.mean_value)
    if param.HasField("mean_file"):
        file = data.means.get(param.mean_file)
        if file is None or not file.values:
            return
        means = list(file.values)
    means = means or [0.0]
    if len(means) not in (1, len(top.channels)):
        return
    found = []
    for number, channel in enumerate(top.channels):
        mean = means[number if len(means) > 1 else 0]
        if channel.low is None or channel.high is None:
            return
        ends = [(end - mean) * param.scale for end in (channel.low, channel.high)]
        found.append((min(ends), max(ends), (channel.mean - mean) * param.scale, channel.spread * abs(param.scale)))
    if means != [0.0] or param.scale != 1:
        lows, highs, middles, spreads = zip(*found, strict=True)
        yield After(min(lows), max(highs), tuple(middles), max(spreads))
