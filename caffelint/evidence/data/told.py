"""What data sets hold, in a few lines: records, shapes, values before and after transform_param, labels."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.states import TEST, TRAIN
from caffelint.evidence.data.evidence import DataEvidence, name_of, shapes_of
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.sources import Feed
from caffelint.evidence.data.transform import transformed_values
from caffelint.evidence.data.values import Facts, Top
from caffelint.lint.words import title
from caffelint.text.visible import visible

_ROWS = 12
_WIDTH = 30
_KINDS = {"lmdb": "LMDB", "leveldb": "LevelDB", "images": "list of images", "windows": "windows", "hdf5": "HDF5"}


def lines_of(data: DataEvidence) -> Iterator[str]:
    """A block of lines for each data layer."""
    alike: dict[tuple[int, Source | None], list[Feed]] = {}
    for feed in data.feeds:
        alike.setdefault((id(feed.layer), feed.source), []).append(feed)
    for feeds in alike.values():
        feed = feeds[0]
        phases = " and ".join(sorted({phase for other in feeds for phase in other.phases}))
        if feed.source is None:
            if not feed.is_read:
                yield visible(f"{title(feed.layer)} ({phases}) is not read: {feed.why}")
            continue
        scanned = data.scanned[feed.source]
        if scanned.error:
            continue
        kind = _KINDS[feed.source.kind]
        yield visible(f"{name_of(feed.source)} ({kind}, {phases} {title(feed.layer)}): {_read(scanned)}")
        yield from map(visible, _layer(data, feed, scanned.facts))
        yield ""


def _read(scanned: Scanned) -> str:
    facts = scanned.facts
    text = f"{facts.records:,} records, {facts.bytes / 1e6:,.1f} MB"
    if scanned.is_sample and facts.records < (facts.total or facts.records + 1):
        rare = 4.6 / max(facts.records, 1)
        of = f" of {facts.total:,}" if facts.total else ""
        text = f"a sample of {facts.records:,}{of} records; what is wrong in less than {100 * rare:.2g} % may be missed"
    return text + (f", {facts.encoded:,} of them encoded" if facts.encoded else "")


def _layer(data: DataEvidence, feed: Feed, facts: Facts) -> Iterator[str]:
    for number, name in enumerate(feed.made.top_names):
        top = facts.tops.get(feed.key(number))
        if top is None or not top.channels:
            continue
        shapes = list(top.shapes)
        more = f" and {len(shapes) - 1} other shapes" if len(shapes) > 1 else ""
        yield f'  "{name}" {shapes[0]}{more}: {_values(top)}'
        for after in transformed_values(data, feed, top) if number == 0 else ():
            yield f"    after transform_param: {after.low:.4g} to {after.high:.4g}, {after.middle}"
        if top.values is not None and (number or feed.key(number) != "image"):
            yield from _histogram(top.values)
    yield from _iterations(data, feed, facts)
    shape = shapes_of(feed, facts).get(feed.made.top_names[0]) if feed.made.top_names else None
    if shape is not None:
        yield f"  --input-shape {feed.made.top_names[0]}={'x'.join(map(str, shape))}"


def _values(top: Top) -> str:
    whole = top.all
    if whole.low is None or whole.high is None:
        return "no finite value"
    return f"{whole.low:.4g} to {whole.high:.4g}, mean {whole.mean:.4g}, spread {whole.spread:.4g}"


def _histogram(values: dict[float, int]) -> Iterator[str]:
    most = max(values.values(), default=1)
    if len(values) > 1000 or not all(value == int(value) for value in values):
        return
    rows = sorted(values)
    shown = rows if len(rows) <= _ROWS else rows[: _ROWS - 2]
    for value in shown:
        count = values[value]
        yield f"    {int(value):>6}  {count:>11,}  {'█' * max(round(_WIDTH * count / most), 1)}"
    if len(rows) > len(shown):
        counts = [values[value] for value in rows[len(shown) :]]
        yield f"    and {len(counts)} more, {min(counts):,} to {max(counts):,} times each"


def _iterations(data: DataEvidence, feed: Feed, facts: Facts) -> Iterator[str]:
    batch, total = feed.made.batch_size, facts.total or facts.records
    if not batch or not total:
        return
    text = f"  batch_size {batch}: {total / batch:,.6g} iterations for all records"
    solver = data.solver.message if data.solver else None
    if solver is not None and TRAIN in feed.phases and solver.max_iter:
        epochs = solver.max_iter * batch * max(solver.iter_size, 1) / total
        text += f"; max_iter {solver.max_iter:,} reads each {epochs:,.3g} times"
    if solver is not None and TEST in feed.phases and len(solver.test_iter) == 1:
        text += f"; test_iter {solver.test_iter[0]:,} reads {solver.test_iter[0] * batch:,} of {total:,}"
    yield text
