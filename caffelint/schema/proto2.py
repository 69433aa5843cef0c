"""Reads the text of a caffe.proto: messages, enums and fields of the second version of protobuf's own language.

Small, since the parsers on PyPI take a second for a caffe.proto, and this one 20 ms. It is held against protoc on real
files (tools/compare_protos.py). What protoc refuses may pass here: whoever builds that Caffe hears of it from protoc.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from caffelint.text.code_comments import without_comments
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

OPTIONAL, REQUIRED, REPEATED = LABELS = ("optional", "required", "repeated")
SCALARS = frozenset(
    ["double", "float", "bool", "string", "bytes"]
    + [f"{kind}{bits}" for kind in ("int", "uint", "sint", "fixed", "sfixed") for bits in (32, 64)]
)
_TOKEN = compiled_later(
    r"""\.?[A-Za-z_][\w.]*|0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|"""
    r"""'[^'\\\n]*(?:\\.[^'\\\n]*)*'?|\S""",
    re.ASCII,
)
"""A string that its line does not close is one token too: to find so at each of its quotes takes quadratic time."""
_MOST_TOKENS = 400_000
_LONGEST_NAME, _MOST_PARTS = 400, 64
"""Of a whole name: characters, and what dots separate. Each message holds its own, and each field climbs its parts."""
_DEEPEST = 50
_CLOSING = {"{": "}", "[": "]", "<": ">", "(": ")"}


class ProtoError(Exception):
    """Why a text cannot be read, with its line: `line 3: "=" is missing before ;`."""


class FieldDeclaration(NamedTuple):
    """A field. `type` is a scalar of protobuf, or the name of a message or enum; `default` is as it is written."""

    name: str
    number: int
    label: str
    type: str
    default: str | None = None


class Schema(NamedTuple):
    """What files declare, by names without the package: `PoolingParameter.PoolMethod`."""

    messages: dict[str, dict[str, FieldDeclaration]]
    enums: dict[str, dict[str, int]]


def read_schema(text: str, imported: Callable[[str], str | None] = lambda name: None) -> Schema:
    """The schema of a text and of those that it imports. Raises `ProtoError`.

    `imported` gives the text of an imported file, None if there is none. Each file is read once.
    """
    first = _File(text)
    files, seen, waiting = [first], set[str](), list(first.imports)
    while waiting:
        name = waiting.pop()
        if name in seen or name.startswith("google/protobuf/"):
            continue
        seen.add(name)
        other = imported(name)
        if other is None:
            raise ProtoError(f'imports "{name}", which was not found')
        try:
            files.append(_File(other))
        except ProtoError as error:
            raise ProtoError(f'"{name}": {error}') from error
        waiting += files[-1].imports
    prefix = f"{first.package}." if first.package else ""
    messages = {name: fields for file in files for name, fields in file.messages.items()}
    for name, fields in messages.items():
        if min(len({field.name for field in fields}), len({field.number for field in fields})) < len(fields):
            raise ProtoError(f"{name} has two fields of the same name or number")
    enums = {name: values for file in files for name, values in file.enums.items()}
    names = messages.keys() | enums.keys()
    return Schema(
        {
            name.removeprefix(prefix): {
                field.name: field._replace(type=_resolved(field.type, name, names).removeprefix(prefix))
                for field in fields
            }
            for name, fields in messages.items()
        },
        {name.removeprefix(prefix): values for name, values in enums.items()},
    )


def _resolved(type_: str, scope: str, names: Mapping[str, object] | set[str]) -> str:
    """The whole name of a type: the innermost scope that has one of its name wins. Raises `ProtoError`."""
    if type_ in SCALARS:
        return type_
    if type_[0] == ".":
        found = type_[1:]
        if found in names:
            return found
    else:
        while True:
            found = f"{scope}.{type_}" if scope else type_
            if found in names:
                return found
            if not scope:
                break
            scope = scope.rpartition(".")[0]
    raise ProtoError(f"{type_} is not declared")


class _File:
    """One file, by whole names with the package. Raises `ProtoError`."""

    def __init__(self, text: str) -> None:
        self.text = without_comments(text)
        self.tokens: list[str] = _TOKEN.findall(self.text)
        if len(self.tokens) > _MOST_TOKENS:
            raise ProtoError("is too long")
        self.tokens.append("")
        self.at = 0
        self.package = ""
        self.imports: list[str] = []
        self.messages: dict[str, list[FieldDeclaration]] = {}
        self.enums: dict[str, dict[str, int]] = {}
        while self.tokens[self.at]:
            self.statement("", 0)

    def error(self, message: str) -> ProtoError:
        """An error about the token that was read last."""
        for index, found in enumerate(_TOKEN.finditer(self.text)):
            if index >= self.at - 1:
                return ProtoError(f"line {self.text.count(chr(10), 0, found.start()) + 1}: {message}")
        return ProtoError(message)

    def next(self) -> str:
        token = self.tokens[self.at]
        if not token:
            raise self.error("the text ends too early")
        self.at += 1
        return token

    def expect(self, wanted: str) -> None:
        token = self.next()
        if token != wanted:
            raise self.error(f'"{wanted}" is missing before {token[:40]}')

    def name(self) -> str:
        token = self.next()
        if not (token[0].isalpha() or token[0] in "_."):
            raise self.error(f"{token[:40]} is not a name")
        return self.limited(token)

    def limited(self, name: str) -> str:
        if len(name) > _LONGEST_NAME:
            raise self.error(f"the name {name[:40]}... has {len(name)} characters, more than {_LONGEST_NAME}")
        if (parts := name.count(".") + 1) > _MOST_PARTS:
            raise self.error(f"the name {name[:40]}... has {parts} parts, more than {_MOST_PARTS}")
        return name

    def integer(self) -> int:
        token = self.next()
        sign = -1 if token == "-" else 1
        if token == "-":
            token = self.next()
        try:
            number = sign * int(token, 8 if token[0] == "0" and token.isdigit() else 0)
        except ValueError:
            raise self.error(f"{token[:40]} is not a whole number") from None
        if not -(1 << 63) <= number < 1 << 64:
            raise self.error(f"{token[:40]} does not fit into 64 bits")
        return number

    def statement(self, scope: str, depth: int) -> None:
        """A declaration outside of messages, or one inside of a message of that name."""
        word = self.next()
        if word == ";":
            return
        if depth > _DEEPEST:
            raise self.error("messages are nested too deep")
        if word == "message":
            self.message(self.within(scope, self.name()), depth)
        elif word == "enum":
            self.enum(self.within(scope, self.name()))
        elif word == "extend" or (word == "service" and not scope):
            self.name()
            self.skip_block()
        elif word == "option":
            self.skip_to_end()
        elif not scope:
            self.of_file(word)
        elif word == "oneof":
            self.name()
            self.expect("{")
            while not self.closes():
                self.oneof_field(scope, depth)
        elif word in ("reserved", "extensions"):
            self.skip_to_end()
        else:
            self.field(word, scope, depth)

    def of_file(self, word: str) -> None:
        if word == "syntax":
            self.expect("=")
            if (syntax := self.next()[1:-1]) != "proto2":
                raise self.error(f'syntax is "{syntax[:40]}"; Caffe\'s is "proto2"')
            self.expect(";")
        elif word == "package":
            self.package = self.name()
            self.expect(";")
        elif word == "import":
            file = self.next()
            self.imports.append((self.next() if file in ("public", "weak") else file)[1:-1])
            self.expect(";")
        else:
            raise self.error(f"{word[:40]} is not a declaration")

    def within(self, scope: str, name: str) -> str:
        return self.limited(".".join(filter(None, (scope or self.package, name))))

    def message(self, name: str, depth: int) -> None:
        if name in self.messages:
            raise self.error(f"{name} is declared twice")
        self.messages[name] = []
        self.expect("{")
        while not self.closes():
            self.statement(name, depth + 1)

    def closes(self) -> bool:
        if self.tokens[self.at] != "}":
            return False
        self.at += 1
        return True

    def enum(self, name: str) -> None:
        values = self.enums[name] = {}
        self.expect("{")
        while not self.closes():
            word = self.next()
            if word in ("option", "reserved") and self.tokens[self.at] != "=":
                self.skip_to_end()
            elif word != ";":
                self.expect("=")
                values[word] = self.integer()
                self.options()

    def oneof_field(self, scope: str, depth: int) -> None:
        word = self.next()
        if word == "option":
            self.skip_to_end()
        elif word != ";":
            self.at -= 1
            self.declared(OPTIONAL, self.name(), scope, depth)

    def field(self, label: str, scope: str, depth: int) -> None:
        if label == "map" and self.tokens[self.at] == "<":
            self.map(scope)
        elif label in LABELS:
            self.declared(label, self.name(), scope, depth)
        else:
            raise self.error(f"{label[:40]} is not optional, required or repeated")

    def declared(self, label: str, type_: str, scope: str, depth: int) -> None:
        name = self.name()
        self.expect("=")
        number = self.integer()
        if type_ == "group":
            if self.tokens[self.at] == "[":
                self.skip_block()
            self.messages[scope].append(FieldDeclaration(name.lower(), number, label, name))
            self.message(self.within(scope, name), depth)
        else:
            self.messages[scope].append(FieldDeclaration(name, number, label, type_, self.options()))

    def map(self, scope: str) -> None:
        self.expect("<")
        key = self.name()
        self.expect(",")
        value = self.name()
        self.expect(">")
        name = self.name()
        self.expect("=")
        entry = "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "Entry"
        self.messages[scope].append(FieldDeclaration(name, self.integer(), REPEATED, entry))
        self.options()
        self.messages[self.within(scope, entry)] = [
            FieldDeclaration("key", 1, OPTIONAL, key),
            FieldDeclaration("value", 2, OPTIONAL, value),
        ]

    def options(self) -> str | None:
        """Skip what may come after a field, `[default = 1, packed = true];`; the default as it is written."""
        default, token = None, self.next()
        if token == "[":
            while True:
                name = self.next()
                if name == "default":
                    self.expect("=")
                    pieces = [self.next()]
                    while (more := self.tokens[self.at]) not in (",", "]", ""):
                        # Strings beside each other are one; a sign is a token of its own.
                        if is_string := more[0] in "\"'":
                            pieces[-1] = pieces[-1][:-1]
                        pieces.append(more[is_string:])
                        self.at += 1
                    default = "".join(pieces)
                token = self.tokens[self.at - 1] if name == "]" else self.option_end()
                if token == "]":
                    break
            token = self.next()
        if token != ";":
            raise self.error(f'";" is missing before {token[:40]}')
        return default

    def option_end(self) -> str:
        """Skip to the comma or bracket that ends an option, past the blocks in its value."""
        while (token := self.next()) not in (",", "]"):
            if token in _CLOSING:
                self.at -= 1
                self.skip_block()
        return token

    def skip_to_end(self) -> None:
        while (token := self.next()) != ";":
            if token == "{":
                self.at -= 1
                self.skip_block()

    def skip_block(self) -> None:
        """Skip a pair of brackets with all that is inside."""
        opened = [_CLOSING.get(self.next(), "")]
        while opened:
            token = self.next()
            if token == opened[-1]:
                opened.pop()
            elif token in _CLOSING and token != "<":
                opened.append(_CLOSING[token])
