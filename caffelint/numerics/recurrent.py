"""Layers that run over time, unrolled: blobs of theirs are T x N x ..., steps of streams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

from caffelint.caffe.layers.recurrent import LSTM, RNN, Recurrent
from caffelint.numerics.backward import Bottoms, Found, Grads, backward, learned, of_weights, summed
from caffelint.numerics.elements import sigmoid, sigmoid_slope, tanh_slope
from caffelint.numerics.forward import Drawn, Known, Tops, forward, shape_of, sums, weights_of
from caffelint.numerics.hermite import applied
from caffelint.numerics.signal import Signal, constant, product, rows, steps, total
from caffelint.numerics.weights import Weights, weights
from caffelint.text.records import NamedTuple

_STEPS = 12
"""What was so many steps ago hardly counts: a longer row of them changes little."""
_NO_BIAS = Weights(0.0, 0.0)
_NOTHING = constant(0.0)


class _Step(NamedTuple):
    """An LSTM in the last of its steps: the gates i, f and o before their sigmoids and g before its tanh are alike."""

    gate: Signal
    cell: Signal
    hidden: Signal


def _drawn(layer: Recurrent, drawn: Drawn) -> tuple[Weights, Weights, Weights, int] | None:
    """Weights of the input and their bias, those of the hidden state, and its size."""
    found, p = weights_of(layer, drawn), layer.parameters
    hidden = weights(p.weight_filler, (layer.gates * p.num_output, p.num_output))
    return (*found, hidden, p.num_output) if found and hidden else None


def _inputs(layer: Recurrent, known: Known) -> Signal:
    return rows(known[0])


def _many(layer: Recurrent) -> int:
    return min(shape_of(layer)[0], _STEPS)


def _runs(layer: LSTM, x: Signal, drawn: Drawn) -> list[_Step]:
    found = _drawn(layer, drawn)
    if found is None:
        return []
    first, bias, again, size = found
    cell = hidden = _NOTHING
    from_input = sums(x, first, bias, prod(shape_of(layer)[2:]), 1)
    made: list[_Step] = []
    for _ in range(_many(layer)):
        gate = total([from_input, sums(hidden, again, _NO_BIAS, size, 1)])
        opened, news = applied(sigmoid, gate), applied(math.tanh, gate)
        cell = total([product(opened, cell), product(opened, news)])
        hidden = product(opened, applied(math.tanh, cell))
        made.append(_Step(gate, cell, hidden))
        if len(made) > 1 and abs(hidden.mean_square - made[-2].hidden.mean_square) < 0.01 * hidden.mean_square:
            break
    return made


@forward.register(LSTM)
def _(layer: LSTM, bottoms: Known, drawn: Drawn) -> Tops:
    if len(bottoms) != 2 or layer.exposed:
        return None
    made = _runs(layer, _inputs(layer, bottoms), drawn)
    return [steps(made[-1].hidden)] if made else None


def _gate_gradients(layer: LSTM, bottoms: Bottoms, top: Signal, drawn: Drawn) -> tuple[list[Signal], Signal] | None:
    """Gradients of the gates i, f, o and g before their functions; and the hidden state."""
    made, found = _runs(layer, _inputs(layer, bottoms), drawn), _drawn(layer, drawn)
    if not made or found is None:
        return None
    _, _, again, size = found
    gate, cell, hidden = made[-1]
    before = made[-2].cell if len(made) > 1 else _NOTHING
    opened, news, slope = applied(sigmoid, gate), applied(math.tanh, gate), applied(sigmoid_slope, gate)
    bent, shown = applied(tanh_slope, cell), applied(math.tanh, cell)
    later_hidden = later_cell = _NOTHING
    gates: list[Signal] = []
    for _ in range(_many(layer)):
        at_hidden = total([top, later_hidden])
        at_cell = total([product(at_hidden, opened, bent), later_cell])
        gates = [
            product(at_cell, news, slope),
            product(at_cell, before, slope),
            product(at_hidden, shown, slope),
            product(at_cell, opened, applied(tanh_slope, gate)),
        ]
        later_cell = product(at_cell, opened)
        later_hidden = total([sums(one, again, _NO_BIAS, size, 1) for one in gates])
    return gates, hidden


@backward.register(LSTM)
def _(layer: LSTM, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    found, own = _gate_gradients(layer, bottoms, rows(tops[0]), drawn), _drawn(layer, drawn)
    if found is None or own is None:
        return None
    size = own[3]
    return [steps(total([sums(one, own[0], _NO_BIAS, size, 1) for one in found[0]])), None]


@learned.register(LSTM)
def _(layer: LSTM, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    found = _gate_gradients(layer, bottoms, rows(tops[0]), Drawn())
    if found is None or len(bottoms) != 2:
        return []
    gates, hidden = found
    return _of_parameters(layer, _inputs(layer, bottoms), hidden, gates)


def _of_parameters(layer: Recurrent, x: Signal, hidden: Signal, gates: Sequence[Signal]) -> list[float | None]:
    samples = float(prod(shape_of(layer)[:2]))
    share = 1 / len(gates)
    return [
        sum(of_weights(x, one, samples, 1.0) for one in gates) * share,
        sum(summed(one, samples, 1.0).mean_square for one in gates) * share,
        sum(of_weights(hidden, one, samples, 1.0) for one in gates) * share,
    ]


def _rnn_runs(layer: RNN, x: Signal, drawn: Drawn) -> tuple[Signal, Signal, Signal] | None:
    """The hidden state before its tanh and after it, and the output before its own."""
    found = _drawn(layer, drawn)
    if found is None:
        return None
    first, bias, again, size = found
    from_input = sums(x, first, bias, prod(shape_of(layer)[2:]), 1)
    hidden, gate = _NOTHING, from_input
    for _ in range(_many(layer)):
        gate = total([from_input, sums(hidden, again, _NO_BIAS, size, 1)])
        hidden = applied(math.tanh, gate)
    return gate, hidden, sums(hidden, again, bias, size, 1)


@forward.register(RNN)
def _(layer: RNN, bottoms: Known, drawn: Drawn) -> Tops:
    if len(bottoms) != 2 or layer.exposed:
        return None
    made = _rnn_runs(layer, _inputs(layer, bottoms), drawn)
    return [steps(applied(math.tanh, made[2]))] if made else None


def _rnn_gradients(layer: RNN, bottoms: Bottoms, top: Signal, drawn: Drawn) -> tuple[Signal, Signal, Signal] | None:
    """Gradients of the hidden state and of the output, both before their tanh; and the hidden state."""
    made, found = _rnn_runs(layer, _inputs(layer, bottoms), drawn), _drawn(layer, drawn)
    if made is None or found is None:
        return None
    gate, hidden, output = made
    _, _, again, size = found
    shown = product(top, applied(tanh_slope, output))
    from_output, slope = sums(shown, again, _NO_BIAS, size, 1), applied(tanh_slope, gate)
    inner = product(from_output, slope)
    for _ in range(_many(layer)):
        inner = product(total([from_output, sums(inner, again, _NO_BIAS, size, 1)]), slope)
    return inner, shown, hidden


@backward.register(RNN)
def _(layer: RNN, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    found, own = _rnn_gradients(layer, bottoms, rows(tops[0]), drawn), _drawn(layer, drawn)
    return [steps(sums(found[0], own[0], _NO_BIAS, own[3], 1)), None] if found and own else None


@learned.register(RNN)
def _(layer: RNN, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    found = _rnn_gradients(layer, bottoms, rows(tops[0]), Drawn())
    if found is None or len(bottoms) != 2:
        return []
    inner, shown, hidden = found
    samples = float(prod(shape_of(layer)[:2]))
    return [
        *_of_parameters(layer, _inputs(layer, bottoms), hidden, [inner]),
        of_weights(hidden, shown, samples, 1.0),
        summed(shown, samples, 1.0).mean_square,
    ]
