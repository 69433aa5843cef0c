"""A field that a layer lacks: whoever fills it in, or the block that it is in by mistake."""

from __future__ import annotations

from caffelint.lint import UNSAFE, Fix, Kind, Net, Refused, fix, replace
from caffelint.lint.built import misplaced


def is_filled_in(refused: Refused) -> bool:
    """Does DIGITS fill in the number of classes?"""
    is_count = refused.refusal.kind is Kind.MISSING_FIELD and refused.layers[0].type == "InnerProduct"
    return is_count and _is_for_digits(refused.net)


def _is_for_digits(net: Net) -> bool:
    """Do its layers name the stages from which DIGITS makes three nets, or lack the data that it fills in as well?"""
    if any(layer.tops and layer.kind.cannot_open and not layer.kind.data_source for layer in net.layers):
        return True
    rules = [rule for layer in net.layers for rule in (*layer.message.include, *layer.message.exclude)]
    return {stage for rule in rules for stage in rule.stage} >= {"train", "val", "deploy"}


def misplacement(refused: Refused) -> str:
    """What is wrong with a field that is in another block, and what to do; empty if it is nowhere."""
    block, type_ = misplaced(refused), refused.layers[0].type if refused.layers else ""
    if not block:
        return ""
    field, own = refused.refusal.values["missing"], refused.layers[0].kind.block
    what = f"{field} is in {block}, which {type_} does not read"
    return f"{what}; {f'rename it to {own}' if _fits(refused, block) else f'write {own}, or correct the type'}"


def renamed(refused: Refused) -> tuple[Fix, ...]:
    """The block renamed, if the one that the type reads has all of its fields and no layer has both."""
    block, layers = misplaced(refused), refused.layers
    if not block or not _fits(refused, block):
        return ()
    own = layers[0].kind.block
    return fix(f"rename it to {own}", UNSAFE, *((replace(layer.at(block), own),) for layer in layers))


def _fits(refused: Refused, block: str) -> bool:
    own = refused.layers[0].kind.block
    if not own or any(layer.has(own) for layer in refused.layers):
        return False
    taken = refused.layers[0].param(own).DESCRIPTOR.fields_by_name
    return all(field.name in taken for layer in refused.layers for field, _ in layer.param(block).ListFields())
