"""Parameters of the same name are one: net.cpp AppendParam."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.net_parts import Param
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import count, text

PERMISSIVE = 1


def share(param: Param, owner: Param, spec: Any) -> None:
    """Let a parameter share the blob of its owner, the first of that name, which may be itself. Raises `Refusal`."""
    given_lr, given_decay = spec.HasField("lr_mult"), spec.HasField("decay_mult")
    if owner is param:
        param.lr_of, param.decay_of = param if given_lr else None, param if given_decay else None
        return
    param.owner = owner
    _check_shape(param, owner, spec.share_mode == PERMISSIVE)
    if given_lr:
        if owner.lr_of and owner.lr_mult != param.lr_mult:
            raise _mismatch(param, "lr_mult", owner.lr_mult, param.lr_mult, owner.lr_of)
        owner.lr_of, owner.lr_mult = param, param.lr_mult
    if given_decay:
        if owner.decay_of and owner.decay_mult != param.decay_mult:
            raise _mismatch(param, "decay_mult", owner.decay_mult, param.decay_mult, owner.decay_of)
        owner.decay_of, owner.decay_mult = param, param.decay_mult


def _check_shape(param: Param, owner: Param, permissive: bool) -> None:
    same = count(param.shape) == count(owner.shape) if permissive else param.shape == owner.shape
    if not same:
        raise Refusal(
            Kind.SHARED_PARAM_SHAPE,
            f'parameter "{param.name}" is {text(param.shape)} but {text(owner.shape)} in layer'
            f' "{owner.layer.name}", which owns it',
            f"Cannot share param '{param.name}' owned by layer '{owner.layer.name}' with layer '{param.layer.name}';"
            f" {'count' if permissive else 'shape'} mismatch.",
            "net.cpp AppendParam",
            ("param", param.index, "name"),
            param=param.name,
            shape=param.shape,
            owner=owner.layer.name,
            owned=owner.shape,
        )


def _mismatch(param: Param, name: str, owned: float, given: float, other: Param) -> Refusal:
    return Refusal(
        Kind.SHARED_PARAM_MULTIPLIER,
        f'parameter "{param.name}" has {name} {given:g} here but {owned:g} in'
        f' {other.layer.type} "{other.layer.name}"; use one value',
        f"Shared param '{param.name}' has mismatched {name}.",
        "net.cpp AppendParam",
        ("param", param.index, name),
        param=param.name,
        given=given,
        owned=owned,
        other=(other.layer.index, other.index),
    )
