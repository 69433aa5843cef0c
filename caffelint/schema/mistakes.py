"""Where a text and the schema disagree: what to say, and what was probably meant.

Each problem's evidence is what Caffe's own parser says, so that people recognise it.
"""

from __future__ import annotations

import re

from caffelint.schema.bound import LAYERS, NET, Bound, ForkUse
from caffelint.schema.meant import is_list, longer_field, may_be_block, meant_field, sibling_field, takes
from caffelint.schema.mistaken_values import MistakenValues
from caffelint.schema.newer import newer_form
from caffelint.schema.provenance import provenance
from caffelint.schema.reporting import Repairs
from caffelint.schema.spelling import is_block_of, is_same
from caffelint.schema.tables import FLOAT, STRING, FieldType, MessageType
from caffelint.schema.wording import block_name
from caffelint.text import tree
from caffelint.text.edits import Edit
from caffelint.text.layout import put_in, take_out
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.scalars import string_value, without_thousands
from caffelint.text.tree import BROKEN, LIST, Field, Problem

_SHOWN = 3
_LARGE = 1000
"""A block with more fields is not searched for the one that a misspelt name was meant to be."""
_OF_A_BLOB = ("num", "channels", "height", "width")
_OF_THE_NET = ("force_backward", "debug_info", "state")
"""Fields of a net; its `input` and `input_dim` mean something else in a layer."""
_DECIMAL_COMMA = compiled_later(r"-?\d+,\d+", re.ASCII)

_OF_A_PARAM = ("lr_mult", "decay_mult")
_OF_OLDER_LAYERS = {"blobs_lr": "lr_mult", "weight_decay": "decay_mult"}
"""Fields of `layers` blocks (caffe.proto, V1LayerParameter), and what the param of a `layer` calls them."""
_UNKNOWN = "unknown-field"


class _Unknown(NamedTuple):
    """An unknown field: the one that was meant, what to say, whether Caffe surely refuses it, and whether a fork may
    well have added it.
    """

    meant: str | None
    message: str
    certain: bool
    own: bool = False


