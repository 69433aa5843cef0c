"""`caffelint patch`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from caffelint.cli import complete
from caffelint.cli.settings import settings, settings_options
from caffelint.cli.status import USAGE


@click.command("patch")
@click.argument("net", required=False, type=click.Path(), metavar="NET")
@click.option(
    "--check-finite",
    "where",
    is_flag=False,
    flag_value="suspects",
    metavar="[suspects|losses|all|LAYER,...]",
    shell_complete=complete.words(
        suspects="the blobs most likely to become nan", losses="the blobs that losses read", all="all blobs"
    ),
    help="Insert checks on: suspects (default), the blobs most likely to become nan; losses, the blobs that losses"
    " read; all blobs; or the tops of the layers named. Several can be given, separated by commas.",
)
@click.option("--remove", is_flag=True, help="Remove the checks and restore the original text.")
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="Write the net to this file; - is stdout.")
@click.option("--in-place", is_flag=True, help="Write the net to NET itself.")
@click.option("--diff", is_flag=True, help="Show the changes and write nothing.")
@settings_options
@click.option("-q", "--quiet", is_flag=True, help="Show only errors and warnings, not the checks.")
def command(
    net: str | None,
    where: str | None,
    remove: bool,
    output: str | None,
    in_place: bool,
    diff: bool,
    config_file: Path | None,
    isolated: bool,
    quiet: bool,
) -> int:
    """Insert layers that stop Caffe at the first nan or inf into a net, or remove these layers.

    Each check is an in-place Python layer. Its code, check_finite_layer.py, is written next to OUT or NET. Without
    --output or --in-place, the net goes to stdout and no file is written. If NET is -, the net is read from stdin. Of
    a solver, its net is taken, except with --in-place.

    \b
    Exit status: 0 done
                 2 the net cannot be read, patched or written, or wrong usage
    """
    if net is None and where is not None and (where == "-" or os.path.exists(where) or where.endswith(".prototxt")):
        net, where = where, "suspects"  # `--check-finite NET`
    if net is None:
        raise click.UsageError("name the net to patch: caffelint patch NET --check-finite")
    if (where is None) != remove:
        raise click.UsageError("give either --check-finite or --remove")
    if sum((output is not None, in_place, diff)) > 1:
        raise click.UsageError("--output, --in-place and --diff cannot be combined; give one")
    if net == "-" and in_place:
        raise click.UsageError("--in-place writes to a file, but - is stdin; name a file with --output")
    from caffelint.cli import patched
    from caffelint.cli.checked import STDIN, stdin
    from caffelint.cli.nets import net_of
    from caffelint.cli.outputs import show_diff, write_bytes
    from caffelint.cli.tell import tell
    from caffelint.fix.finite import PatchError, insert_checks, remove_checks
    from caffelint.fix.finite.insert import SUSPECTS, require_readable
    from caffelint.fix.finite.layer_file import remains
    from caffelint.fix.finite.project import judged
    from caffelint.fix.write import SaveError, save
    from caffelint.lint.file import loaded
    from caffelint.lint.read import ReadError, read
    from caffelint.text.writing import all_or_none

    piped = net == "-"
    target = net if in_place else None if output == "-" else output
    words = [word.strip() for word in (where or "").split(",") if word.strip()]
    at = net = STDIN if piped else net
    config = settings(["." if piped else net], {"config_file": config_file, "isolated": isolated, "jobs": 1})
    if not piped and not in_place:
        at = net = net_of(net, config.roots)
    say = patched.nothing if quiet else tell
    try:
        old = stdin() if piped else read(net)
        file = loaded(old, net)
        if file.solver:
            raise PatchError("this is a solver; give the file of its net")
        if remove:
            new = remove_checks(old, net)
        else:
            require_readable(file.document)
            found = judged(net, old, config, piped)
            result = insert_checks(old, words, net, found.layers)
            new = result.data
            if not quiet:
                patched.tell_checks(result, net, found.errors, SUSPECTS in words)
        checks = not remove and len(result.checks) > 0
        has_loss = not remove and result.has_loss
        if diff:
            show_diff(net, old, new)
        elif target is None:
            write_bytes(new)
        else:
            at = target
            if not in_place and (reason := patched.objection(target, net, new)):
                raise SaveError(reason)
            with all_or_none():
                beside = patched.write_layer_file(target) if checks else ""
                if in_place and new == old:
                    how = f"unchanged{'; it has no checks' if remove else ''}"
                else:
                    save(target, old if in_place else None, new)
                    how = "written"
            for line in filter(None, (beside, f"{target} is {how}")):
                say(line)
    except (ReadError, PatchError, SaveError) as error:
        tell(f"{at}: {error}")
        return USAGE
    if checks:
        patched.tell_how_to_run(None if piped else net, target, config, has_loss, diff, quiet)
    elif remove and target is not None and (left := remains(target)):
        say(left)
    return 0
