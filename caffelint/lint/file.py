"""One prototxt file, read as far as it can be: text, tree, message, net or solver."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from caffelint.caffe.net import Net
from caffelint.caffe.place import Place
from caffelint.caffe.solver import Solver
from caffelint.schema.bind import bind
from caffelint.schema.bound import Bound
from caffelint.schema.detect import NET, OTHER, SOLVER, detect
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.text.parser import MOST_PROBLEMS, Document, parse
from caffelint.text.patterns import compiled_later
from caffelint.text.scalars import string_value
from caffelint.text.strangers import unfilled_in_strings
from caffelint.text.tree import STRING, Field, Problem

if TYPE_CHECKING:
    from caffelint.schema.project import ProjectCaffe

_FAR = 200
_OF_DATA = compiled_later(
    r"(?:\b(?:batch_size|source|root_folder)[ \t]{0,9}:[ \t]{0,9}[\"']?"
    r"|shape[ \t]{0,9}:?[ \t\r\n]{0,40}\{[ \t\r\n]{0,40}dim[ \t]{0,9}:[ \t]{0,9}"
    r"|\binput[ \t]{0,9}:[ \t]{0,9}[\"'][^\"'\n]{0,100}[\"'][ \t\r\n]{0,40}input_dim[ \t]{0,9}:[ \t]{0,9})\Z"
)
"""What stands before the value of a batch size, or of what names data."""
_CONTROL = compiled_later(
    r"\{%|<%(?!=)|\{\{[#^/]|^[ \t]{0,40}[#%@$]{1,3}[ \t]{0,9}(?:else|els?e?if|fi|end\w{0,7})\b",
    re.MULTILINE | re.IGNORECASE,
)
"""What chooses between parts of a template, or ends it, in a comment as well: a remark may begin with `if` or `for`."""


class File:
    """What `load` made of a file. `kind` is `net`, `solver` or `other`; `seems` says what `other` looks like.

    `bound` is None for `other`; of `net` and `solver` the one of the file's kind is set. `dialect` is the fork that
    the file is for, None if nobody said. `known_types` are layer types that the settings call known.
    """

    known_types: frozenset[str] = frozenset()

    def __init__(self, document: Document, kind: str, seems: str, bound: Bound | None, dialect: str | None = None):
        self.document = document
        self.kind = kind
        self.seems = seems
        self.bound = bound
        self.dialect = dialect
        self.net = Net(bound) if bound and kind == NET else None
        self.solver = Solver(bound) if bound and kind == SOLVER else None

    @property
    def caffe(self) -> ProjectCaffe | None:
        """The Caffe of the file's project that it was held against, if it was."""
        return self.bound.caffe if self.bound else None

    @property
    def knows_caffe(self) -> bool:
        """Is it known which Caffe is to read the file, by a dialect or from its project?"""
        return self.bound.knows_caffe if self.bound else self.dialect is not None

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def problems(self) -> list[Problem]:
        """What reading met: in the text, and against the schema."""
        return self.document.problems + (self.bound.problems if self.bound else [])

    @property
    def placeholders(self) -> list[Problem]:
        """What a script fills in before Caffe reads the file."""
        return self.bound.placeholders if self.bound else []

    @property
    def is_template(self) -> bool:
        """Whether Caffe refuses the file as it is: it takes placeholders inside quotes literally.

        A word in braces may as well be a block whose field has no value yet, unless it is where a value is due.
        """
        text = self.document.source.text

        def may_be_a_block(start: int) -> bool:
            return (
                text[start] == "{"
                and text[start + 1] not in "{%"
                and text[max(0, start - 80) : start].rstrip()[-1:] != ":"
            )

        return any(problem.certain and not may_be_a_block(problem.start) for problem in self.placeholders)

    @property
    def lacks_only_data(self) -> bool:
        """Are its placeholders batch sizes and data sources alone, which nothing else in the text hangs on?"""
        text = self.document.source.text
        return all(_OF_DATA.search(text[max(0, one.start - _FAR) : one.start]) for one in self.placeholders)

    @property
    def lacks_only_values(self) -> bool:
        """Is each of its placeholders in a value, and none of its parts left out or repeated by what fills it?"""
        text = self.document.source.text
        lines = (text[text.rfind("\n", 0, one.start) + 1 : one.start] for one in self.placeholders)
        return all(":" in before for before in lines) and not _CONTROL.search(text)

    def is_open_string(self, problem: Problem) -> bool:
        """Is it the first string without a closing quote, and nothing in it that could be filled in with one?

        Quotes after it may be read the wrong way round.
        """
        if not problem.is_open_string or problem.start != self._first_open_string:
            return False
        # The problem may end where the string was meant to.
        line = self.document.source.text[problem.start : problem.start + _FAR].partition("\n")[0]
        return not unfilled_in_strings(line + line[0])

    @cached_property
    def _first_open_string(self) -> int:
        return next((problem.start for problem in self.document.problems if problem.is_open_string), -1)

    @property
    def nets(self) -> list[Net]:
        """The file's net, or those written in its solver."""
        if self.solver:
            return [use.net for use in self.solver.inline_nets]
        return [self.net] if self.net else []

    @cached_property
    def likely_dialects(self) -> tuple[str, ...]:
        """The Caffes that have all fields, values and layer types of it, best known first; empty if one is given."""
        from caffelint.lint.dialect import dialects_of

        return dialects_of(self)

    def place_of(self, problem: Problem) -> Place:
        return Place(self.document, problem.start, problem.end, self.layer_at(problem.start), problem.path)

    def release(self) -> None:
        """Undo the circles between solvers, nets and their parts, once nobody needs the file any more."""
        if self.net:
            self.net.release()
        if self.solver:
            for use in self.solver.nets:
                use.net.release()
            self.solver.nets.clear()

    def layer_at(self, offset: int) -> str:
        """The name of the layer whose block spans the offset; empty outside of layers."""
        fields = self.document.root.fields
        before = bisect_right(fields, offset, key=_start)
        if not before or offset >= fields[before - 1].end:
            return ""
        name = fields[before - 1].first("name")
        return string_value(name.text) if name and name.kind == STRING else ""


def _start(field: Field) -> int:
    return field.start


def load(
    data: bytes,
    path: str = "<text>",
    kind: str | None = None,
    dialect: str | None = None,
    most_problems: int = MOST_PROBLEMS,
    caffe: ProjectCaffe | None = None,
) -> File:
    """Read a file's bytes. `kind` (`net` or `solver`) is detected from the content if not given.

    `caffe` is the one of the file's project, if that is to read it.
    """
    document = parse(data, path, most_problems)
    seems = ""
    if kind is None:
        kind, seems = detect(document, dialect, caffe)
        if kind == OTHER and document.root.fields:
            document.problems.clear()  # what Caffe's parser refuses is no fault there
    bound = None
    if kind == NET:
        bound = bind(document, NetParameter(), dialect, caffe)
    elif kind == SOLVER:
        bound = bind(document, SolverParameter(), dialect, caffe)
    return File(document, kind, seems, bound, dialect)


@lru_cache(maxsize=2)
def loaded(data: bytes, path: str = "<text>", dialect: str | None = None, caffe: ProjectCaffe | None = None) -> File:
    """A file, read once for all that is asked of it one after the other."""
    return load(data, path, dialect=dialect, caffe=caffe)
