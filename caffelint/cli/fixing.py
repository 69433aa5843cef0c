"""`caffelint check` where it is to change files: `--fix`, `--diff`, `--interactive`, `--add-ignores`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.checked import STDIN, changed_since, only_from, stdin, tell_of_files
from caffelint.cli.outputs import Output, show_diff, use_color, write_all, write_bytes
from caffelint.cli.status import FINDINGS
from caffelint.cli.tell import aside, tell
from caffelint.report import Look, write
from caffelint.report.words import count, left

if TYPE_CHECKING:
    from caffelint.cli.asking import Asking
    from caffelint.fix.run import Fixed
    from caffelint.lint.config import Config
    from caffelint.lint.report import Applied

_NAMED = 5


def fixing(
    paths: Sequence[str],
    options: dict[str, Any],
    config: Config,
    wanted: Sequence[Output],
    look: Look,
    level: str | None,
) -> int:
    """Do as the options say, and report what is left; the exit status."""
    from caffelint.cli.asking import Asking
    from caffelint.fix.mend import AS_ANSWERED

    _object_to(paths, options)
    asking = Asking(look._replace(color=use_color(sys.stdout))) if options["interactive"] else None
    data = stdin() if paths == ["-"] else None
    write_files = not options["diff"] and data is None
    try:
        result = _fixed(paths, options, config, look, level, data, write_files, asking)
    except (KeyboardInterrupt, SystemExit):
        if write_files:
            tell("interrupted; every file is whole, and some may already be fixed")
        raise
    report = only_from(level, result.report)
    if asking:
        look = look._replace(seen=tuple(asking.declined))
        if asking.ended and AS_ANSWERED in report.left:
            reason = f"{AS_ANSWERED}, or as stdin ended" if len(asking.declined) > 1 else "as stdin ended"
            left_out = {reason if why == AS_ANSWERED else why: number for why, number in report.left.items()}
            report = report._replace(left=left_out)
    verb = "silence" if options["add_ignores"] else "fix"
    number = report.fixed
    if options["add_ignores"]:
        report = report._replace(applied=())
    if options["diff"]:
        for change in sorted(result.changes):
            show_diff(*change)
        would = f"would {verb} {count(number, 'finding')} in {count(len(result.changes), 'file')}"
        more = 0 if options["add_ignores"] or options["unsafe_fixes"] else report.fixable(look.least)[1]
        unsafe = f" ({more} more with --unsafe-fixes)" if more else ""
        aside("; ".join([would if result.changes else f"nothing to {verb}", *left(report)]) + unsafe)
        write_all(report, [output for output in wanted if output.file], look)
    elif data is not None:
        write_bytes(result.changes[0].new if result.changes else data)
        write("text", report, sys.stderr, look)
        write_all(report, [output for output in wanted if output.file], look)
    else:
        if not look.quiet:
            _tell_of_fixes(report.applied)
        write_all(report, wanted, look)
        if options["add_ignores"] and not look.quiet:
            aside(f"silenced {count(number, 'finding')} in {count(len(result.changes), 'file')}")
    for note in result.notes:
        tell(note)
    tell_of_files(report, look.quiet)
    if options["diff"]:
        return report.exit_status("never") or (FINDINGS if result.changes else 0)
    changed = FINDINGS if options["exit_non_zero_on_fix"] and result.changes else 0
    return report.exit_status(config.fail_on) or changed


def _tell_of_fixes(applied: Sequence[Applied]) -> None:
    """A line on stderr for each fix, with its place; one for all places of a file where the same was done."""
    done: dict[tuple[str, str, str], list[int]] = {}
    for made in applied:
        done.setdefault((made.file, made.title, made.name), []).append(made.line or 1)
    for (file, title, name), lines in sorted(done.items(), key=lambda item: (item[0][0], min(item[1]))):
        first, *others = sorted(set(lines))
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        also = f", also on line {', '.join(map(str, others[:_NAMED]))}{more}" if others else ""
        aside(f"{file}:{first}: fixed: {title}{also} [{name}]")


def _object_to(paths: Sequence[str], options: dict[str, Any]) -> None:
    """Raises `click.UsageError` for what does not go together."""
    if options["write_baseline"] is not None:
        raise click.UsageError(
            "--write-baseline cannot be combined with an option that changes files; run one, then the other"
        )
    if options["add_ignores"] and (options["fix"] or options["interactive"] or options["unsafe_fixes"]):
        raise click.UsageError("--add-ignores silences findings and --fix fixes them; run one, then the other")
    if options["interactive"] and (paths == ["-"] or options["diff"]):
        raise click.UsageError("--interactive asks on stdin and writes files, so it takes neither - nor --diff")
    comment = options["reason"]
    if comment is not None and not options["add_ignores"]:
        raise click.UsageError("--reason needs --add-ignores")
    if comment and (not comment.isprintable() or "caffelint:" in comment):
        raise click.UsageError("--reason takes one line of text without `caffelint:`")
    what = "diff" if options["diff"] else "new text" if paths == ["-"] else ""
    for name in [*options["formats"], *["statistics"] * options["statistics"]]:
        if what and ":" not in name:
            raise click.UsageError(f"the {what} goes to stdout; send the report to a file, as in --format {name}:FILE")


def _fixed(
    paths: Sequence[str],
    options: dict[str, Any],
    config: Config,
    look: Look,
    level: str | None,
    data: bytes | None,
    write_files: bool,
    asking: Asking | None,
) -> Fixed:
    from caffelint.cli.progress import Progress

    name = options["stdin_filename"]
    named = [name or "."] if data is not None else paths
    where: dict[str, Any] = {
        "write": write_files,
        "changed": changed_since(options["base_ref"], named) if options["changed_only"] else None,
        "texts": {name or STDIN: data} if data is not None else None,
        "alone": data is not None and not name,
        "least": level or look.least,
    }
    on_disk = [] if data is not None else paths
    if options["add_ignores"]:
        from caffelint.fix.ignores import add_ignores

        with Progress(options["quiet"]) as progress:
            return add_ignores(on_disk, config, options["reason"] or "", progress=progress, **where)
    from caffelint.fix.run import fix

    with Progress(options["quiet"] or asking is not None) as progress:
        unsafe = options["unsafe_fixes"] or asking is not None
        return fix(on_disk, config, unsafe=unsafe, agreed=asking, progress=progress, **where)