class Mistakes(MistakenValues):
    """Words the problems of one document."""

    def __init__(self, bound: Bound, parents: list[MessageType]):
        super().__init__(bound, parents)
        self._doubtful: list[tuple[Problem, ForkUse]] = []
        self._in_dialect: dict[FieldType, str] = {}
        self._unknown: dict[tuple[str, str, int], _Unknown] = {}
        self._guessed: set[str] = set()
        """Unknown fields that are taken for slips, while nothing else in the text is of a fork."""
        self._misplaced: set[str] = set()
        """Unknown fields that are known in another block."""
        self._blocks: tuple[Field | None, list[Field]] = None, []
        """A message, and the first blocks in it: of one, many fields may be unknown."""

    def finish(self) -> None:
        """Decide on what some forks take and most refuse: by the forks whose names the rest of the text uses."""
        named = provenance().infer(use.forks for use in self.bound.fork_uses) if self.bound.fork_uses else None
        for problem, use in self._doubtful:
            if named is not None and named & use.forks:
                self.bound.fork_uses.append(use)
            else:
                takes = "takes" if provenance().has(use.forks) == "has" else "take"
                evidence = f"BVLC's Caffe refuses it; {provenance().describe(use.forks)} {takes} several"
                sure, safe = bool(named), bool(named) and problem.repair_is_safe
                self.bound.problems.append(problem._replace(certain=sure, evidence=evidence, repair_is_safe=safe))
        problems = self.bound.problems
        may_be_of_a_fork = bool(self.bound.fork_uses) or any(problem.own for problem in problems)
        if self._guessed and may_be_of_a_fork:
            problems[:] = [one._replace(own=True) if one.field in self._guessed else one for one in problems]
        elif self._misplaced and not may_be_of_a_fork and any(one.certain for one in problems if one.kind == _UNKNOWN):
            # Beside a slip for which each Caffe refuses the file: nobody has run it.
            problems[:] = [one._replace(certain=True) if one.field in self._misplaced else one for one in problems]
        if not self.is_sure:
            self._name_forks()
        self._names_for_numbers()
        self._count_alike()
        self._strings_without_quotes()

    def _name_forks(self) -> None:
        """One problem for each set of forks that the text needs: mostly one, more where no fork knows all names."""
        uses = sorted(self.bound.fork_uses, key=lambda use: use.field.start)
        while uses:
            forks = provenance().infer(use.forks for use in uses)
            if not forks:
                best = max(provenance().forks, key=lambda fork: sum(fork in use.forks for use in uses))
                forks = provenance().infer(use.forks for use in uses if best in use.forks)
            here = [use for use in uses if forks and forks <= use.forks]
            uses = [use for use in uses if not forks <= use.forks] if here else []
            if here:
                self._needs(here, forks)

    def _needs(self, uses: list[ForkUse], forks: frozenset[str]) -> None:
        names: list[str] = []
        end = 0
        for use in uses:
            if use.field.start >= end:  # what is inside a block that is already named adds nothing
                end = use.field.end
                names += [use.name] if use.name not in names else []
        left = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
        *most, last = names[:_SHOWN] + left
        listed = f"{', '.join(most)} and {last}" if most else last
        known, them = provenance(), "it" if len(names) == 1 else "them"
        old = [block for block in self.bound.document.root.fields if block.name == "layers"]
        in_old = all(any(block.start <= use.field.start < block.end for block in old) for use in uses)
        message = (
            f"BVLC's Caffe refuses {listed}{' in layers blocks' * in_old};"
            f" {known.describe(forks)} {known.has(forks)} {them}"
        )
        first = uses[0]
        start, end = first.field.value_span if first.is_value else first.field.name_span
        self._add("fork-field", start, end, message, field=first.field.name)

    def mixed_formats(self, node: Field) -> None:
        """`layer` and `layers` in one net: Caffe's upgrade aborts (util/upgrade_proto.cpp, UpgradeV1Net)."""
        old = [field for field in node.fields if field.name == "layers"]
        new = [field for field in node.fields if field.name == "layer"]
        fewer, more = (old, new) if len(old) <= len(new) else (new, old)
        if not fewer:
            return
        start, end = fewer[0].name_span
        line = self.bound.document.source.line_number(more[0].start)
        repairs = newer_form(node)
        blocks = [block for block in old if block.kind == tree.MESSAGE]
        # The parser, which comes before the upgrade, stops at a type in quotes.
        types = (block.first("type") for block in blocks)
        quoted = next((type_.text for type_ in types if type_ and type_.kind == tree.STRING), "")
        upgrades = not repairs and not quoted and not any(block.first("layer") for block in blocks)
        rates = quoted and any(block.first("blobs_lr") for block in blocks)
        message = (
            f"the net mixes layer and layers blocks (the first {more[0].name} block is on line {line}), so Caffe"
            f" refuses it; {'run `caffelint upgrade` to write' if upgrades else 'write'} every block as layer"
            f"{', and each blobs_lr as param { lr_mult: ... }' if rates else ''}"
        )
        evidence = "Refusing to upgrade inconsistent NetParameter input"
        evidence = f"Caffe says: {f'Expected integer or identifier, got: {quoted}' if quoted else evidence}"
        name = fewer[0].name
        self._add("mixed-layer-formats", start, end, message, evidence, field=name, repairs=repairs, safe=bool(repairs))

    # Fields.

    def unknown_field(self, type_: MessageType, field: Field, node: Field) -> FieldType | None:
        """Report a field that no known Caffe has; the field that was meant, where one is near and not there yet."""
        name = field.name
        is_mended = field.kind == tree.STRING  # only its quotes were missing
        if not name or (self._was_reported(field) and not is_mended and not self._was_reported_as_list(field)):
            return None
        if other := type_.of_others(name):
            if self._is_of_unknown_type(type_, field, node):
                return other
            return self._lacks(type_, other, field)
        renamed = self._block_of_content(type_, field, node)
        key = (type_.name, f"{name} {renamed}", field.kind)
        if key not in self._unknown:
            if len(self.bound.problems) >= self._most:
                return None
            self._unknown[key] = self._say_unknown(type_, field, node, renamed)
        meant, message, certain, own = self._unknown[key]
        is_own = meant is None or _is_named_after_its_type(name, node) or not may_be_block(type_.fields[meant], field)
        if is_own and self._is_of_unknown_type(type_, field, node):
            return None
        start, end = field.name_span
        evidence = f'Caffe says: Message type "caffe.{type_.name}" has no field named "{name}"'
        repairs = (Edit(start, end, meant),) if meant else self._moved(type_, field, node)
        safe = bool(meant) and certain and is_same(name, meant or "")
        self._add(
            _UNKNOWN,
            start,
            end,
            message,
            evidence,
            field=name,
            certain=certain,
            repairs=repairs,
            safe=safe,
            own=own and (meant is not None or not repairs),
        )
        if not meant or type_.fields[meant].fork_only or len(node.fields) > _LARGE:
            return None
        if any(other.name == meant for other in node.fields):
            return None
        self.bound.document.misspelt.setdefault((id(node), meant), field)
        return type_.fields[meant]

    def _lacks(self, type_: MessageType, other: FieldType, field: Field) -> FieldType:
        """Report a field that this project's Caffe lacks; it is read as others have it."""
        start, end = field.name_span
        facts = provenance().field(type_.name, field.name)
        having = provenance().dialects(facts.forks if facts else ())
        message = f"{self._whose()} lacks {field.name} and refuses the file; it is in {having}"
        evidence = f'Caffe says: Message type "caffe.{type_.name}" has no field named "{field.name}"'
        self._add("fork-field", start, end, message, evidence, field=field.name)
        return other

    def _was_reported_as_list(self, field: Field) -> bool:
        """Take back that several values are a list: nobody knows what a field that does not exist would take."""
        if field.kind != LIST or self.bound.document.source.text[field.value_start] == "[":
            return False
        problems = self.bound.document.problems
        problems[:] = [problem for problem in problems if problem.start != field.value_start]
        self._reported.remove(field.value_start)
        return True

    def _is_of_unknown_type(self, type_: MessageType, field: Field, node: Field) -> bool:
        """Whether it is a block of a layer whose type Caffe lacks as well: one cause, reported once, with the type."""
        written = node.first("type") if type_.name in LAYERS and field.kind == tree.MESSAGE else None
        if written is None:
            return False
        declared = type_.field("type")
        enum = declared.enum if declared else None
        if enum and written.kind == tree.IDENTIFIER:
            return written.text not in enum.values and written.text not in enum.unkept
        if written.kind != tree.STRING:
            return False
        layer_type = string_value(written.text)
        if self.caffe:
            return self.caffe.knows_types and layer_type not in self.caffe.registered.layers
        return not self.is_sure and not provenance().layer_type(layer_type)

    def _say_unknown(self, type_: MessageType, field: Field, node: Field, renamed: str) -> _Unknown:
        """What to say of an unknown field."""
        name, types, where = field.name, type_.fields, block_name(type_, node)
        is_of_bvlc = "bvlc" in provenance().message(type_.name)
        if type_.name == "InputParameter" and name in _OF_A_BLOB:
            sides = [side.text if (side := node.first(one)) else "" for one in _OF_A_BLOB]
            shape = " ".join(f"dim: {side}" for side in (sides if all(sides) else ("10", "3", "227", "227")))
            message = f"{where} has no field {name}, so Caffe refuses the file; write shape {{ {shape} }}"
            return _Unknown(None, message, self.is_sure)
        if type_.name == "LayerParameter" and name in _OF_OLDER_LAYERS:
            first = node.first(name)
            value = first.text if first and first.kind not in (BROKEN, LIST, tree.MESSAGE) else "1"
            message = f"{where} has no field {name}, which only the older layers blocks have, so Caffe refuses the file"
            return _Unknown(None, f"{message}; write param {{ {_OF_OLDER_LAYERS[name]}: {value} }}", True)
        if type_.name == "LayerParameter" and self.caffe and name in self.caffe.registered.reads:
            message = f"{where} has no field {name} in this project's caffe.proto, but its sources read it"
            return _Unknown(None, f"{message}; add it there", False)
        older = _OF_OLDER_LAYERS.get(name) if type_.name == "ParamSpec" else None
        meant = older or meant_field(type_, field)
        # Some fork has added it: one whose own block this is has declared all that it has.
        is_beside = bool(meant and is_of_bvlc and node.first(meant) and not is_list(types, meant))
        if meant and (older or not is_beside):
            certain = not types[meant].fork_only or self.is_sure
            message = f"{where} has no field {name}, so Caffe refuses the file; did you mean {meant}?"
            # Another fork may well have called it that in the first place.
            return _Unknown(meant, message, certain, is_of_bvlc and not certain)
        certain = self.is_sure
        if renamed:
            self._misplaced.add(name)
            message = f"{where} has no field {name}, so Caffe refuses the file; what it holds belongs in {renamed}"
            return _Unknown(renamed, f"{message}, so rename it", certain)
        if home := self._home(type_, field, node):
            if is_of_bvlc:
                self._misplaced.add(name)
            message = f"{where} has no field {name}, so Caffe refuses the file; {home}"
            return _Unknown(None, message, certain, not certain and not is_of_bvlc)
        meant = longer_field(type_, name, field.kind)
        if meant and (is_list(types, meant) or not (node.first(meant) or len(node.all(name)) > 1)):
            message = f"{where} has no field {name}, so Caffe refuses the file; did you mean {meant}?"
            return _Unknown(meant, message, certain, not certain and not is_of_bvlc)
        if certain:
            message = f"{where} has no field {name} in {self._whose()}, which refuses the file; remove it"
            return _Unknown(None, message, True, True)
        message = f"{where} has no field {name} in any known Caffe, so Caffe refuses the file unless your fork adds it"
        sibling = sibling_field(type_, name, field.kind) if is_of_bvlc else None
        if sibling and not node.first(sibling):
            self._guessed.add(name)
            return _Unknown(sibling, f"{message}; did you mean {sibling}?", False)
        return _Unknown(None, f'{message}; name that one with caffe = "FOLDER", or remove it', False, True)

    def _moved(self, type_: MessageType, field: Field, node: Field) -> Repairs:
        """The field in the block beside it that has one of that name, and none yet."""
        if field.kind in (BROKEN, LIST, tree.MESSAGE) or len(self.bound.problems) >= self._most:
            return ()
        block = self._beside(type_, field, node)
        if block is None or block.first(field.name):
            return ()
        document = self.bound.document
        value = document.source.slice(*field.value_span)
        if not value.isascii():
            return ()
        return (*take_out(document, node, [field]), put_in(document, block, field.name, value))

    def _beside(self, type_: MessageType, field: Field, node: Field) -> Field | None:
        """The block beside a field that has one of its name; of a layer, one that its type reads, if that has it."""
        types = type_.fields
        own = self._own_blocks(type_, field, node)
        if self._blocks[0] is not node:
            self._blocks = node, [other for other in node.fields[:_LARGE] if other.kind == tree.MESSAGE]
        for other in self._blocks[1]:
            if not own or other.name in own:
                inner = types.get(other.name)
                if inner and inner.message and takes(inner.message, field):
                    if not _is_left_over(type_, other.name, field.name):
                        return other
        return None

    def _own_blocks(self, type_: MessageType, field: Field, node: Field) -> list[str]:
        """The blocks with a field of that name that a layer's type reads; empty for any other message."""
        written = node.first("type") if type_.name == "LayerParameter" else None
        layer_type = string_value(written.text) if written and written.kind == tree.STRING else ""
        found = []
        reads = self.caffe.registered.reads if self.caffe else {}
        own = sorted(block for block, types in reads.items() if layer_type in types)
        for block in (*own, *sorted(provenance().param_blocks(layer_type))) if layer_type else ():
            inner = type_.fields.get(block)
            if inner and inner.message and takes(inner.message, field):
                if not _is_left_over(type_, block, field.name):
                    found.append(block)
        return found

    def _block_of_content(self, type_: MessageType, field: Field, node: Field) -> str:
        """The block of its layer's type that an unknown one was meant to be, as all that it holds is of that one."""
        if field.kind != tree.MESSAGE or not field.fields or max(len(field.fields), len(node.fields)) > _LARGE:
            return ""
        written = node.first("type") if type_.name == "LayerParameter" else None
        layer_type = string_value(written.text) if written and written.kind == tree.STRING else ""
        reads = self.caffe.registered.reads if self.caffe else {}
        own = {block for block, types in reads.items() if layer_type in types}
        for block in (*sorted(own), *sorted(provenance().param_blocks(layer_type))) if layer_type else ():
            if (inner := type_.fields.get(block)) and inner.message and not node.first(block):
                of_forks = block in own or block == f"{field.name}_param"
                if all(takes(inner.message, one, of_forks) for one in field.fields):
                    return block
        return ""

    def _home(self, type_: MessageType, field: Field, node: Field) -> str:
        """Where a field was meant to be, as an advice: a block beside it, its layer type's own, the layer around it."""
        name = field.name
        beside = self._beside(type_, field, node)
        if beside is not None:
            return f"move it to the {beside.name} block"
        if own := self._own_blocks(type_, field, node):
            return f"move it to {'an' if own[0][0] in 'aeiou' else 'a'} {own[0]} block"
        in_layer = bool(self.parents) and self.parents[-1].name in LAYERS
        if name in _OF_A_PARAM and "LayerParameter" in (type_.name, self.parents[-1].name if in_layer else ""):
            where = " in the layer itself, outside this block" * in_layer
            value = field.text if field.kind not in (BROKEN, LIST, tree.MESSAGE) else "..."
            return f"write param {{ {name}: {value} }}{where}"
        if in_layer and takes(self.parents[-1], field):
            return "move it to the layer itself, outside this block"
        nets = [parent for parent in self.parents if parent.name == NET]
        if nets and name in _OF_THE_NET and takes(nets[0], field):
            return f"move it to the net itself, outside this {'layer' if type_.name in LAYERS else 'block'}"
        return ""

    def nested_layer(self, field: Field, node: Field) -> None:
        """A layer inside another one: a closing brace is missing."""
        if len(self.bound.problems) >= self._most:
            return
        start, end = field.name_span
        line = self.bound.document.source.line_number(node.start)
        message = f'"}}" is missing before this {field.name}: the {node.name} on line {line} is still open here'
        self._add("syntax-error", start, end, message, repairs=(Edit(start, start, "}\n"),), field=field.name)

    def fork_field(self, type_: MessageType, field_type: FieldType, field: Field) -> None:
        """Note a field that only forks have; with a dialect, report one that it lacks."""
        if field_type.fork_only:
            facts = provenance().field(type_.name, field_type.name)
            if facts or self.caffe:
                forks = facts.forks if facts else frozenset[str]()
                self.bound.fork_uses.append(ForkUse(field, forks, field_type.name))
        if self.dialect is None:
            return
        if field_type not in self._in_dialect:
            self._in_dialect[field_type] = self._objection(type_, field_type)
        if objection := self._in_dialect[field_type]:
            start, end = field.name_span
            evidence = f'Caffe says: Message type "caffe.{type_.name}" has no field named "{field.name}"'
            self._add("fork-field", start, end, objection, evidence, field=field.name)

    def _objection(self, type_: MessageType, field_type: FieldType) -> str:
        """Why the dialect does not take a field; empty if it does, or lacks the whole block, which is reported."""
        if self.dialect not in provenance().message(type_.name):
            return ""
        facts = provenance().field(type_.name, field_type.name)
        forks = facts.forks if facts else frozenset()
        if self._has(forks):
            return ""
        return f"{self._whose()} lacks {field_type.name} and refuses the file; it is in {provenance().dialects(forks)}"

    def repeated_scalar(self, type_: MessageType, field_type: FieldType, field: Field, node: Field) -> None:
        """A single-valued field that is set twice: protobuf refuses it, unless a fork repeats that field."""
        first = next((other for other in node.fields if other.name == field_type.name), field)
        if first is field:  # the first one has a misspelt name, which is reported
            return
        line = self.bound.document.source.line_number(first.start)
        message = f"{field.name} is set twice in {block_name(type_, node)} (first on line {line}); keep one"
        evidence = f'Caffe says: Non-repeated field "{field.name}" is specified multiple times'
        start, end = field.name_span
        source = self.bound.document.source
        written = source.slice(*field.value_span)
        same = written == source.slice(*first.value_span) and "#" not in written
        repairs = tuple(take_out(self.bound.document, node, [field])) if same else ()
        problem = Problem("repeated-scalar", start, end, message, True, evidence, repairs, same, field.name)
        self._unless_a_fork_repeats(problem, type_, field_type, field)

    def list_of_one(self, type_: MessageType, field_type: FieldType, field: Field) -> list[Field]:
        """`[a, b]` for a field that takes one value; the items to go on with."""
        if self._was_reported(field):
            if self.bound.document.source.text[field.value_start] != "[":
                self._several_for_one(type_, field_type, field)
            return field.fields[:1] if field_type.form == STRING else []
        repairs: Repairs = ()
        if len(field.fields) == 1:
            item = field.fields[0]
            value = self.bound.document.source.slice(item.value_start, item.end)
            repairs = (Edit(field.value_start, field.end, value),)
        several = self._several_gpus(field)  # nobody writes a list of them but for a fork that reads one
        message = f"{self._subject(type_, field.name, field)} takes one value, not a list{several}"
        start, end = field.value_start, field.end
        own, safe = bool(several), bool(repairs)
        problem = Problem("wrong-value-type", start, end, message, True, "", repairs, safe, field.name, own)
        self._unless_a_fork_repeats(problem, type_, field_type, field)
        return field.fields[:1]

    def _several_for_one(self, type_: MessageType, field_type: FieldType, field: Field) -> None:
        """`device_id: 0,1`, `display: 1,500`, `base_lr: 0,01`: the text's grammar cannot know that no list is meant."""
        if self.dialect in self._repeating_forks(type_, field_type):
            return
        start, end = field.value_span
        written = self.bound.document.source.slice(start, end)
        message = f"{self._subject(type_, field.name, field)} takes one value, not several"
        meant = without_thousands(written)
        if several := self._several_gpus(field):
            message, meant = message + several, ""
        if meant:
            message = f"{written} has a thousands separator, which prototxt does not allow; write {meant}"
        elif field_type.form == FLOAT and _DECIMAL_COMMA.fullmatch(written):
            meant = written.replace(",", ".")
            message = f"{written} has a decimal comma; write {meant}"
        problems = self.bound.document.problems
        for index, problem in enumerate(problems):
            if problem.start == start and problem.kind == "syntax-error":
                repairs = (Edit(start, end, meant),) if meant else ()
                problems[index] = problem._replace(message=message, repairs=repairs, field=field.name)

    def _several_gpus(self, field: Field) -> str:
        """What takes several numbers of a solver's `device_id` (tools/caffe.cpp, get_gpus); empty for other fields."""
        numbers = [item.text for item in field.fields]
        if field.name != "device_id" or len(numbers) < 2 or not all(number.isdigit() for number in numbers):
            return ""
        return f"; give several GPUs on the command line: caffe train --gpu {','.join(numbers)}"

    def list_without_colon(self, field: Field) -> None:
        """`dim [1, 2]`: the ':' may be left out before blocks alone, so the text's own grammar cannot tell."""
        start, end = field.name_span
        if field.kind == LIST and ":" not in self.bound.document.source.text[end : field.value_start]:
            if not self._was_reported(field):
                message = f'":" is missing between {field.name} and its value'
                repairs = (Edit(end, end, ":"),)
                self._add("syntax-error", start, end, message, repairs=repairs, safe=True, field=field.name)

    def _unless_a_fork_repeats(self, problem: Problem, type_: MessageType, field_type: FieldType, field: Field) -> None:
        forks = self._repeating_forks(type_, field_type)
        if not forks or self.is_sure:
            if self.dialect not in forks and len(self.bound.problems) < self._most:
                self.bound.problems.append(problem)
        elif len(self._doubtful) < self._most:
            self._doubtful.append((problem, ForkUse(field, forks, f"repeated {field.name}")))

    def _repeating_forks(self, type_: MessageType, field_type: FieldType) -> frozenset[str]:
        """The forks in which a field that takes one value takes several."""
        facts = provenance().field(type_.name, field_type.name)
        alternatives = facts.alternatives if facts else ()
        return frozenset[str]().union(*(other.forks for other in alternatives if other.label == "repeated"))

    def missing_required(self, type_: MessageType, seen: set[str], node: Field) -> None:
        """Fields that the schema requires and that a block lacks."""
        for name in type_.required:
            if name not in seen:
                start, end = node.name_span if node.name else (0, 0)
                where = block_name(type_, node)
                message = f"{where} lacks {name}, which is required, so Caffe refuses the file; add it"
                evidence = f'Caffe says: Message type "caffe.{type_.name}" is missing required fields: {name}'
                self._add("missing-required-field", start, end, message, evidence, field=name)


def _is_named_after_its_type(name: str, node: Field) -> bool:
    written = node.first("type")
    return written is not None and written.kind == tree.STRING and is_block_of(name, string_value(written.text))


def _is_left_over(type_: MessageType, block: str, name: str) -> bool:
    """Whether a field is in a layer's block only since Caffe once read it there, and now does in transform_param."""
    return (
        type_.name == "LayerParameter"
        and block in ("data_param", "image_data_param")
        and name in ("scale", "mean_file", "crop_size", "mirror")
    )
