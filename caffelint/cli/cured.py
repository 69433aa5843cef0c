"""`caffelint smoke --fix` and `--diff`: the change that cured a run, written or shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caffelint.cli.outputs import show_diff
from caffelint.cli.tell import aside, tell
from caffelint.fix.write import SaveError, save
from caffelint.smoke.diagnosis.tried import cure
from caffelint.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from caffelint.smoke.diagnosis.change import Change
    from caffelint.smoke.session import Session


def cured(session: Session, write: bool, shown: bool) -> None:
    """Make the change in the user's files, or say why not. write: else it is only shown. shown: as a diff on stdout?

    Raises `click.ClickException` where a file cannot be written.
    """
    run = session.run
    best = cure(run) if run is not None else None
    if run is None or best is None or not (best.change.edits and best.change.loads) or best.idles:
        aside("nothing to fix: no change that was tried cured the run" if run and run.tried else "nothing to fix")
        return
    documents = [run.solver.document, *(net.document for net in run.nets)]
    texts = {one.path: one.source.data for one in documents}
    edits: dict[str, list[Edit]] = {}
    for path, edit in best.change.edits:
        edits.setdefault(path, []).append(edit)
    for path, found in sorted(edits.items()):
        new = apply_edits(texts[path], found)
        if shown:
            show_diff(path, texts[path], new)
        if write:
            try:
                save(path, texts[path], new)
            except SaveError as reason:
                raise click.ClickException(f"{path}: {reason}") from reason
    parts = best.change.parts or (best.change,)
    what = " and ".join(
        one.text + (f' in layer "{one.layer}"' if one.layer and not one.text.startswith("no ") else "") for one in parts
    )
    tell(f"{'wrote' if write else 'would write'} {what} to {', '.join(sorted(edits))}")


def _where(change: Change) -> str:
    named = not change.layer or change.text.startswith("no ")
    return "" if named else f' in layer "{change.layer}"'


def objection(options: dict[str, object], ways: list[str]) -> str:
    """Why the options do not go together, "" if they do."""
    name = next((f"--{name}" for name in ("fix", "diff") if options[name]), "")
    if name and (ways or options["diagnose"] == "off"):
        other = f"--{ways[0].replace('_', '-')}" if ways else "--diagnose off"
        return f"{name} needs a diagnosis, which {other} leaves out"
    if options["fix"] and options["diff"]:
        return "--diff writes nothing and --fix shows the diff, too; give one"
    return ""
