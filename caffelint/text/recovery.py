"""The slow path of the parser: the whole grammar, one item at a time, and a way on behind every mistake."""

from __future__ import annotations

import re

from caffelint.text.source import UTF8_MARK, Source
from caffelint.text.tokens import END, SYMBOL, Token, next_token, skip_trivia
from caffelint.text.tree import BROKEN, FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, STRING, Field, Problem

_CONFLICT = re.compile(r"(?:<{7}|>{7}|={7}|\|{7})(?=[ \r\n]|\Z)[^\n]*")
_CONFLICT_END = re.compile(r"^>{7}(?=[ \r\n]|\Z)[^\n]*\n?", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"\{\{[^\n}]*\}\}|\{%[^\n%]*%\}|\$\{[^\n}]*\}|\$\([^\n)]*\)|\$\w+\$?|<%[^\n%]*%>"
    r"|<[A-Za-z_][^<>\n{}:\"]*>|@\w+@|%\w+%|%\(\w+\)[sdfg]|%[sdfg](?![\w])|\[\[[^\n\]]*\]\]|#\{[^\n}]*\}|\?{2,}|\.{3}",
    re.ASCII,
)
_BRACED_NAME = re.compile(r"\{[ \t]*\w+[ \t]*\}", re.ASCII)
_MORE_NUMBERS = re.compile(r"[-\d.eE]+(?:[ \t]*,[ \t]*[-\d.eE]+)*", re.ASCII)
_WORD_REST = re.compile(r"[^\s;,#{}\[\]\"']*")
_NAMES = {
    "\xa0": "a no-break space",
    "\u3000": "a full-width space",
    "\u200b": "a zero-width space",
    "\ufeff": "a byte-order mark in the middle of the text",
    "\uff1a": "a full-width colon",
    "\u201c": "a typographic quote",
    "\u201d": "a typographic quote",
    "\u2018": "a typographic quote",
    "\u2019": "a typographic quote",
    "\u2013": "an en dash",
    "\u2014": "an em dash",
    "\u2212": "a typographic minus",
    "\uff0c": "a full-width comma",
    "\uff1b": "a full-width semicolon",
    "\0": "a NUL byte",
}
_MEANT = {
    "\xa0": " ",
    "\u3000": " ",
    "\u200b": "",
    "\ufeff": "",
    "\uff1a": ":",
    "\u201c": '"',
    "\u201d": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2212": "-",
    "\uff0c": ",",
    "\uff1b": ";",
    "\0": "",
}


def byte_order_mark() -> Problem:
    """Caffe's tokenizer knows no byte-order mark: its first byte is an unexpected character."""
    message = "the file starts with a UTF-8 byte-order mark, which Caffe's parser refuses; save it without one"
    end = len(UTF8_MARK)
    return Problem("byte-order-mark", 0, end, message, repairs=((0, end, ""),), repair_is_safe=True)


def refuse_utf16(source: Source) -> "Document":  # noqa: UP037
    """A document for UTF-16 text: one problem, nothing read."""
    from caffelint.text.parser import Document

    root = Field("", 0, 0, len(source.data), MESSAGE, "", [])
    message = "the file is UTF-16, which Caffe's parser refuses; save it as UTF-8 without a byte-order mark"
    return Document(source, root, [Problem("byte-order-mark", 0, 2, message)])


