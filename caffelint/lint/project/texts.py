"""The texts of a project that tell what its authors run: scripts, programs, notebooks and pages; read, never run."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from caffelint.lint.discover import relative
from caffelint.lint.project.find import PROTO
from caffelint.lint.project.own_readers import OwnReaders
from caffelint.lint.project.ways import Ways, alike, part_fits, parts_up
from caffelint.lint.reach import is_below
from caffelint.lint.read import ReadError, read_found
from caffelint.lint.walk import walk
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_SUFFIXES = (
    *(".py", ".sh", ".bash", ".bat", ".ps1", ".m", ".ipynb", ".lua", ".pl", ".js", ".java", ".scala", ".cs"),
    *(".launch", ".xml"),
    *(".c", ".cc", ".cpp", ".cu", ".h", ".hpp", ".mm", ".go"),
    *(".md", ".rst", ".html", ".yml", ".yaml", ".json", ".cfg", ".ini", ".gitattributes"),
)
_NAMES = compiled_later(
    r"readme\b.*|makefile.*|cmakelists\.txt|dockerfile|.*(?:readme|how.?to|usage|train|run).*\.txt", re.I
)
_READ_ME = compiled_later(r"readme\b", re.I)
_PAGES = (".md", ".rst", ".html", ".txt")
_KEEP_OUT = frozenset([".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__", "3rdparty"])
_OF_CAFFE = (os.path.join("src", "caffe"), os.path.join("include", "caffe"), os.path.join("python", "caffe"))
"""What is below names the nets of nobody."""
_OF_PROTO = os.sep + os.path.dirname(PROTO)
_OF_REPORTS = (".html", ".json", ".xml")
"""What caffelint itself may have written, and what then names all that it was told of."""
_TELLING = (".prototxt", "_iter_", "mkdir", "makedirs")
_LARGEST = 1 << 19
_MOST_BYTES = 1 << 23
_MOST_FILES = 50_000
_MOST_TEXTS = 2_000
_MOST_FILLED = 300
"""Different paths that are filled in; each is held against each file."""
_MOST_NAMES = 20_000
_MOST_NOWHERE = 100
"""Paths of one name that lead to no file; each may be that of any file of that name."""
_LOGS = compiled_later(
    r".{0,99}\.log(?:\.\w+)?|.{0,99}\blog\b.{0,99}|.{0,99}_log.{0,99}\.txt|.{0,99}\.INFO(?:\..{0,99})?|log_.{0,99}"
    r"|nohup.{0,99}|.{0,99}history.{0,99}\.txt",
    re.I,
)
_NO_LOGS = (".py", ".sh", ".prototxt", ".png", ".jpg", ".jpeg", ".cpp", ".hpp", ".h", ".m", ".md", ".js", ".csv")
_PROTOTXT = ".prototxt"
_LONGEST = 200
_EMAN = compiled_later(r"[^\s\"'`=,;|()\[\]]{0,99}")
"""A name from its end: looked for from its beginning, each letter might be that."""
_JOINED = compiled_later(r"[,+/.%][ \t]{0,4}[\"'`]\Z")
"""Before a name that ends a path which is put together: `folder + "/net.prototxt"`, `join(folder, "net.prototxt")`."""
_VARIABLE = compiled_later(r"\$\{[^{}]*\}|\$\w+|\$[@#*]|%\(?\w{0,40}\)?[\d.]{0,5}[sdif]|\{[^{}]*\}|<[^<>]*>|%\w+%|[*]+")
_OPENS = compiled_later(r"open\(|\b(?:sed|envsubst)\b")
_WRITTEN = compiled_later(r"['\"][ \t]{0,9},[ \t]{0,9}['\"](?:[wa]b?\+?)['\"]")
_SNAPSHOT = compiled_later(r"_iter_\d{2,9}(?:\.caffemodel|\.solverstate)")
_PREFIX = compiled_later(r"[\w./\\${}%+-]{1,200}\Z")
_MAKES = compiled_later(r"\b(?:mkdir|makedirs)\b([^\n]{1,300})")
_PATH = compiled_later(r"[\w./\\+-]{1,200}")
_OF_FOLDERS = compiled_later(
    r"[\u251c\u2514\u2502]|\|--|\+--|mkdir|\b(?:put|place|copy|download|create|unzip|extract)", re.I
)
"""In a line that draws a tree of files, or tells to put something into a folder."""
_GOES_ON = compiled_later(r"[\w./-]")
"""Before the name of a folder, but for what is a longer one."""
_MOST_VALUES = 8
"""Of one variable, that are looked at."""
_ASSIGNS = compiled_later(
    r"^[ \t]{0,40}(?:export[ \t]{1,9})?(\w{1,60})[ \t]{0,9}=[ \t]{0,9}[\"']?([\w./\\+-]{1,200})", re.MULTILINE
)
_SETS_PATHS = compiled_later(
    r"\b(?:replace|change|edit|modify|set|adjust|update|correct)\b[^\n]{0,80}?\bpaths?\b[^\n]{0,80}", re.I
)
_OF_DATA = compiled_later(r"\.prototxt|\bdata|\bsources?\b", re.I)
_CODE = compiled_later(r"(?P<mark>\#+|//+|%+)?[ \t]*(?P<code>[^\s\#].*)", re.S)
"""A line up to a name: what makes a comment of it, and its code."""
_INDENTS = " \t\"'"
"""Lines of a notebook are in quotes."""
_WORD = compiled_later(r"[\w+-]+(?:\.[\w+-]+)*")


_LINE_END = compiled_later(r"\n")


class Text(NamedTuple):
    """A text by its path as people read it, and the folder it is in."""

    path: str
    folder: str
    text: str

    def line(self, offset: int) -> str:
        """Where an offset is, as `run.sh:12`."""
        return f"{self.path}:{bisect_left(_line_ends(self.text), offset) + 1}"


@lru_cache(maxsize=16)
def _line_ends(text: str) -> Sequence[int]:
    return array("I", (found.start() for found in _LINE_END.finditer(text)))


class Named(NamedTuple):
    """A path that a text gives, its parts from the last one to the first, with "*" for what it fills in."""

    parts: tuple[str, ...]
    where: str
    beside: str
    """The folder of the text where it gives a bare name that it does not join to another path, else empty."""
    folder: str
    is_written: bool = False
    """Is a file of that name opened there to be written?"""
    is_opened: bool = False
    """Is a file of that name opened there by the text itself, to be read, changed or written, and not by Caffe?"""
    is_of_page: bool = False
    """Does a page tell of it, and no code?"""

    @property
    def is_vague(self) -> bool:
        """Does it lead to whatever file there is, as `*.prototxt` in a loop or after a variable, or to one to write?"""
        return self.is_written or self.parts[0] == "*" + _PROTOTXT


class _Found(NamedTuple):
    """The texts, the paths of logs, and the tops of Caffes."""

    texts: list[Text]
    logs: list[str]
    caffes: list[str]


class Texts:
    """What is written in a project, read when it is first asked for.

    `files`: its solvers and nets, by absolute paths.
    """

    def __init__(self, top: str, files: Sequence[str]):
        self.top = top
        self._files = files
        self._places: dict[str, Sequence[Named]] = {}
        self._series: dict[tuple[str, str], tuple[Sequence[Named], Sequence[Named]]] = {}
        self._leading_nowhere: dict[str, Sequence[Named]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._reading_alone: dict[str, bool] = {}
        self._lines: dict[str, Sequence[str]] = {}
        self._own_readers = OwnReaders()

    @cached_property
    def _found(self) -> _Found:
        found = _Found([], [], [])
        seen = size = 0
        for folder, folders, files in walk(self.top):
            folders[:] = sorted(name for name in folders if name not in _KEEP_OUT)
            seen += len(folders) + len(files)
            if seen > _MOST_FILES:
                break
            if folder.endswith(_OF_PROTO):
                found.caffes.append(folder.removesuffix(_OF_PROTO))
            if any(of_caffe in folder for of_caffe in _OF_CAFFE):
                continue
            for name in sorted(files):
                path = os.path.join(folder, name)
                if name.endswith(_SUFFIXES) or _NAMES.fullmatch(name):
                    if size < _MOST_BYTES and len(found.texts) < _MOST_TEXTS and (text := _read(path)):
                        size += len(text)
                        if name.endswith(_OF_REPORTS) and "caffelint" in text:
                            continue
                        if any(word in text for word in _TELLING) or _READ_ME.match(name):
                            found.texts.append(Text(relative(path).replace(os.sep, "/"), folder, text))
                elif _LOGS.fullmatch(name) and not name.lower().endswith(_NO_LOGS) and not os.path.islink(path):
                    found.logs.append(path)
        return found

    @property
    def all(self) -> list[Text]:
        return self._found.texts

    @property
    def logs(self) -> list[str]:
        """What may be logs, by their names."""
        return self._found.logs

    @cached_property
    def pages(self) -> list[Text]:
        return [text for text in self.all if _READ_ME.match(_name(text.path))]

    @cached_property
    def sets_paths(self) -> str:
        """Where a page tells its reader to put paths of their own into nets or for data; empty if none does."""
        own = (page for page in self.pages if not any(is_below(page.folder, root) for root in self._found.caffes))
        found = ((page, one) for page in own for one in _SETS_PATHS.finditer(page.text))
        return next((page.line(one.start()) for page, one in found if _OF_DATA.search(one[0])), "")

    @cached_property
    def names(self) -> list[Named]:
        """The paths of prototxt files that are named."""
        found: list[Named] = []
        for text in self.all:
            found += _names_in(text)
            if len(found) > _MOST_NAMES:
                break
        return found

    @cached_property
    def _ways(self) -> Mapping[str, Ways]:
        """The paths by their last names, but for digits."""
        found: dict[str, list[tuple[int, Named]]] = {}
        for number, named in enumerate(self.names):
            if "*" not in named.parts[0]:
                found.setdefault(alike(named.parts[0]), []).append((number, named))
        return {name: Ways(numbered) for name, numbered in found.items()}

    @cached_property
    def _filled(self) -> list[tuple[str, str, Named]]:
        """The paths whose last name is filled in, each as it is first written, with how that name begins and ends."""
        found: dict[tuple[object, ...], Named] = {}
        for named in self.names:
            if "*" in named.parts[0] and len(found) < _MOST_FILLED:
                key = (named.where.rpartition(":")[0], named.parts, *named[2:])
                found.setdefault(key, named)
        return [(one.parts[0].partition("*")[0], one.parts[0].rpartition("*")[2], one) for one in found.values()]

    def names_file(self, path: str) -> Named | None:
        """Where a file is named, or one of the same series: with other digits in its path.

        A path that leads to no file may be one of another machine: of that the last name counts.
        """
        return next(iter(self.all_names(path)), None)

    def all_names(self, path: str) -> Sequence[Named]:
        """All places where a file is named, first those that mean it and do not write it."""
        if path not in self._places:
            self._places[path] = self._names_of(path)
        return self._places[path]

    def _names_of(self, path: str) -> Sequence[Named]:
        folder, name = os.path.split(path)
        ends = (one for begin, end, one in self._filled if name.startswith(begin) and name.endswith(end))
        filled = [named for named in ends if self._reaches(named, path) and self._fits(named, path)]
        series, nowhere = self._names_of_series(folder, alike(name), path)
        if filled:
            return sorted((*series, *filled), key=lambda named: named.is_vague)
        return series or nowhere

    def _names_of_series(self, folder: str, name: str, path: str) -> tuple[Sequence[Named], Sequence[Named]]:
        """The same for all files of a folder whose names differ in digits: what may mean them, and what leads nowhere.

        Neither with names that are filled in.
        """
        if (folder, name) not in self._series:
            ways = self._ways.get(name)
            found = [one for way in ways.to(path, parts_up(path, self.top)) for one in way.named] if ways else []
            fitting = sorted((named.is_vague, number, named) for number, named in found if self._reaches(named, path))
            nowhere = [] if fitting else [named for named in self._nowhere(name) if self._reaches(named, path)]
            self._series[folder, name] = [named for _, _, named in fitting], nowhere
        return self._series[folder, name]

    def may_give(self, path: str) -> bool:
        """Whether a text that names a file may mean it: one that fills in whole names, as a loop, may say which."""
        return any(named.is_written or not named.is_vague or self._gives(named, path) for named in self.all_names(path))

    def _gives(self, named: Named, path: str) -> bool:
        """Has a text the name of a file somewhere, or the names of none in that folder?"""
        where = named.where.rpartition(":")[0]
        if where not in self._words:
            self._words[where] = frozenset(_WORD.findall(self._by_path[where].text))
        return _stem(path) in self._words[where] or self._words[where].isdisjoint(self._stems[os.path.dirname(path)])

    def is_read_alone(self, named: Named) -> bool:
        """Whether a Python script that names a file reads it as text by itself, and runs no Caffe."""
        if named.where not in self._reading_alone:
            path, _, number = named.where.rpartition(":")
            if path not in self._lines:
                self._lines[path] = self._by_path[path].text.split("\n")
            script = os.path.join(named.folder, _name(path))
            line = self._lines[path][int(number) - 1]
            is_alone = path.endswith(".py") and self._own_readers.read_by_itself(script, self._by_path[path].text, line)
            self._reading_alone[named.where] = is_alone
        return self._reading_alone[named.where]

    def written_by(self, path: str) -> Text | None:
        """The script beside a file that opens it to write it anew."""
        written = (one for one in self.all_names(path) if one.is_written and one.folder == os.path.dirname(path))
        where = next((one.where.rpartition(":")[0] for one in written if "*" not in one.parts[0]), "")
        return self._by_path.get(where)

    @cached_property
    def _by_path(self) -> Mapping[str, Text]:
        return {text.path: text for text in self.all}

    @cached_property
    def _stems(self) -> Mapping[str, Sequence[str]]:
        """The names of nets and solvers without their suffix, by folders."""
        found: dict[str, list[str]] = {}
        for file in self._files:
            found.setdefault(os.path.dirname(file), []).append(_stem(file))
        return found

    def _nowhere(self, name: str) -> Sequence[Named]:
        """What gives that name, but for its digits, and leads to no file."""
        if name not in self._leading_nowhere:
            files = ((file, parts_up(file, self.top)) for file in self._alike.get(name, ()))
            ways = self._ways.get(name)
            self._leading_nowhere[name] = (
                [named for _, named in sorted(ways.nowhere(files))[:_MOST_NOWHERE]] if ways else []
            )
        return self._leading_nowhere[name]

    @cached_property
    def _alike(self) -> Mapping[str, Sequence[str]]:
        """The nets and solvers by their names, but for digits."""
        found: dict[str, list[str]] = {}
        for file in self._files:
            found.setdefault(alike(os.path.basename(file)), []).append(file)
        return found

    def _reaches(self, named: Named, path: str) -> bool:
        """The texts of a Caffe that the project holds speak of the files of that Caffe."""
        caffes = self._found.caffes
        return not caffes or all(is_below(path, root) for root in caffes if is_below(named.folder, root))

    def may_mean(self, named: Named, path: str) -> bool:
        """Whether a path is not that of a file of the same name in another folder."""
        return len(named.parts) == 1 or self._fits(named, path)

    def _fits(self, named: Named, path: str) -> bool:
        """Whether a path, which may have variable parts, may be that of a file, as far up as both are known."""
        if named.beside and os.path.dirname(path) != named.beside:
            return False
        parts = parts_up(path, self.top)
        return all(part_fits(given, part) for given, part in zip(named.parts, parts, strict=False))

    @cached_property
    def snapshots(self) -> list[tuple[str, str]]:
        """The snapshots that are named: the prefix as it is written, and where.

        One that merely lies there may be of a run that came to nothing.
        """
        found = []
        for text in self.all:
            for match in _SNAPSHOT.finditer(text.text):
                at = match.start()
                if prefix := _PREFIX.search(text.text[max(0, at - _LONGEST) : at]):
                    found.append((prefix[0], text.line(at)))
        return found

    @cached_property
    def made_folders(self) -> list[tuple[str, str]]:
        """The folders that scripts make, as they are written or as a variable holds them, and where."""
        found: list[tuple[str, str]] = []
        for text in self.all:
            values: dict[str, list[str]] | None = None
            for match in _MAKES.finditer(text.text):
                if values is None:
                    values = {}
                    for name, value in _ASSIGNS.findall(text.text):
                        if len(values.setdefault(name, [])) < _MOST_VALUES:
                            values[name].append(value)
                where = text.line(match.start())
                for name in _PATH.findall(match[1]):
                    found += ((one, where) for one in (name, *values.get(name, ())))
        return found

    def lines_with(self, word: str) -> Iterator[tuple[str, str]]:
        """The lines of pages that hold a word, and where they are."""
        for page in self.pages:
            for number, line in enumerate(page.text.splitlines(), 1) if word in page.text else ():
                if word in line:
                    yield f"{page.path}:{number}", line

    def in_pages(self, folder: str) -> Iterator[str]:
        """Where pages have a folder, as `snapshots/`, in a tree of files, or tell to put something there."""
        name = os.path.normpath(folder).replace(os.sep, "/") + "/"
        for where, line in self.lines_with(name) if name not in ("./", "/") else ():
            if _OF_FOLDERS.search(line) and not _GOES_ON.search(line.partition(name)[0][-1:]):
                yield where


def _name(path: str) -> str:
    return os.path.basename(path)


def _read(path: str) -> str:
    try:
        return read_found(path, _LARGEST).decode("utf-8", "replace")
    except ReadError:
        return ""


def _names_in(text: Text) -> Iterator[Named]:
    """Of code, without what it names in comments that are lines of it for another name: that one has superseded them.

    `# net = "old.prototxt"` beside `net = "new.prototxt"`.
    """
    is_page = text.path.lower().endswith(_PAGES)
    found = list(_mentions_in(text, is_page))
    if is_page:
        yield from (named for named, _, _ in found)
        return
    live = {code for _, code, is_remark in found if not is_remark}
    yield from (named for named, code, is_remark in found if not (is_remark and code in live))


def _mentions_in(text: Text, is_page: bool) -> Iterator[tuple[Named, str, bool]]:
    """Each with the code before it on its line, and whether that is a comment."""
    at = text.text.find(_PROTOTXT)
    while at >= 0:
        before = text.text[max(0, at - _LONGEST) : at].rpartition("\n")[2]
        match = _EMAN.match(before[::-1])
        size = match.end() if match else 0
        name = _VARIABLE.sub("*", before[len(before) - size :].replace("\\", "/"))
        parts = [part for part in name.split("/") if part not in ("", ".", "..", "~")]
        ahead = before[: len(before) - size]
        joined = name[:1] == "/" or bool(_JOINED.search(ahead))
        if not parts or name.endswith("/"):
            parts.append("*")
        parts[-1] += _PROTOTXT
        if not (is_page or ahead[-1:].isspace()) or parts != ["*" + _PROTOTXT]:  # as in "the .prototxt files"
            beside = text.folder if len(parts) == 1 and not joined else ""
            opened = _OPENS.search(ahead) is not None
            written = opened and _WRITTEN.match(text.text, at + len(_PROTOTXT)) is not None
            named = Named(tuple(reversed(parts)), text.line(at), beside, text.folder, written, opened, is_page)
            line = _CODE.fullmatch(ahead.lstrip(_INDENTS))
            yield named, "".join(line["code"].split()) if line else "", bool(line and line["mark"])
        at = text.text.find(_PROTOTXT, at + 1)


def _stem(path: str) -> str:
    return _name(path).partition(_PROTOTXT)[0]
