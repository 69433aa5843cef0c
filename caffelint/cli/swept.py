"""`caffelint smoke --sweep`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.overwriting import misplaced
from caffelint.cli.plots import plotting
from caffelint.cli.progress import Progress
from caffelint.cli.smoked import code_line, engine_line
from caffelint.cli.tell import say, tell
from caffelint.lint.workers import WorkerEnded, share
from caffelint.smoke.engines import NoEngine, choose
from caffelint.smoke.prepare import SEED
from caffelint.smoke.sweep import BadGrid, Results, Row, Trial, key, known, lost, read_grid, start, table, try_one

if TYPE_CHECKING:
    from caffelint.smoke.session import Request

_ENDING = ".results.jsonl"


def swept(grid: Path, request: Request, options: dict[str, Any]) -> int:
    """Run what is not known yet, show all, and return the highest exit status of the runs."""
    path = grid.with_name(grid.stem + _ENDING)
    if reason := misplaced(str(path)):
        raise click.ClickException(f"{path}: {reason}")
    try:
        seed = request.wishes.seed
        trials = read_grid(grid, request.path or None, SEED if seed is None else seed)
        results = Results(path)
    except BadGrid as error:
        raise click.ClickException(str(error)) from error
    if results.rows and not options["resume"]:
        raise click.ClickException(f"{results.path}: holds results; give --resume to add to them, or remove the file")
    solvers = {name: known(name, request) for name in dict.fromkeys(trial.solver for trial in trials)}
    named = [key(trial, solvers[trial.solver], request) for trial in trials]
    left = [(trial, name) for trial, name in zip(trials, named, strict=True) if name not in results.rows]
    if left:
        _announce(request, [module for trial, _ in left for module in solvers[trial.solver].modules], options)
    rows = dict(results.rows)
    with Progress(options["quiet"], "runs") as progress:
        for done, row in enumerate(_rows([trial for trial, _ in left], request, options)):
            name = left[done][1]
            rows[name] = row._replace(key=name)
            if row.status < 2:  # what could not be run may be mended without a change of its files
                results.add(rows[name])
            progress(done + 1, len(left))
    shown = [rows[name] for name in named]
    for line in table(shown):
        say(line)
    for row in shown:
        if row.status >= 2:
            tell(f"{row.solver}: {row.verdict}")
    if options["plot"]:
        from caffelint.smoke.plot_sweep import draw

        with plotting(options["plot"]):
            draw(shown, options["plot"], str(grid))
    return max(row.status for row in shown)


def _announce(request: Request, modules: Sequence[str], options: dict[str, Any]) -> None:
    """Say what is going to be run, before it is. The workers of a cluster may have engines that this machine lacks."""
    choice = request.choice
    try:
        engine = choose(choice.engine, choice.device, choice.gpu, choice.caffe_python, choice.source)
    except NoEngine as error:
        if not options["cluster"]:
            raise click.ClickException(str(error)) from error
    else:
        if engine.unasked or not options["quiet"]:
            tell(engine_line(engine))
    if modules and choice.python_layers:
        tell(code_line(modules))


def _rows(trials: Sequence[Trial], request: Request, options: dict[str, Any]) -> Iterator[Row]:
    """The result of each trial, in their order."""
    jobs = options["jobs"] or 1
    if options["cluster"]:
        from caffelint.cli.clustered import cluster
        from caffelint.cluster.workers import share as share_widely

        with cluster(options["cluster"]) as client:
            yield from share_widely(client, try_one, trials, lost, chunk=1, start=start, given=(request, ()))
    elif jobs > 1:
        from caffelint.smoke.devices import gpus

        try:
            given = (request, gpus(request.choice))
            yield from share(try_one, trials, jobs, chunk=1, start=start, given=given)
        except WorkerEnded as error:
            message = f"a process ended after {error.done} runs, perhaps for lack of memory; go on with --resume"
            raise click.ClickException(message) from error
    else:
        start(request, ())
        yield from map(try_one, trials)