class Recovery:
    """Reads single items of a text that the fast path of `parse` does not match."""

    def __init__(self, source: Source, root: Field, stack: list[Field], problems: list[Problem]):
        self.source = source
        self.text = source.text
        self.root = root
        self.stack = stack
        self.problems = problems

    def item(self, position: int, current: Field) -> int:
        """Read one item of `current` behind `position`; the position behind it, -1 at the end of the text."""
        token = next_token(self.text, position)
        if token.kind == END:
            return self._finish()
        if current.kind == LIST:
            return self._list_item(token, current)
        if token.kind == STRING and self._extends(current, position):
            return self._extend(token, current.fields[-1])
        if token.kind == IDENTIFIER:
            return self._field(token.start, token.end, current)
        char = self.text[token.start]
        if char in "})>]":
            conflict = _CONFLICT.match(self.text, token.start)
            return self._conflict(conflict, current) if conflict else self._close(token)
        if char in ";," and token.kind == SYMBOL:
            return self._separator(token, position, current)
        if char == "[" and token.kind == SYMBOL and not _PLACEHOLDER.match(self.text, token.start):
            return self._extension(token, current)
        return self._stray(token, current)

    # What is right, if unusual.

    def _extends(self, current: Field, position: int) -> bool:
        last = current.fields[-1] if current.fields else None
        return last is not None and last.kind == STRING and last.end == position

    def _extend(self, token: Token, last: Field) -> int:
        self._objections(token)
        last.end = token.end
        last.text = self.text[last.value_start : token.end]
        return self._behind(token.end)

    def _separator(self, token: Token, position: int, current: Field) -> int:
        behind_field = bool(current.fields) and current.fields[-1].end == position
        if not behind_field:
            char = self.text[token.start]
            self._syntax(token.start, token.end, f"{char!r} separates nothing here; remove it", ((token[1], token[2], ""),))
        return token.end

    def _extension(self, token: Token, current: Field) -> int:
        end = token.end
        while True:
            part = next_token(self.text, end)
            if part.kind == IDENTIFIER or (part.kind == SYMBOL and self.text[part.start] in "./"):
                end = part.end
                continue
            break
        if part.kind != SYMBOL or self.text[part.start] != "]":
            self._syntax(token.start, end, "an extension name in [...] is not closed with ]")
            return self._resume(end)
        return self._field(token.start, part.end, current)

    def _field(self, start: int, end: int, current: Field) -> int:
        text = self.text
        name = text[start:end]
        after = next_token(text, end)
        colon = after.kind == SYMBOL and text[after.start] == ":"
        if after.kind == SYMBOL and not colon and text[after.start] == "\xef" and text[after.start :][:3] == "\xef\xbc\x9a":
            self._unreadable(after.start)
            colon = True
            after = Token(SYMBOL, after.start, after.start + 3)
        value = next_token(text, after.end) if colon else after
        if value.kind == SYMBOL and text[value.start] in "{<" and not self._placeholder(value.start):
            if colon or not _CONFLICT.match(text, value.start):
                return self._open(name, start, value, current)
        if colon and value.kind == SYMBOL and text[value.start] == "[" and not self._placeholder(value.start):
            opened = Field(name, start, value.start, value.end, LIST, "", [])
            current.fields.append(opened)
            self.stack.append(opened)
            return self._list_start(value.end, opened)
        if not colon and value.kind in (STRING, INTEGER, FLOAT) or (not colon and self._is_minus(value)):
            message = f"':' is missing between {name} and its value"
            self._syntax(start, end, message, ((end, end, ":"),), safe=True)
            return self._scalar(name, start, value, current)
        if not colon and value.kind == IDENTIFIER and self._same_line(end, value.start):
            follows = next_token(text, value.end)
            if follows.kind != SYMBOL or text[follows.start] not in ":{<":
                self._syntax(start, end, f"':' is missing between {name} and its value", ((end, end, ":"),), safe=True)
                return self._scalar(name, start, value, current)
        if not colon and value.kind == SYMBOL and text[value.start] == "=":
            self._syntax(value.start, value.end, f"a value follows ':', not '=': {name}: ...", ((*value[1:3], ":"),))
            return self._scalar(name, start, next_token(text, value.end), current)
        if not colon and value.kind == SYMBOL and text[value.start] == "[":
            self._syntax(start, end, f"':' is missing between {name} and its list", ((end, end, ":"),), safe=True)
            opened = Field(name, start, value.start, value.end, LIST, "", [])
            current.fields.append(opened)
            self.stack.append(opened)
            return self._list_start(value.end, opened)
        if not colon:
            if placeholder := self._placeholder(value.start):
                self._unfilled(placeholder)
                return placeholder.end()
            if value.kind == SYMBOL and ord(text[value.start]) >= 0x80:
                self._unreadable(value.start)
                return self._resume(self._line_end(value.start))
            if self._unfilled_braces(current, after):
                return self._behind(current.end)
            self._syntax(start, end, f"{name} stands alone: a field is written as name: value or name {{ ... }}")
            return end
        return self._scalar(name, start, value, current)

    def _open(self, name: str, start: int, brace: Token, current: Field) -> int:
        opened = Field(name, start, brace.start, brace.end, MESSAGE, "", [])
        current.fields.append(opened)
        self.stack.append(opened)
        return brace.end

    def _is_minus(self, token: Token) -> bool:
        return token.kind == SYMBOL and self.text[token.start] == "-"

    def _scalar(self, name: str, start: int, token: Token, current: Field) -> int:
        """A scalar whose first token is `token`; anything that is none becomes a BROKEN field."""
        text = self.text
        value_start = token.start
        sign = ""
        if self._is_minus(token):
            sign = "-"
            token = next_token(text, token.end)
        if token.kind in (INTEGER, FLOAT, IDENTIFIER) or (token.kind == STRING and not sign):
            self._objections(token)
            kind = BROKEN if token.wrong and token.kind in (INTEGER, FLOAT) else token.kind
            raw = sign + text[token.start : token.end]
            if token.wrong and token.kind == STRING:
                raw = raw + raw[0] if raw[-1:] != raw[0] or len(raw) == 1 else raw
            if kind in (IDENTIFIER, INTEGER) and (tail := self._glued(token)):
                self._syntax(token.start, tail, f"{text[token.start:tail]} is no single value; put a text in quotes")
                current.fields.append(Field(name, start, value_start, tail, BROKEN, "", []))
                return self._behind(tail)
            current.fields.append(Field(name, start, value_start, token.end, kind, raw, []))
            return self._behind(token.end)
        current.fields.append(broken := Field(name, start, value_start, value_start, BROKEN, "", []))
        if placeholder := self._placeholder(token.start):
            self._unfilled(placeholder)
            broken.end = self._word_end(placeholder.end())
            return self._behind(broken.end)
        char = text[token.start : token.end]
        if token.kind == END or char in "}>]" or (char in ";," and char):
            self._syntax(start, start + len(name), f"{name} has no value behind its ':'")
            broken.end = max(broken.end, start + len(name))
            return token.start
        if char == "+":
            number = next_token(text, token.end)
            message = "a number takes no '+' in front of it"
            self._syntax(token.start, token.end, message, ((token.start, token.end, ""),), safe=True)
            current.fields.pop()
            return self._scalar(name, start, number, current)
        if quoted := self._typographic_string(token.start):
            current.fields.pop()
            inner = '"' + text[quoted[0] : quoted[1]] + '"'
            current.fields.append(Field(name, start, value_start, quoted[2], STRING, inner, []))
            return self._behind(quoted[2])
        if ord(char) >= 0x80 or char < " ":
            self._unreadable(token.start)
        else:
            self._syntax(token.start, token.end, f"{char!r} starts no value; {name} needs a number, a name or a quoted text")
        broken.end = self._line_end(token.start)
        return broken.end

    def _glued(self, token: Token) -> int:
        """Where a word ends that goes on behind a token without a space, as in 224x224 or a/b.txt; 0 if it does not."""
        if self.text[token.end : token.end + 1] in ("/", "\\", ":", "=", "-", ".") and not token.wrong:
            return self._word_end(token.end)
        if token.kind == INTEGER and self.text[token.end : token.end + 1].isalpha():
            follows = next_token(self.text, self._word_end(token.end))
            if follows.kind == SYMBOL and self.text[follows.start] in ":{<":
                return 0
            return self._word_end(token.end)
        return 0

    # Lists.

    def _list_start(self, position: int, opened: Field) -> int:
        token = next_token(self.text, position)
        if token.kind == SYMBOL and self.text[token.start] == "]":
            return self._close_list(token)
        return position

    def _close_list(self, token: Token) -> int:
        self.stack.pop().end = token.end
        return self._behind(token.end)

    def _list_item(self, token: Token, current: Field) -> int:
        text = self.text
        char = text[token.start] if token.kind == SYMBOL else ""
        if char and char in "{<" and not self._placeholder(token.start):
            if current.fields and not self._comma_before(token.start, current):
                self._syntax(token.start, token.end, "',' is missing between two items of a list")
            opened = Field(current.name, token.start, token.start, token.end, MESSAGE, "", [])
            current.fields.append(opened)
            self.stack.append(opened)
            return token.end
        if char == "]":
            if current.fields and self._comma_before(token.start, current):
                self._syntax(token.start, token.end, "a list takes no ',' behind its last item")
            return self._close_list(token)
        if char == ",":
            last = current.fields[-1].end if current.fields else current.value_start + 1
            if not current.fields or text[last : token.start].count(","):
                self._syntax(token.start, token.end, "',' separates nothing here; remove it")
            return token.end
        if char and (char in "})>;"):
            self._syntax(current.value_start, current.value_start + 1, f"the list of {current.name} is not closed with ]")
            self.stack.pop().end = token.start
            return token.start
        if token.kind == IDENTIFIER:
            after = next_token(text, token.end)
            if after.kind == SYMBOL and text[after.start] in ":{":
                self._syntax(current.value_start, current.value_start + 1, f"the list of {current.name} is not closed with ]")
                self.stack.pop().end = current.fields[-1].end if current.fields else current.value_start + 1
                return token.start
        if current.fields and not self._comma_before(token.start, current):
            last_item = current.fields[-1]
            if last_item.kind == STRING and token.kind == STRING:
                return self._extend_item(token, last_item)
            self._syntax(token.start, token.end, "',' is missing between two items of a list")
        before = len(current.fields)
        end = self._scalar(current.name, token.start, token, current)
        if len(current.fields) > before and text[end - 1 : end] in ",;":
            end = current.fields[-1].end
        return end

    def _extend_item(self, token: Token, last: Field) -> int:
        self._objections(token)
        last.end = token.end
        last.text = self.text[last.value_start : token.end]
        return token.end

    def _comma_before(self, position: int, current: Field) -> bool:
        between = self.text[current.fields[-1].end : position]
        return "," in re.sub(r"#[^\n]*", "", between)

    # What is wrong.

    def _close(self, token: Token) -> int:
        char = self.text[token.start]
        if not self.stack:
            message = f"{char!r} closes nothing; an opening brace is missing above or this one is too many"
            self._syntax(token.start, token.end, message)
            return token.end
        opened = self.stack[-1]
        brace = self.text[opened.value_start]
        wanted = ">" if brace == "<" else "}"
        if char != wanted:
            line = self.source.position(opened.value_start).line
            message = f"{char!r} cannot close the {brace!r} of line {line}; {wanted!r} was expected"
            self._syntax(token.start, token.end, message)
            if char in ")]":
                return token.end
        opened.end = token.end
        self.stack.pop()
        return self._behind(token.end)

    def _finish(self) -> int:
        """The end of the text: whatever is still open was never closed. Told once, at the likeliest place."""
        if self.stack:
            opened = self.stack[0]
            name = opened.name
            line = self.source.position(opened.value_start).line
            closing = {"[": "]", "<": ">"}.get(self.text[opened.value_start], "}")
            more = f"; {len(self.stack)} blocks are open at the end of the file" if len(self.stack) > 1 else ""
            message = f"the block {name} that starts on line {line} is never closed with {closing!r}{more}"
            self._syntax(opened.start, opened.start + len(name), message)
            for field in self.stack:
                field.end = len(self.text)
            self.stack.clear()
        return -1

    def _stray(self, token: Token, current: Field) -> int:
        text, start = self.text, token.start
        if conflict := _CONFLICT.match(text, start):
            return self._conflict(conflict, current)
        if placeholder := _PLACEHOLDER.match(text, start):
            self._unfilled(placeholder)
            return placeholder.end()
        if text.startswith("//", start):
            end = self._line_end(start)
            message = "'//' starts no comment in prototxt; write '#'"
            self._syntax(start, start + 2, message, ((start, start + 2, "#"),), safe=True)
            return end
        if text.startswith("/*", start):
            close = text.find("*/", start)
            end = close + 2 if close >= 0 else len(text)
            self._syntax(start, start + 2, "'/*' starts no comment in prototxt; write '#' in front of each line")
            return end
        char = text[start]
        if ord(char) >= 0x80 or char < " ":
            return self._unreadable(start)
        if token.kind == STRING:
            self._objections(token)
            self._syntax(start, token.end, "a quoted text stands where a field's name is expected")
            return self._behind(token.end)
        if self._unfilled_braces(current, token):
            return self._behind(current.end)
        if token.kind in (INTEGER, FLOAT):
            if several := self._several_values(start, current):
                return several
            raw = text[start : self._word_end(token.end)]
            self._syntax(start, start + len(raw), f"{raw} stands where a field's name is expected")
            return start + len(raw)
        if char in "{<":
            self._syntax(start, start + 1, f"{char!r} has no field's name in front of it")
            opened = Field("", start, start, start + 1, MESSAGE, "", [])
            self.stack.append(opened)
            return start + 1
        self._syntax(start, start + 1, f"{char!r} stands where a field's name is expected")
        return self._resume(start + 1)

    def _conflict(self, marker: re.Match[str], current: Field) -> int:
        """One problem a conflict: the side above `=======` is read, the other one is not."""
        start = marker.start()
        if marker[0][0] == "<" or not any(problem.kind == "merge-conflict-marker" for problem in self.problems):
            message = f"{marker[0][:7]} is left over from a merge; keep one side and remove the markers"
            end = marker.end() - marker[0].endswith("\r")
            self.problems.append(Problem("merge-conflict-marker", start, end, message))
        if marker[0][0] in "=|":
            end_marker = _CONFLICT_END.search(self.text, marker.end())
            if end_marker:
                return end_marker.end()
        return marker.end()

    def _placeholder(self, start: int) -> re.Match[str] | None:
        return _PLACEHOLDER.match(self.text, start)

    def _unfilled(self, placeholder: re.Match[str]) -> None:
        message = f"{placeholder[0]} is a placeholder of a template that nobody filled in"
        self.problems.append(Problem("unfilled-template", placeholder.start(), placeholder.end(), message))

    def _unfilled_braces(self, current: Field, token: Token) -> bool:
        """Whether `current` is no message but a placeholder, as in `stride: {scale}`."""
        found = _BRACED_NAME.match(self.text, current.value_start)
        if not self.stack or not found or current.fields or not found.start() < token.start < found.end():
            return False
        self._unfilled(found)
        self.stack.pop()
        current.kind, current.end = BROKEN, found.end()
        return True

    def _several_values(self, start: int, current: Field) -> int:
        """Past the rest of `dim: 1, 28, 28`, where all but the first value have no name; 0 if it is not that."""
        last = current.fields[-1] if current.fields else None
        if last is None or self.text[last.end : start].strip() != "," or last.kind not in (INTEGER, FLOAT):
            return 0
        rest = _MORE_NUMBERS.match(self.text, start)
        end = rest.end() if rest else start
        listed = f"[{self.text[last.value_start : end]}]"
        message = f"{last.name} takes one value at a time; several are written {last.name}: {listed}"
        self._syntax(last.value_start, end, message, ((last.value_start, end, listed),))
        return self._behind(end)

    def _typographic_string(self, start: int) -> tuple[int, int, int] | None:
        """Content start, content end and end of a text in typographic quotes on one line."""
        quotes = ("\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x98", "\xe2\x80\x99")
        if self.text[start : start + 3] not in quotes:
            return None
        line_end = self._line_end(start)
        for end in range(start + 3, line_end):
            closing = 1 if self.text[end] == '"' else 3 if self.text[end : end + 3] in quotes else 0
            if closing:
                repairs = ((start, start + 3, '"'), (end, end + closing, '"'))
                message = f"{self.source.slice(start, end + closing)} stands in typographic quotes; use \""
                problem = Problem("unreadable-character", start, end + closing, message, True, "", repairs, True)
                self.problems.append(problem)
                return start + 3, end, end + closing
        return None

    def _unreadable(self, start: int) -> int:
        text = self.text
        length = 1
        char = text[start]
        if char >= "\xc0":
            length = 2 if char < "\xe0" else 3 if char < "\xf0" else 4
            try:
                char = text[start : start + length].encode("latin-1").decode("utf-8")
            except UnicodeDecodeError:
                length = 1
        end = start + length
        while text[end : end + length] == text[start : start + length]:
            end += length
        name = _NAMES.get(char) or (f"{char!r} (U+{ord(char):04X})" if char.isprintable() else f"U+{ord(char):04X}")
        if length == 1 and ord(char) >= 0x80:
            name = f"the byte 0x{ord(char):02x}"
        meant = _MEANT.get(char)
        repairs = ((start, end, meant),) if meant is not None else ()
        message = f"{name} stands here, which Caffe's parser refuses outside of strings and comments"
        problem = Problem("unreadable-character", start, end, message, True, "", repairs, bool(repairs))
        self.problems.append(problem)
        if char.isprintable() and char not in _MEANT and length > 1:
            return self._word_end(end)
        return end

    def _objections(self, token: Token) -> None:
        if token.wrong:
            start, end, message = token.wrong
            if message.startswith("a NUL byte"):
                self.problems.append(Problem("unreadable-character", start, end, message))
            else:
                self._syntax(start, end, message)

    def _syntax(
        self, start: int, end: int, message: str, repairs: tuple[tuple[int, int, str], ...] = (), safe: bool = False
    ) -> None:
        last = self.problems[-1] if self.problems else None
        if last is None or last.message != message or self._line_end(last.start) != self._line_end(start):
            self.problems.append(Problem("syntax-error", start, end, message, True, "", repairs, safe))

    # Ways on.

    def _behind(self, end: int) -> int:
        """Past one separator that follows at once."""
        return end + 1 if self.text[end : end + 1] in (";", ",") else end

    def _resume(self, position: int) -> int:
        """The next place where a field or a closing brace could start: the next line, or a brace before it."""
        line_end = self._line_end(position)
        brace = self.text.find("}", position, line_end)
        return brace if brace >= 0 else line_end

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def _word_end(self, position: int) -> int:
        found = _WORD_REST.match(self.text, position)
        return found.end() if found else position

    def _same_line(self, start: int, end: int) -> bool:
        return "\n" not in self.text[start:end]


__all__ = ["Recovery", "byte_order_mark", "refuse_utf16", "skip_trivia"]
