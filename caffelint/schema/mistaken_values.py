"""Values that a field does not take, or takes in some forks alone."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any

from caffelint.schema import values
from caffelint.schema.bound import Bound, ForkUse
from caffelint.schema.newer import newer_form
from caffelint.schema.provenance import Alternative, provenance
from caffelint.schema.reporting import Repairs, Reporting
from caffelint.schema.spelling import is_same, suggest
from caffelint.schema.tables import ENUM, FLOAT, INTEGER, MESSAGE, STRING, FieldType, MessageType
from caffelint.schema.wording import out_of_range, shown, wanted
from caffelint.text import tree
from caffelint.text.edits import Edit
from caffelint.text.patterns import compiled_later
from caffelint.text.scalars import string_value
from caffelint.text.tree import BROKEN, IDENTIFIER, LIST, Field, Problem

_LONGEST = 40
_INPUT = "Input"
"""A type that came after the older format, in which the net itself has fields for what it reads."""
_WIDER = ("int64", "uint64")
"""Types that the OpenCL forks alone give to most integers."""
_NO_TEMPLATE = ("same", "valid", "true", "false", "none", "null", "auto", "default")
"""Words that somebody writes for a number and that no template replaces."""
_SHORT_NAME = 4
"""Capitals, of which the values of enums mostly have no more, as in `stride: AVE`, and slips: `max_iter: Z00000`."""
_MANY_BARE = 3
"""Strings without quotes, from which on they are one slip."""
_TO_CHANGE = compiled_later(
    r"[ \t]*#[^\n]{0,200}\b(?:chang|replac|fill|set\b|edit|insert|modif|todo|fixme)", re.IGNORECASE
)
"""A remark that the value before it is not yet one."""
_PLACEHOLDER = compiled_later(r"(?=_*[A-Z]{3}|_*[A-Z]+_[A-Z])[A-Z_]+|__\w+__")
"""A word that a script is to replace, as in `source: PATH_TO_LMDB`: quotes would make it look right."""


def _as_v1_param(block: Field) -> str:
    """What a `param` block is in a `layers` block (upgrade_proto.cpp, UpgradeV1LayerParameter)."""
    named = (("param", "name"), ("blobs_lr", "lr_mult"), ("weight_decay", "decay_mult"))
    values = ((old, block.first(new)) for old, new in named)
    written = [f"{old}: {value.text}" for old, value in values if value is not None and value.text]
    return " ".join(written) or "blobs_lr: 1"


class MistakenValues(Reporting):
    """Words what is wrong with a value."""

    def __init__(self, bound: Bound, parents: list[MessageType]):
        super().__init__(bound, parents)
        self._names: dict[str, list[tuple[FieldType, Field]]] = {}
        self._bare: list[Problem] = []
        self._reported_newer_form = False

    @cached_property
    def _newer_form(self) -> Repairs:
        return newer_form(self.bound.document.root)

    def value(self, type_: MessageType, field_type: FieldType, item: Field) -> Any:
        """The value of a scalar that is written in an unusual way, or the one that was meant; None if unknown."""
        kind = item.kind
        if field_type.form == MESSAGE:
            self._no_block(item)
            return None
        if kind == BROKEN:
            if field_type.form == STRING:
                self._takes_quotes(field_type, item)
            else:
                self._takes_no_text(field_type, item)
        if kind == BROKEN or (kind == LIST and self._was_reported(item)):
            return None
        if field_type.form == ENUM and kind == IDENTIFIER and item.text[0] != "-":
            return self._enum_value(type_, field_type, item)
        found = values.read(field_type, item)
        if found is not None and kind == tree.INTEGER and item.text.lstrip("-0").isdigit():
            self._octal(item, found)
        if found is not None or self._alternative_fits(type_, field_type, item):
            return found
        if field_type.form == ENUM and kind == tree.INTEGER and (self.caffe or not field_type.words):
            return None  # an enum of forks, whose numbers differ between them
        return self._wrong_value(type_, field_type, item)

    def _octal(self, item: Field, value: int) -> None:
        """A leading 0 that makes another number of it."""
        sign = "-" if value < 0 else ""
        looks = sign + item.text.lstrip("-0")
        if len(looks) < len(item.text) and looks != str(value):
            start, end = item.value_span
            message = (
                f"{item.name}: {item.text} is octal and means {value}; write {value}, or {looks} if you meant that"
            )
            self._add("octal-number", start, end, message, field=item.name)

    def _no_block(self, item: Field) -> None:
        if item.kind != BROKEN and not self._was_reported(item):
            start, end = item.value_span
            value = shown(self.bound.document.source, item)
            message = f"{item.name} is a block; write {item.name} {{ ... }}, not {value}"
            self._add("wrong-value-type", start, end, message, 'Caffe says: Expected "{"', field=item.name)

    def _alternative_fits(self, type_: MessageType, field_type: FieldType, item: Field) -> bool:
        """Whether a fork gives the field another type, one that the text suits."""
        facts = provenance().field(type_.name, field_type.name)
        for other in facts.alternatives if facts else ():
            if self._may_be(other) and values.fits(other.type, item):
                self.bound.fork_uses.append(ForkUse(item, other.forks, item.name))
                return True
        return False

    def _may_be(self, alternative: Alternative) -> bool:
        """Whether the text may be of a fork that declares a field so. BVLC's way is the schema's, which was tried."""
        if "bvlc" in alternative.forks:
            return False
        if self.is_sure:
            return self.dialect in alternative.forks
        return alternative.type not in _WIDER

    def _wrong_value(self, type_: MessageType, field_type: FieldType, item: Field) -> Any:
        start, end = item.value_span
        name, source = field_type.name, self.bound.document.source
        if self._was_reported(item):
            if item.kind in (tree.MESSAGE, LIST):
                return None
            value, repair = values.meant(field_type, item)
            self._takes_no_text(field_type, item, repair)
            return value
        if item.kind in (tree.MESSAGE, LIST):
            message = f"{name} takes {wanted(field_type)}, not a {'block' if item.kind == tree.MESSAGE else 'list'}"
            if type_.name == "V1LayerParameter" and name == "param" and item.kind == tree.MESSAGE:
                message = f"param is a block in layer alone, not in layers; write {_as_v1_param(item)}"
            certain = not field_type.fork_only or self.is_sure
            self._add("wrong-value-type", start, end, message, field=name, certain=certain)
            return None
        if name == "type" and type_.name == "V1LayerParameter" and item.kind == tree.STRING:
            written = string_value(item.text)
            if provenance().v1_type(written) in (None, written):  # LRN is the name of both formats
                return self._v2_type_in_v1(field_type, item)
        if name == "type" and type_.name == "LayerParameter" and item.kind == IDENTIFIER:
            return self._v1_type_in_v2(item)
        value, repair = values.meant(field_type, item)
        message = f"{name} takes {wanted(field_type)}, not {shown(source, item)}"
        evidence = ""
        if item.kind == tree.INTEGER and field_type.form == INTEGER:
            message = out_of_range(field_type, item)
            evidence = f"Caffe says: Integer out of range ({item.text.lstrip('-')[:40]})"
        elif item.kind == tree.INTEGER and field_type.form == FLOAT:
            message = f"{name} takes a decimal number, but {shown(source, item)} is octal or hexadecimal"
        is_placeholder = field_type.form == STRING and _PLACEHOLDER.fullmatch(item.text) is not None
        is_name = is_placeholder and "_" in item.text and item.text.isupper()
        stands_for = is_name if field_type.form == STRING else value is None
        if item.kind == IDENTIFIER and stands_for and field_type.form in (STRING, INTEGER, FLOAT):
            if item.text.lower() not in _NO_TEMPLATE and len(self._names) < self._most:
                self._names.setdefault(item.text, []).append((field_type, item))
                return None
        repairs = (Edit(start, end, repair),) if repair else ()
        # Forks change the types of their own fields from one version to the next.
        certain = not field_type.fork_only or self.is_sure
        self._add(
            "wrong-value-type",
            start,
            end,
            message,
            evidence,
            field=name,
            certain=certain,
            repairs=repairs,
            safe=bool(repair) and certain and not is_placeholder,
        )
        if item.kind == IDENTIFIER and field_type.form == STRING:
            self._bare += self.bound.problems[-1:]
        return value

    def _takes_no_text(self, field_type: FieldType, item: Field, repair: str = "") -> None:
        """The text's own grammar cannot know that quotes are no help here."""
        start, end = item.value_span
        written = self.bound.document.source.slice(start, end)
        problems = self.bound.document.problems
        for index, problem in enumerate(problems):
            if problem.start == start and any({'"', "'"} & set(edit.text) for edit in problem.repairs):
                message = f"{field_type.name} takes {wanted(field_type)}, not {written[:_LONGEST]}"
                repairs = (Edit(start, end, repair),) if repair else ()
                problems[index] = problem._replace(message=message, repairs=repairs, repair_is_safe=False)

    def _takes_quotes(self, field_type: FieldType, item: Field) -> None:
        """`snapshot_prefix: $RUN` where another string has the same placeholder in it: neither is filled in quoted."""
        start, end = item.value_span
        source = self.bound.document.source
        written = source.slice(start, end)
        if not self.bound.placeholders:
            return
        from caffelint.text.strangers import part_of_string

        other = part_of_string(source.text, written)
        if other is not None:
            name = written[:_LONGEST]
            message = f"{field_type.name} takes a string in quotes, and {name} is filled in without any, as in the"
            message += f' string on line {source.line_number(other)}; write "{name}"'
            repairs = (Edit(start, end, f'"{written}"'),)
            self._add("wrong-value-type", start, end, message, field=field_type.name, repairs=repairs, safe=True)

    def _strings_without_quotes(self) -> None:
        """Where many strings have no quotes, whoever wrote the text knows of none: that is one mistake."""
        if len(self._bare) < _MANY_BARE:
            return
        first, *others = self._bare
        gone = set(map(id, others))
        message = f"{first.message}; {len(others)} more strings have no quotes"
        repairs = tuple(repair for one in self._bare for repair in one.repairs)
        is_safe = all(one.repair_is_safe for one in self._bare)
        joined = first._replace(message=message, repairs=repairs, repair_is_safe=is_safe)
        kept = (joined if one is first else one for one in self.bound.problems if id(one) not in gone)
        self.bound.problems[:] = list(kept)

    def _names_for_numbers(self) -> None:
        """`num_output: cls3x`: one such name is a mistake; several, or a constant's, are a template's."""
        text = self.bound.document.source.text
        items = [item for places in self._names.values() for _, item in places]
        several = (
            len(items) > 1
            or any(one.certain for one in self.bound.placeholders)
            or all(
                item.text.isupper()
                and ("_" in item.text or sum(map(str.isalpha, item.text)) > _SHORT_NAME)
                or _TO_CHANGE.match(text, item.end)
                for item in items
            )
        )
        for places in self._names.values():
            field_type, item = places[0]
            start, end = item.value_span
            said = f"{item.name} takes {wanted(field_type)}, not {shown(self.bound.document.source, item)}"
            if several:
                said += ", which looks like a placeholder that a template or script should have filled in"
            if len(places) > 1:
                said += f" ({len(places)} times)"
            kind = "unfilled-template" if several else "wrong-value-type"
            certain = self.is_sure or any(not other.fork_only for other, _ in places)
            self._add(kind, start, end, said, field=item.name, certain=certain)

    def _v2_type_in_v1(self, field_type: FieldType, item: Field) -> Any:
        written = string_value(item.text)
        enum_values = field_type.enum.values if field_type.enum else {}
        name = next((name for name in enum_values if provenance().v1_type(name) == written), "")
        of_bvlc = field_type.enum.of_bvlc if field_type.enum else ()
        if name not in of_bvlc and not self.is_sure:
            name = ""
        hint = f"write type: {name}, or layer instead of layers" if name else "write layer instead of layers"
        if written == _INPUT and not name:
            hint = "write input and input_shape at the top of the net in place of the block"
        repairs: Repairs = (Edit(*item.value_span, name),) if name else ()
        if len(self.parents) == 1 and self.bound.document.root.first("layer"):  # `mixed_formats` tells
            return enum_values.get(name)
        if len(self.parents) == 1 and self._newer_form:
            if self._reported_newer_form:
                return enum_values.get(name)
            self._reported_newer_form = True
            hint, repairs = "write layer instead of layers", self._newer_form
        message = f'type: "{written}" belongs in a layer block, so Caffe refuses it in layers; {hint}'
        start, end = item.value_span
        evidence = f'Caffe says: Expected integer or identifier, got: "{written}"'
        safe = bool(repairs)
        self._add("mixed-layer-formats", start, end, message, evidence, repairs=repairs, safe=safe, field="type")
        return enum_values.get(name)

    def _v1_type_in_v2(self, item: Field) -> str:
        start, end = item.value_span
        evidence = f"Caffe says: Expected string, got: {item.text}"
        meant = provenance().v1_type(item.text)
        if meant:
            message = (
                f'type: {item.text} belongs in a layers block, so Caffe refuses it in layer; write type: "{meant}"'
            )
            repairs = (Edit(start, end, f'"{meant}"'),)
            self._add("mixed-layer-formats", start, end, message, evidence, repairs=repairs, safe=True, field="type")
            return meant
        quoted = f'"{item.text}"'
        message = f"a layer's type is a string in quotes; write type: {quoted}"
        repairs = (Edit(start, end, quoted),)
        self._add("wrong-value-type", start, end, message, evidence, repairs=repairs, safe=True, field="type")
        self._bare += self.bound.problems[-1:]
        return item.text

    def _enum_value(self, type_: MessageType, field_type: FieldType, item: Field) -> int | None:
        enum, text = field_type.enum, item.text
        assert enum is not None
        number = enum.values.get(text)
        if number is not None:
            self._fork_enum_value(enum.name, text in enum.of_bvlc, item)
            return number
        if text in enum.unkept:
            self.bound.fork_uses.append(ForkUse(item, frozenset(), text, is_value=True))
            return None
        if self._was_reported(item) or self._alternative_fits(type_, field_type, item):
            return None
        start, end = item.value_span
        evidence = f'Caffe says: Unknown enumeration value of "{text}" for field "{field_type.name}"'
        said = f"{self._subject(type_, field_type.name, item)} has no value {text}"
        v2_names = {v2: name for name in enum.of_bvlc if (v2 := provenance().v1_type(name))}
        meant = suggest(text, enum.of_bvlc) or v2_names.get(suggest(text, v2_names) or "")
        meant = meant or suggest(text, enum.offered)
        if meant:
            certain = meant in enum.of_bvlc or self.is_sure
            repairs = (Edit(start, end, meant),)
            said += f", so Caffe refuses the file; did you mean {meant}?"
            name, safe = field_type.name, certain and is_same(text, meant)
            self._add(
                "unknown-enum-value",
                start,
                end,
                said,
                evidence,
                field=name,
                certain=certain,
                repairs=repairs,
                safe=safe,
            )
            return enum.values.get(meant)
        certain = self.is_sure
        current = _current_type(text) if type_.name == "V1LayerParameter" and not certain else None
        if current:
            message = (
                f"no known Caffe has {text} in this old format, so Caffe refuses the file; in layer {{ }} it is"
                f' type: "{current}"'
            )
            own = "bvlc" not in provenance().layer_type(current)
            name = field_type.name
            self._add("unknown-enum-value", start, end, message, evidence, field=name, certain=False, own=own)
            return None
        said += f" in {self._whose() if certain else 'any known Caffe'}, so Caffe refuses the file"
        choice = f"; write {wanted(field_type)}" if len(enum.offered) <= 12 else ""
        own = not certain and not choice
        message = f"{said} unless your fork adds it; change it" if own else f"{said}{choice}"
        self._add("unknown-enum-value", start, end, message, evidence, field=field_type.name, certain=certain, own=own)
        return None

    def _fork_enum_value(self, enum: str, of_bvlc: bool, item: Field) -> None:
        """Note an enum value that only forks have; with a dialect, report one that it lacks."""
        if of_bvlc and self.bound.has_bvlc_dialect:
            return
        forks = provenance().enum_value(enum, item.text)
        if not of_bvlc:
            self.bound.fork_uses.append(ForkUse(item, forks, item.text, is_value=True))
        if self.dialect is not None and not self._has(forks):
            start, end = item.value_span
            known = provenance().dialects(forks)
            message = f"{self._whose()} lacks {item.name}: {item.text} and refuses the file; it is in {known}"
            evidence = f'Caffe says: Unknown enumeration value of "{item.text}" for field "{item.name}"'
            self._add("fork-field", start, end, message, evidence, field=item.name)


def _current_type(old: str) -> str | None:
    """The layer type that a name in the style of the old format means."""
    return _types_in_capitals().get(old.replace("_", ""))


@lru_cache(maxsize=1)
def _types_in_capitals() -> dict[str, str]:
    known = sorted(provenance().layer_types(), key=lambda one: len(provenance().layer_type(one)))
    return {one.upper(): one for one in known}  # of two that differ in case alone, the one that more forks have
