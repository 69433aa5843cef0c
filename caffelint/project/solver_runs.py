"""What the scripts of a project tell of a solver, together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from caffelint.project.mentions import (
    Astray,
    Base,
    Database,
    Late,
    Launched,
    Lost,
    Mention,
    Resumed,
    Sharing,
    Stepped,
    Stopped,
)
from caffelint.project.script_customs import Customs
from caffelint.project.scripts import Script, bare
from caffelint.text.records import NamedTuple


class Runs(NamedTuple):
    """What scripts tell of a solver: what loads or sets weights with this one, and the `customs` of its project.

    `diffs`: what sets gradients itself, as where one net trains another. `by_tool`: what trains by `caffe train`.
    `trains_on`: what gives its training weights, where no other script runs it by the tool without any.
    `only_sgd`: what builds an SGDSolver of it, where no script that names it builds another.
    `gradients`: the blobs of whatever nets whose gradients scripts set, by name.
    `solves`: what lets it run for its max_iter, where no script that names it steps it.
    `launched`: where scripts run it, if they leave no doubt of the directory; `words`: what these say, then.
    `astray`: the nets that Caffe does not find from there.
    `writes`: for nets that the solver names and that do not exist, by name without folders, what seems to write them.
    `moved`: for such nets, by their path, where in the project the only file of that name is.
    `lost`: the options that a script which runs it by the tool loses.
    `stopped`: where the Python scripts stop that are told of at this solver.
    `resumed`: from which snapshots they go on with it.
    `stepped`: by how many iterations they step it, each with the path of the script, where none sets max_iter.
    `strayed`: by which paths that lead to no file scripts run it, with those that would be right, and where.
    `base`: the net whose snapshot each training starts from; `loaded`: the one that the weights which scripts give are
    called after.
    `late`: which blobs they fill after the step that is to read them.
    `databases`: those that scripts of the project make or open, whatever nets read them.
    """

    customs: Customs = Customs()
    loads: Mention | None = None
    surgery: Mention | None = None
    writes: tuple[tuple[str, Mention], ...] = ()
    diffs: Mention | None = None
    by_tool: Mention | None = None
    trains_on: Mention | None = None
    gradients: tuple[str, ...] = ()
    only_sgd: Mention | None = None
    solves: Mention | None = None
    launched: tuple[Launched, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    astray: tuple[Astray, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    lost: tuple[Lost, ...] = ()
    tests: Mention | None = None
    databases: tuple[Database, ...] = ()
    stopped: tuple[Stopped, ...] = ()
    sharing: Sharing | None = None
    resumed: tuple[Resumed, ...] = ()
    base: Base | None = None
    loaded: Base | None = None
    strayed: tuple[tuple[str, str, Mention], ...] = ()
    late: tuple[tuple[Mention, Late], ...] = ()
    stepped: tuple[tuple[str, Stepped], ...] = ()

    def writer(self, net: str) -> Mention | None:
        return dict(self.writes).get(bare(net))

    def says(self, word: str) -> bool:
        return any(word in words for words in self.words)

    def now_at(self, net: str) -> str:
        return dict(self.moved).get(net, "")


def runs_of(
    scripts: Iterable[Script],
    folder: str,
    solver: str,
    missing: Sequence[str],
    namesakes: Callable[[], Collection[str]] = tuple,
    folders_with: Callable[[str], Collection[str]] = lambda _: (),
) -> Runs:
    """What scripts tell of a solver in `folder`, but for `customs`; `missing` are nets that do not exist.

    folders_with: the folders of the project that hold a file of a name.
    """
    about: list[Script] = []
    writes: dict[str, Mention] = {}
    gradients: set[str] = set()
    made: list[Database] = []
    for script in scripts:
        if script.is_about(folder, solver, namesakes):
            about.append(script)
        if script.speaks_for(folder):
            gradients |= script.gradients
            made += script.databases
        for name in missing:
            if bare(name) not in writes and (writer := script.writes(name, folder, partial(folders_with, bare(name)))):
                writes[bare(name)] = writer
    stepped = [(one.path, step) for one in about for step in one.stepped if one.means(step.solver, folder, solver)]
    if stepped and any(script.sets_iterations for script in about):
        stepped = []
    from_scratch = any(script.by_tool and not script.trains_on for script in about)
    return Runs(
        Customs(),
        _first(script.loads for script in about),
        _first(script.surgery for script in about),
        tuple(sorted(writes.items())),
        _first(script.diffs for script in about),
        _first(script.by_tool for script in about),
        None if from_scratch else _first(script.trains_on for script in about),
        tuple(sorted(gradients)),
        None if any(script.other_solver for script in about) else _first(script.only_sgd for script in about),
        None
        if any(script.steps or "max_iter" in script.text for script in about)
        else _first(script.solves for script in about),
        lost=tuple(lost for script in about for given, lost in script.cuts if bare(given) == solver),
        tests=_first(script.tests for script in about),
        late=tuple(one for script in about for one in script.late),
        databases=tuple(made),
        resumed=tuple(one for script in about for given, one in script.resumed if script.means(given, folder, solver)),
        stepped=tuple(stepped),
    )


def _first(mentions: Iterable[Mention | None]) -> Mention | None:
    return next(filter(None, mentions), None)
