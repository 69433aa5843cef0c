"""What Python layers make of their data, as their param_str tells them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from caffelint.lint.edits import quoted
from caffelint.smoke.diagnosis.change import of_layer
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.trouble import badly, flat
from caffelint.smoke.outcome import outcome
from caffelint.smoke.run import Run

_ON = re.compile(
    r"""(?P<key>["']?(?<!\w)(?P<name>[A-Za-z_]\w{0,100})["']?\s{0,20}[:=]\s{0,20})(?P<value>true|True)(?!\w)"""
)
"""As JSON, Python, and YAML have it."""
_OFF = {"true": "false", "True": "False"}
_ORDER = "shuf"
"""Of what is sorted, a batch holds one class alone, which is soon learned: only TEST shows that."""
_MOST = 4
_CLEARLY, _UNTESTED = 0.6, 0.4
"""Of the loss at the end, what is left without what spoils the data, and where no TEST shows as much."""


def entries(run: Run) -> Iterator[Hypothesis]:
    """What is switched on in the param_str of a Python layer that brings data, as mirroring, and may spoil what is
    asked of them: only a trial can tell. entry: what it is called."""
    untested = math.isnan(outcome(run).tested) if run.iterations else True
    for layer in run.built[0].layers if flat(run) or badly(run) else ():
        if layer.type != "Python" or layer.bottoms or layer.message is None:
            continue
        text = layer.message.python_param.param_str
        for found in [*_ON.finditer(text)][:_MOST]:
            name, off = found["name"], _OFF[found["value"]]
            if untested and _ORDER in name.lower():
                continue
            changed = f"{text[: found.start('value')]}{off}{text[found.end() :]}"
            changes = of_layer(run, layer, "python_param", "param_str", value=quoted(changed))
            changes = tuple(one._replace(text=f"{found['key']}{off}") for one in changes)
            place = run.place(layer.name, 0, "python_param", "param_str")
            cured = _UNTESTED if untested else _CLEARLY
            yield Hypothesis("data", place, STRONG, changes, "", (layer,), cured=cured, entry=name)
