"""`caffelint completion`"""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: caffelint completion bash > ~/.local/share/bash-completion/completions/caffelint
    zsh:  caffelint completion zsh > "${fpath[1]}/_caffelint"
    fish: caffelint completion fish > ~/.config/fish/completions/caffelint.fish
    """
    from click.shell_completion import get_completion_class

    from caffelint.cli.group import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "caffelint", "_CAFFELINT_COMPLETE").source())
