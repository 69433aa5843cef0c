"""A plot of data sets: labels, values as the net sees them, and a sheet of samples, the worst records marked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caffelint.evidence.data.evidence import DataEvidence, name_of
from caffelint.evidence.data.samples import Sample
from caffelint.evidence.data.scan import Scan
from caffelint.evidence.data.sources import Feed
from caffelint.evidence.data.values import LABEL, Facts, Top
from caffelint.lint.words import title
from caffelint.text.pictures import new_figure, plain, span, write_plot

SAMPLES = 24
_COLUMNS = 12
_WORST = 6
_MOST_SOURCES = 6
_MOST_BARS = 200
_BAD = "tab:red"
_CHANNELS = ("tab:blue", "tab:green", "tab:red")
"""Of images as OpenCV has them: blue first."""


def draw(found: Sequence[DataEvidence], scan: Scan, path: Path) -> None:
    """Write the plot. Raises ImportError without matplotlib, OSError if it cannot be written."""
    rows: dict[Any, tuple[DataEvidence, Feed, Facts]] = {}
    for data in found:
        for feed, facts in data.read:
            rows.setdefault((id(feed.layer), feed.source), (data, feed, facts))
    shown = list(rows.values())[:_MOST_SOURCES]
    figure = new_figure(figsize=(13, max(5.4 * len(shown), 2)))
    parts = figure.subfigures(max(len(shown), 1), 1, squeeze=False)[:, 0]
    for part, (data, feed, facts) in zip(parts, shown, strict=False):
        source = feed.source
        assert source is not None
        worst = _worst(feed, facts)
        samples = scan.samples(source, _transform(data, feed), feed.phases[0], SAMPLES, worst)
        what = f"{'/'.join(feed.phases)} {title(feed.layer)}, {facts.records:,} records"
        part.suptitle(f"{plain(name_of(source))}: {plain(what)}")
        upper, lower = part.subfigures(2, 1, height_ratios=[1, 1.3])
        left, right = upper.subplots(1, 2)
        _labels(left, feed, facts)
        _values(right, [sample for sample in samples if sample.name not in worst])
        _sheet(lower, samples, set(worst))
    write_plot(figure, path, "caffelint data")


def _worst(feed: Feed, facts: Facts) -> list[str]:
    """The names of the first records of each fault, and of labels outside of the classes."""
    faults = [*facts.faults.values(), *(fault for top in facts.tops.values() for fault in top.faults.values())]
    names = [name for fault in faults for name in fault.examples[:2]]
    for key, top in facts.tops.items():
        names += [name for value, name in top.first_of.items() if value not in _inside(feed, key, top)]
    return list(dict.fromkeys(names))[:_WORST]


def _inside(feed: Feed, key: str, top: Top) -> set[float]:
    """The values of a top that all layers take which have a score for each class."""
    allowed = [reader.expected for reader in feed.readers(key) if reader.layer.reads_classes(reader.bottom)]
    return {
        value
        for value in top.values or ()
        if all(one.low <= value <= one.high or value == one.ignored for one in allowed)
    }


def _transform(data: DataEvidence, feed: Feed) -> str:
    from google.protobuf import text_format

    if not feed.made.transforms or not feed.layer.message.HasField("transform_param"):
        return ""
    param: Any = type(feed.layer.message.transform_param)()
    param.CopyFrom(feed.layer.message.transform_param)
    if param.HasField("mean_file"):
        mean = data.means.get(param.mean_file)
        if mean is None or not mean.path:
            return ""
        param.mean_file = mean.path
    return str(text_format.MessageToString(param))


def _labels(axis: Any, feed: Feed, facts: Facts) -> None:
    key = next((feed.key(n) for n in range(len(feed.made.top_names)) if any(feed.readers(feed.key(n)))), LABEL)
    top: Top | None = facts.tops.get(key)
    axis.set(title=plain(f'labels "{key}"'), ylabel="records")
    if top is None or not top.values:
        axis.text(0.5, 0.5, "no labels to count", ha="center", va="center", transform=axis.transAxes)
        return
    inside = _inside(feed, key, top)
    values = sorted(top.values)
    if len(values) > _MOST_BARS:
        axis.plot(values, [top.values[value] for value in values], linewidth=0.8)
        return
    good = [value for value in values if value in inside]
    bad = [value for value in values if value not in inside]
    axis.bar(range(len(good)), [top.values[value] for value in good])
    axis.bar(range(len(good), len(values)), [top.values[value] for value in bad], color=_BAD, label="outside")
    every = max(1, math.ceil(len(values) / 20))
    names = [f"{value:g}" for value in [*good, *bad]]
    axis.set_xticks(range(0, len(values), every), names[::every])
    counts = list(top.values.values())
    if max(counts) > 50 * min(counts):
        axis.set_yscale("log")
    if bad:
        axis.legend(fontsize=7)


def _values(axis: Any, samples: Sequence[Sample]) -> None:
    """The values of the samples, a line for each channel."""
    import numpy as np

    axis.set(title=f"values of {len(samples)} records as the net sees them", ylabel="share")
    images = [sample.values for sample in samples]
    channels = images[0].shape[0] if images and images[0].ndim == 3 and images[0].shape[0] <= 4 else 1
    for number in range(channels):
        some = [one[number] if channels > 1 and len(one) == channels else one for one in images]
        flat = np.concatenate([one.ravel()[: 1 << 16] for one in some]) if some else np.zeros(0)
        flat = flat[np.isfinite(flat)].astype(np.float64)  # float32 has no bins between two neighbours
        if not flat.size:
            continue
        counts, edges = np.histogram(flat, 64, span(flat.min(), flat.max()))
        color = _CHANNELS[number] if channels == 3 else None
        axis.stairs(counts / flat.size, edges, color=color, label=f"channel {number}" if channels > 1 else None)
    axis.grid(alpha=0.3)
    if channels > 1:
        axis.legend(fontsize=7)


def _sheet(part: Any, samples: Sequence[Sample], worst: set[str]) -> None:
    """All samples, those of `worst` in a red frame."""
    shown = samples[: SAMPLES + _WORST]
    lines = max(1, math.ceil(len(shown) / _COLUMNS))
    axes = part.subplots(lines, _COLUMNS, squeeze=False).ravel()
    for axis in axes:
        axis.set_axis_off()
    for axis, sample in zip(axes, shown, strict=False):
        axis.set_axis_on()
        axis.set(xticks=[], yticks=[])
        label = "" if sample.label is None else f"{sample.label:g}"
        axis.set_title(plain(label), fontsize=8, color=_BAD if sample.name in worst else "black")
        for side in axis.spines.values():
            side.set(edgecolor="lightgray", linewidth=1)
            if sample.name in worst:
                side.set(edgecolor=_BAD, linewidth=2)
        _picture(axis, sample.values)


def _picture(axis: Any, values: Any) -> None:
    import numpy as np

    values = values.astype(np.float64)
    if values.ndim == 3 and min(values.shape[1:]) > 1:
        planes = values[:3][::-1] if values.shape[0] >= 3 else values[:1]
        finite = planes[np.isfinite(planes)]
        low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
        pixels = np.nan_to_num((planes - low) / max(high - low, 1e-12), nan=1, posinf=1, neginf=0).transpose(1, 2, 0)
        axis.imshow(pixels if pixels.shape[2] == 3 else pixels[:, :, 0], cmap="gray", vmin=0, vmax=1)
    else:
        axis.plot(values.ravel()[:4096], linewidth=0.6)
