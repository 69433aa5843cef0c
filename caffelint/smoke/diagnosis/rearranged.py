"""What data layers bring in another order, by layers that every Caffe has, for an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from caffelint.caffe.net_parts import Blob
from caffelint.lint.edits import join, quoted, write
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.run import Run
from caffelint.text.edits import Edit


def rearranged(
    run: Run, tops: Sequence[Blob], layers_of: Callable[[str, Blob], Iterable[str]], words: str
) -> tuple[Change, ...]:
    """The net with layers after those that bring these tops, in all phases; all others read what these make.

    layers_of: the texts of the layers that make a blob of that name of a top; the data layers keep theirs, which are
    names in a file for HDF5Data. Nothing where a layer writes a top again, in place or under another phase.
    """
    names = [top.name for top in tops]
    layers = run.nets[0].layers
    written = [one.node for one in layers if not one.bottoms and not set(names).isdisjoint(one.tops)]
    changed = any(one.bottoms and not set(names).isdisjoint(one.tops) for one in layers)
    if not names or changed or any(node is None or node.name != "layer" for node in written):
        return ()
    each = [
        write(one, "bottom", at, value=quoted(made(name)))
        for one in layers
        for at, name in enumerate(one.bottoms)
        if name in names
    ]
    end = max(node.end for node in written if node is not None)
    text = "".join(f"\n{line}" for top in tops for line in layers_of(made(top.name), top))
    edits = join([*each, ((run.nets[0].document.path, Edit(end, end, text)),)])
    return (Change(words, edits),) if edits else ()


def made(name: str) -> str:
    return f"{name}_rearranged"


def layer(name: str, type_: str, bottoms: Sequence[str], tops: Sequence[str], block: str) -> str:
    ends = [*(f"bottom: {quoted(one)}" for one in bottoms), *(f"top: {quoted(one)}" for one in tops)]
    return f'layer {{ name: {quoted(name)} type: "{type_}" {" ".join(ends)} {block} }}'


def reshape(name: str, bottom: str, dims: Sequence[int]) -> str:
    """A Reshape that makes a blob of its own name."""
    shape = " ".join(f"dim: {dim}" for dim in dims)
    return layer(name, "Reshape", [bottom], [name], f"reshape_param {{ shape {{ {shape} }} }}")
