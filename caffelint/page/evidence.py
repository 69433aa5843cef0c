"""What other commands have written as JSON: scales, smoke runs, logs, data sets, weights. Each is a tab with plots.

The JSON may be anybody's: what has another form than expected is left out, and nothing of it is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from caffelint.lint.finding import SEVERITIES
from caffelint.page.charts import Series, bars, lines
from caffelint.page.markup import Markup, element, joined
from caffelint.page.summary import table
from caffelint.report.words import count, sentence

_MOST = 200
_MOST_SERIES = 40
_MOST_BARS = 30
_COPIED = {
    "copied": "get weights",
    "from_fillers": "start from fillers",
    "do_not_fit": "do not fit",
    "ignored": "only in the file",
    "unknown": "depend on the shape of the data",
}
"""What becomes of layers as weights are copied, in words."""


class Tab(NamedTuple):
    id: str
    title: str
    content: Markup


def tabs(given: Sequence[Mapping[str, Any]], known: Set[str] = frozenset()) -> list[Tab]:
    """Those that the JSON objects have something for, in a fixed order. known: messages that are shown elsewhere."""
    makers: tuple[tuple[str, str, str, Callable[[Any], Iterator[Markup]]], ...] = (
        ("scales", "Scales", "rows", _scales),
        ("smoke", "Smoke", "smoke", _smoke),
        ("log", "Log", "logs", _logs),
        ("data", "Data", "data", _data),
        ("weights", "Weights", "weights", _weights),
    )
    found = []
    for id_, title, key, make in makers:
        content: list[Markup] = []
        number = 0
        for one in given:
            if one.get(key):
                findings = list(_findings(one, known))
                number += len(findings)
                content += [*findings, *make(one if key == "rows" else one[key])]
        if content:
            found.append(Tab(id_, title + (f", {count(number, 'finding')}" if number else ""), joined(*content)))
    return found


def records(given: Sequence[Mapping[str, Any]]) -> int | None:
    """How many records the training data has, by what `caffelint data` has counted."""
    for one in given:
        for feed in _dicts(one.get("data")):
            total = _whole(feed.get("total")) or _whole(feed.get("records"))
            if total and "TRAIN" in _list(feed.get("phases")):
                return total
    return None


def _findings(found: Mapping[str, Any], known: Set[str]) -> Iterator[Markup]:
    """What the command found, as it said it."""
    for one in _dicts(found.get("findings"))[:_MOST]:
        severity = one.get("severity")
        if severity in SEVERITIES and _whole_text(one.get("message")) not in known:
            where = ":".join(_text(one[name]) for name in ("file", "line", "column") if one.get(name) is not None)
            badge = element("span", severity, class_=f"badge {severity}")
            rule = f"[{_text(one.get('code'))} {_text(one.get('name'))}]"
            said = sentence(_whole_text(one.get("message")))
            yield element("p", badge, f" {where} ", element("strong", said), f" {rule}")


def _scales(found: Any) -> Iterator[Markup]:
    rows = _dicts(found.get("rows"))
    if all(row.get("size") is None for row in rows):
        unknown = ", ".join(f'"{_text(layer)}"' for layer in _list(found.get("unknown"))[:_MOST_SERIES])
        yield element("p", f"No scale is known, since what these layers make is unknown: {unknown}.", class_="note")
        return
    for name, field in (("Values", "size"), ("Gradients", "gradient"), ("Update / weight", "update")):
        values = [(row, _number(row.get(field))) for row in rows]
        drawn = [(at, value) for at, (_, value) in enumerate(values) if value]
        if drawn:
            series = Series(name, [at for at, _ in drawn], [value for _, value in drawn])
            yield element("h3", f"{name}, layer by layer")
            yield lines(
                [series],
                f"{name} by layer",
                "layer, in the order of the table",
                "root mean square" if field != "update" else "ratio",
            )
    heads = ("layer", "type", "top", "mean", "size", "gradient", "weights", "update / weight", "")
    cells = [
        (
            *(_text(row.get(name)) for name in ("layer", "type", "top")),
            *(_shown(row.get(name)) for name in ("mean", "size", "gradient", "weights", "update")),
            ", ".join(map(_text, _list(row.get("odd")))),
        )
        for row in rows
    ]
    rate = _number(found.get("rate"))
    caption = "Before the first update" + (f", at a rate of {rate:g}" if rate else "")
    yield table(heads, cells, numbers=range(3, 8), caption=caption)
    for loss in _dicts(found.get("losses")):
        yield element("p", f'First loss of "{_text(loss.get("layer"))}": {_shown(loss.get("value"))}')
    if found.get("assumed"):
        yield element("p", "The scale of the data is guessed.", class_="note")


def _smoke(found: Any) -> Iterator[Markup]:
    if not isinstance(found, dict):
        return
    for line in _whole_text(found.get("verdict")).splitlines()[:_MOST]:
        yield element("p", sentence(line), class_="message")
    losses = [_number(value) for value in _list(found.get("losses"))]
    if losses:
        ys = [math.nan if value is None else value for value in losses]
        yield element("h3", "Loss of each iteration")
        yield lines([Series("loss", range(len(ys)), ys)], "Loss of each iteration", "iteration", "loss")
    for test in _dicts(found.get("test"))[:_MOST]:
        outputs = test.get("outputs")
        values = [
            (_text(name), _shown(value)) for name, value in (outputs if isinstance(outputs, dict) else {}).items()
        ]
        caption = f"Test net {_text(test.get('net'))}, {_text(test.get('passes'))} passes"
        yield table(("output", "value"), values, numbers=(1,), caption=caption)
    heads = ("change", "layer", "outcome", "iterations", "first loss", "last loss")
    rows = [
        (
            *(_text(one.get(name)) for name in ("change", "layer", "outcome", "iterations")),
            *(_shown(one.get(name)) for name in ("first", "last")),
        )
        for one in _dicts(found.get("experiments"))
    ]
    if rows:
        yield table(heads, rows, numbers=(3, 4, 5), caption="Experiments")
    made = f"Run by {_text(found.get('engine'))} on {_text(found.get('device'))}"
    yield element("p", made + (", with synthetic data." if found.get("synthetic") else "."), class_="note")


def _logs(found: Any) -> Iterator[Markup]:
    for log in _dicts(found):
        yield element("h3", _text(log.get("file")))
        for run in _dicts(log.get("runs"))[:_MOST]:
            last = _whole(run.get("iteration")) or 0
            ended = "done" if run.get("done") else "not done"
            yield element("p", f"The run from line {_whole(run.get('line')) or 0}: to iteration {last:,}, {ended}.")
            for title, series in _outputs(run):
                yield element("h4", title)
                yield lines(series[:6], title, "iteration", "value")


def _outputs(run: Mapping[str, Any]) -> list[tuple[str, list[Series]]]:
    """The outputs of a run, those of the same name in both phases together."""
    found: dict[str, list[Series]] = {}
    for output in _dicts(run.get("outputs"))[:_MOST_SERIES]:
        xs = [_number(value) or 0.0 for value in _list(output.get("iterations"))]
        ys = [math.nan if (one := _number(value)) is None else one for value in _list(output.get("values"))]
        name = _text(output.get("name"))
        if xs and ys:
            found.setdefault(name, []).append(Series(f"{_text(output.get('phase'))} {name}", xs, ys))
    return list(found.items())


def _data(found: Any) -> Iterator[Markup]:
    for feed in _dicts(found):
        phases = " and ".join(map(_text, _list(feed.get("phases"))))
        yield element("h3", f'{_text(feed.get("type"))} "{_text(feed.get("layer"))}", {phases}')
        number = _whole(feed.get("records"))
        said = f"{number:,} records of {_text(feed.get('source'))}" if number else _text(feed.get("not_read"))
        yield element("p", sentence(said))
        for top in _dicts(feed.get("tops")):
            values = top.get("values")
            pairs = [pair for pair in _list(values) if isinstance(pair, list) and len(pair) == 2]
            if pairs:
                ordered = sorted(pairs, key=lambda pair: -(_number(pair[1]) or 0))[:_MOST_BARS]
                drawn = [(_shown(value), _number(times) or 0.0, f"{_whole(times) or 0:,}") for value, times in ordered]
                yield element("h4", f"{_text(top.get('name'))}: how often each value occurs")
                yield bars(drawn, "How often each value occurs")
            rows = [
                (str(at), *(_shown(one.get(name)) for name in ("low", "high", "mean", "spread")))
                for at, one in enumerate(_dicts(top.get("channels"))[:_MOST])
            ]
            if rows:
                caption = f"{_text(top.get('name'))} by channel"
                yield table(("channel", "low", "high", "mean", "spread"), rows, numbers=range(5), caption=caption)
        given = feed.get("faults")
        faults = [
            (_text(kind), _text(one.get("records")))
            for kind, one in (given.items() if isinstance(given, dict) else ())
            if isinstance(one, dict)
        ]
        if faults:
            yield table(("fault", "records"), faults, numbers=(1,), caption="Faults")


def _weights(found: Any) -> Iterator[Markup]:
    for file in _dicts(found):
        yield element("h3", _text(file.get("file")))
        sizes = []
        rows = []
        for layer in _dicts(file.get("layers")):
            for blob in _dicts(layer.get("blobs")):
                shape = "x".join(map(str, _list(blob.get("shape"))))
                values = _whole(blob.get("values")) or 0
                rows.append((_text(layer.get("name")), _text(blob.get("kind")), shape, f"{values:,}"))
                sizes.append((_text(layer.get("name")), float(values), f"{values:,}"))
        if sizes:
            yield bars(sorted(sizes, key=lambda one: -one[1])[:10], "The largest blobs")
        for net in _dicts(file.get("nets")):
            counts = [(words, str(len(_list(net.get(kind))))) for kind, words in _COPIED.items()]
            phases = " and ".join(map(_text, _list(net.get("phases"))))
            caption = f"Copied into {_text(net.get('file'))}" + (f", {phases}" if phases else "")
            yield table(("layers", "number"), counts, numbers=(1,), caption=caption)
        yield table(("layer", "kind", "shape", "values"), rows, numbers=(3,), caption="Blobs")


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    """A finite number, 0 where it is so small that no axis could be divided; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e300 < value < 1e300:
        return None
    return float(value) if abs(value) > 1e-300 else 0.0


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60 else None


def _shown(value: Any) -> str:
    number = _number(value)
    return "?" if number is None else f"{number:.4g}"


def _whole_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else str(value)[:1000]
    return text if len(text) <= 300 else f"{text[:299]}…"
