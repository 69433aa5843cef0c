"""`NamedTuple` as typing has it, made in a third of the time: modules define a hundred before a net is checked.

`typing.NamedTuple` compiles and checks the type of each field, which type checkers have done before. Only modules with
`from __future__ import annotations` can use this one.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _NOT_TAKEN = {"__annotations__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__"}

    class _Definition(type):
        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__annotations__ = fields
            made.__qualname__ = body["__qualname__"]
            for key, value in body.items():
                if key not in fields and key not in _NOT_TAKEN:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Definition):
        """See `typing.NamedTuple`."""
