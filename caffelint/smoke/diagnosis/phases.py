"""What differs between TRAIN and TEST where only a TEST net gives what is not finite."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.smoke.diagnosis.change import of_layer
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.events import NonFinite
from caffelint.smoke.run import Run


def unlike_train(run: Run) -> Iterator[Hypothesis]:
    """Data that TEST scales otherwise than TRAIN. value: of TEST; figure: of TRAIN."""
    broke = next(run.all(NonFinite), None)
    if broke is None or not broke.net:
        return
    trained = {top.name: layer for layer in run.built[0].layers if layer.transforms for top in layer.tops[:1]}
    for layer in run.built[broke.net].layers:
        other = trained.get(layer.tops[0].name) if layer.transforms and layer.tops else None
        if other is None:
            continue
        mine, usual = layer.message.transform_param.scale, other.message.transform_param.scale
        if mine != usual and usual:
            changes = of_layer(run, layer, "transform_param", "scale", value=float(f"{usual:.7g}"))
            place = run.place(layer.name, broke.net, "transform_param", "scale")
            score = abs(math.log10(abs(mine / usual))) if mine else 1.0
            yield Hypothesis("phases", place, score, changes, "scale", (layer,), mine, usual)
