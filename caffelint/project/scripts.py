"""What scripts tell of how a solver is run, from their text alone: Python, shell, MATLAB, Java and make alike."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import islice, pairwise

from caffelint.project.mentions import Beside, Database, Late, Lost, Mention, Resumed, Stepped, Stopped, Words
from caffelint.project.nearest import ends_one, nearest
from caffelint.project.script_comments import without_comment_lines
from caffelint.project.script_cuts import cuts
from caffelint.project.script_databases import databases
from caffelint.project.script_launches import Launch, launches, moves
from caffelint.project.script_phrase import Phrase
from caffelint.project.script_starts import path_end
from caffelint.project.script_surgery import hands_over, sets_weights
from caffelint.project.script_trainings import Training, trainings
from caffelint.project.script_writes import is_written
from caffelint.text.patterns import compiled_later
from caffelint.text.special import is_below

_STEPS = Phrase((".step(", ".Step(", ".get('step')"), compiled_later(r"[Ss]olver\w{0,40}\.[Ss]tep\(|\.get\('step'\)"))
_STEPS_SOMETHING = Phrase((".step(",), compiled_later(r"\.step\("))
_TESTS = Phrase((".test_nets[",), compiled_later(r"^[^\n#]{0,400}\.test_nets\[", re.M))
_SHARES = ("share_with(", "copy_from(", ".params[")
_SOLVES_SOMETHING = Phrase((".solve(",), compiled_later(r"\.solve\("))
_BUILDS_SOLVER = ("SGDSolver(", "get_solver(")
_SOLVES = Phrase((".solve(",), compiled_later(r"^[^\n#]{0,400}[Ss]olver\w{0,40}\.solve\(\)", re.M))
_DRIVES = Phrase(
    ("ward_prefilled(", ".apply_update(", ".ApplyUpdate("),
    compiled_later(r"\.(?:for|back)ward_prefilled\(|\.apply_update\(|\.ApplyUpdate\("),
)
_STARTS_FROM = Phrase(
    # MATLAB's init_solver takes weights as its second argument.
    ("init_solver",),
    compiled_later(r"init_solver\b['\"]?[ \t]{0,9}[,(][^\n,]{1,200},[ \t]{0,9}(?!''|\"\")[\w'\"]"),
)
_TRAINS_ON = Phrase(
    ("-weights", ".copy_from("),
    # `caffe test` and `caffe time` take weights as well.
    compiled_later(r"^(?:(?![ \t](?:test|time)[ \t])[^\n]){0,400}?-weights\b|\.copy_from\(", re.M),
)
_FILLS = Phrase(
    ("surgery", "interp", "upsample_filt", "'up", '"up', "bilinear"),
    compiled_later(
        r"\bsurgery[.(]|\binterp_(?:layers|surgery|weights)|\binterp\(\w{0,20}net|\bupsample_filt"
        r"|'up\w{0,20}' in |\"up\w{0,20}\" in |\bbilinear_?(?:fill|up|kernel|weight)"
    ),
)
_FLOATS = Phrase(
    ("float_data", "array_to_datum("), compiled_later(r"(?:\.|->)(?:add_)?float_data\b|\barray_to_datum\(")
)
_OF_FLOATS = compiled_later(r"^[^#\n]{0,400}(?:(?:\.|->)(?:add_)?float_data\b|\bload_image\(|/ ?255)", re.M)
_SETS_RATE = Phrase(("base_lr",), compiled_later(r"\b(?:echo|printf|write|sed|replace|sub)\b[^\n]{0,200}\bbase_lr\b"))
_SETS_ITERATIONS = compiled_later(r"\.max_iter\b|\bmax_iter['\":]")
_NAMES_NET = Phrase(
    ("net", "SolverParameter("), compiled_later(r"\btrain_net\b[\"']? {0,9}[:=](?!=)|[\"'] {0,9}net:|SolverParameter\(")
)
_WORDS = compiled_later(r"(?<![\w.])\w[\w.-]{0,100}(?!/?[\w.-])")
_BUILDS_SGD = Phrase(("SGDSolver(",), compiled_later(r"\bSGDSolver\("))
_SGD_LINE = Phrase(("SGDSolver(",), compiled_later(r"^[^\n#]{0,400}\bSGDSolver\(", re.M))
_OTHER_SOLVER = Phrase(("olver(",), compiled_later(r"\bget_solver\(|\bcaffe\.(?!SGD)\w{1,20}Solver\("))
_BY_TOOL = Phrase(
    ("caffe", "CAFFE"),
    compiled_later(
        r"\bcaffe(?:\.bin|\.exe)?[\"']?[ \t]{1,9}train\b|\$\{?\w{0,30}(?:caffe|CAFFE)\w{0,30}\}?[\"']?[ \t]{1,9}train\b"
    ),
)
_LOADS = Phrase(
    ("-weights", ".copy_from(", ".caffemodel", ".restore(", ".solverstate"),
    compiled_later(r"-weights\b|\.copy_from\(|\.(?:caffemodel|solverstate)\b|\.restore\("),
)
_DIFFS = Phrase(
    (".diff", ".set_diff("), compiled_later(r"\.diff\[|\.diff\b[^\n=]{0,200}(?<![=!<>])=(?!=)|\.set_diff\(")
)
_ON_GPU = Phrase(
    ("gpu", "GPU"),
    compiled_later(r"\bset_mode_gpu\b|\bset_mode\([^\n)]{0,40}GPU|(?<![\w-])--?gpus?\b|solver_mode\b[^\n]{0,40}GPU"),
)
_RESHAPES = Phrase(
    (".blobs",), compiled_later(r"\.blobs[\[(][ \t]{0,9}['\"]?[\w/-]{1,100}['\"]?[ \t]{0,9}[\])]\.reshape\(")
)
_GRADIENTS = compiled_later(
    r"\.blobs\[['\"]([^'\"\n]{1,100})['\"]\]\.diff\b(?:\[[^\n=]{0,200}\])?[ \t]{0,9}(?<![=!<>])=(?!=)"
)
_USES = Phrase(
    ("Net(", "extract_features", "test"),
    compiled_later(r"\bNet\(|extract_features|\bcaffe(?:\.bin|\.exe)?[\"']?[ \t]{1,9}test\b"),
)
_BACKWARD = Phrase((".backward",), compiled_later(r"^[^\n#]{0,400}\.backward(?:_prefilled)?\(", re.M))
_COMPUTES = {
    "relu": Phrase(("relu(",), compiled_later(r"\brelu\(", re.I)),
    "sigmoid": Phrase(
        ("sigmoid", "expit", "exp(-"), compiled_later(r"^[^\n#]{0,400}(?:(?:sigmoid|\bexpit)\(|\bexp\(-)", re.M | re.I)
    ),
    "softmax": Phrase(
        ("softmax", "exp("), compiled_later(r"^[^\n#]{0,400}(?:softmax\(|\bexp\([^\n]{1,200}sum\()", re.M | re.I)
    ),
    "tanh": Phrase(("tanh(",), compiled_later(r"^[^\n#]{0,400}\btanh\(", re.M)),
}
"""Activations that programs compute themselves, by the types of layers that do, in small letters."""
_TAKES_ARGUMENTS = compiled_later(r"\bargv\b|\bargparse\b|\boptparse\b|\bgetopt|\bclick\b|\bFLAGS\b|\$[{]?[1-9]")
_LINE_END = compiled_later(r"\n")
_PROTOTXT = ".prototxt"
_NAME_END = compiled_later(r"[\w.+-]{1,100}\Z")
_PATH_END = compiled_later(r"[\w./\\+${}-]{1,200}\Z")
_NAME_GOES_ON = compiled_later(r"(?:[\w.-](?<!%[sd]))\Z")
"""Before the end of a longer name, and not of what is filled in: `%strain.prototxt`."""
_MOST_PLACES = 50
_SHELL = (".sh", ".bash")
_PYTHON = ".py"
_ITERATION = compiled_later(r"_iter_([0-9]{1,9})\.solverstate(?:\.h5)?\Z")
_WRITES = compiled_later(
    r"\bopen\([^)]{0,200}['\"](?:[wa]b?\+?)['\"]|\bfopen\(|>[ \t]*[\"'$\w./{]|\bsed -i|[ \t](?:-o|--?out(?:put)?)[ \t=]"
)


class Script:
    """A script: its path as people read it, the folder that it is in, and its text.

    `home`: the folder of the Caffe that it is part of, where the project around holds more than that; it speaks of what
    is in there, and of what it names by a path. `is_shipped`: it is as BVLC ships it, and speaks of nothing but the
    files of that Caffe that it names by their paths.
    """

    def __init__(self, path: str, folder: str, text: str, home: str = "", is_shipped: bool = False) -> None:
        self.path = path
        self.folder = folder
        self.text = text
        self.home = home
        self.is_shipped = is_shipped
        self._named: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._places: dict[tuple[str, frozenset[str]], Mention | None] = {}

    def reaches(self, folder: str) -> bool:
        """Is a folder in the Caffe that it is part of, if it is part of one?"""
        return not self.home or is_below(folder, self.home)

    def speaks_for(self, folder: str) -> bool:
        """Does it tell what is done with whatever files of a folder?"""
        return not self.is_shipped and self.reaches(folder)

    @cached_property
    def steps(self) -> Mention | None:
        """Where it steps a solver itself."""
        if any(word in self.text for word in _BUILDS_SOLVER):
            return self._find(_STEPS_SOMETHING)
        return self._find(_STEPS)

    @cached_property
    def solves(self) -> Mention | None:
        """Where it lets a solver run by itself, for the max_iter of its file."""
        return self._find(_SOLVES)

    @cached_property
    def tests(self) -> Mention | None:
        """Where it takes a test net of a solver that it trains, if it runs that itself and gives it no weights."""
        trains = self.steps or self.solves
        shares = any(word in self.text for word in _SHARES)
        return self._find(_TESTS) if trains and ".forward(" in self.text and not shares else None

    @cached_property
    def drives(self) -> Mention | None:
        """Where it runs a net forward or backward, or updates it, by its own hand."""
        return self._find(_DRIVES)

    @cached_property
    def loads(self) -> Mention | None:
        return self._find(_LOADS) or self._starts_from

    @cached_property
    def trains_on(self) -> Mention | None:
        """Where it gives a training the weights of a trained net."""
        return self._find(_TRAINS_ON) or self._starts_from

    @cached_property
    def from_scratch(self) -> Mention | None:
        """Where it trains, if it speaks of no weights."""
        return None if self.loads else self.by_tool or self.steps

    @cached_property
    def _starts_from(self) -> Mention | None:
        return self._find(_STARTS_FROM)

    @cached_property
    def fills(self) -> Mention | None:
        """Where it sets the weights of upsampling layers."""
        return self._find(_FILLS)

    @cached_property
    def sets_rate(self) -> Mention | None:
        """Where it writes the base_lr of a solver."""
        return self._find(_SETS_RATE)

    @cached_property
    def names_net(self) -> Mention | None:
        """Where it writes the net to train into a solver."""
        return self._find(_NAMES_NET)

    @cached_property
    def launches(self) -> Sequence[Launch]:
        """Where it runs a solver by a path that it has literally."""
        return tuple(launches(self.text))

    @cached_property
    def trainings(self) -> Sequence[Training]:
        """Where it trains a solver whose path it has, and with which weights."""
        return tuple(trainings(self.code))

    @cached_property
    def resumed(self) -> Sequence[tuple[str, Resumed]]:
        """Where it goes on from the snapshot of a known iteration up to max_iter, each with the path of the solver."""
        if self.path.endswith(_PYTHON) and (self.steps or not self.solves):
            return ()  # it goes on by as many iterations as it says, or only looks at the net
        found = ((one, _ITERATION.search(one.state)) for one in self.trainings if one.resumes)
        return tuple(
            (one.solver, Resumed(one.state, int(number[1]), self.mention(one.start))) for one, number in found if number
        )

    @cached_property
    def stepped(self) -> Sequence[Stepped]:
        """How many iterations of which solvers it runs by steps, where that is sure."""
        if self.is_shipped or not self.path.endswith(_PYTHON):
            return ()
        from caffelint.project.python_steps import stepped  # to read Python takes time at the start

        return stepped(self.text)

    @cached_property
    def sets_iterations(self) -> bool:
        """May it set the max_iter of a solver?"""
        return _SETS_ITERATIONS.search(self.text) is not None

    def means(self, path: str, folder: str, solver: str) -> bool:
        """Is a path that it gives that of a solver in a folder? Without folders it is only where the script is."""
        end = path_end(path)
        return end == f"{bare(folder)}/{solver}" or (end == solver and self.folder == folder)

    @cached_property
    def cuts(self) -> Sequence[tuple[str, Lost]]:
        """The options that it loses of a training, each with the solver that this was to run."""
        if not self.path.endswith(_SHELL):
            return ()
        return tuple((one.solver, Lost(one.option, one.why, self.mention(one.start))) for one in cuts(self.text))

    def stopped(self, beside: Beside) -> Stopped | None:
        """Where it stops, whenever it is run or when it comes there; beside: the texts of the modules beside it."""
        if not self.path.endswith(_PYTHON):
            return None
        from caffelint.project.python_stops import stops  # to read Python takes time at the start

        stop = stops(self.text, beside)
        return stop and Stopped(Mention(self.path, stop.line), stop.name, stop.near, stop.says, stop.is_absent)

    @cached_property
    def late(self) -> Sequence[tuple[Mention, Late]]:
        """What it fills after the step that is to read it."""
        if not self.path.endswith(_PYTHON) or self.is_shipped:
            return ()
        from caffelint.project.python_late import late  # to read Python takes time at the start

        return tuple((Mention(self.path, one.line), one) for one in late(self.text))

    @cached_property
    def databases(self) -> Sequence[Database]:
        return tuple(Database(one.kind, one.path, self.mention(one.start), one.is_new) for one in databases(self.code))

    @cached_property
    def moves(self) -> bool:
        """Does it go to another directory?"""
        return moves(self.text)

    @cached_property
    def launched_as(self) -> dict[str, list[Launch]]:
        """Its launches by the path of the solver, without what means nothing in it."""
        found: dict[str, list[Launch]] = {}
        for launch in self.launches:
            found.setdefault(os.path.normpath(launch.path), []).append(launch)
        return found

    @cached_property
    def launched_names(self) -> dict[str, list[str]]:
        """The keys of `launched_as` by the names of their solvers."""
        found: dict[str, list[str]] = {}
        for path in self.launched_as:
            found.setdefault(os.path.basename(path), []).append(path)
        return found

    @cached_property
    def words(self) -> Words:
        """What it says by itself, or as the end of a path."""
        return Words(_WORDS.findall(self.text))

    @cached_property
    def builds_sgd(self) -> Mention | None:
        """Where it builds an SGDSolver, whatever type a solver has."""
        return self._find(_BUILDS_SGD)

    @cached_property
    def only_sgd(self) -> Mention | None:
        """Where it builds an SGDSolver and trains by it, if it builds no other."""
        trains = self.steps or self.drives or self._find(_SOLVES_SOMETHING)
        return self._find(_SGD_LINE) if trains and not self.other_solver else None

    @cached_property
    def other_solver(self) -> Mention | None:
        """Where it builds a solver of the type that its file says, or of one that it names itself."""
        return self._find(_OTHER_SOLVER)

    @cached_property
    def makes_floats(self) -> Mention | None:
        """Where it makes records of floats: caffe.io.load_image gives values between 0 and 1."""
        found = self._find(_FLOATS)
        return found if found and _OF_FLOATS.search(self.text) else None

    @cached_property
    def by_tool(self) -> Mention | None:
        """Where it trains by the tool `caffe train`."""
        return self._find(_BY_TOOL)

    @cached_property
    def uses(self) -> Mention | None:
        """Where it builds a net without a solver, if it speaks of none."""
        return None if "olver" in self.text else self._find(_USES)

    @cached_property
    def names(self) -> frozenset[str]:
        """The files that it names whose names end in .prototxt, without folders."""
        found = (_NAME_END.search(piece[-100:]) for piece in self.text.split(_PROTOTXT)[:-1])
        return frozenset(name[0] + _PROTOTXT for name in found if name)

    @cached_property
    def takes_arguments(self) -> bool:
        """May whoever starts it say by which solver?"""
        return _TAKES_ARGUMENTS.search(self.text) is not None

    @cached_property
    def backward(self) -> Mention | None:
        """Where it runs a net backward."""
        return self._find(_BACKWARD)

    @cached_property
    def computes(self) -> frozenset[str]:
        """The types of layers whose activation it computes itself, in small letters."""
        return frozenset(type_ for type_, phrase in _COMPUTES.items() if phrase.search(self.text))

    @cached_property
    def surgery(self) -> Mention | None:
        return self._at(sets_weights(self.code))

    @cached_property
    def hands_over(self) -> Mention | None:
        """Where it gives a net that it trains weights which this training did not make."""
        return self._at(hands_over(self.code))

    @cached_property
    def reshapes(self) -> Mention | None:
        """Where it gives a blob of a net another shape: in Python `blobs["a"].reshape(`, in MATLAB `blobs('a')`."""
        return self._find(_RESHAPES)

    @cached_property
    def on_gpu(self) -> Mention | None:
        """Where it chooses the GPU for a solver, whichever mode the file of this has."""
        return self._find(_ON_GPU) if "olver" in self.text else None

    @cached_property
    def diffs(self) -> Mention | None:
        return self._find(_DIFFS)

    @cached_property
    def gradients(self) -> frozenset[str]:
        """The blobs whose gradients it sets, by name."""
        return frozenset(_GRADIENTS.findall(self.text)) if ".diff" in self.text else frozenset()

    def is_about(self, folder: str, solver: str, namesakes: Callable[[], Collection[str]]) -> bool:
        """Does it name a solver in `folder`? Without a path, or by one of another machine, it names that of
        `namesakes`, the folders with a file of that name, with which the path has the longest end alone.
        """
        if solver not in self.text:
            return False
        if self.folder == folder:
            return True
        if self.names_by_path(folder, solver):
            return True
        if not self.speaks_for(folder):
            return False
        known = frozenset(namesakes())
        return folder in self.nearest_of(solver, known if folder in known else known | {folder})

    def nearest_of(self, name: str, folders: frozenset[str]) -> frozenset[str]:
        """The folders of files of a name that it means without a path, or by one of another machine."""
        if self.is_shipped:
            return frozenset()
        if (name, folders) not in self._named:
            self._named[name, folders] = frozenset(nearest(self._paths_of(name), folders))
        return self._named[name, folders]

    def _paths_of(self, solver: str) -> set[str]:
        """What comes before a name, where that is a path of another machine, or nothing."""
        pieces = self.text.split(solver)
        # A name may go on: solver.prototxt.bak.
        before = [piece for piece, after in pairwise(pieces) if not after[:1].isalnum() and after[:1] not in (".", "_")]
        ends = (_PATH_END.search(piece[-200:]) for piece in before)
        return {path for end in ends if not (path := end[0] if end else "") or path[0] == path[-1] == "/"}

    def names_by_path(self, folder: str, name: str) -> bool:
        """Does it name a file by its folder, too?"""
        return f"{bare(folder)}/{name}" in self.text and (not self.is_shipped or self.reaches(folder))

    @cached_property
    def _writes(self) -> bool:
        return _WRITES.search(self.text) is not None

    def writes(self, net: str, folder: str, there: Callable[[], Collection[str]] = tuple) -> Mention | None:
        """Where it writes a net that a solver in `folder` names; as it is shipped, by its path.

        What it writes to another of the folders `there` that have a file of that name is not that net.
        """
        name = bare(net)
        if not self._writes or name not in self.text or not self.reaches(folder):
            return None
        if self.is_shipped and self.folder != folder:
            name = "/".join(net.replace("\\", "/").split("/")[-2:])
            if "/" not in name:
                return None
        return self._written(name, frozenset(there()))

    def may_write(self, net: str, there: Collection[str] = ()) -> bool:
        """May it write a net of that name, in one folder or another?"""
        if not self._writes or net not in self.text:
            return False
        return self.is_shipped or self._written(net, frozenset(there)) is not None

    def _written(self, name: str, there: frozenset[str]) -> Mention | None:
        """The first place where it writes a file of that name; not one of the folders `there`."""
        if (name, there) not in self._places:
            places = islice(re.finditer(re.escape(name), self.text), _MOST_PLACES)
            said = (found.start() for found in places if self._is_written(*found.span(), there))
            self._places[name, there] = next(map(self.mention, said), None)
        return self._places[name, there]

    def _is_written(self, at: int, end: int, there: frozenset[str]) -> bool:
        if _NAME_GOES_ON.search(self.text[max(at - 2, 0) : at]):
            return False
        path = _PATH_END.search(self.text[max(0, at - 200) : at])
        inside = path[0].strip("./\\") if path else ""
        return not (inside and ends_one(inside, there)) and is_written(self.text, at, end)

    def mentions(self, name: str) -> int:
        """How often its code names a file."""
        return self.code.count(name)

    def mention(self, offset: int) -> Mention:
        return Mention(self.path, bisect_left(self._line_ends, offset) + 1)

    @cached_property
    def _line_ends(self) -> Sequence[int]:
        return array("I", (found.start() for found in _LINE_END.finditer(self.text)))

    @cached_property
    def code(self) -> str:
        """Its text without the lines that are comments, each character where it is."""
        return without_comment_lines(self.text, self.path)

    def _find(self, phrase: Phrase) -> Mention | None:
        found = phrase.search(self.text) and phrase.search(self.code)
        return self.mention(found.start()) if found else None

    def _at(self, offset: int | None) -> Mention | None:
        return None if offset is None else self.mention(offset)


def bare(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
