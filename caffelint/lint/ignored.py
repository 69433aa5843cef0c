"""What git ignores, by the rules of gitignore(5), and what it tracks all the same: read from its files, without git.

Whoever wrote a checkout chose what git runs there (`core.fsmonitor`, hooks, filters), so git is not asked. `tests/lint/
test_ignored.py` holds this against it. Not looked at is `core.excludesFile` of any configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice

from caffelint.lint.git_index import Tracked, is_whole, read_index
from caffelint.lint.read import ReadError, read
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_LARGEST = 1 << 20
_LONGEST = 4096
"""Of a pattern, as of a path in Linux."""
_MOST_RULES = 10_000
_MOST_WILD = 1_000
_MOST_COMPLEX = 1 << 13
"""Characters of the rules that take an expression: 25 us each to compile, and 1 ns for each one of a name."""
_IGNORE = ".gitignore"
_BYTES = "latin-1"
"""A `?` is one byte of a name (wildmatch.c), and bytes are matched as the characters of their numbers."""
_ANY_FOLDERS = None
"""`**`, as a part of a pattern."""
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


_OUTSIDE = compiled_later(r"(?:\A|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)
_HEADER = compiled_later(r"[ \t]*\[([^\]]*)\]")
_IGNORECASE = compiled_later(r"[ \t]*ignorecase[ \t]*(?:=[ \t]*\"?([a-z0-9]*)|(?=[#;\r]|\Z))")
_TRUE = ("true", "yes", "on", "1")
_PLAIN = compiled_later(r"(\*?)([^*?\[\\]*)(\*?)")
_WILD = compiled_later(r"[*?\[\\]")
Part = Callable[[str], object]
"""Whether a name is what a pattern means, between two slashes."""


class _Rule(NamedTuple):
    """A line of an ignore file: its parts between slashes, one alone where it means a name in any folder below."""

    parts: tuple[Part | None, ...]
    anchored: bool
    folders_only: bool
    ignores: bool
    literal: tuple[str, ...] = ()
    """Its parts as they are written; empty where one has a wildcard."""


class _Rules:
    """The rules of some ignore files. Those without wildcards are looked up: a file may have thousands."""

    def __init__(self, rules: Sequence[_Rule]):
        self._rules = rules
        self._literal: dict[tuple[bool, tuple[str, ...]], list[int]] = {}
        self._others: list[int] = []
        for place, rule in enumerate(rules):
            if rule.literal:
                last = self._literal.setdefault((rule.anchored, rule.literal), [-1, -1])
                last[rule.folders_only] = place
            else:
                self._others.append(place)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: Sequence[str], is_folder: bool) -> bool | None:
        """What the last rule that means a path says; None where none does."""
        found = -1
        for key in ((True, tuple(path)), (False, (path[-1],))):
            plain, of_folders = self._literal.get(key, (-1, -1))
            found = max(found, plain, of_folders if is_folder else -1)
        for place in reversed(self._others):
            if place < found:
                break
            parts, anchored, folders_only, *_ = self._rules[place]
            if (is_folder or not folders_only) and (_matches(parts, path) if anchored else parts[0](path[-1])):  # type: ignore[misc]
                found = place
                break
        return self._rules[found].ignores if found >= 0 else None


_RulesOfAFolder = tuple[int, _Rules]
"""How deep a folder is, and the rules of its ignore file."""


class Checkout:
    """A working tree of git: which of its files and folders are ignored, and which are tracked."""

    def __init__(self, top: str):
        self.top = top
        own = _git_folder(top)
        self.index = os.path.join(own, "index")
        common = _line_of(os.path.join(own, "commondir"))
        shared = os.path.join(own, common) if common else own
        self._folds = _ignores_case(os.path.join(shared, "config"))
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
        everywhere = (os.path.join(home, "git", "ignore"), os.path.join(shared, "info", "exclude"))
        self._everywhere = _Rules([rule for file in everywhere for rule in _rules(file, self._folds)])
        self._rules: dict[tuple[str, ...], list[_RulesOfAFolder]] = {}

    def ignores(self, path: Sequence[str], is_folder: bool) -> bool:
        """Whether the file or folder at a path, in parts from the top, is ignored, its folders not being so."""
        within = [_bytewise(name, self._folds) for name in path]
        for depth, rules in self._rules_for(tuple(path[:-1])):
            verdict = rules.verdict(within[depth:], is_folder)
            if verdict is not None:
                return verdict
        return bool(self._everywhere.verdict(within, is_folder))

    def _rules_for(self, folder: tuple[str, ...]) -> list[_RulesOfAFolder]:
        """What ignore files say of a folder's content: its own, then those of the folders above it that hold rules."""
        found = self._rules.get(folder)
        if found is None:
            path = os.path.join(self.top, *folder, _IGNORE)
            # git follows no link there either (gitignore(5))
            own = _Rules([] if os.path.islink(path) else _rules(path, self._folds))
            above = self._rules_for(folder[:-1]) if folder else []
            found = self._rules[folder] = [(len(folder), own), *above] if own else above
        return found

    def ignores_folder(self, path: Sequence[str]) -> bool:
        """Whether a folder, or one that contains it, is ignored."""
        return any(self.ignores(path[: depth + 1], True) for depth in range(len(path)))

    def holds(self, name: str) -> bool:
        """Whether there is a tracked file of this name and no folder above it is a link, behind which git looks for
        none."""
        folder = os.path.dirname(os.path.join(self.top, name))
        return os.path.isfile(os.path.join(self.top, name)) and os.path.realpath(folder) == os.path.normpath(folder)

    def tracked(self) -> list[Tracked]:
        """What the index holds, but for names that lead out of the checkout; nothing where it cannot be read."""
        with suppress(ReadError):
            return [entry for entry in read_index(self.index) if _is_inside(entry.name)]
        return []

    def may_track(self, name: str) -> bool:
        """Whether a file, by its path from the top with slashes, is in the index, or in a part that is not read."""
        try:
            os.lstat(self.index)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        try:
            if not is_whole(self.index):
                return True
            return any(entry.name == name for entry in read_index(self.index))
        except ReadError:
            return True


