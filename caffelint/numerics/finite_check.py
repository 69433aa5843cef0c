"""The check for nan and inf that `caffelint patch` puts into a net: it changes nothing."""

from __future__ import annotations

from caffelint.caffe.layers.python import FiniteCheck
from caffelint.numerics.backward import Bottoms, Found, Grads, backward
from caffelint.numerics.forward import Drawn, Known, Tops, forward


@forward.register(FiniteCheck)
def _(layer: FiniteCheck, bottoms: Known, drawn: Drawn) -> Tops:
    return list(bottoms)


@backward.register(FiniteCheck)
def _(layer: FiniteCheck, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return tops
