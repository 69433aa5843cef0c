"""What rules make their fixes of: a field written or removed, a blob renamed, in the layout of the text around it.

Each helper gives edits, or None where the text is not such that it can be done; `fix` then offers nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, pairwise

from caffelint.caffe.net import Layer, Net
from caffelint.caffe.solver import Solver
from caffelint.lint.finding import Fix
from caffelint.text.edits import Edit
from caffelint.text.layout import Value, put_in, take_out
from caffelint.text.near import Compared, near
from caffelint.text.parser import Document
from caffelint.text.patterns import compiled_later
from caffelint.text.tree import BROKEN, MESSAGE, Field

Edits = tuple[tuple[str, Edit], ...] | None
Owner = Layer | Net | Solver

_SPACE = compiled_later(r"\r?\n|\r|[ \t]+")
"""Inserted text begins with this if it comes after something."""
_MOST_AWAITED = 50
"""Names that are read and nobody makes, among which a near one is looked for."""


def fix(title: str, safety: str, *parts: Edits) -> tuple[Fix, ...]:
    """A fix of all parts, for `fixes=`; none if a part cannot be done."""
    edits = join(parts)
    return (Fix(title, safety, edits),) if edits else ()


def join(parts: Iterable[Edits]) -> Edits:
    """The edits of many, with what is put in at one place in the given order; None where one cannot be done.

    What is put in where a line goes takes its place.
    """
    edits: dict[tuple[str, int, int], Edit] = {}
    for part in parts:
        if part is None:
            return None
        for path, edit in part:
            place = path, edit.start, edit.end
            if place in edits and edit.start == edit.end:
                edit = edit._replace(text=edits[place].text + edit.text)
            edits[place] = edit
    for (place, gone), (inner, new) in pairwise(sorted(edits.items())):
        if place[0] == inner[0] and gone.start < new.start == new.end < gone.end and not gone.text:
            space = _SPACE.match(new.text)
            after = space[0] if space else ""
            edits[place] = gone._replace(text=new.text.removeprefix(after) + after)
            del edits[inner]
    return _apart(edits)


def _apart(edits: Mapping[tuple[str, int, int], Edit]) -> Edits:
    """Edits that do not overlap: a removal takes the blanks beside it, as may the next. None if they do otherwise."""
    found: list[tuple[str, Edit]] = []
    for (path, _, _), edit in sorted(edits.items()):
        if found and found[-1][0] == path and edit.start < found[-1][1].end:
            last = found[-1][1]
            if last.text or edit.text:
                return None
            found[-1] = path, last._replace(end=max(last.end, edit.end))
        else:
            found.append((path, edit))
    return tuple(found)


def quoted(text: str) -> str:
    """A text as prototxt writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def write(owner: Owner, *path: str | int, value: Value, after: str = "") -> Edits:
    """Set a field: replace its value if it is written, else add the field to its block.

    A string keeps its kind of quotes, and a block that holds a comment stays.

    Blocks that are missing on the way are made; a new field goes after the one named `after`, or last.
    """
    document, node = _of(owner)
    if node is None:
        return None
    names = list(path)
    while names:
        name, index, rest = _step(names)
        found = node.all(name)
        if (id(node), name) in document.misspelt:
            return None  # its name is mended first
        if index >= len(found):
            break
        node, names = found[index], rest
    if not names:
        old = document.source.text[node.value_start : node.end]
        if not old or node.kind == MESSAGE and "#" in old:
            return None
        text = value if isinstance(value, str) else _block(value)
        if old[0] == "'" and text[0] == '"' and not {"'", "\\"} & set(text):
            text = f"'{text[1:-1]}'"
        return _checked(document, [Edit(node.value_start, node.end, text)])
    if node.kind != MESSAGE or any(isinstance(name, int) and name for name in names):
        return None
    *outer, last = [name for name in names if isinstance(name, str)]
    if outer:
        if len(outer) > 1 or not isinstance(value, str):
            return None
        last, value = outer[0], [(last, value)]
    if document.breaks_off or any(field.kind == BROKEN for field in node.fields):
        return None  # where the block or the value ends is not known
    return _checked(document, [put_in(document, node, last, value, node.first(after) if after else None)])


