"""The Caffe of a project: what its own caffe.proto declares, and which layers and solvers its sources register.

A text is held against the project's declarations. Values go into messages of the merged schema, whose numbers are other
ones; what that has no place for is checked and then dropped, since nothing here knows what it means.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Set
from functools import cached_property
from types import MappingProxyType
from typing import Any

from caffelint.schema import proto2, tables
from caffelint.schema.proto2 import REPEATED, REQUIRED, FieldDeclaration, ProtoError, Schema
from caffelint.schema.provenance import provenance
from caffelint.schema.tables import BOOLS, LIMITS, EnumType, FieldType, MessageType
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_NET, _SOLVER = "NetParameter", "SolverParameter"
_FORMS = {
    "double": tables.FLOAT,
    "float": tables.FLOAT,
    "bool": tables.BOOL,
    "string": tables.STRING,
    "bytes": tables.BYTES,
}
_PACKAGE = compiled_later(r"^[ \t]*package[ \t]+([\w.]+)[ \t]*;", re.MULTILINE)
_FEWEST_TYPES = 35
"""No release of Caffe that has a registry registers fewer layer types."""
_OF_EVERY_CAFFE = ("Split", "SPLIT")
"""By its name of today, and by that of the older format."""


class TakenCounts(NamedTuple):
    """How many bottoms and tops a layer type takes; -1 is no limit."""

    least_bottoms: int
    most_bottoms: int
    least_tops: int
    most_tops: int


class Registered(NamedTuple):
    """The layer and solver types that sources register, and the learning-rate policies, types of regularization and
    fillers that they name.

    `changed` are BVLC's layer types whose sources are not BVLC's, or of a version that refuses other things than 1.0.
    `counts` are those of the layer types whose classes tell them. `names_snapshots`: does it name them after the solver
    where that gives no prefix, as BVLC's does after 1.0? `stores_in_test`: does its BatchNorm take stored statistics in
    TEST whatever use_global_stats is? `reads` are the blocks that its layers read, with the types of these. `says` are
    the texts in the sources of the changed ones, those of checks among them.
    """

    layers: frozenset[str] = frozenset()
    solvers: frozenset[str] = frozenset()
    policies: frozenset[str] = frozenset()
    regularizations: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    counts: Mapping[str, TakenCounts] = MappingProxyType({})
    names_snapshots: bool = False
    stores_in_test: bool = False
    reads: Mapping[str, frozenset[str]] = MappingProxyType({})
    says: Mapping[str, frozenset[str]] = MappingProxyType({})

    def as_json(self) -> list[Any]:
        """Its values in an order that is the same in every run."""
        names = (self.layers, self.solvers, self.policies, self.regularizations, self.fillers, self.changed)
        reads, says = ({key: sorted(found) for key, found in sorted(one.items())} for one in (self.reads, self.says))
        does = self.names_snapshots, self.stores_in_test
        return [*map(sorted, names), reads, says, dict(sorted(self.counts.items())), *does]


NONE_REGISTERED = Registered()


class ProjectCaffe:
    """A Caffe that is known from its files. `path` is that of its caffe.proto, as people read it.

    `digest` is one of what it declares. `registered` may be of sources that are only a part of a Caffe, or empty;
    `complete`: were all of its sources read?
    """

    def __init__(self, schema: Schema, path: str, registered: Registered, complete: bool) -> None:
        self.schema = schema
        self.path = path
        self.registered = registered
        self._complete = complete
        self._messages: dict[tuple[str, str], _ProjectMessage] = {}

    @property
    def knows_types(self) -> bool:
        """Are all layer types known that it registers?

        Layers of a project's own, to be added to a Caffe that is elsewhere, may be as many, but without the one that
        insert_splits.cpp puts into nets.
        """
        types = self.registered.layers
        return self._complete and len(types) >= _FEWEST_TYPES and not types.isdisjoint(_OF_EVERY_CAFFE)

    def lacks_for(self, form: str) -> str:
        """What it lacks to read a newer form, "layer", "input" or "type" (of a solver); empty if it lacks nothing."""
        if form == "type":
            return "" if "type" in self.schema.messages[_SOLVER] else "no field type in a solver"
        if "layer" not in self.schema.messages[_NET]:
            return "no field layer in a net"
        lacks_input = form == "input" and self.knows_types and "Input" not in self.registered.layers
        return "no layer type Input" if lacks_input else ""

    @property
    def has_net_for_both(self) -> bool:
        """Has its solver a field `net`? From then on Caffe compares how many test_iters and test nets there are."""
        return "net" in self.schema.messages[_SOLVER]

    @property
    def has_one_test_net(self) -> bool:
        """Takes its solver one test net at most, as BVLC's did until May 2014?"""
        test_net = self.schema.messages[_SOLVER].get("test_net")
        return test_net is not None and test_net.label != REPEATED

    def takes_several(self, descriptor: Any) -> bool:
        """Does its message of that name take a list where BVLC's takes one scalar, as a kernel_size for each axis?"""
        own = self.schema.messages.get(descriptor.name, {})
        known = descriptor.fields_by_name
        return any(
            one.label == REPEATED and name in known and not FieldType(known[name]).repeated for name, one in own.items()
        )

    @property
    def has_whole_labels(self) -> bool:
        """Is the label of its Datum one whole number, as BVLC's is?"""
        label = self.schema.messages.get("Datum", {}).get("label")
        return label is None or (label.label != REPEATED and label.type not in ("float", "double"))

    @cached_property
    def is_of_a_fork(self) -> bool:
        """Does it declare a field that BVLC's Caffe lacks?"""
        known = provenance()
        return any(
            (facts := known.field(message, name)) is None or "bvlc" not in facts.forks
            for message, fields in self.schema.messages.items()
            for name in fields
        )

    @property
    def holds_weights(self) -> bool:
        """Does it declare what weights are kept in? A schema that does not is no whole one of a Caffe."""
        return "BlobProto" in self.schema.messages

    def message_alone_with(self, names: Set[str]) -> str:
        """A message that has all fields of these names, several of them, where neither nets nor solvers do; or empty.

        Files of such a message are for a tool of the project.
        """
        messages = self.schema.messages
        if len(names) < 2 or any(names <= messages[name].keys() for name in (_NET, _SOLVER)):
            return ""
        return next((name for name, fields in messages.items() if "." not in name and names <= fields.keys()), "")

    @cached_property
    def digest(self) -> str:
        return hashlib.sha1(repr(self.schema).encode(), usedforsecurity=False).hexdigest()

    def message_type(self, name: str, descriptor: Any) -> MessageType:
        """The type of a message that it declares, whose values go into that of a descriptor, None to drop them."""
        key = name, descriptor.full_name if descriptor is not None else ""
        if key not in self._messages:
            self._messages[key] = _ProjectMessage(self, name, descriptor)
        return self._messages[key]


