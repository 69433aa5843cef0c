"""Finds the scripts of a project and reads them as text, if a solver leaves a question that they may answer."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial

from caffelint.lint.discover import NamedNet, relative
from caffelint.lint.project.about import About, Launching, writers
from caffelint.lint.project.border import top_of
from caffelint.lint.project.find import PROTO
from caffelint.lint.project.launched import astray, launched_of, words
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.moved import moved
from caffelint.lint.project.python_scripts import (
    NOTEBOOK,
    asked_by,
    channels_by,
    ends_of,
    fed_by,
    judged_by,
    spoilt_by,
    supplied_by,
    uncleared_by,
    untrained_by,
)
from caffelint.lint.project.shipped import shipped_script
from caffelint.lint.reach import Reach, is_below
from caffelint.lint.read import ReadError, read, read_found
from caffelint.lint.walk import walk
from caffelint.project.mentions import Judged, Mention, NetRuns, Words
from caffelint.project.notebooks import code_of
from caffelint.project.script_customs import Customs, customs_of
from caffelint.project.script_starts import path_end, starts
from caffelint.project.scripts import Script, bare
from caffelint.project.solver_runs import Runs, runs_of
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

SUFFIXES = (".py", ".sh", ".m", ".bash", NOTEBOOK, ".java", ".scala")
_SHELLS = (".sh", ".bash")
_NAMES = ("Makefile",)
_OF_TOOLS, _OF_CAFFE = (".cpp", ".cc"), os.path.join("", "src", "caffe", "")
"""How names of programs end that may write data sets, and where the sources of a Caffe itself are."""
_WRITES_FLOATS, _BUILDS_NETS = b"add_float_data(", b"Net<"
"""In a program that writes a data set of floats, and in one that writes what a net gives: extract_features.cpp."""
_LARGEST = 1 << 20
"""Notebooks hold pictures; these count as well."""
_PICTURE = compiled_later(rb'"(?:image/)?(?:png|jpeg)": ?"[^"]*"')
_MOST_BYTES = 1 << 24
_MOST_SCRIPTS = 2_000
_SMALL = 1000
_MOST_FILES = 100_000
"""Of a checkout, that are looked at."""
_SOLVER, _PROTOTXT = "olver", ".prototxt"
"""What the name of a solver mostly holds, and ends in."""
_MOST_MISSING = 8
"""Nets of a solver that are not there; people's solvers name two or three."""
_MOST_NAMESAKES = 50
"""Folders with a solver of one name, up to which is asked which of them a script means."""
_KEEP_OUT = frozenset([".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__"])


def runs_by_solver(contents: Mapping[str, bytes], nets: Sequence[tuple[str, Sequence[NamedNet]]]) -> Mapping[str, Runs]:
    """What the scripts of the project tell of each of these solvers."""
    found: dict[str, Runs] = {}
    for path, named in nets:
        missing = [net.name for net in named if net.path is None and not net.outside][:_MOST_MISSING]
        if path not in contents:
            continue
        folder, name = os.path.split(os.path.abspath(path))
        if top := top_of(folder):
            namesakes, having = partial(folders_with, top, name), partial(folders_with, top)
            launches = launched_of(_launching(top, name), top, path)
            speaking = [*_about_files(top, name).of(folder), *_with_gradients(top), *_with_databases(top)]
            speaking += (one for net in missing for one in _writers(top, bare(net)))
            found[path] = runs_of(_in_order(top, speaking), folder, name, missing, namesakes, having)._replace(
                customs=_customs(top, folder, name),
                launched=launches,
                words=_words(top, name) if launches else (),
                astray=astray(_launching(top, name), path, named, launches),
                moved=moved(top, path, named, having),
            )
    return found


def customs(solver: str) -> Customs:
    """What is done with a solver, by its path."""
    folder, name = os.path.split(os.path.abspath(solver))
    top = top_of(folder)
    return _customs(top, folder, name) if top else Customs()


def _in_order(top: str, scripts: Iterable[Script]) -> list[Script]:
    """Some of the scripts of a project, each once, in their order."""
    return sorted(set(scripts), key=_numbers(top).__getitem__)


@remembered(4)
def _numbers(top: str) -> Mapping[Script, int]:
    return {script: number for number, script in enumerate(_scripts(top))}


@remembered(1000)
def _launching(top: str, name: str) -> Launching:
    return Launching(_scripts(top), name)


@remembered(1000)
def _words(top: str, name: str) -> tuple[Words, ...]:
    return words(_scripts(top), name)


@remembered(1000)
def _about_files(top: str, name: str) -> About:
    return About(_scripts(top), name, folders_with(top, name))