def remove(owner: Owner, *path: str | int) -> Edits:
    """Take out a field, all of that name where no index is given; with it a block that it leaves empty. Without a path,
    the whole layer."""
    document, node = _of(owner)
    if not path and node is not None:
        return _without(document, [document.root], [node])
    chain = [node] if node else []
    names = list(path)
    while chain:
        name, index, rest = _step(names)
        found = chain[-1].all(name)
        if not rest:
            gone = found[index : index + 1] if names[1:] else found
            return _without(document, chain, gone)
        if index >= len(found):
            return None
        chain.append(found[index])
        names = rest
    return None


def remove_from(owner: Owner, name: str, first: int) -> Edits:
    """Take out the fields of that name from number `first` on, counted from 0."""
    document, node = _of(owner)
    return _without(document, [node], node.all(name)[first:]) if node else None


def rename_blob(layer: Layer, old: str, new: str = "", top: int | None = None) -> Edits:
    """Give what a layer writes to `old` a name of its own, there and wherever it is read further down.

    `top`: the number of the top, where several have that name; the last one, which is read further down, by default.
    """
    if top is not None and top < layer.net.once(_last_tops).get((layer.index, old), 0):
        taken, _ = layer.net.once(_blob_names)
        own = quoted(new or _numbered(old, top + 1, taken))
        return None if layer.depends_on_stage else write(layer, "top", top, value=own)
    return _renamed_down(layer, old, new or _free_name(layer, old, ()))


def rename_blobs(tops: Sequence[tuple[Layer, str]]) -> Edits:
    """Give what each layer writes to the blob beside it a name of its own, as `rename_blob` does.

    Several may work in place on one blob, one after the other: they come in the order of the net.
    """
    nexts: list[Layer | None] = []
    last: dict[str, Layer] = {}
    for layer, old in reversed(tops):
        nexts.append(last.get(old))
        last[old] = layer
    parts: list[Edits] = []
    given: set[str] = set()
    for (layer, old), until in zip(tops, reversed(nexts), strict=True):
        if until and set(until.phases) != set(layer.phases):
            return None
        new = _free_name(layer, old, given)
        given.add(new)
        parts.append(_renamed_down(layer, old, new, until))
    return join(parts)


def layer_beside(layer: Layer, fields: Sequence[tuple[str, str]], *, before: bool) -> Edits:
    """A layer of one line put before or after another in the text; None where that is no `layer` of its own."""
    document, node = _of(layer)
    if node is None or node.name != "layer":
        return None
    text = document.source.text
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    space = "\n" + line if not line.strip() else " "
    parts = (f"{name} {value}" if value.startswith("{") else f"{name}: {value}" for name, value in fields)
    new = f"layer {{ {' '.join(parts)} }}"
    edit = Edit(node.start, node.start, new + space) if before else Edit(node.end, node.end, space + new)
    return _checked(document, [edit])


def _renamed_down(layer: Layer, old: str, new: str, until: Layer | None = None) -> Edits:
    """The edits that name the last top `old` of a layer and all that read it, in `until` no more than the bottoms."""
    last = layer.net.once(_last_tops).get((layer.index, old))
    if layer.depends_on_stage or last is None:
        return None
    phases = set(layer.phases)
    edits = [write(layer, "top", last, value=quoted(new))]
    users = layer.net.once(_users)[old]
    for other in users[bisect_right(users, layer.index, key=_index) :]:
        if phases.isdisjoint(other.phases):
            continue
        if old not in other.bottoms and phases <= set(other.phases):
            break  # another blob of that name
        # What some other phase reads under that name is another blob, or one that only the old name reaches.
        if old not in other.bottoms or not set(other.phases) <= phases:
            return None
        edits.append(_renamed(other, "bottom", old, new))
        if other is until:
            break
        edits.append(_renamed(other, "top", old, new))
    return join(edits)


def _renamed(layer: Layer, field: str, old: str, new: str) -> Edits:
    names = layer.tops if field == "top" else layer.bottoms
    return join(write(layer, field, index, value=quoted(new)) for index, name in enumerate(names) if name == old)


