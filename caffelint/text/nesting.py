"""Blocks that are open at the end of a text: which brace is missing, and what the text would be with it."""

from __future__ import annotations

from caffelint.text.edits import Edit
from caffelint.text.source import Source
from caffelint.text.tree import LIST, MESSAGE, Field, Problem

_CLOSING = {"{": "}", "<": ">", "[": "]"}
_DEEP = 64


def close_at_end(source: Source, root: Field, stack: list[Field], problems: list[Problem]) -> None:
    """Report the blocks that `stack` still holds at the end of the text, and close them.

    A block inside one of its own name (a `layer` in a `layer`) shows where a brace is missing: it and all that follows
    it are taken out and put after the block that should have been closed.
    """
    for field in stack:
        field.end = len(source.text)
    chain = [root, *stack]
    stack.clear()
    level = 1
    while level < len(chain) < _DEEP:
        found = _next_of_its_name(chain, level)
        if found is None:
            level += 1
            continue
        depth, index = found
        innermost = chain[depth]
        moved = innermost.fields[index:]
        del innermost.fields[index:]
        problems.append(_missing_before(source, chain[level : depth + 1], moved[0]))
        for block in reversed(chain[level : depth + 1]):
            block.end = block.fields[-1].end if block.fields else block.value_start + 1
        chain[level - 1].fields.extend(moved)
        del chain[level : depth + 1]
    if len(chain) > 1:
        problems.append(_never_closed(source, chain[1:]))


def _next_of_its_name(chain: list[Field], level: int) -> tuple[int, int] | None:
    """Where a block named like `chain[level]` is below it: the depth in the chain, and the index of the field."""
    name = chain[level].name
    if chain[level].kind == LIST:  # its items bear its name
        return None
    for depth in range(level, len(chain)):
        for index, field in enumerate(chain[depth].fields):
            if field.kind == MESSAGE and field.name == name:
                return depth, index
    return None


def _missing_before(source: Source, opened: list[Field], following: Field) -> Problem:
    """`opened`: the blocks to close, from the outermost on."""
    name, line = opened[0].name, source.line_number(opened[0].start)
    braces = [_CLOSING[source.text[field.value_start]] for field in reversed(opened)]
    missing = f'"{braces[0]}" is' if len(braces) == 1 else f'"{" ".join(braces)}" are'
    message = f"{missing} missing before this {name}: the {name} on line {line} is still open here"
    start = following.start
    repairs = (Edit(start, start, "".join(f"{brace}\n" for brace in braces)),)
    return Problem("syntax-error", start, start + len(following.name), message, repairs=repairs)


def _never_closed(source: Source, opened: list[Field]) -> Problem:
    first = opened[0]
    name = first.name or "without a name"
    closing = _CLOSING[source.text[first.value_start]]
    what = "list" if closing == "]" else "block"
    line = source.line_number(first.start)
    more = f"; {len(opened)} blocks are open at the end of the file" if len(opened) > 1 else ""
    message = f'the {what} {name} that starts on line {line} is never closed with "{closing}"{more}'
    return Problem("syntax-error", first.start, first.start + max(len(first.name), 1), message)
