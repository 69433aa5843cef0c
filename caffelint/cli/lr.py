"""`caffelint lr`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli.plots import plot_option, plotting, ready_to_plot
from caffelint.cli.settings import input_shape_option, input_shapes

if TYPE_CHECKING:
    from caffelint.caffe.learning_rate import Schedule
    from caffelint.cli.scaled import Asked

_WITHOUT_MAX_ITER = 100_000


@click.command("lr")
@click.argument("solver", type=click.Path(path_type=Path))
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show this many iterations (default: max_iter of the solver).",
)
@click.option("--suggest", is_flag=True, help="Predict the largest rate at which this net learns, by type of solver.")
@click.option("--data", "--read-data", "measure", is_flag=True, help="For --suggest, measure the scale of the data.")
@input_shape_option
@plot_option
def command(
    solver: Path, iterations: int | None, suggest: bool, measure: bool, shapes: tuple[str, ...], plot: Path | None
) -> int:
    """Show the learning rate over training, as Caffe computes it.

    --suggest adds the rates beyond which nets like this one no longer learn. They follow from fillers, shapes and the
    scale of the data, as in caffelint scales; nothing is run.

    \b
    Exit status: 0 all rates are finite
                 1 a rate is nan or inf, or Caffe refuses the schedule or the file
                 2 the file cannot be read or is not a solver, or wrong usage
    """
    from caffelint.caffe.learning_rate import schedule
    from caffelint.cli.outputs import use_color, width
    from caffelint.cli.settings import settings
    from caffelint.cli.tell import tell
    from caffelint.lint.file import load
    from caffelint.lint.project.caffes import Caffes
    from caffelint.lint.read import ReadError, read
    from caffelint.report import lr_table

    if (measure or shapes) and not suggest:
        raise click.UsageError("--data and --input-shape are for --suggest; add it, or leave them out")
    if plot:
        ready_to_plot(plot)
    try:
        taken = Caffes(settings([str(solver)], {})).of(str(solver))
        file = load(read(str(solver)), str(solver), caffe=taken.caffe)
    except ReadError as error:
        raise click.ClickException(f"{solver}: {error}") from error
    if file.solver is None:
        raise click.ClickException(f"{solver}: this is {'a net' if file.net else 'not a solver'}; give a solver")
    message = file.solver.message
    limit = iterations or max(message.max_iter, 0) or _WITHOUT_MAX_ITER
    rates = schedule(message)
    if suggest:
        from caffelint.cli.scaled import Asked

        asked = Asked(str(solver), measure=measure, shapes=input_shapes(shapes))
        _suggest(asked, file.solver.type, message.base_lr)
        click.echo()
    lr_table.write(rates, str(solver), limit, sys.stdout, width(sys.stdout), use_color(sys.stdout))
    if not iterations and message.max_iter <= 0:
        tell(f"max_iter is missing; {limit:,} iterations are shown, --iterations N shows N")
    # What a fork has is no error in the text.
    wrong = [problem for problem in file.problems if problem.certain and problem.kind != "fork-field"]
    if wrong:
        first = min(wrong, key=lambda problem: problem.start)
        line = file.document.source.position(first.start).line
        tell(f"{solver}:{line}: {first.message} (see caffelint check)")
    if plot:
        _draw(rates, limit, plot, str(solver))
    return int(bool(wrong) or bool(rates.problem) or rates.first_bad(limit) is not None)


def _suggest(asked: Asked, type_: str, base_lr: float) -> None:
    """The rates for each type of solver, and where the solver's own is by the largest of its type."""
    from caffelint.cli.outputs import use_color, width
    from caffelint.cli.scaled import scaled, suggested
    from caffelint.cli.settings import settings
    from caffelint.cli.tell import tell
    from caffelint.report.scales_table import asked_for, write_rates

    config = settings([asked.path], {})
    found = suggested(asked, config)
    if found:
        write_rates(found, sys.stdout, use_color(sys.stdout), width(sys.stdout))
        for own in [one for one in found if one.type == type_ and base_lr > 0]:
            near = "below" if base_lr < own.low else "above" if base_lr > own.high else "within"
            limits = f"{own.low:.3g} to {own.high:.3g}"
            click.echo(f"base_lr {base_lr:g} is {near} where {type_} begins to fail, {limits}")
    else:
        why = asked_for(scaled(asked, config)) or "caffelint scales shows why"
        tell(f"{asked.path}: nothing is known of its updates; {why}")


def _draw(rates: Schedule, limit: int, path: Path, title: str) -> None:
    from caffelint.report.lr_table import logarithmic, milestones
    from caffelint.text.pictures import drawable, new_figure, plain, write_plot

    points = sorted({*milestones(rates, limit, 1000), *((limit - 1) * i // 1000 for i in range(1001))})
    figure = new_figure(figsize=(8, 4.5))
    axes = figure.add_subplot()
    values = [rates.rate(point) for point in points]
    axes.step(points, [drawable(value) for value in values], where="post")
    if logarithmic(values):
        axes.set_yscale("log")
    axes.set(title=plain(title), xlabel="iteration", ylabel="learning rate")
    axes.grid(alpha=0.3)
    with plotting(path):
        write_plot(figure, path, title)
