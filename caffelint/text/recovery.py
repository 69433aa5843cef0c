"""The slow path of the parser: the whole grammar, one item at a time, and a way on after every mistake."""

from __future__ import annotations

import re

from caffelint.text import strangers
from caffelint.text.ahead import (
    NUMBERS,
    RUN_ON,
    end_of_line,
    end_of_prose,
    end_of_unquoted,
    end_of_word,
    ends_line,
    has_opened,
    last_of,
    short,
    starts_field,
)
from caffelint.text.edits import Edit
from caffelint.text.mistakes import Mistakes
from caffelint.text.nesting import close_at_end
from caffelint.text.patterns import compiled_later
from caffelint.text.scalars import without_thousands
from caffelint.text.source import Source
from caffelint.text.tokens import END, SYMBOL, Token, next_token
from caffelint.text.tree import BROKEN, FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, NO_FIELDS, STRING, Field, Problem

_SCALARS = (STRING, INTEGER, FLOAT, IDENTIFIER)
_CLOSING = {"{": "}", "<": ">", "[": "]"}
_NUMBER_START = compiled_later(r"-?\.?\d")
_BETWEEN_VALUES = compiled_later(r",?[ \t]+")
_REST_IS_BLANK = compiled_later(r"[;,]?[ \t\r]*(?:[\n#}]|\Z)")
_TORN = compiled_later(r"[^\s:;,#{}\[\]\"']+[\"']")
"""What comes right after a quote that is part of a string: more of it, up to the next quote."""
_SEPARATORS = compiled_later(r"[;,](?:[ \t]*[;,])*")
_COMMAS = compiled_later(r"(?:[ \t]*,)*")
_LONG = 1000


