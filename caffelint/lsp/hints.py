"""What Caffe makes of the text, shown beside it: shapes and parameters of layers, the learning rate over training."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import CodeLens, CodeLensParams, Command, InlayHint, InlayHintParams, Position, Range

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.net import Net
from caffelint.caffe.shapes import count
from caffelint.caffe.shapes import text as shape_text
from caffelint.lsp.builds import assumption, builds, state_name
from caffelint.lsp.documents import View
from caffelint.text.tree import Field

NEXT_STATE = "caffelint.nextState"
"""The command of the server that shows another state of a net."""
_POLICY_FIELDS = ("stepvalue", "stepsize", "max_iter")
_MOST_RATES = 4


def hints(view: View, params: InlayHintParams, state: int) -> list[InlayHint]:
    """Those of a range. `state`: the number of the state of the net that is shown, round and round."""
    start, end = view.lines.offset(params.range.start), view.lines.offset(params.range.end)
    found = [hint for net in view.nets for hint in _of_net(view, net, state, start, end)]
    return [*found, *_of_solver(view, start, end)]


def _hint(view: View, offset: int, label: str, tooltip: str = "") -> InlayHint:
    return InlayHint(view.lines.position(offset), label, padding_left=True, tooltip=tooltip or None)


def _of_net(view: View, net: Net, state: int, start: int, end: int) -> Iterator[InlayHint]:
    all_states = builds(net)
    built = all_states[state % len(all_states)]
    told = assumption(built)
    note = f"for data of {told}; the text gives no shape" if told else ""
    by_index = {layer.index: layer for layer in built.layers if layer.index is not None}
    for layer in net.layers:
        node = layer.node
        if node is None or not node.name or node.end < start or node.start > end:
            continue
        one = by_index.get(layer.index)
        if one is None:
            yield _hint(view, node.start + len(node.name), f"not in {state_name(built)}")
            continue
        if one.params:
            number = sum(count(param.shape) for param in one.params)
            yield _hint(view, node.value_start + 1, f"{number:,} parameters")
        shapes = {blob.original.name: blob.shape for blob in one.tops}
        for place in node.all("top"):
            name = _name(place)
            if shapes.get(name) is not None:
                yield _hint(view, place.end, shape_text(shapes[name] or ()), note)


def _name(field: Field) -> str:
    from caffelint.text.scalars import string_value

    return string_value(field.text)


def _of_solver(view: View, start: int, end: int) -> Iterator[InlayHint]:
    """The rate from each step on, beside what sets the steps."""
    solver = view.file.solver
    if solver is None:
        return
    rates, last = solver.schedule, int(solver.message.max_iter)
    for field in view.file.document.root.fields:
        if field.name not in _POLICY_FIELDS or not start <= field.start <= end:
            continue
        for place in field.fields or (field,):
            label = ""
            if not place.text.isdigit() or len(place.text) > 9:
                continue
            if field.name == "stepvalue":
                label = f"lr {rates.rate(int(place.text)):g}"
            elif field.name == "max_iter" and last > 0:
                label = f"lr {rates.rate(0):g} to {rates.rate(last - 1):g}"
            elif field.name == "stepsize" and solver.message.lr_policy == "step" and int(place.text) > 0:
                steps = range(int(place.text), max(last, 1), int(place.text))[:_MOST_RATES]
                label = ", ".join(f"{rates.rate(step):g} at {step:,}" for step in steps)
                label = f"lr {label}" if label else ""
            if label:
                yield _hint(view, place.end, label)


def lenses(view: View, params: CodeLensParams, state: int) -> list[CodeLens]:
    """Above the net what each state of it comes to; the one that hints are about is first. A click takes the next."""
    uri = params.text_document.uri
    found = []
    for net in view.nets:
        first = next((layer.node for layer in net.layers if layer.node is not None and layer.node.name), None)
        if first is None:
            continue
        at = view.lines.position(first.start)
        states = builds(net)
        for number in range(len(states)):
            title = ("shown: " if number == 0 and len(states) > 1 else "") + _sum(
                states[(state + number) % len(states)]
            )
            found.append(CodeLens(Range(at, at), Command(title, NEXT_STATE, arguments=[uri, number])))
    solver = view.file.solver
    if solver is not None and view.file.document.root.fields:
        at = Position(view.lines.position(view.file.document.root.fields[0].start).line, 0)
        last = int(solver.message.max_iter)
        if last > 0:
            rates = solver.schedule
            title = f"lr {rates.rate(0):g} to {rates.rate(last - 1):g} over {last:,} iterations"
            found.append(CodeLens(Range(at, at), Command(title, NEXT_STATE, arguments=[uri, 0])))
    return found


def _sum(built: BuiltNet) -> str:
    """`TRAIN: 5 layers, 1,234 parameters, 0.12 G multiply-adds, 3.4 MB of data`."""
    layers = [layer for layer in built.layers if layer.index is not None]
    parts = [state_name(built), f"{len(layers)} layers"]
    if built.refusals:
        return f"{parts[0]}: Caffe refuses it"
    if all(layer.params is not None for layer in layers):
        owned = [param for layer in layers for param in layer.params or () if param.owner is None]
        parts.append(f"{sum(count(param.shape) for param in owned):,} parameters")
    if all(blob.shape is not None for layer in layers for blob in layer.tops):
        parts.append(f"{sum(layer.multiply_adds() for layer in layers) / 1e9:.3g} G multiply-adds")
    if built.memory is not None:
        parts.append(f"{built.memory / 1e6:,.1f} MB of blobs")
    return f"{parts[0]}: {', '.join(parts[1:])}"