def _is_inside(name: str) -> bool:
    """Whether git would track such a name (read-cache.c, verify_path)."""
    if os.name == "nt" and ("\\" in name or ":" in name):
        return False
    return not _OUTSIDE.search(name)


def _bytewise(name: str, folds: bool) -> str:
    """The bytes of a name as characters; with `folds`, only ASCII letters in lower case, as git has it."""
    if name.isascii():
        return name.lower() if folds else name
    data = os.fsencode(name)
    return (data.lower() if folds else data).decode(_BYTES)


def checkout_of(folder: str) -> Checkout | None:
    """The checkout that contains a folder."""
    above = os.path.realpath(folder)
    while not os.path.exists(os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return None
        above = os.path.dirname(above)
    return Checkout(above)


def _git_folder(top: str) -> str:
    """The folder of the index; a worktree and a submodule name it in a file `.git` (gitrepository-layout(5))."""
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    return os.path.join(top, _line_of(path).removeprefix("gitdir: "))


def _line_of(path: str) -> str:
    """The path that a file holds; empty where it holds none."""
    try:
        line = os.fsdecode(read(path, 4096)).partition("\n")[0].rstrip("\r")
    except ReadError:
        return ""
    return "" if "\0" in line else line


def _ignores_case(path: str) -> bool:
    """Whether the configuration of a repository sets `core.ignorecase`, as git does itself where file names ignore
    case. What it includes is not read."""
    try:
        text = read(path, _LARGEST).decode(_BYTES).lower()
    except ReadError:
        return False
    in_core = found = False
    for line in text.split("\n"):
        if header := _HEADER.match(line):
            in_core = header[1] == "core"
            line = line[header.end() :]
        if in_core and (setting := _IGNORECASE.match(line)):
            found = setting[1] is None or setting[1] in _TRUE
    return found


def _rules(path: str, folds: bool) -> list[_Rule]:
    if not os.path.exists(path):
        return []
    try:
        data = read(path, _LARGEST)
    except ReadError:
        return []
    text = data.removeprefix(b"\xef\xbb\xbf").decode(_BYTES)
    return list(islice(_within_limits(text, folds), _MOST_RULES))


def _within_limits(text: str, folds: bool) -> Iterator[_Rule]:
    """The rules of an ignore file; whoever wrote it has every one with a wildcard held against every file."""
    characters = wild = 0
    for line in text.split("\n"):
        if rule := _rule(line.removesuffix("\r"), folds):
            characters += 0 if _PLAIN.fullmatch(line) else len(line)
            wild += not rule.literal
            if characters > _MOST_COMPLEX or wild > _MOST_WILD:
                return
            yield rule


def _rule(line: str, folds: bool) -> _Rule | None:
    bare = line.partition("\0")[0].rstrip(" ")
    line = f"{bare} " if bare.endswith("\\") and bare != line else bare
    if not line or line.startswith("#") or len(line) > _LONGEST:
        return None
    negated = line.startswith("!")
    glob = line[negated:]
    folders_only = glob.endswith("/")
    glob = glob.removesuffix("/")
    if not glob:
        return None
    anchored = "/" in glob
    names = _names(glob.removeprefix("/")) if anchored else [glob]
    if anchored and names[-1] == "**":
        names.append("*")  # what is below, not the folder itself
    parts = tuple(_ANY_FOLDERS if anchored and name == "**" else _part(name, folds) for name in names)
    literal = () if _WILD.search(glob) else tuple(_folded(name, folds) for name in names)
    return _Rule(parts, anchored, folders_only, not negated, literal)


def _names(glob: str) -> list[str]:
    """The parts of a pattern: a slash in brackets is one of their members, and matches none; two stars and more are any
    folders, but at least one before a slash with a backslash (wildmatch.c)."""
    names, start, at = [], 0, 0
    while at < len(glob):
        if glob[at] == "[":
            found = _set(glob, at + 1, False)
            at = found[1] if found else len(glob)
        elif glob[at] == "\\" and glob[at + 1 : at + 2] != "/":
            at += 2
        elif glob[at] == "/" or glob[at] == "\\":
            name = _any_folders(glob[start:at])
            names += ["*", name] if name == "**" and glob[at] == "\\" else [name]
            at = start = at + 1 + (glob[at] == "\\")
        else:
            at += 1
    return [*names, _any_folders(glob[start:])]


def _any_folders(name: str) -> str:
    return "**" if len(name) > 2 and not name.strip("*") else name


def _matches(parts: Sequence[Part | None], path: Sequence[str]) -> bool:
    """In time parts times path: only the last `**` before a mismatch is ever stretched."""
    if len(parts) != len(path) and _ANY_FOLDERS not in parts:
        return False
    part = name = 0
    stretched = begin = -1
    while name < len(path):
        pattern = parts[part] if part < len(parts) else None
        if pattern and pattern(path[name]):
            part, name = part + 1, name + 1
        elif part < len(parts) and parts[part] is _ANY_FOLDERS:
            stretched, begin, part = part, name, part + 1
        elif stretched >= 0:
            begin += 1
            part, name = stretched + 1, begin
        else:
            return False
    return all(left is _ANY_FOLDERS for left in parts[part:])


def _folded(glob: str, folds: bool) -> str:
    return glob.encode(_BYTES).lower().decode(_BYTES) if folds else glob


def _part(glob: str, folds: bool) -> Part:
    """What a pattern without slashes means; an expression is made when it is first needed, if the pattern asks for one.

    >>> _part("*.LOG", folds=True)("a.log")
    True
    """
    plain = _PLAIN.fullmatch(_folded(glob, folds))
    if plain:
        before, text, after = plain.groups()
        if before and after:
            return lambda name: text in name
        if before:
            return lambda name: name.endswith(text)
        return (lambda name: name.startswith(text)) if after else text.__eq__
    return lambda name: _expression(glob, folds).match(name)


@cache
def _expression(glob: str, folds: bool) -> re.Pattern[str]:
    """Each `*` takes as little as it can and never gives back.

    With `folds` it is for names in lower case, which no capital after a backslash or by itself in a set means: only
    other characters are in lower case, too (wildmatch.c).
    """
    pieces = [""]
    at = 0
    while at < len(glob):
        character = glob[at]
        at += 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "."
        elif character == "[":
            found = _set(glob, at, folds)
            if found is None:
                return re.compile(r"(?!)")  # as wildmatch.c has it: an unclosed one never matches
            pieces[-1] += found[0]
            at = found[1]
        else:
            if character == "\\" and at < len(glob):
                character = glob[at]
                at += 1
            elif folds and character.isascii():
                character = character.lower()
            pieces[-1] += re.escape(character)
    first, *rest = pieces
    expression = first
    for number, piece in enumerate(filter(None, rest[:-1])):
        expression += f"(?=(?P<g{number}>.*?{piece}))(?P=g{number})"
    if rest:
        expression += f".*{rest[-1]}"
    return re.compile(f"(?s:{expression})\\Z")


def _set(glob: str, at: int, folds: bool) -> tuple[str, int] | None:
    """The expression for `[...]`, whose inside starts at a place, and where it ends; None where it is not closed."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    inside, first = "", True
    while at < len(glob) and (first or glob[at] != "]"):
        first = False
        if glob.startswith("[:", at) and (end := glob.find(":]", at)) > 0:
            if glob[at + 2 : end] not in _CLASSES:
                return None
            inside += _CLASSES[glob[at + 2 : end]]
            inside += _CLASSES["lower"] if folds and glob[at + 2 : end] == "upper" else ""
            at = end + 2
            continue
        low, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("]", ""):
            high, at = _member(glob, at + 1)
            # the first of a range is a member by itself, too
            inside += f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low)
            first_capital, last_capital = max(low, "A"), min(high, "Z")
            if folds and first_capital <= last_capital:
                inside += f"{first_capital.lower()}-{last_capital.lower()}"
        else:
            inside += re.escape(low)
    if at >= len(glob):
        return None
    if not inside:
        return (".", at + 1) if negated else ("(?!)", at + 1)
    return f"[{'^' * negated}{inside}]", at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    if glob[at] == "\\" and at + 1 < len(glob):
        at += 1
    return glob[at], at + 1