@remembered(4)
def _with_databases(top: str) -> Sequence[Script]:
    return [script for script in _scripts(top) if not script.is_shipped and script.databases]


@remembered(10_000)
def _writers(top: str, name: str) -> Sequence[Script]:
    return writers(_scripts(top), name, folders_with(top, name))


@remembered(4)
def _with_gradients(top: str) -> Sequence[Script]:
    """The scripts that set gradients of blobs; of those of one Caffe none that sets no other than those before it."""
    seen: dict[str, set[str]] = {}
    found: list[Script] = []
    for script in _scripts(top):
        if not script.is_shipped and not script.gradients <= seen.setdefault(script.home, set()):
            seen[script.home] |= script.gradients
            found.append(script)
    return found


def runs_of_net(top: str, folder: str, name: str, solved: bool) -> NetRuns:
    """What the scripts of the project with that top tell of a net; `solved`: a solver names it."""
    named, about = _about_net(top, folder, name)
    return NetRuns(
        None if solved else _use_of(named, folder, name),
        next((one.trains_on for one in _training_beside(top) if one.speaks_for(folder)), None),
        next((one.backward for one in about if one.backward), None),
        tuple(sorted({type_ for one in about for type_ in one.computes})),
        tuple(fed_by([*about, *_started(top, about, folder, name)])),
        tuple(asked_by(about, folder, name)),
        tuple(supplied_by(about, folder, name)),
        _judged(top, folder),
        channels=tuple(channels_by(about, folder, name)),
        spoilt=tuple(spoilt_by(about)),
        uncleared=uncleared_by(about, folder, name),
        untrained=untrained_by(about, folder, name),
    )


def runs_of_solved(top: str, folder: str, name: str) -> NetRuns:
    """What the scripts of the project with that top give a net that a solver trains."""
    about = _about_net(top, folder, name)[1]
    return NetRuns(supplied=tuple(supplied_by(about, folder, name)), judged=_judged(top, folder))


def _about_net(top: str, folder: str, name: str) -> tuple[list[Script], list[Script]]:
    """The scripts that name a net of a folder, and those of them that mean none elsewhere."""
    known = _by_name(top).get(name, frozenset())
    named = [one for one in _about_files(top, name).of(folder) if one in known]
    about = [one for one in named if one.is_about(folder, name, partial(folders_with, top, name))]
    return named, about


def _use_of(scripts: Iterable[Script], folder: str, net: str) -> Mention | None:
    """Where a script builds a net in `folder` without a solver."""
    named = (script for script in scripts if script.folder == folder or script.names_by_path(folder, net))
    return next((script.uses for script in named if script.uses), None)


def _started(top: str, about: Iterable[Script], folder: str, name: str) -> list[Script]:
    """The Python scripts that take the net as an argument from shell scripts about it."""
    ends = ends_of(folder, name)
    shells = [starts(one.text) for one in about if one.path.endswith(_SHELLS)]
    paths = {path for started in shells for end in ends for path in started.get(end, ())}
    found: list[Script] = []
    for path in sorted(paths):
        ending = "/" + path.removeprefix("./").lstrip("/")
        programs = [one for one in _by_file(top).get(bare(path), ()) if f"/{one.path}".endswith(ending)]
        found += programs if len(programs) == 1 and programs[0].takes_arguments else ()
    return found


@remembered(4)
def _by_file(top: str) -> Mapping[str, Sequence[Script]]:
    """The scripts of each name."""
    found: dict[str, list[Script]] = {}
    for script in _scripts(top):
        found.setdefault(bare(script.path), []).append(script)
    return found


@remembered(4)
def _judging(top: str) -> Sequence[tuple[Script, Judged]]:
    """Those of solvers that are known, with their paths."""
    found = ((script, one, _solver_meant(top, script.folder, one.solver)) for script, one in judged_by(_scripts(top)))
    return [(script, one._replace(solver=relative(solver))) for script, one, solver in found if solver]


def _solver_meant(top: str, home: str, path: str) -> str:
    """The solver that a script in a folder gives by this path, or the only one of the project; empty where it may be
    another.
    """
    if not path:
        return _only_solver(top)
    end, name = path_end(path), bare(path)
    meant = [os.path.join(folder, name) for folder in _folders_by_end(top, name).get(end, ())]
    beside = os.path.join(home, name)
    return meant[0] if len(meant) == 1 else beside if beside in meant else ""


@remembered(4)
def _only_solver(top: str) -> str:
    solvers = [os.path.join(folder, name) for name, folders in solvers_in(top).items() for folder in folders]
    return solvers[0] if len(solvers) == 1 else ""