def _free_name(layer: Layer, old: str, given: Collection[str]) -> str:
    """A blob's name for what a layer writes: one near it that is read further down and nobody makes, else a free one.

    That is the layer's own, as is usual. `given` are no longer free.
    """
    taken, unmade = layer.net.once(_blob_names)
    few = unmade.items() if len(unmade) <= _MOST_AWAITED else ()
    if awaited := {name for name, last in few if last > layer.index and name not in given}:
        if alike := near(old, sorted(awaited), within=layer.net.once(Compared)):
            return alike[0]
    stem = f"{old}_{layer.name}" if layer.name not in ("", old) else old
    if free := next((name for name in (layer.name, stem) if name and name not in taken and name not in given), ""):
        return free
    return _numbered(stem, max(2, len(given) + 1), taken, given)


def unused_name(stem: str, taken: Collection[str]) -> str:
    """The stem, or with the first number from 2 on that is not taken."""
    return stem if stem not in taken else _numbered(stem, 2, taken)


def _numbered(stem: str, first: int, taken: Collection[str], given: Collection[str] = ()) -> str:
    names = (f"{stem}_{number}" for number in count(first))
    return next(name for name in names if name not in taken and name not in given)


def _blob_names(net: Net) -> tuple[frozenset[str], dict[str, int]]:
    """The names of all blobs, and of those that no layer makes with the index of the last that reads each."""
    made = {name for layer in net.layers for name in layer.tops}
    read = {name: layer.index for layer in net.layers for name in layer.bottoms}
    return frozenset(made | read.keys()), {name: last for name, last in read.items() if name not in made}


def _users(net: Net) -> dict[str, list[Layer]]:
    """The layers that write or read each blob, in their order."""
    users: dict[str, list[Layer]] = {}
    for layer in net.layers:
        for name in dict.fromkeys((*layer.bottoms, *layer.tops)):
            users.setdefault(name, []).append(layer)
    return users


def _last_tops(net: Net) -> dict[tuple[int, str], int]:
    """The number of the last top of each name, by the index of its layer and that name."""
    return {(layer.index, name): number for layer in net.layers for number, name in enumerate(layer.tops)}


def _index(layer: Layer) -> int:
    return layer.index


def _of(owner: Owner) -> tuple[Document, Field | None]:
    """A document and the block to write into; none for a layer that the text has in parts, as generation 0 has."""
    if isinstance(owner, Solver):
        return owner.document, owner.document.root
    if isinstance(owner, Net):
        return owner.document, owner.bound.node(owner.written)
    node = owner.node
    is_block = node is not None and node.name in ("layer", "layers") and node.first("layer") is None
    return owner.net.document, node if is_block else None


def _step(names: list[str | int]) -> tuple[str, int, list[str | int]]:
    """The first name of a path, its index (0 where none is given), and the rest."""
    if len(names) > 1 and isinstance(names[1], int):
        return str(names[0]), names[1], names[2:]
    return str(names[0]), 0, names[1:]


def _block(value: Sequence[tuple[str, str]]) -> str:
    return f"{{ {' '.join(f'{name}: {part}' for name, part in value)} }}"


def _without(document: Document, chain: list[Field], gone: Sequence[Field]) -> Edits:
    if not gone:
        return None
    text = document.source.text
    if any("#" in text[field.start : field.end] for field in gone if field.kind == MESSAGE):
        return None  # comments stay
    while len(chain) > 1 and _may_go(chain[-1]) and _is_all(chain[-1], gone):
        if "#" in text[chain[-1].start : chain[-1].end]:
            break
        gone = [chain.pop()]
    return _checked(document, take_out(document, chain[-1], gone))


def _may_go(block: Field) -> bool:
    """Is the block, once it is empty, the same as none at all?"""
    return block.name.endswith("_param") or block.name in ("state", "train_state")


def _is_all(block: Field, gone: Sequence[Field]) -> bool:
    return all(field in gone or (field.fields and all(item in gone for item in field.fields)) for field in block.fields)


def _checked(document: Document, edits: list[Edit]) -> Edits:
    """None where letters beyond ASCII are to be written into a text that is no UTF-8."""
    if not all(edit.text.isascii() for edit in edits) and not _is_utf8(document.source.data):
        return None
    return tuple((document.path, edit) for edit in edits)


@lru_cache(maxsize=4)
def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
