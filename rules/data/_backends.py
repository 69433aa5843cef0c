"""Of which kind a database is, by its name or by the scripts that open it."""

from __future__ import annotations

from caffelint.lint import Layer, NamedTuple

from ._layers import same_path

_NEAR = 2
"""The last parts of a path: folders above these hold sets of any kind."""


class Kind(NamedTuple):
    """name: LMDB or LEVELDB. text: what says so. place: of the script that does, for a sentence to go on."""

    name: str
    text: str
    place: str = ""


def kind_of(layer: Layer) -> Kind | None:
    """That of the database which a layer reads; None if nothing tells it, or two say different things."""
    source = layer.message.data_param.source
    opened = _opened(layer)
    if len({kind.name for kind, _ in opened}) > 1:
        return None
    if made := [kind for kind, is_new in opened if is_new]:
        return made[0]
    name = "/".join(source.lower().rstrip("/").split("/")[-_NEAR:])
    kinds = [kind for kind in ("LMDB", "LEVELDB") if kind.lower() in name]
    if opened and kinds != [opened[0][0].name]:
        return None  # one that is only opened may have been replaced
    return Kind(kinds[0], f'source "{source}" looks like {_a(kinds[0])}') if len(kinds) == 1 else None


def _opened(layer: Layer) -> list[tuple[Kind, bool]]:
    """What scripts of the project open by the same path, and whether they make it.

    One without a folder may be that of several.
    """
    source = layer.message.data_param.source
    path = same_path(source)
    runs = [solver.runs for solver in layer.net.solvers if solver.runs] if "/" in path else []
    return [
        (Kind(one.kind, f'"{one.place.path}" makes "{source}" as {_a(one.kind)}', f"{one.place}; "), one.is_new)
        for told in runs
        for one in told.databases
        if same_path(one.path) == path
    ]


def _a(kind: str) -> str:
    return f"{'an' if kind == 'LMDB' else 'a'} {kind}"