@remembered(1000)
def _folders_by_end(top: str, name: str) -> Mapping[str, Collection[str]]:
    """The folders of a project that hold a file of this name, by how `path_end` may write the path of that."""
    found: dict[str, set[str]] = {}
    for folder in folders_with(top, name):
        for end in ends_of(folder, name):
            found.setdefault(end, set()).add(folder)
    return found


@remembered(10_000)
def _judged(top: str, folder: str) -> tuple[tuple[Mention, Judged], ...]:
    speaking = ((script, one) for script, one in _judging(top) if script.speaks_for(folder))
    return tuple((Mention(script.path, one.line), one) for script, one in speaking)


@remembered(4)
def _training_beside(top: str) -> Sequence[Script]:
    """Those that give a training the weights of a trained net, and name a file beside them: the solver."""
    trains = (script for script in _scripts(top) if script.trains_on)
    return [one for one in trains if any(os.path.isfile(os.path.join(one.folder, name)) for name in one.names)]


@remembered(4)
def _by_name(top: str) -> Mapping[str, Set[Script]]:
    """The scripts that name each net or solver."""
    found: dict[str, set[Script]] = {}
    for script in _scripts(top):
        for name in script.names:
            found.setdefault(name, set()).add(script)
    return found


def scripts_below(folder: str, top: str) -> Iterator[Script]:
    """The scripts in or below a folder of the project whose top is given."""
    return (script for script in _scripts(top) if is_below(script.folder, folder))


@remembered(10_000)
def folders_with(top: str, name: str) -> frozenset[str]:
    """The folders of a project that hold a file of this name."""
    return frozenset(_folders_by_name(top).get(name, ()))


def files_with(top: str, ending: str) -> list[str]:
    """The paths of the files of a project whose names end so."""
    found = _folders_by_name(top).items()
    return [os.path.join(folder, name) for name, folders in found if name.endswith(ending) for folder in folders]


@remembered(4)
def _folders_by_name(top: str) -> Mapping[str, Sequence[str]]:
    """The folders of a project by the names of the files in them."""
    found: dict[str, list[str]] = {}
    seen = 0
    for folder, folders, files in walk(top):
        folders[:] = sorted(one for one in folders if one not in _KEEP_OUT)
        seen += len(files) + len(folders)
        if seen > _MOST_FILES:
            break
        for name in files:
            found.setdefault(name, []).append(folder)
    return found


def _customs(top: str, folder: str, name: str) -> Customs:
    """What is done with the solver of that name in a folder by scripts that do not speak of others alone."""
    speaking = _speaking(top)
    numbers = [*speaking.of_solver.get((folder, name), ())]
    above = folder
    while True:
        for home, first in speaking.around.get(above, {}).items():
            numbers += first if is_below(folder, home or top) else ()
        if above == top or os.path.dirname(above) == above:
            return _customs_of(top, frozenset(numbers))
        above = os.path.dirname(above)


class _Speaking(NamedTuple):
    """The numbers of the scripts that do something first among all that speak of the same: of one solver, by its folder
    and name, or of whatever is in a folder, by that and their home.
    """

    of_solver: Mapping[tuple[str, str], Sequence[int]]
    around: Mapping[str, Mapping[str, Sequence[int]]]


@remembered(4)
def _speaking(top: str) -> _Speaking:
    of_solver: dict[tuple[str, str], list[_Own]] = {}
    around: dict[str, dict[str, list[_Own]]] = {}
    for one in _own(top):
        if one.about is None:
            around.setdefault(one.around, {}).setdefault(one.script.home, []).append(one)
        elif not one.script.home:
            for solver in one.about:
                of_solver.setdefault(solver, []).append(one)
        else:
            for folder, name in one.about:
                if is_below(folder, one.script.home):
                    of_solver.setdefault((folder, name), []).append(one)
    return _Speaking(
        {solver: _first(own) for solver, own in of_solver.items()},
        {folder: {home: _first(own) for home, own in by_home.items()} for folder, by_home in around.items()},
    )


def _first(own: Iterable[_Own]) -> Sequence[int]:
    """The numbers of those that do each thing first, one that speaks of a solver before all that do not."""
    own = sorted(own, key=lambda one: "olver" not in one.script.text)
    first = (next((one for one in own if getattr(one.script, name)), None) for name in Customs._fields)
    return sorted({one.number for one in first if one})


@remembered(1000)
def _customs_of(top: str, numbers: Collection[int]) -> Customs:
    return customs_of([_own(top)[number].script for number in sorted(numbers)])


