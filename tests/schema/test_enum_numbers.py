"""Numbers where a name of an enum is wanted: in every field of a layer that takes one, whatever the number is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import caffelint
from caffelint.schema import LayerParameter


def of_enums() -> Iterator[tuple[str, str]]:
    blocks: Any = LayerParameter.DESCRIPTOR.fields
    for block in blocks:
        for field in block.message_type.fields if block.message_type is not None else ():
            if field.enum_type is not None:
                yield block.name, field.name


@pytest.mark.parametrize("number", [0, -1, 1, 99, 2**31, 2**63])
def test_any_number_is_told_or_taken(number: int) -> None:
    fields = [*of_enums()]
    assert len(fields) > 20
    for block, field in fields:
        text = f'layer {{ name: "a" type: "ReLU" bottom: "x" top: "y" {block} {{ {field}: {number} }} }}'
        assert not caffelint.check_text(text).failures, (block, field)