class OtherPackageError(ProtoError):
    """A caffe.proto of a program that is like Caffe. `package`: the one that it declares."""

    def __init__(self, package: str) -> None:
        super().__init__(f'declares the package "{package}", not caffe')
        self.package = package


def project_caffe(
    text: str,
    path: str,
    imported: Callable[[str], str | None] = lambda name: None,
    registered: Registered = NONE_REGISTERED,
    complete: bool = True,
) -> ProjectCaffe:
    """The Caffe whose caffe.proto is this text. Raises `ProtoError`, also for a caffe.proto of something else."""
    if (package := _PACKAGE.search(text)) and package[1] != "caffe":
        raise OtherPackageError(package[1])
    schema = proto2.read_schema(text, imported)
    net = schema.messages.get(_NET, {})
    if _SOLVER not in schema.messages or not ("layer" in net or "layers" in net):
        raise ProtoError("declares no nets and solvers")
    return ProjectCaffe(schema, path, registered, complete)


class _ProjectMessage(MessageType):
    """A message of the project. `descriptor` is the one of the merged schema that its values go into, or None."""

    def __init__(self, caffe: ProjectCaffe, name: str, descriptor: Any):
        super().__init__(descriptor, name)
        self._caffe = caffe
        self._declared = caffe.schema.messages[name]

    def _make(self, name: str) -> FieldType | None:
        declared = self._declared.get(name)
        if declared is None:
            return None
        known = self.descriptor.fields_by_name.get(name) if self.descriptor is not None else None
        return _ProjectField(self._caffe, declared, known)

    @property
    def fields(self) -> dict[str, FieldType]:
        if self._fields is None:
            made = {name: self.field(name) for name in self._declared}
            self._fields = {name: field for name, field in made.items() if field is not None}
        return self._fields

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(field.name for field in self._declared.values() if field.label == REQUIRED)

    def of_others(self, name: str) -> FieldType | None:
        if self.descriptor is None or name in self._declared:
            return None
        return tables.message_type(self.descriptor).field(name)


class _ProjectField(FieldType):
    """A field of the project; `known` is the descriptor of the one by the same name in the merged schema, or None."""

    __slots__ = ()

    def __init__(self, caffe: ProjectCaffe, declared: FieldDeclaration, known: Any):
        same = FieldType(known) if known is not None else None
        type_ = declared.type
        schema = caffe.schema
        is_message, is_enum = type_ in schema.messages, type_ in schema.enums
        whole = tables.MESSAGE if is_message else tables.ENUM if is_enum else tables.INTEGER
        self.name = declared.name
        self.form = _FORMS.get(type_, whole)
        self.usual = tables.USUAL[self.form]
        self.repeated = declared.label == REPEATED
        self.low, self.high = _limits(type_)
        self.kept = same is not None and _holds(same, self)
        self.kept_as_list = same is not None and same.repeated
        self.fork_only = not self.kept or (same is not None and same.fork_only)
        into = known.message_type if known is not None and self.kept else None
        self.message = caffe.message_type(type_, into) if is_message else None
        self.enum = _enum(type_, schema.enums[type_], same.enum if same and self.kept else None) if is_enum else None
        self.words = self.enum.of_bvlc if self.enum else BOOLS if self.form == tables.BOOL else {}


def _limits(type_: str) -> tuple[float, float]:
    if type_ in ("float", "double"):
        return -tables.LARGEST[type_], tables.LARGEST[type_]
    name = {"sint": "int", "sfixed": "int", "fixed": "uint"}.get(type_.rstrip("0123456789"), "") + type_[-2:]
    return LIMITS.get(type_ if type_ in LIMITS else name, (0, 0))


def _holds(known: FieldType, own: FieldType) -> bool:
    """Has a field of the merged schema a place for values of the project's? A list has one for a single value, and one
    of whole numbers for those that are not too large for it.
    """
    return known.form == own.form and (known.repeated or not own.repeated)


def _enum(name: str, own: dict[str, int], known: EnumType | None) -> EnumType:
    """The project's values with the numbers of the merged schema."""
    if known is None:
        return EnumType(name, {}, tuple(own))
    numbers = {value: known.values[value] for value in own if value in known.values}
    return EnumType(known.name, numbers, tuple(value for value in own if value not in numbers))
