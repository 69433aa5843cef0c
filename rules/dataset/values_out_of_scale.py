from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import IMAGE, DataEvidence, DatasetRule, Feed, Top, transformed_values
from caffelint.lint import WARNING, Finding, Invalid, title
from caffelint.lint.built import Blob, Values

from ._example import NET, SOUND, project, records
from ._words import has_outliers, number, once, path, source_place


def _after_data(layer: str) -> str:
    """The net of the examples, with a layer from "data" to "p" before its first one."""
    return NET.replace('bottom: "data"', 'bottom: "p"').replace(
        'layer {\n  name: "fc"', layer + 'layer {\n  name: "fc"'
    )


_LARGE = 1e4
_SMALL = 0.02
_LITTLE = 1e-3
"""A loss_weight that makes up for large targets."""


class ValuesOutOfScale(DatasetRule):
    """What a layer feeds to the net is in the tens of thousands, or nearly nothing.

    ## Why is this bad?
    Fillers and the usual rates suit inputs of about 1, or pixels up to 255. Activations and gradients grow with the
    input: far larger values overflow within a few iterations. Values of less than 0.02 are mostly pixels that were
    divided by 255 twice, once when they were written and once by `scale`, and the net sees almost no difference.

    A net begins with answers of about 1, too: the gradient of a EuclideanLoss is as large as its targets are far from
    that.
    """

    code = "E111"
    name = "values-out-of-scale"
    severity = WARNING
    _SCALED = NET.replace("batch_size: 4 }", "batch_size: 4 } transform_param { scale: 0.00390625 }")
    _POWER = 'layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { scale: 1e-5 } }\n'
    _DIVIDED = (
        'layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { scale: 0.00390625 shift: -0.5 } }\n'
    )
    _NORMED = (
        'layer { name: "both" type: "Concat" bottom: "data" bottom: "data" top: "both" }\n'
        'layer { name: "norm" type: "BatchNorm" bottom: "both" top: "p" }\n'
    )
    _TARGET = NET.replace("SoftmaxWithLoss", "EuclideanLoss").replace("num_output: 3", "num_output: 1")
    VALID = [
        SOUND,
        project(records(100, 250, 800), _TARGET),
        project(records(1e5, 2.5e5, 8e5), _TARGET.replace('top: "loss"', 'top: "loss" loss_weight: 1e-6')),
        project(records(0, 1, image="1x2x2 0.5 100000 20 3"), _after_data(_NORMED)),
        project(records(0, 1, image="1x2x2 0 100 200 250"), _SCALED),
        project(records(0, 1, image="1x2x2 0.5 100000 20 3"), _after_data(_POWER)),
    ]
    INVALID = [
        Invalid(
            project(records(0, 1, image="1x2x2 0.5 100000 20 3")),
            span='source: "train_lmdb"',
            message='Data "data": values of "train_lmdb" reach 1e+05 in "data", so training may overflow; divide them'
            " by a constant, such as their spread of 4.33e+04",
        ),
        Invalid(
            project(records(100000, 250000, 800000), _TARGET),
            span='source: "train_lmdb"',
            message='Data "data": values of "train_lmdb" reach 8e+05 in "label", so training may overflow; divide them'
            " by a constant, such as their spread of 3.009e+05",
        ),
        Invalid(
            project(records(0, image="1x22x22 0.5 1 20 3") + "\nlabel 0; image 1x2x2 9e36 1 2 3"),
            span='source: "train_lmdb"',
            message='Data "data": values of "train_lmdb" reach 9e+36 in "data", so training may overflow; only a few of'
            " them do, so look for values that stand for missing ones",
        ),
        Invalid(
            project(records(0, 1, image="1x2x2 0.1 1.0 0.2 0.3"), _SCALED),
            span="scale: 0.00390625",
            message='Data "data": values of "train_lmdb" are 0.1 to 1, and scale 0.003906 makes 0.0003906 to 0.003906'
            " of them; remove scale if they were divided before",
        ),
        Invalid(
            project(records(0, 1, image="1x2x2 0.1 1.0 0.2 0.3"), _after_data(_DIVIDED)),
            span="scale: 0.00390625",
            message='Power "p": scale 0.003906 makes -0.4996 to -0.4961 of the values of "train_lmdb", which are 0.1 to'
            " 1; remove it if they were divided before",
        ),
        # Each net has its own.
        Invalid(
            {
                "solver.prototxt": 'train_net: "a.prototxt" test_net: "b.prototxt" test_iter: 9',
                "a.prototxt": _after_data(_DIVIDED),
                "b.prototxt": _after_data(_DIVIDED),
                "train_lmdb": records(0, 1, image="1x2x2 0.1 1.0 0.2 0.3"),
            },
            span=("scale: 0.00390625", "scale: 0.00390625"),
            message=(
                'Power "p": scale 0.003906 makes -0.4996 to -0.4961 of the values of "train_lmdb", which are 0.1 to 1;'
                " remove it if they were divided before",
            )
            * 2,
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        shrunk: set[tuple[str, int]] = set()
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                compared = [one.layer for one in feed.readers(key)]
                if feed.top_of(key) is None or top.low is None or _normalised(feed, key):
                    continue
                if compared and not any(
                    one.is_distance and max(one.loss_weights, default=0.0) > _LITTLE for one in compared
                ):
                    continue
                yield from self._top(data, feed, key, top, shrunk)

    def _top(
        self, data: DataEvidence, feed: Feed, key: str, top: Top, shrunk: set[tuple[str, int]]
    ) -> Iterator[Finding]:
        blob = feed.top_of(key)
        after = next(transformed_values(data, feed, top), None) if key == IMAGE else None
        first, last = top.low or 0.0, top.high or 0.0
        low, high = (after.low, after.high) if after is not None else (first, last)
        reach = max(abs(low), abs(high))
        differs = top.all.spread > 0 and not top.far_off  # value-far-from-others
        if reach > _LARGE and differs and blob is not None and not _is_brought_down(blob, Values(low, high)):
            spread = after.spread if after is not None else top.all.spread
            remedy = f"divide them by a constant, such as their spread of {number(spread)}"
            if has_outliers(first, last, top.all.mean, top.all.spread):
                remedy = "only a few of them do, so look for values that stand for missing ones"
            yield self.finding(
                feed.layer.at(*source_place(feed)),
                f'{title(feed.layer)}: values of {path(feed)} reach {number(reach)} in "{blob.name}", so training may'
                f" overflow; {remedy}",
                phases=feed.phases,
            )
        param = feed.layer.message.transform_param
        if after is not None and high - low < _SMALL and param.scale < 0.1 and last > first:
            yield self.finding(
                feed.layer.at("transform_param", "scale"),
                f"{title(feed.layer)}: values of {path(feed)} are {number(first)} to {number(last)}, and"
                f" scale {number(param.scale)} makes {number(low)} to {number(high)} of them; remove scale if they"
                " were divided before",
                phases=feed.phases,
            )
        elif blob is not None and high - low > _SMALL:
            yield from self._shrunk(feed, blob, Values(low, high), shrunk)

    def _shrunk(self, feed: Feed, blob: Blob, values: Values, told: set[tuple[str, int]]) -> Iterator[Finding]:
        """A Power after the data that leaves next to nothing of them, as one that is for pixels up to 255."""
        for layer in (layer for layer, _ in blob.readers if layer.type == "Power"):
            made, net = next(iter(layer.values([values])), None), feed.layer.net
            if layer.index is None or (net.path, layer.index) in told or made is None or made.high - made.low >= _SMALL:
                continue
            written = net.layers[layer.index]
            param = written.message.power_param
            if 0 < abs(param.scale) < 0.1 and param.power == 1 and not _loses_scale(layer.tops[0]):
                told.add((net.path, layer.index))
                yield self.finding(
                    written.at("power_param", "scale"),
                    f"{title(written)}: scale {number(param.scale)} makes {number(made.low)} to {number(made.high)} of"
                    f" the values of {path(feed)}, which are {number(values.low)} to {number(values.high)}; remove it"
                    " if they were divided before",
                    phases=feed.phases,
                )


def _is_brought_down(blob: Blob, values: Values) -> bool:
    """Does each layer that reads it make small values of all of these, as a Power does?"""
    made = [one for layer, _ in blob.readers for one in layer.values([values]) if len(layer.bottoms) == 1]
    return len(made) == len(blob.readers) and all(max(abs(one.low), abs(one.high)) <= _LARGE for one in made)


def _normalised(feed: Feed, key: str) -> bool:
    """Is the scale taken away by the layers that read it?"""
    blob = feed.top_of(key)
    return blob is None or _loses_scale(blob)


def _loses_scale(blob: Blob) -> bool:
    """Through those that only put values elsewhere, as a Concat."""
    pending, seen = [blob], {blob}
    while pending:
        one = pending.pop()
        if not one.readers or any(layer.normalises is not False for layer, _ in one.readers):
            return True
        tops = [top for layer, _ in one.readers if layer.rearranges for top in layer.tops if top not in seen]
        pending += tops
        seen.update(tops)
    return False
