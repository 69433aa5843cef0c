"""`NamedTuple` as typing has it, made in a tenth of the time: modules define a hundred before a net is checked.

`typing.NamedTuple` compiles the type of each field, and a constructor, whether or not a tuple is ever made. Type
checkers have looked at the types before, and here the first tuple of a class compiles its constructor.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _FIELD = type(namedtuple("_One", "value").value)
    """What reads one field of a tuple: it takes the field's number and a docstring."""

    class _Tuple(tuple):
        """The methods of all named tuples, as those of `collections.namedtuple`."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            """The first tuple of a class."""
            arguments = ", ".join(cls._fields)
            made = eval(f"lambda _cls, {arguments}: _new(_cls, ({arguments},))", {"_new": tuple.__new__})
            made.__qualname__ = f"{cls.__qualname__}.__new__"
            made.__defaults__ = tuple(cls._field_defaults.values())
            cls.__new__ = staticmethod(made)
            return made(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values, not {len(made)}")
            return made

        def _replace(self, /, **values):
            made = self._make(map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(values)}")
            return made

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({values})"

    def _annotations(body):
        """The fields of a class; from Python 3.14 on, modules without that import keep a function that gives them."""
        if "__annotations__" in body:
            return body["__annotations__"]
        from annotationlib import Format, call_annotate_function, get_annotate_from_class_namespace

        return call_annotate_function(get_annotate_from_class_namespace(body), Format.FORWARDREF)

    class _Definition(type):
        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(_annotations(body))
            defaults = {field: body[field] for field in fields if field in body}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError(f"{name}: fields with a default must come after those without")
            about = {"__slots__": (), "_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
            getters = {field: _FIELD(number, None) for number, field in enumerate(fields)}
            return type(name, (_Tuple,), body | about | getters)

    class NamedTuple(metaclass=_Definition):
        """See `typing.NamedTuple`."""
