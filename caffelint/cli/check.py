"""`caffelint check`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caffelint.cli import complete
from caffelint.cli.settings import (
    by_name_alone,
    dialect_option,
    fail_on_option,
    force_exclude_option,
    level_of,
    settings,
    settings_options,
)
from caffelint.cli.sharing import check_options
from caffelint.report import Look

if TYPE_CHECKING:
    from caffelint.lint.config import Config


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=complete.rules,
    help="Run only these rules: codes, names, families or prefixes, separated by commas.",
)
@click.option(
    "--extend-select", multiple=True, metavar="RULES", shell_complete=complete.rules, help="Run these rules as well."
)
@click.option("--ignore", multiple=True, metavar="RULES", shell_complete=complete.rules, help="Do not run these rules.")
@click.option("--preview/--no-preview", default=None, help="Also run preview rules, which are still on trial.")
@click.option(
    "--severity",
    multiple=True,
    metavar="[RULE=]LEVEL",
    shell_complete=complete.severities,
    help="LEVEL: report only findings of this severity (error, warning or info; default: warning) or a higher one."
    " RULE=LEVEL: change the severity of a rule.",
)
@dialect_option
@click.option(
    "--target",
    multiple=True,
    metavar="NAMES",
    shell_complete=complete.targets,
    help="Say as well what these converters make of the nets, such as ncnn,mnn; caffelint targets lists the names.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOBS",
    shell_complete=complete.files,
    help="Of folders, also check files of these names that look like nets or solvers, such as '*.pbtxt'.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOBS",
    shell_complete=complete.files,
    help="Of folders, leave out these files, not those of the settings.",
)
@force_exclude_option
@click.option("--read-data", is_flag=True, help="Also read data: shapes, scales, and 2,000 records of each source.")
@fail_on_option
@click.option(
    "--max-warnings",
    type=click.IntRange(min=0),
    metavar="N",
    help="Exit with 1 for more than N warnings, even if --fail-on is error.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FORMAT[:FILE]",
    shell_complete=complete.formats,
    help="Output format: text, concise, statistics, json, sarif, github, gitlab, junit, rdjson, checkstyle or teamcity."
    " Repeat for several outputs.",
)
@click.option(
    "--group-by",
    "group",
    type=click.Choice(["cause", "rule", "file"]),
    default="cause",
    help="What the text shows once: each cause with its files (default), each rule with its places, or each file.",
)
@click.option(
    "--sort",
    type=click.Choice(["severity", "count", "place"]),
    default="severity",
    help="What the text shows first: files with errors, and the worst of each file (default); what is most frequent;"
    " or file by file, in the order of lines.",
)
@click.option("--top", type=click.IntRange(min=0), default=0, metavar="N", help="Show only the first N; 0 shows all.")
@click.option("--statistics", is_flag=True, help="Show the number of findings per rule instead of the findings.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes, write the files, and report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also apply fixes that may change training.")
@click.option(
    "--diff",
    is_flag=True,
    help="Show what --fix would change, as a patch, and write nothing; exit with status 1 if there is anything to"
    " change.",
)
@click.option("--interactive", is_flag=True, help="Show each fix, safe or not, and ask whether to apply it.")
@click.option(
    "--exit-non-zero-on-fix",
    is_flag=True,
    help="With --fix: exit with status 1 if a file was changed, even if nothing is left.",
)
@click.option("--add-ignores", is_flag=True, help="Write comments that silence the findings reported now.")
@click.option("--reason", metavar="TEXT", help="With --add-ignores: the reason to write into each comment.")
@click.option(
    "--baseline", metavar="FILE", type=click.Path(), help="Report only findings that are not stored in this file."
)
@click.option(
    "--write-baseline",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    shell_complete=complete.files,
    help="Store the current findings in FILE (default: that of --baseline) and exit.",
)
@click.option(
    "--changed-only",
    is_flag=True,
    help="Check only files that have changed since --base-ref (untracked ones too), and the solvers of changed nets."
    " Runs git to list the files of that commit.",
)
@click.option("--base-ref", default="HEAD", metavar="REF", show_default=True, help="The commit to compare with.")
@click.option(
    "--weights",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Also say what of this .caffemodel fits, as caffelint weights does. Repeat for several.",
)
@click.option(
    "--templates",
    metavar="skip|check",
    shell_complete=complete.words(skip="report the placeholders only", check="check the rest as well"),
    help="What to do with a file that has unfilled placeholders: skip (default) reports them only, unless no more"
    " than data is to be filled in; check checks the rest of it as well.",
)
@settings_options
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C; needs watchfiles.")
@click.option("--timing", is_flag=True, help="Also show on stderr what each rule costs; one process and no cache.")
@check_options
@click.option("--no-cache", is_flag=True, help="Do not reuse earlier results or store new ones.")
@click.option("--stdin-filename", metavar="PATH", type=click.Path(), help="Check stdin as if it were this file.")
@click.option("-v", "--verbose", is_flag=True, help="Also show infos.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings.")
def command(**options: Any) -> int:
    """Find the mistakes in solvers and nets.

    PATHS are files and folders, by default the working directory; - reads stdin. They may lie elsewhere, as in
    s3://bucket/nets/* or zip://*::nets.zip. A solver is checked together with the nets that it names.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings at or above --fail-on (or changes, with --diff)
                 2 wrong usage or settings, or a path that cannot be read or written
                 3 caffelint itself failed
    """
    from caffelint.cli.checked import chosen, reporting
    from caffelint.cli.outputs import outputs

    wanted = outputs(options["formats"], options["statistics"])
    level = level_of(options["severity"])
    paths = chosen(options)

    def run(config: Config) -> int:
        everything = options["verbose"] or "info" in (level, config.fail_on) or by_name_alone(config)
        look = Look(
            least="info" if everything else "warning",
            quiet=options["quiet"],
            fail_on=config.fail_on,
            group=options["group"],
            sort=options["sort"],
            top=options["top"],
        )
        if any(options[name] for name in ("fix", "diff", "interactive", "add_ignores")):
            from caffelint.cli.fixing import fixing

            return fixing(paths, options, config, wanted, look, level)
        return reporting(paths, options, config, wanted, look, level)

    if options["watch"]:
        from caffelint.cli.rerun import rerun

        return rerun(paths, options, run)
    return run(settings([options["stdin_filename"] or "."] if paths == ["-"] else paths, options))
