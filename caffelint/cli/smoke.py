"""`caffelint smoke`"""

from __future__ import annotations

from typing import Any

import click

from caffelint.cli import complete
from caffelint.cli.plots import plot_option
from caffelint.cli.settings import (
    caffe_python_option,
    dialect_option,
    fail_on_option,
    format_option,
    input_shape_option,
    input_shapes,
    settings,
    settings_options,
)
from caffelint.cli.sharing import sweep_options


@click.command("smoke")
@click.argument("solver", type=click.Path(), required=False, default="")
@click.option(
    "--iterations",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Train for N iterations; by default 50, or up to 150 where momentum above 0.97 takes so many to add up, or"
    " all records are soon read once.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Train for N passes over the data instead of --iterations; with --scan, scan it N times. Needs real data.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "caffe", "torch"]),
    default="auto",
    show_default=True,
    help="Run with your Caffe or with the built-in torch engine.",
)
@caffe_python_option
@click.option(
    "--device",
    default="auto",
    metavar="auto|cpu|cuda:N",
    shell_complete=complete.devices,
    show_default=True,
    help="The device to run on; auto takes a GPU only for torch.",
)
@click.option("--gpu", type=click.IntRange(0, 999), metavar="N", help="Run on GPU N; wins over --device.")
@click.option(
    "--data",
    type=click.Choice(["auto", "real", "synthetic"]),
    default="auto",
    show_default=True,
    help="Train on real or on synthetic data; auto: real if all sources of a net exist, synthetic if none does; if only"
    " some do, that is an error.",
)
@input_shape_option
@click.option(
    "--weights",
    type=click.Path(),
    metavar="FILE.caffemodel",
    help='Start from these weights; "" for none. Default: those of the solver, or of the scripts that train it.',
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    metavar="N",
    help="The seed of weights, synthetic data and Dropout. Default: the random_seed of the solver, or 1; in a sweep 1.",
)
@click.option(
    "--timeout",
    type=click.IntRange(1, 1_000_000),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Stop a run that takes longer.",
)
@click.option(
    "--watch",
    multiple=True,
    metavar="BLOBS",
    help="Show the range, mean, spread and zeros of these blobs or layers over the run; separate names with commas.",
)
@click.option(
    "--diagnose",
    type=click.Choice(["off", "quick", "full"]),
    default="quick",
    show_default=True,
    help="If the run goes wrong, repeat it with one thing changed at a time to find the cause: for as long as the run"
    " took (quick), for ten times as long (full), or not at all (off).",
)
@click.option("--fix", is_flag=True, help="Write the change that cured the run, and show it.")
@click.option("--diff", is_flag=True, help="Show that change, and write nothing.")
@click.option("--find-lr", is_flag=True, help="Find the largest base_lr at which training stays finite.")
@click.option(
    "--compare",
    metavar="A,B",
    shell_complete=complete.engines,
    help="Run twice and show where the runs first differ: cpu,cuda:0 or caffe,torch.",
)
@click.option("--scan", is_flag=True, help="Look at all batches once, forward only, and name those with an odd loss.")
@click.option("--gradcheck", metavar="LAYER|all", help="Compare a layer's gradient with the slope of its forward pass.")
@sweep_options
@plot_option
@click.option("--force", is_flag=True, help="Run even if the check reports a certain error.")
@click.option("--no-python-layers", is_flag=True, help="Refuse to run a net with Python layers.")
@click.option(
    "--work-dir",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="The folder for the copies (default: the working directory).",
)
@dialect_option
@settings_options
@fail_on_option
@format_option()
@click.option("-v", "--verbose", is_flag=True, help="Also show infos.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings and the verdict.")
def command(solver: str, **options: Any) -> int:
    """Train briefly on a safe copy, and show where it breaks and why.

    SOLVER is a solver.prototxt; --sweep may name others. It is checked first; then the net is loaded, run once without
    an update, trained for a few iterations, and tested. None of your files is changed without --fix. The net's Python
    layers run.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings at or above --fail-on
                 2 wrong usage or settings, a file that cannot be read, or no engine to run with
                 3 caffelint itself failed
    """
    from caffelint.cli.compared import way_of
    from caffelint.cli.cured import cured, objection
    from caffelint.cli.outputs import outputs, write_all
    from caffelint.cli.plots import ready_to_plot
    from caffelint.cli.smoked import Shown, as_json, choice_of, not_swept, plotted, wishes_of
    from caffelint.cli.tell import tell
    from caffelint.cli.watched import watched
    from caffelint.report import Look
    from caffelint.smoke.engines import NoEngine
    from caffelint.smoke.inputs import Unplanned
    from caffelint.smoke.project import NoProject
    from caffelint.smoke.session import Request
    from caffelint.text.signals import ENDING, ending_once

    ways = [name for name in ("find_lr", "compare", "gradcheck", "scan") if options[name]]
    if len(ways) > 1:
        raise click.UsageError(f"--{' and --'.join(ways).replace('_', '-')} cannot be combined; give one")
    if problem := not_swept(options, solver) or objection(options, ways):
        raise click.UsageError(problem)
    wanted = outputs(options["formats"], False)
    about = [solver or str(options["sweep"])]
    config = settings(about, options, unused=("caffe_python",) if options["caffe_python"] else ())
    if options["plot"]:
        ready_to_plot(options["plot"])
    choice = choice_of(options, config)
    wishes, shapes, epochs = wishes_of(options), input_shapes(options["shapes"]), options["epochs"] or 0
    request = Request(solver, config, wishes, choice, options["force"], shapes, options["diagnose"], epochs)
    if options["sweep"]:
        from caffelint.cli.swept import swept

        with ending_once("SIGINT", *ENDING):
            return swept(options["sweep"], request, options)
    run, trains = way_of(options), ways in ([], ["find_lr"])
    on_stdout = any(output.format == "text" and output.file is None for output in wanted)
    try:
        with ending_once("SIGINT", *ENDING), Shown(wishes.iterations, on_stdout, options["quiet"]) as shown:
            session = run(request, shown)
            shown.table(session)
            if wishes.watch and session.run:
                for line in watched(session.run.events, wishes.watch):
                    shown.say(line)
                shown.say("")
            if options["plot"] and session.run:
                plotted(session.run.events, options["plot"], solver)
    except (NoEngine, NoProject, Unplanned) as error:
        raise click.ClickException(str(error)) from error
    report = session.report
    if trains and any(output.format == "json" for output in wanted):
        report = report._replace(smoke=as_json(session))
    least = "info" if options["verbose"] or config.fail_on == "info" else "warning"
    write_all(report, wanted, Look(least=least, quiet=options["quiet"], fail_on=config.fail_on, fixes=False))
    if trains:
        shown.verdict(session)
    if options["fix"] or options["diff"]:
        cured(session, options["fix"], on_stdout)
    for failure in report.failures:
        tell(f"{failure.file}: {failure.message}")
    return report.exit_status(config.fail_on)
