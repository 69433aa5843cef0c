"""A gradient that is not the slope of the forward pass, in words."""

from __future__ import annotations

import math
import os

from caffelint.lint import CERTAIN, LIKELY, Cause, relative
from caffelint.smoke.rule import BLOB, BuiltLayer, Gradient, Run, Warned

from ._evidence import subject
from ._numbers import number

_ROUNDED = 0.02
"""Of a slope."""
GUARD = "keep that computation finite for every batch, even one without any example of a class"


def wrong_gradient(run: Run) -> Cause | None:
    """A backward pass of the user's own that is not the gradient of its forward pass: no rate makes up for that."""
    for event in run.all(Gradient):
        layer = run.layer(event.layer)
        if event.is_wrong and not event.flat and layer is not None and layer.type == "Python":
            what, _, why = in_words(run, event)
            # The values are in the finding wrong-gradient.
            pattern = _pattern(event).replace(";", ":", 1) if not event.also else ""
            pattern = pattern or f"{', by no one factor' if event.also else ''} (see wrong-gradient)"
            if event.overwritten:
                return Cause("python-layer", "", f"{what}: {why}", CERTAIN, run.place(event.layer))
            what += f": {why}" if event.stale or event.kept else pattern
            where = f", at {code(event.file, event.line)}" if event.file else ""
            at = (
                where
                if event.stale or event.kept
                else f"; correct backward{where}"
                if where
                else "; correct its backward"
            )
            return Cause("python-layer", "", f"{what}{at}", CERTAIN, run.place(event.layer))
    return None


def code(file: str, line: int) -> str:
    """A place in the user's Python, as short as a shell in the working directory takes it."""
    return f"{relative(file)}:{line}"


def owner(run: Run, file: str) -> BuiltLayer | None:
    """The Python layer that a file of code belongs to; of several of one module the first."""
    module = os.path.splitext(os.path.basename(file))[0]
    layers = [layer for layer in run.built[0].layers if layer.type == "Python"] if file and run.built else []
    same = [layer for layer in layers if layer.message.python_param.module.rpartition(".")[2] == module]
    return next(iter(same or layers), None)


def of_own_data(run: Run, layer: BuiltLayer) -> Cause:
    """Data that the user's own code brings: what numpy warned of in it, if it did."""
    for event in run.all(Warned):
        if owner(run, event.file) is layer:
            why = f'numpy says "{event.said}" at {code(event.file, event.line)}; look at the records that come there'
            return Cause("python-layer", "", why)
    return Cause("data", "", "its code computes it, or reads it; look at what it makes of the records", LIKELY)


def in_words(run: Run, event: Gradient) -> tuple[str, str, str]:
    """What is wrong, where, and how."""
    of = subject(run, event.layer)
    layer = run.layer(event.layer)
    if layer is not None and layer.type == "Python":
        of += f" ({layer.message.python_param.module}.{layer.message.python_param.layer})"
    if event.kept:
        what = f'{of}: the gradient of "{event.name}" is another one in each pass, though what it reads is the same'
        return what, ": ", "it adds to what earlier passes left in self; assign that with = in each forward"
    if event.stale and event.zero:
        what = f'{of}: backward writes no gradient of "{event.name}"'
        return (
            what,
            ", ",
            f"so nothing before it learns from what comes after; write the derivative to {_diff(layer, event)}",
        )
    if event.overwritten:
        what = f'{of}: the gradient of "{event.name}" is wrong as the layer runs in place'
        why = "backward computes with its output where it needs its input, with which the gradient is right"
        return what, ": ", f"{why}; give its top another name"
    if event.flat:
        what = f'{of}: forward does not change with "{event.name}", as what rounds or compares does not, but backward'
        return what, " ", f"gives {number(event.analytic)}; if that is not meant, let forward change"
    if event.stale:
        what = f'{of}: backward does not set the gradient of "{event.name}"'
        return what, ": ", "it keeps old values or adds to them; assign every bottom diff with ="
    name = f'"{event.name}"' if event.kind == BLOB else f"parameter blob {event.name}"
    what = f"{of}: the gradient of {name} is wrong"
    share = f"all {event.checked}" if event.wrong == event.checked else f"{event.wrong} of {event.checked}"
    values = "the one value" if event.checked == 1 else f"{share} values"
    where = f" in {values} checked: at {list(event.at)} " if event.at else " as a whole: summed up, "
    if _lacks_a_part(event):
        slope = number(event.numeric)
        why = f"it is 0 for values on which forward depends: as all of them move together, its slope is {slope}"
        return what, ": ", f"{why}; a term of the derivative may be missing"
    why = f"backward gives {number(event.analytic)}, but the slope of forward is {number(event.numeric)}"
    return what, where, why + _pattern(event)


def _diff(layer: BuiltLayer | None, event: Gradient) -> str:
    """`bottom[0].diff`, as code calls it."""
    names = [blob.name for blob in layer.bottoms] if layer is not None else []
    return f"bottom[{names.index(event.name)}].diff" if event.name in names else "its diff"


def _lacks_a_part(event: Gradient) -> bool:
    """Whether some values got no gradient, though the forward pass depends on them."""
    return not (event.at or event.zero or event.analytic) and event.wrong > 0


def _pattern(event: Gradient) -> str:
    """What is wrong with all of it."""
    factor = event.factor
    if event.also:
        return _also(event)
    if event.zero:
        return "; it is 0 everywhere"
    if _lacks_a_part(event):
        return "; it is 0 for values on which forward depends, so a term of the derivative may be missing"
    if math.isnan(factor) or not factor:
        return ""
    if abs(factor + 1) < 0.03:
        return "; its sign is wrong"
    turned = "; its sign is wrong, and it" if factor < 0 else "; it"
    if abs(factor) > 1:
        return f"{turned} is {_times(abs(factor))} times too large"
    return f"{turned} is {_times(1 / abs(factor))} times too small"


def _also(event: Gradient) -> str:
    """Where the gradient is not wrong by the same factor."""
    analytic, numeric = event.also
    where = f"at {list(event.also_at)}"
    if event.about:
        side = "of 0" if event.about == "0" else f'of "{event.about}"'
        where = f"with all values on the other side {side}"
    if abs(analytic - numeric) <= _ROUNDED * abs(numeric):
        return f"; {where} it is right, so only one side of it is wrong"
    return f"; {where} it gives {number(analytic)} for {number(numeric)}, another factor there"


def _times(factor: float) -> str:
    """At three digits, without an exponent."""
    return f"{float(f'{factor:.3g}'):.10g}"