class Recovery:
    """Reads single items of a text that the fast path of `parse` does not match."""

    def __init__(self, source: Source, root: Field, stack: list[Field], problems: list[Problem]):
        self.source = source
        self.text = source.text
        self.root = root
        self.stack = stack
        self.problems = problems
        self._ends_of_conflicts = True
        self.mistakes = Mistakes(source.text, problems)
        self._syntax = self.mistakes.report

    def item(self, position: int) -> int:
        """Read one item of the innermost open block; the position after it, -1 at the end of the text."""
        current = self.stack[-1] if self.stack else self.root
        token = next_token(self.text, position)
        if self.mistakes.are_too_many:
            return self._give_up(token)
        if token.kind == END:
            close_at_end(self.source, self.root, self.stack, self.problems)
            return -1
        if current.kind == LIST:
            return self._list_item(token, current)
        last = current.fields[-1] if current.fields else None
        if last is not None and last.kind == STRING and last.end == token.start and (end := self._torn(token, last)):
            return self._behind(end)
        if token.kind == IDENTIFIER:
            return self._field(token.start, token.end, current)
        if token.kind == STRING and last is not None and last.kind == STRING and last.end == position:
            return self._behind(self._extend(token, last))
        char = self.text[token.start]
        if token.kind == SYMBOL:
            if conflict := strangers.CONFLICT.match(self.text, token.start):
                return self._conflict(conflict)
            if char in "})>]":
                return self._close(token)
            if char in ";," and last is not None and last.end == position:
                return token.end
            if char == "[" and not self._placeholder(token.start):
                return self._extension(token, current)
        return self._stray(token, current, last)

    # Fields.

    def _extend(self, token: Token, last: Field) -> int:
        """Adjacent strings are one."""
        pieces = [last.text]
        while token.kind == STRING:
            pieces += (self.text[last.end : token.start], self._scalar_text(token))
            last.end = token.end
            token = next_token(self.text, token.end)
        last.text = "".join(pieces)
        return last.end

    def _torn(self, token: Token, last: Field) -> int:
        """The end of a text with quotes in it, `"a-"b"-c"`, of which `last` is the first piece; 0 if it is no such."""
        quote = last.text[0]
        end = self.text.rfind(quote, token.end, min(end_of_line(self.text, token.end), token.end + _LONG)) + 1
        torn = end and quote == self.text[last.end - 1] and _TORN.match(self.text, last.end)
        if not torn or starts_field(self.text, token) or not _REST_IS_BLANK.match(self.text, end):
            return 0
        inner = [at for at in range(last.end - 1, end - 1) if self.text[at] == quote]
        repairs = tuple(Edit(at, at, "\\") for at in inner) if len(inner) % 2 == 0 else ()
        self._syntax(inner[0], inner[0] + 1, f"this string contains a bare quote; write \\{quote} for it", repairs)
        last.text = last.text[:-1] + self.text[last.end - 1 : end].replace(quote, "\\" + quote)[:-2] + quote
        last.end = end
        return end

    def _extension(self, token: Token, current: Field) -> int:
        part = next_token(self.text, token.end)
        while part.kind == IDENTIFIER or (part.kind == SYMBOL and self.text[part.start] in "./"):
            part = next_token(self.text, part.end)
        if part.kind != SYMBOL or self.text[part.start] != "]":
            self._syntax(token.start, token.end, '"[" cannot start a field; a list needs a name and ":" before it')
            return self._resume(token.end)
        return self._field(token.start, part.end, current)

    def _field(self, start: int, end: int, current: Field) -> int:
        """A field whose name is read."""
        text = self.text
        name = text[start:end]
        value = next_token(text, end)
        char = text[value.start] if value.kind == SYMBOL else ""
        if char == ":":
            return self._behind_colon(name, start, value.end, current)
        if char == "\xef" and strangers.character(text, value.start)[0] == "\uff1a":
            self.problems.append(strangers.unreadable(text, value.start))
            return self._behind_colon(name, start, value.start + 3, current)
        if char and char in "{<":
            if char == "<" and strangers.CONFLICT.match(text, value.start):
                return self._alone(name, start, end)
            return self._open(MESSAGE, name, start, value, current)
        if char == "[" and not self._placeholder(value.start):
            item = next_token(text, value.end)
            if item.kind != SYMBOL or text[item.start] not in "{<]":
                self._colon_missing(name, start, end)
            return self._open(LIST, name, start, value, current)
        if char == "=":
            repairs = (Edit(value.start, value.end, ":"),)
            message = f'{short(name)} is followed by "="; write ":" before its value'
            # After a ';' it may be part of a text without quotes: a=1;b=2.
            self._syntax(value.start, value.end, message, repairs, safe=text[start - 1 : start] != ";")
            return self._behind_colon(name, start, value.end, current)
        if value.kind in (STRING, *NUMBERS) or (char == "-" and next_token(text, value.end).kind in NUMBERS):
            self._colon_missing(name, start, end)
            return self._scalar(name, start, value, current)
        if end_of_words := end_of_prose(text, start, current.fields[-1] if current.fields else None):
            words = short(text[start:end_of_words])
            self._syntax(start, end_of_words, f'"{words}" is not a field; start a comment with "#"')
            return end_of_words
        if value.kind == IDENTIFIER and "\n" not in text[end : value.start]:
            follows = next_token(text, value.end)
            if follows.kind != SYMBOL or text[follows.start] not in ":{<":
                self._colon_missing(name, start, end, safe=False)
                return self._scalar(name, start, value, current)
        if placeholder := self._placeholder(value.start):
            self.problems.append(strangers.unfilled(placeholder))
            return end_of_word(self.text, placeholder.end())
        if char and strangers.is_strange(char):
            return self._unreadable(value.start)
        if self._is_braced_name(value, current):
            return self._behind(current.end)
        return self._alone(name, start, end)

    def _behind_colon(self, name: str, start: int, position: int, current: Field) -> int:
        value = next_token(self.text, position)
        if value.kind == SYMBOL and not self._placeholder(value.start):
            char = self.text[value.start]
            if char in "{<" and not strangers.CONFLICT.match(self.text, value.start):
                return self._open(MESSAGE, name, start, value, current)
            if char == "[":
                return self._open(LIST, name, start, value, current)
        return self._scalar(name, start, value, current)

    def _open(self, kind: int, name: str, start: int, brace: Token, current: Field) -> int:
        """A block or a list begins. While a list is open, its `end` is that of its last ',' or of its '['."""
        opened = Field(name, start, brace.start, brace.end, kind, "", [])
        current.fields.append(opened)
        self.stack.append(opened)
        return brace.end

    def _colon_missing(self, name: str, start: int, end: int, safe: bool = True) -> None:
        self._syntax(start, end, f'":" is missing between {name} and its value', (Edit(end, end, ":"),), safe)

    def _alone(self, name: str, start: int, end: int) -> int:
        shown = short(name)
        self._syntax(start, end, f"{shown} has no value; remove it, or write {shown}: value or {shown} {{ ... }}")
        return end

    # Values.

    def _scalar(self, name: str, start: int, token: Token, current: Field) -> int:
        """A scalar whose first token is `token`; anything else becomes a BROKEN field."""
        found = self._scalar_at(name, start, token, current)
        while isinstance(found, Token):
            if self.mistakes.are_too_many:
                return found.start
            found = self._scalar_at(name, start, found, current)
        return found

    def _scalar_at(self, name: str, start: int, token: Token, current: Field) -> int | Token:
        """The position after a scalar, or the token that follows a strange character."""
        text = self.text
        value_start = token.start
        start = value_start if current.kind == LIST else start
        sign = ""
        if token.kind == SYMBOL and text[token.start] == "+":
            repairs = (Edit(token.start, token.end, ""),)
            self._syntax(token.start, token.end, 'a number cannot start with "+"; remove it', repairs, safe=True)
            token = next_token(text, token.end)
        if token.kind == SYMBOL and text[token.start] == "-":
            sign = "-"
            token = next_token(text, token.end)
        if token.kind == IDENTIFIER and not sign and name and current.kind != LIST and starts_field(self.text, token):
            return self._no_value(name, start, value_start, current)
        if token.kind in (IDENTIFIER, *NUMBERS) and (end := end_of_unquoted(self.text, token)):
            return self._mended_string(name, start, value_start, end, current)
        if token.kind in (IDENTIFIER, *NUMBERS) or (token.kind == STRING and not sign):
            raw = self._scalar_text(token)
            if token.kind in NUMBERS and token.wrong and not token.wrong.repair:
                end = end_of_word(self.text, token.end)
                current.fields.append(Field(name, start, value_start, end, BROKEN, "", NO_FIELDS))
                return self._behind(end)
            current.fields.append(Field(name, start, value_start, token.end, token.kind, sign + raw, NO_FIELDS))
            return self._behind(token.end)
        if placeholder := self._placeholder(token.start) or strangers.REMARK.match(text, token.start):
            self.problems.append(strangers.unfilled(placeholder))
            end = end_of_word(self.text, placeholder.end())
            current.fields.append(Field(name, start, value_start, end, BROKEN, "", NO_FIELDS))
            return self._behind(end)
        char = text[token.start : token.end]
        if not char or char in "}>];," or strangers.CONFLICT.match(text, token.start):
            return self._no_value(name, start, value_start, current)
        line_end = end_of_line(self.text, token.start)
        if found := strangers.quoted(self.source, token.start, min(line_end, token.start + _LONG)):
            problem, inner, inner_end, end = found
            self.problems.append(problem)
            value = '"' + text[inner:inner_end] + '"'
            current.fields.append(Field(name, start, value_start, end, STRING, value, NO_FIELDS))
            return self._behind(end)
        if strangers.is_strange(char):
            return next_token(text, self._unreadable(token.start))
        if char in "./~\\":
            end = end_of_word(self.text, token.end)
            closing = self.text[end : end + 1]
            return self._mended_string(name, start, value_start, end + (closing != "" and closing in "\"'"), current)
        end = end_of_word(self.text, token.end)
        wanted = f"; {short(name)} needs a number, a name or a quoted string"
        self._syntax(token.start, end, f'"{short(text[token.start : end])}" is not a value{wanted}')
        current.fields.append(Field(name, start, value_start, end, BROKEN, "", NO_FIELDS))
        return self._behind(end)

    def _scalar_text(self, token: Token) -> str:
        """The text of a scalar's token, mended where something is wrong inside it, which is reported."""
        raw = self.text[token.start : token.end]
        if token.wrong is None:
            return raw
        start, end, message, repair = token.wrong
        if self.text[start:end] == "\0":
            self.problems.append(Problem("unreadable-character", start, end, message))
            return raw if token.end > end else raw + raw[0]
        repairs = (Edit(start, end, repair),) if repair is not None else ()
        is_open = token.kind == STRING and (start, end) == (token.start, token.end)
        self._syntax(start, end, message, repairs, is_open_string=is_open)
        return raw + raw[0] if is_open else raw

    def _no_value(self, name: str, start: int, value_start: int, current: Field) -> int:
        if current.kind == LIST:
            self._syntax(start, start, f"a value is missing in the list of {short(name)}")
        elif to_do := strangers.to_do(self.text, start + len(name)):
            self.problems.append(Problem("unfilled-template", *to_do, "a comment stands in for the value"))
        else:
            self._syntax(start, start + len(name), f'{short(name)} has no value after its ":"')
        current.fields.append(Field(name, start, value_start, value_start, BROKEN, "", NO_FIELDS))
        return value_start

    def _mended_string(self, name: str, start: int, value_start: int, end: int, current: Field) -> int:
        written = self.text[value_start:end]
        inner = written.rstrip("\"'")
        value = '"' + inner.replace("\\", "\\\\") + '"'
        kind = STRING
        safe = False
        if written != inner:
            message = f"the string {last_of(inner)} has no opening quote"
        elif _NUMBER_START.match(written):
            message = f"{short(written)} is not a number; if it is meant as a string, put it in quotes"
            kind = BROKEN
        else:
            message = f"{short(written)} is a string without quotes; put it in quotes"
            safe = _REST_IS_BLANK.match(self.text, end) is not None and not RUN_ON.match(written)
        repairs = (Edit(value_start, end, value),) if ends_line(self.text, end) else ()
        self._syntax(value_start, end, message, repairs, safe)
        current.fields.append(Field(name, start, value_start, end, kind, value if kind == STRING else "", NO_FIELDS))
        return self._behind(end)

    # Lists.

    def _list_item(self, token: Token, current: Field) -> int:
        text = self.text
        char = text[token.start] if token.kind == SYMBOL else ""
        last = current.fields[-1] if current.fields else None
        awaits_item = last is None or current.end > last.end
        if char == "]":
            if last is not None and awaits_item:
                repairs = (Edit(current.end - 1, current.end, ""),)
                message = 'a list takes no "," after its last item; remove it'
                self._syntax(token.start, token.end, message, repairs, safe=True)
            return self._close(token)
        if char == ",":
            if awaits_item:
                token = token._replace(end=_COMMAS.match(text, token.end).end())  # type: ignore[union-attr]
                repairs = (Edit(token.start, token.end, ""),)
                self._syntax(token.start, token.end, '"," separates nothing here; remove it', repairs, safe=True)
            current.end = token.end
            return token.end
        strange = char and (char in "})>;" or strangers.CONFLICT.match(text, token.start))
        if strange or (token.kind == IDENTIFIER and starts_field(self.text, token)):
            self._syntax(
                current.start, current.value_start + 1, f'the list of {short(current.name)} is not closed with "]"'
            )
            self.stack.pop().end = last.end if last else current.value_start + 1
            return token.start
        if not awaits_item:
            assert last is not None
            if last.kind == STRING and token.kind == STRING:
                return self._extend(token, last)
            repairs = (Edit(last.end, last.end, ","),)
            self._syntax(last.value_start, last.end, '"," is missing between two items of a list', repairs, safe=True)
        if char and char in "{<" and not self._placeholder(token.start):
            return self._open(MESSAGE, current.name, token.start, token, current)
        if char == "[":
            self._syntax(token.start, token.end, "a list cannot hold other lists; remove the inner brackets")
            return self._open(LIST, current.name, token.start, token, current)
        end = self._scalar(current.name, token.start, token, current)
        return current.fields[-1].end if text[end - 1 : end] in (",", ";") else end

    # What is wrong.

    def _close(self, token: Token) -> int:
        char = self.text[token.start]
        if not self.stack:
            message = f'"{char}" closes nothing; a brace is missing above, or this one is extra'
            self._syntax(token.start, token.end, message)
            return self._behind(token.end)
        opened = self.stack[-1]
        brace = self.text[opened.value_start]
        wanted = _CLOSING[brace]
        if char != wanted and has_opened(self.text, char, opened.value_start, token.start):
            self._syntax(token.start, token.end, f'"{char}" has no place here, nor has the bracket that it closes')
            return token.end
        if char != wanted:
            line = self.source.line_number(opened.value_start)
            message = f'"{char}" cannot close the "{brace}" on line {line}; write "{wanted}"'
            follows = next_token(self.text, token.end)
            is_like = self.text[follows.start : follows.end] == opened.name
            is_closed = char not in ")]" or follows.kind == END or is_like
            self._syntax(token.start, token.end, message, (Edit(token.start, token.end, wanted),) if is_closed else ())
            if not is_closed:
                return token.end
        opened.end = token.end
        self.stack.pop()
        in_list = bool(self.stack) and self.stack[-1].kind == LIST
        return token.end if in_list else self._behind(token.end)

    def _stray(self, token: Token, current: Field, last: Field | None) -> int:
        text, start = self.text, token.start
        if token.kind == INTEGER and self.mistakes.is_line_number(start, bool(self.stack)):
            return token.end
        if placeholder := self._placeholder(start):
            self.problems.append(strangers.unfilled(placeholder))
            return self._behind(placeholder.end())
        if text.startswith("//", start):
            repairs = (Edit(start, start + 2, "#"),)
            self._syntax(start, start + 2, '"//" does not start a comment in prototxt; write "#"', repairs, safe=True)
            return end_of_line(self.text, start)
        if text.startswith("/*", start):
            close = text.find("*/", start)
            self._syntax(start, start + 2, '"/*" does not start a comment in prototxt; write "#" before each line')
            return close + 2 if close >= 0 else len(text)
        char = text[start]
        if strangers.is_strange(char):
            if last is not None and (last.kind, last.end) == (IDENTIFIER, start) and strangers.is_letter(text, start):
                current.fields.pop()
                return self._mended_string(last.name, last.start, last.value_start, end_of_word(text, start), current)
            return self._unreadable(start)
        if self._is_braced_name(token, current):
            return self._behind(current.end)
        if last is not None and token.kind in (STRING, *NUMBERS) and (end := self._several_values(token, last)):
            return end
        if char in "{<":
            self._syntax(start, start + 1, f'"{char}" has no field name before it')
            self.stack.append(Field("", start, start, start + 1, MESSAGE, "", []))
            return start + 1
        if run := _SEPARATORS.match(text, start):
            repairs = (Edit(start, run.end(), ""),)
            self._syntax(start, run.end(), f'"{char}" separates nothing here; remove it', repairs, safe=True)
            return run.end()
        end = token.end if token.kind == STRING else end_of_word(self.text, token.end)
        self._syntax(start, end, f"a field name is expected here, not {short(text[start:end])}")
        follows = next_token(text, end)
        if follows.kind == SYMBOL and text[follows.start] in ":{":
            return self._behind_name_that_is_none(start, follows, current)
        return self._behind(end)

    def _behind_name_that_is_none(self, start: int, token: Token, current: Field) -> int:
        """The value after a bad name is read too, so that it is not a second mistake; it means nothing."""
        if self.text[token.start] == ":":
            return self._behind_colon("", start, token.end, current)
        return self._open(MESSAGE, "", start, token, current)

    def _several_values(self, token: Token, last: Field) -> int:
        """Past the rest of `dim: 1, 28, 28`, where all values but the first have no name; 0 if it is not that.

        `last` becomes a list of them. In `max_iter: 1,000` it is broken: only of a thousand starts a group with 0.
        """
        text = self.text
        between = text[last.end : min(token.start, last.end + _LONG)]
        if last.kind not in (STRING, *NUMBERS) or between.strip(" \t,") or (token.wrong and "," not in between):
            return 0
        items = [Field(last.name, last.value_start, last.value_start, last.end, last.kind, last.text, NO_FIELDS)]
        end, value = token.start, token
        while value.kind in (STRING, *NUMBERS) and "\n" not in text[end : value.start]:
            end = end_of_word(self.text, value.end) if value.wrong else value.end
            kind, raw = (BROKEN, "") if value.wrong else (value.kind, text[value.start : end])
            items.append(Field(last.name, value.start, value.start, end, kind, raw, NO_FIELDS))
            value = next_token(text, end)
            if value.kind == SYMBOL and text[value.start] == ",":
                value = next_token(text, value.end)
        if value.kind == SYMBOL and text[value.start] in ":{":
            return 0
        numbers = [without_thousands(number) for number in _BETWEEN_VALUES.split(text[last.value_start : end])]
        if all(numbers) and ",0" in text[last.value_start : end]:
            meant = numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"
            written = short(text[last.value_start : end])
            message = f"{written} has a thousands separator, which prototxt does not allow; write {short(meant)}"
            self._syntax(last.value_start, end, message, (Edit(last.value_start, end, meant),))
            last.kind, last.text, last.end = BROKEN, "", end
            return self._behind(end)
        listed = "[" + ", ".join(text[item.start : item.end] for item in items) + "]"
        message = f"{last.name} takes one value at a time; write several as {last.name}: {short(listed)}"
        self._syntax(last.value_start, end, message, (Edit(last.value_start, end, listed),))
        last.kind, last.text, last.end, last.fields = LIST, "", end, items
        return self._behind(end)

    def _conflict(self, marker: re.Match[str]) -> int:
        """One problem per conflict: the side above `=======` is read, the other one is not."""
        start = marker.start()
        if marker[0][0] == "<" or not any(problem.kind == "merge-conflict-marker" for problem in self.problems):
            message = f"{marker[0][:7]} is left over from a merge; keep one side and remove the markers"
            end = marker.end() - marker[0].endswith("\r")
            self.problems.append(Problem("merge-conflict-marker", start, end, message))
        if marker[0][0] in "=|" and self._ends_of_conflicts:
            end_marker = strangers.CONFLICT_END.search(self.text, marker.end())
            if end_marker:
                return end_marker.end()
            self._ends_of_conflicts = False
        return marker.end()

    def _placeholder(self, start: int) -> re.Match[str] | None:
        return strangers.placeholder_at(self.text, start)

    def _is_braced_name(self, token: Token, current: Field) -> bool:
        """Whether `current` is not a block but a placeholder, as in `stride: {scale}`; reported and closed if so."""
        found = strangers.BRACED_NAME.match(self.text, current.value_start) if self.stack else None
        if not found or current.fields or not found.start() < token.start < found.end() + (token.start == found.end()):
            return False
        self.problems.append(strangers.unfilled(found))
        self.stack.pop()
        current.kind, current.end, current.fields = BROKEN, found.end(), NO_FIELDS
        return True

    def _unreadable(self, start: int) -> int:
        """Report a strange character; the position after it, or after the word that a letter belongs to."""
        problem = strangers.unreadable(self.text, start)
        if not self.problems or self.problems[-1].end != start or self.problems[-1].kind != problem.kind:
            self.problems.append(problem)
        char, length = strangers.character(self.text, start)
        return end_of_word(self.text, problem.end) if length > 1 and char not in strangers.MEANT else problem.end

    def _give_up(self, token: Token) -> int:
        message = f"too much before this is not prototxt; reading stops at line {self.source.line_number(token.start)}"
        self.problems.append(Problem("syntax-error", token.start, token.end, message))
        for field in self.stack:
            field.end = max(field.end, token.start)
        self.stack.clear()
        return -1

    # Ways on.

    def _behind(self, end: int) -> int:
        """Past one separator that follows at once."""
        return end + 1 if self.text[end : end + 1] in (";", ",") else end

    def _resume(self, position: int) -> int:
        """The next place where a field or a closing brace could start: the next line, or a brace before it."""
        line_end = end_of_line(self.text, position)
        brace = self.text.find("}", position, line_end)
        return brace if brace >= 0 else line_end
