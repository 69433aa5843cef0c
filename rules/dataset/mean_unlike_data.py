from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import IMAGE, DataEvidence, DatasetRule, Feed, Top, shape_of
from caffelint.lint import ERROR, WARNING, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import number, once, path

_CLOSE = 0.05
_SPREADS = 1.5
"""So many times the spread of the data is farther off than the mean of a part of it would be."""


class MeanUnlikeData(DatasetRule):
    """What `transform_param` subtracts has another size than the data, or is far from its mean.

    ## Why is this bad?
    Caffe stops where a mean file has another number of channels, or another height or width, than the image before it
    is cropped. A mean that is far off shifts all input to one side: means of 104, 117 and 123 belong to bytes, not to
    values from 0 to 1.

    ## References
    - data_transformer.cpp, Transform: `datum_channels == data_mean_.channels()`
    """

    code = "E110"
    name = "mean-unlike-data"
    severity = ERROR
    _FILE = NET.replace("batch_size: 4 }", 'batch_size: 4 } transform_param { mean_file: "mean.binaryproto" }')
    _VALUE = NET.replace("batch_size: 4 }", "batch_size: 4 } transform_param { mean_value: 104 }")
    VALID = [
        SOUND,
        {**project(records(0, 1, 2), _FILE), "mean.binaryproto": "1x2x2 1.5"},
        project(records(0, 1, 2, image="1x2x2 10 100 200 60"), _VALUE),
    ]
    INVALID = [
        Invalid(
            {**project(records(0, 1, 2), _FILE), "mean.binaryproto": "3x2x2 1 2 1"},
            span='mean_file: "mean.binaryproto"',
            message='Data "data": mean_file "mean.binaryproto" is 3x2x2, but records of "train_lmdb" are 1x2x2, so'
            " Caffe stops; compute it from this data with compute_image_mean",
        ),
        Invalid(
            {
                **project(records(0, 1, 2, image="1x2x2 10 100 200 60"), _FILE),
                "mean.binaryproto": "1x2x2 277.5",
            },
            span='mean_file: "mean.binaryproto"',
            message='Data "data": mean_file "mean.binaryproto" has the mean 277.5, but that of "train_lmdb" is 92.5 and'
            " its values are 10 to 200, so all input is far below 0; it is 3 times the mean, and there are 3 records;"
            " divide the sum by their number",
        ),
        Invalid(
            project(records(0, 1, 2, image="1x2x2 0.1 0.3 0.9 0.6"), _VALUE),
            span="mean_value: 104",
            message='Data "data": mean_value 104 is subtracted, but the mean of "train_lmdb" is 0.475 and its values'
            " are 0.1 to 0.9, so all input is far below 0; set mean_value: 0.475",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            top = facts.tops.get(IMAGE)
            if top is None or not top.shapes or not feed.made.transforms or feed.made.fork:
                continue
            param = feed.layer.message.transform_param
            if param.HasField("mean_file"):
                yield from self._file(data, feed, top)
            elif param.mean_value:
                yield from self._values(feed, top)

    def _file(self, data: DataEvidence, feed: Feed, top: Top) -> Iterator[Finding]:
        name = feed.layer.message.transform_param.mean_file
        mean = data.means.get(name)
        place = feed.layer.at("transform_param", "mean_file")
        if mean is None:
            return
        if mean.error:
            yield self.finding(place, f"{title(feed.layer)}: {mean.error}, so Caffe stops", phases=feed.phases)
            return
        wrong = [text for text in top.shapes if shape_of(text) != mean.shape]
        if wrong and not (feed.source and feed.source.kind == "windows"):
            some = "records" if len(wrong) == len(top.shapes) else "some records"
            yield self.finding(
                place,
                f'{title(feed.layer)}: mean_file "{name}" is {"x".join(map(str, mean.shape))}, but {some} of'
                f" {path(feed)} are {wrong[0]}, so Caffe stops; compute it from this data with compute_image_mean",
                phases=feed.phases,
            )
        elif off := _off(top, mean.values):
            count = _added_up(data, top, mean.values)
            what = f'{title(feed.layer)}: mean_file "{name}" has the mean {_listed(mean.values)}, but that of'
            what += f" {path(feed)} is {off[0]}"
            remedy = "compute it from this data with compute_image_mean"
            if count:
                what += f"; it is {count:,} times the mean, and there are {count:,} records"
                remedy = "divide the sum by their number"
            yield self.finding(
                place,
                f"{what}; {remedy}",
                severity=WARNING,
                phases=feed.phases,
            )

    def _values(self, feed: Feed, top: Top) -> Iterator[Finding]:
        values = list(feed.layer.message.transform_param.mean_value)
        place = feed.layer.at("transform_param", "mean_value")
        channels = {shape_of(text)[0] for text in top.shapes}
        if len(values) > 1 and channels != {len(values)}:
            found = next(iter(channels - {len(values)}))
            yield self.finding(
                place,
                f"{title(feed.layer)}: mean_value is set {len(values)} times, but images of {path(feed)} have"
                f" {found} channel{'' if found == 1 else 's'}, so Caffe stops; set it once, or once for each channel",
                phases=feed.phases,
            )
        elif off := _off(top, values):
            yield self.finding(
                place,
                f"{title(feed.layer)}: mean_value {_listed(values)} is subtracted, but the mean of {path(feed)} is"
                f" {off[0]}; set {off[1]}",
                severity=WARNING,
                phases=feed.phases,
            )


def _added_up(data: DataEvidence, top: Top, values: tuple[float, ...]) -> int:
    """The number of records of a source, if a mean file holds so many times the mean: a sum; else 0."""
    known = [(one.mean, value) for one, value in zip(top.channels, values, strict=False) if one.mean]
    for count in sorted({facts.records for _, facts in data.read}):
        if known and count > 1 and all(abs(value / mean / count - 1) < _CLOSE for mean, value in known):
            return count
    return 0


def _off(top: Top, values: list[float] | tuple[float, ...]) -> tuple[str, str] | None:
    """What the data has, where the means are far from it, and what to set."""
    channels = top.channels
    if len(values) not in (1, len(channels)) or not any(values):
        return None
    means = [values[number if len(values) > 1 else 0] for number in range(len(channels))]
    if not all(abs(one.mean - mean) > _SPREADS * one.spread for one, mean in zip(channels, means, strict=True)):
        return None
    whole = top.all
    if whole.low is None or whole.high is None or whole.low == whole.high:
        return None
    side = "below" if means[0] > channels[0].mean else "above"
    found = _listed([one.mean for one in channels])
    what = f"{found} and its values are {number(whole.low)} to {number(whole.high)}, so all input is far {side} 0"
    return what, " ".join(f"mean_value: {number(one.mean)}" for one in channels)


def _listed(values: list[float] | tuple[float, ...]) -> str:
    return ", ".join(number(value) for value in values[:4])
