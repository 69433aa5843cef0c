"""The same layer in a form that a target reads right. Each rewrite is named by facts in caffelint/deploy/targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from caffelint.lint import (
    Edits,
    Layer,
    Net,
    insert_behind,
    join,
    layer_beside,
    quoted,
    remove_from,
    replace,
    unused_name,
    write,
)
from caffelint.lint.built import Shape
from caffelint.lint.deploy import Met

from ._padding import zeros_around
from ._scaling import blob_names, coefficient_after, coefficients_before, lrn_k, plain_exp, plain_log


def rewritten(met: Met) -> Edits:
    """The edits that rewrite the layer; None where the text is not such that it can be done."""
    assert met.layer is not None
    make = REWRITES.get(met.fact.rewrite)
    return make(met.layer) if make else None


def _bottom_shapes(net: Net) -> dict[int | None, Shape]:
    """The shape of the first bottom of each layer, where it is known, by the place of the layer."""
    return {
        layer.index: layer.bottoms[0].shape
        for built in net.states()
        for layer in built.layers
        if layer.bottoms and layer.bottoms[0].shape is not None
    }


def _axis_from_front(layer: Layer) -> Edits:
    block = layer.block
    shape, axis = layer.net.once(_bottom_shapes).get(layer.index), getattr(layer.param(block), "axis", 0)
    if shape is None or not -len(shape) <= axis < 0:
        return None
    return write(layer, block, "axis", value=str(len(shape) + axis))


def _sides(layer: Layer) -> Edits:
    """Two values of one field as a field for each side."""
    block = layer.block
    param = layer.param(block)
    parts: list[Edits] = []
    for name, (tall, wide), unwritten in (
        ("kernel_size", ("kernel_h", "kernel_w"), 0),
        ("stride", ("stride_h", "stride_w"), 1),
        ("pad", ("pad_h", "pad_w"), 0),
    ):
        values = list(getattr(param, name)) if block == "convolution_param" else []
        if len(set(values)) > 1 and len(values) == 2:
            parts.append(_in_place_of(layer, name, [(tall, values[0]), (wide, values[1])]))
        given = [field for field in (tall, wide) if layer.has(block, field)]
        if len(given) == 1:
            (other,) = {tall, wide} - set(given)
            parts.append(write(layer, block, other, value=str(unwritten), after=given[0]))
    return join(parts) if parts else None


def _in_place_of(layer: Layer, name: str, values: list[tuple[str, int]]) -> Edits:
    """Fields with these values where the repeated field `name` is written."""
    block = layer.block
    if layer.node is None or (outer := layer.node.first(block)) is None:
        return None
    found = outer.all(name)
    if len(found) != len(values):
        return None
    return tuple(
        replace(layer.at(block, name, index), f"{field}: {value}") for index, (field, value) in enumerate(values)
    )


def _axis(layer: Layer) -> Edits:
    """`axis` for `concat_dim` or `slice_dim`."""
    block = layer.block
    old = "concat_dim" if block == "concat_param" else "slice_dim"
    if not layer.has(block, old):
        return None
    return (replace(layer.at(block, old), f"axis: {getattr(layer.param(block), old)}"),)


def _write(field: str, value: str) -> Callable[[Layer], Edits]:
    return lambda layer: write(layer, layer.block, field, value=value)


def _first_offset(layer: Layer) -> Edits:
    return None if layer.param("crop_param").offset else write(layer, "crop_param", "offset", value="0")


def _slice_points(layer: Layer) -> Edits:
    """Points for equal parts."""
    block, parts = layer.block, len(layer.tops)
    param = layer.param(block)
    axis = param.slice_dim if param.HasField("slice_dim") else param.axis
    shape = layer.net.once(_bottom_shapes).get(layer.index)
    if shape is None or not -len(shape) <= axis < len(shape) or not parts or shape[axis] % parts:
        return None
    points = " ".join(f"slice_point: {shape[axis] // parts * number}" for number in range(1, parts))
    return _appended(layer, block, f" {points}")


def _appended(layer: Layer, block: str, text: str) -> Edits:
    """Text at the end of a block, which is made where it is missing."""
    node = layer.node
    if node is None:
        return None
    outer = node.first(block)
    if outer is None:
        if not node.fields:
            return None
        last = node.fields[-1].name
        return (insert_behind(layer.at(last, len(node.all(last)) - 1), f" {block} {{{text} }}"),)
    if not outer.fields:
        return None
    last = outer.fields[-1].name
    return (insert_behind(layer.at(block, last, len(outer.all(last)) - 1), text),)


def _one_top_each(layer: Layer) -> Edits:
    """Input layers of one top for one of several."""
    shapes = [list(shape.dim) for shape in layer.param("input_param").shape]
    if layer.is_conditional or len(shapes) not in (1, len(layer.tops)):
        return None
    shapes *= len(layer.tops) // len(shapes)
    taken = {other.name for other in layer.net.layers}
    parts = [remove_from(layer, "top", 1), write(layer, "input_param", value=_shape(shapes[0]))]
    for top, shape in zip(layer.tops[1:], shapes[1:], strict=True):
        taken.add(name := unused_name(top, taken))
        fields = [("name", quoted(name)), ("type", '"Input"'), ("top", quoted(top)), ("input_param", _shape(shape))]
        parts.append(layer_beside(layer, fields, before=False))
    return join(parts)


def _shape(dims: list[int]) -> str:
    return f"{{ shape {{ {' '.join(f'dim: {dim}' for dim in dims)} }} }}"


def _four_variances(layer: Layer) -> Edits:
    """The variance that stands for all four sides, or Caffe's default, written four times."""
    given = list(layer.param(layer.block).variance)
    if len(given) > 1:
        return None
    value = f"{given[0]:.9g}" if given else "0.1"
    return _appended(layer, layer.block, f" variance: {value}" * (4 - len(given)))


def _whole_order(layer: Layer) -> Edits:
    """The axes that order leaves out, which come last and as they are."""
    shape = layer.net.once(_bottom_shapes).get(layer.index)
    order = list(layer.param(layer.block).order)
    if shape is None or not order:
        return None
    return _appended(layer, layer.block, "".join(f" order: {n}" for n in range(len(shape)) if n not in order))


def _padding_written_out(layer: Layer) -> Edits:
    shape = layer.net.once(_bottom_shapes).get(layer.index)
    return zeros_around(layer, shape, layer.net.once(blob_names))


REWRITES: Mapping[str, Callable[[Layer], Edits]] = {
    "axis-from-front": _axis_from_front,
    "axis": _axis,
    "one-top-each": _one_top_each,
    "sides": _sides,
    "lrn-k": lrn_k,
    "zeros-around": _padding_written_out,
    "coeff-before": coefficients_before,
    "coeff-after": coefficient_after,
    "plain-exp": plain_exp,
    "plain-log": plain_log,
    "lrn-alpha": _write("alpha", "1"),
    "lrn-beta": _write("beta", "0.75"),
    "no-bias": _write("bias_term", "false"),
    "no-clip": _write("clip", "false"),
    "variance": _four_variances,
    "whole-order": _whole_order,
    "log-base": _write("base", "2.7182818"),
    "crop-offset": _first_offset,
    "slice-points": _slice_points,
}
