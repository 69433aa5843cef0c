"""The commands, each imported only when it runs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "check": "Find the mistakes in solvers and nets",
    "summary": "Show the net that Caffe builds: shapes, parameters, memory",
    "report": "Write a page that shows a net, its findings and its training",
    "lr": "Show the learning rate over training",
    "scales": "Show the sizes of values, gradients and updates that a training starts with",
    "smoke": "Train briefly on a safe copy and show where it breaks",
    "log": "Say what a log of training tells: what broke, where, and why",
    "data": "Look into the data sets that a net reads: labels, values, sizes, duplicates",
    "weights": "Say whether trained weights fit a net, and what is wrong with them",
    "env": "Show what smoke can run with: engines, devices, libraries",
    "patch": "Insert checks for nan and inf into a net, or remove them",
    "deploy": "Make the net for deployment out of a training net, or check one",
    "upgrade": "Convert nets and solvers of older formats to the current one",
    "lsp": "Serve an editor: findings while you type, completion, shapes",
    "explain": "Explain a rule: what it finds, why it is bad, how to fix it",
    "rules": "List the rules",
    "dialects": "List the versions and forks of Caffe that --dialect accepts",
    "targets": "List the converters that --target accepts",
    "init": "Write first settings that fit a repository",
    "config": "Show the settings in effect and where each comes from",
    "trust": "Allow the settings of a folder to run programs and rules",
    "clean": "Remove the stored results of earlier runs",
    "test": "Run the examples of rules",
    "new-rule": "Create the file of a rule of your own",
    "completion": "Print the completion script for a shell",
}
"""Each is `command` in the module of its name, with one line of help."""


class FittedHelp(click.HelpFormatter):
    """Help whose examples and tables are wrapped as well."""

    def getvalue(self) -> str:
        from caffelint.report.fit import hanging

        return "\n".join(part for line in super().getvalue().split("\n") for part in hanging(line, self.width))


click.Context.formatter_class = FittedHelp


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"caffelint.cli.{cmd_name.replace('-', '_')}").command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`help` and `help COMMAND` are the same as --help."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from pathlib import Path

            from caffelint.cli.errors import Helpful, near

            hint = near(args[0], COMMANDS)
            if not hint and Path(args[0]).exists():
                hint = f"; did you mean caffelint check {args[0]}?"
            raise (Helpful if hint else click.UsageError)(f'no such command "{args[0]}"{hint}', ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands with their whole sentences, none of them imported; and the options of `caffelint` itself."""
        from click.shell_completion import CompletionItem

        named = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from caffelint import __version__

        click.echo(f"caffelint {__version__}")
        context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Show the version.")
def cli() -> None:
    """Find mistakes in a Caffe solver.prototxt and its nets before you spend a GPU hour on them.

    \b
    caffelint check .                all solvers and nets below this folder
    caffelint check solver.prototxt  a solver and the nets that it names
    caffelint explain high-base-lr   what a finding means
    """
