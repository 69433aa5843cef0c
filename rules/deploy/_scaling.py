"""Rewrites that put a Power layer before or after another, for numbers that a target does not read."""

from __future__ import annotations

import math

from caffelint.lint import Edits, Layer, Net, join, layer_beside, quoted, remove, replace, unused_name, write


def blob_names(net: Net) -> frozenset[str]:
    return frozenset(name for layer in net.layers for name in (*layer.tops, *layer.bottoms))


def _power(layer: Layer, bottom: str, top: str, *, scale: float, shift: float = 0, before: bool) -> Edits:
    """A Power layer beside another: it gives `scale * x + shift`."""
    if layer.is_conditional:
        return None  # the new one would have to hang on the same
    fields = [("name", quoted(f"{top}_power")), ("type", '"Power"'), ("bottom", quoted(bottom)), ("top", quoted(top))]
    more = f" shift: {shift:.9g}" if shift else ""
    return layer_beside(layer, [*fields, ("power_param", f"{{ scale: {scale:.9g}{more} }}")], before=before)


def _unused(layer: Layer, stem: str) -> str:
    return unused_name(stem, layer.net.once(blob_names))


def _scaled_after(layer: Layer, scale: float) -> Edits:
    """The top gets another name, and a Power layer gives the old one."""
    if layer.in_place or len(layer.tops) != 1 or not math.isfinite(scale):
        return None
    own = _unused(layer, f"{layer.tops[0]}_plain")
    return join([write(layer, "top", value=quoted(own)), _power(layer, own, layer.tops[0], scale=scale, before=False)])


def _scaled_before(layer: Layer, bottom: int, scale: float, shift: float = 0) -> Edits:
    if bottom >= len(layer.bottoms) or not math.isfinite(scale) or not math.isfinite(shift):
        return None
    name = _unused(layer, f"{layer.bottoms[bottom]}_for_{layer.name}" + (f"_{bottom}" if bottom else ""))
    return join(
        [
            write(layer, "bottom", bottom, value=quoted(name)),
            _power(layer, layer.bottoms[bottom], name, scale=scale, shift=shift, before=True),
        ]
    )


def lrn_k(layer: Layer) -> Edits:
    """(k + a)^-b is k^-b (1 + a/k)^-b."""
    p = layer.param("lrn_param")
    if not 0 < p.k < math.inf or not math.isfinite(p.alpha):
        return None
    alpha = f"{p.alpha / p.k:.9g}"
    if layer.has("lrn_param", "alpha"):
        parts = [write(layer, "lrn_param", "alpha", value=alpha), remove(layer, "lrn_param", "k")]
    else:
        parts = [(replace(layer.at("lrn_param", "k"), f"alpha: {alpha}"),)]
    return join([*parts, _scaled_after(layer, p.k**-p.beta)])


def coefficients_before(layer: Layer) -> Edits:
    coefficients = list(layer.param("eltwise_param").coeff)
    if len(coefficients) != len(layer.bottoms) or layer.in_place or len(set(layer.bottoms)) < len(layer.bottoms):
        return None
    scaled = [_scaled_before(layer, n, value) for n, value in enumerate(coefficients) if value != 1]
    return join([*scaled, remove(layer, "eltwise_param", "coeff")])


def coefficient_after(layer: Layer) -> Edits:
    scale = layer.param("reduction_param").coeff
    return join([remove(layer, "reduction_param", "coeff"), _scaled_after(layer, scale)])


def plain_exp(layer: Layer) -> Edits:
    """base^(scale x + shift) is e^(ln base (scale x + shift))."""
    p = layer.param("exp_param")
    factor = math.log(p.base) if 0 < p.base < math.inf else 1.0
    if layer.in_place:
        return None
    return join([_scaled_before(layer, 0, factor * p.scale, factor * p.shift), remove(layer, "exp_param")])


def plain_log(layer: Layer) -> Edits:
    p = layer.param("log_param")
    parts = [remove(layer, "log_param")]
    if layer.in_place:
        return None
    if p.scale != 1 or p.shift != 0:
        parts.append(_scaled_before(layer, 0, p.scale, p.shift))
    if 0 < p.base < math.inf and p.base != 1:
        parts.append(_scaled_after(layer, 1 / math.log(p.base)))
    return join(parts)
