"""What may be said of a Python layer whose module the project has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from caffelint.lint import Layer, python_classes, relative

if TYPE_CHECKING:
    from caffelint.lint import PythonClass

Claim = TypeVar("Claim")


def claims(layer: Layer, find: Callable[[PythonClass], Claim | None]) -> Iterator[tuple[PythonClass, Claim]]:
    """What holds of the class that Caffe makes: the first claim, if all files that may be the module give one."""
    found = [(one, claim) for one in python_classes(layer) if (claim := find(one)) is not None]
    if found and len(found) == len(python_classes(layer)):
        yield found[0]


def where(python: PythonClass, line: int) -> str:
    """`pyloss.py:12`, as the layer's module is called."""
    return f"{python.module.file}:{line}"


def read_in(python: PythonClass) -> str:
    """Evidence: the file that a claim was read in, from the working directory if it is below that."""
    return f"read in {relative(python.module.path)}"