class _Own(NamedTuple):
    """A script that is not as BVLC ships it. `around`: the nearest folder above it in which solvers are, so that one of
    several projects in a checkout is told from the others; `about`: the solvers that are all that it speaks of.
    """

    number: int
    script: Script
    around: str
    about: frozenset[tuple[str, str]] | None


@remembered(4)
def _own(top: str) -> Sequence[_Own]:
    own = [script for script in _scripts(top) if not script.is_shipped]
    there = solvers_in(top)
    around = {top}
    for folder in {folder for folders in there.values() for folder in folders}:
        while folder not in around:
            around.add(folder)
            folder = os.path.dirname(folder)
    found: list[_Own] = []
    for number, script in enumerate(own):
        folder = script.folder
        while folder not in around:
            folder = os.path.dirname(folder)
        found.append(_Own(number, script, folder, _about(script, there)))
    return found


def _about(script: Script, there: Mapping[str, frozenset[str]]) -> frozenset[tuple[str, str]] | None:
    """The solvers that a script speaks of, by folder and name; None if it may speak of any. `there`: all that are."""
    names = [name for name in script.names if name in there]
    if script.takes_arguments or any(len(there[name]) > _MOST_NAMESAKES for name in names):
        return None
    about = (
        (folder, name)
        for name in names
        for folder in there[name]
        if script.is_about(folder, name, partial(there.__getitem__, name))
    )
    return frozenset(about) or None


@remembered(4)
def solvers_in(top: str) -> Mapping[str, frozenset[str]]:
    """The files of a project that are called solvers, by name: the folders of each."""
    names = (name for name in _folders_by_name(top) if _SOLVER in name and name.endswith(_PROTOTXT))
    return {name: folders_with(top, name) for name in names}


@remembered(4)
def _scripts(top: str) -> Sequence[Script]:
    reach = Reach(top)
    found: list[Script] = []
    home = ""
    seen = size = 0
    for folder, folders, files in walk(top):
        folders[:] = sorted(name for name in folders if name not in _KEEP_OUT)
        seen += len(files) + len(folders)
        if seen > _MOST_FILES:
            break
        if not is_below(folder, home):
            home = ""
        if not home and folder != top and "src" in folders and os.path.isfile(os.path.join(folder, PROTO)):
            home = folder
        of_tools = () if _OF_CAFFE in os.path.join(folder, "") else _OF_TOOLS
        for file in sorted(files):
            if not file.endswith((*SUFFIXES, *of_tools)) and file not in _NAMES:
                continue
            path = os.path.join(folder, file)
            read_ = _read(path, reach, home)
            if read_ is None:
                continue
            size += read_.size
            if size > _MOST_BYTES or len(found) == _MOST_SCRIPTS:
                return found
            if read_.script:
                found.append(read_.script)
    return found


class _Read(NamedTuple):
    """A script if it may be of Caffe, and how many bytes were read."""

    script: Script | None
    size: int


def _read(path: str, reach: Reach, home: str) -> _Read | None:
    try:
        state = os.lstat(path)
        if stat.S_ISLNK(state.st_mode):  # where it may lead depends on the checkout
            return _script(path, read(path, _LARGEST, reach), home)
        if state.st_size > _SMALL:
            return _script(path, read_found(path, _LARGEST), home)
        return _small(path, home, state.st_size, state.st_mtime_ns)
    except (OSError, ReadError):
        return None


@lru_cache(maxsize=20_000)
def _small(path: str, home: str, _size: int, _modified: int) -> _Read:
    """Small files in a checkout inside of others are read once for all of these."""
    return _script(path, read_found(path, _LARGEST), home)


def is_of_caffe(data: bytes) -> bool:
    return any(word in data for word in (b"solver", b"prototxt", b"caffe", b"convert_imageset", b"h5py", b"h5create"))


def _script(path: str, data: bytes, home: str) -> _Read:
    script = None
    whole = data
    if is_notebook := path.endswith(NOTEBOOK):  # pictures take long to search, and hold nothing to find
        data = _PICTURE.sub(b"", data)
    if path.endswith(_OF_TOOLS):
        is_read = _WRITES_FLOATS in data and _BUILDS_NETS not in data
    else:
        is_read = is_of_caffe(data)
    if is_read:
        name = relative(path).replace(os.sep, "/")
        shipped = shipped_script(path, whole)
        text = data.decode("utf-8", "replace")
        text = code_of(text) if is_notebook else text
        script = Script(name, os.path.dirname(path), text, shipped or home, bool(shipped))
    return _Read(script, len(data))
