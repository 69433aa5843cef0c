"""The ways of `caffelint smoke` besides a training, and the tables of `--compare` and `--gradcheck`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from caffelint.cli.smoked import Shown, lr_found
from caffelint.smoke.events import Compared, Gradient
from caffelint.smoke.scanned import Scanned

if TYPE_CHECKING:
    from caffelint.smoke.session import Request, Session

_ROWS = 8
_STAGES = {"forward": "blobs", "backward": "gradients of blobs", "gradient": "gradients of parameters"}


def compared(request: Request, shown: Shown, text: str) -> Session:
    """Run both sides and show where they first differ."""
    from caffelint.smoke.compare import compare, sides
    from caffelint.smoke.parting import LEAST_BACKWARD, LEAST_FORWARD

    session = compare(request, shown, sides(text, request.choice))
    event = session.run.first(Compared) if session.run else None
    if event is None:
        return session
    shown.say(f"\n{event.first} and {event.second} with the same weights and data, and Dropout off")
    rows: list[Sequence[Any]] = [("", "compared", "distance", "rounding", "largest at")]
    for stage, iteration, count, distance, where, noise in _some(event.rows):
        what = _STAGES.get(stage, f"update {iteration}")
        rows.append((what, count, f"{distance:.1e}", f"{noise:.1e}", where))
    _table(rows, shown)
    shown.say(
        '"distance" is the largest difference divided by the largest value, "rounding" the same for two runs of'
        f" {event.first} from weights that differ by a factor of {event.nudge:g}; distances below {LEAST_FORWARD:g} in"
        f" blobs, or {LEAST_BACKWARD:g} in gradients and updates, are ignored"
    )
    if event.chaos >= 0:
        shown.say(f"from update {event.chaos} on, rounding alone makes large differences, so they are ignored")
    if not event.stage:
        shown.say(f"they agree: no difference is larger than rounding explains; the largest is {event.distance:.1e}")
    return session


def scanned(request: Request, shown: Shown) -> Session:
    """Look at all batches and show what their losses are."""
    from caffelint.smoke.scan import scan

    session = scan(request, shown)
    found = session.run.first(Scanned) if session.run else None
    if found is not None:
        losses = f"loss {found.low:.4g} to {found.high:.4g}, mostly {found.usual:.4g}"
        odd = f"; {len(found.odd)} of them odd" if found.odd else ""
        shown.say(f"\nscanned {found.batches} batches, forward only: {losses}{odd}\n")
    return session


def checked(request: Request, shown: Shown, target: str) -> Session:
    """Check gradients and show the result of each."""
    from caffelint.smoke.gradcheck import gradcheck

    session = gradcheck(request, shown, target)
    found = list(session.run.all(Gradient)) if session.run else []
    if not found:
        return session
    rows: list[Sequence[Any]] = [("layer", "checked", "wrong", "kinks", "backward", "forward", "gradient of")]
    for one in found:
        what = f"parameter {one.name}" if one.kind == "param" else one.name
        figures = ("", "") if one.skipped else (f"{one.analytic:.4g}", f"{one.numeric:.4g}")
        if one.skipped:
            what += f": not checked, {one.skipped}"
        rows.append((one.layer, one.checked, one.wrong, one.kinks, *figures, what))
    shown.say("")
    _table(rows, shown)
    shown.say(
        '"backward" is the computed gradient, "forward" the measured slope, at the value where they differ most;'
        ' "kinks" are values without a slope, which are left out'
    )
    if not any(one.wrong or one.stale for one in found):
        shown.say(f"no gradient is wrong: {sum(one.checked for one in found)} values were checked")
    return session


def _some(rows: Sequence[Any]) -> list[Any]:
    """All but updates, and some of those."""
    updates = [row for row in rows if row[0] == "update"]
    step = max(1, (len(updates) - 1) / (_ROWS - 1))
    chosen = {round(number * step) for number in range(_ROWS)}
    return [row for row in rows if row[0] != "update"] + [row for i, row in enumerate(updates) if i in chosen]


def _table(rows: Sequence[Sequence[Any]], shown: Shown) -> None:
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            f"{cell!s:>{width}}" if 0 < column < len(row) - 1 else f"{cell!s:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        shown.say("  ".join(cells).rstrip())


def way_of(options: dict[str, Any]) -> Callable[[Request, Shown], Session]:
    """What to run: the training, or what `--find-lr`, `--compare`, `--gradcheck` or `--scan` does in its place."""
    if options["compare"]:
        return partial(compared, text=options["compare"])
    if options["gradcheck"]:
        return partial(checked, target=options["gradcheck"])
    if options["scan"]:
        return scanned
    if options["find_lr"]:
        return lr_found
    from caffelint.smoke.train import smoke

    return smoke
