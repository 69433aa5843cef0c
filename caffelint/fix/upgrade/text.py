"""`upgrade_text`: from old bytes to new ones, which are compared with the message that Caffe makes of the old ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from caffelint.caffe.old_formats import SOLVER_TYPES, TRANSFORMED_TYPES
from caffelint.caffe.refusal import Refusal
from caffelint.caffe.upgrade import net_generation, upgrade_solver
from caffelint.caffe.upgrade import upgrade_net as upgrade_message
from caffelint.fix.upgrade import batch_norm, inputs, mixed, v0, v1
from caffelint.fix.upgrade.left import CannotUpgrade, Left
from caffelint.fix.upgrade.neighbours import Neighbours, Readers
from caffelint.fix.upgrade.pieces import Layout
from caffelint.fix.upgrade.silenced import silenced
from caffelint.schema.bind import bind
from caffelint.schema.bound import Bound
from caffelint.schema.detect import NET, SOLVER, detect
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.schema.project import ProjectCaffe
from caffelint.schema.readers import readers, too_old, without_input_layer, without_solver_type
from caffelint.text.comments import find_comments
from caffelint.text.parser import Document, parse
from caffelint.text.source import UTF8_MARK
from caffelint.text.tree import Problem

_OLD_IN_NETS = ("layers", *inputs.FIELDS)
_BUG = "the new text would mean something else, so nothing was changed; please report it"


_Upgraded: TypeAlias = "tuple[str, list[str], list[Left]]"


class UpgradeResult(NamedTuple):
    """`data` is the new text; the old one if nothing in it is old, or if it cannot be upgraded.

    `done` says in words what was upgraded, `left` what was not and why. `ignored`: something is old, but a comment or
    a setting silences legacy-format.
    """

    data: bytes
    changed: bool
    done: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    ignored: bool = False


def upgrade_text(
    data: bytes,
    path: str = "<text>",
    kind: str | None = None,
    dialect: str | None = None,
    neighbours: Neighbours | None = None,
    caffe: ProjectCaffe | None = None,
) -> UpgradeResult:
    """Convert a net or a solver to the current format. `kind` is "net" or "solver", None to infer it from the text.

    `dialect` is the fork that is to read it (`caffelint.schema.provenance`), None to infer it from the text and its
    `neighbours`. `caffe` is the one of its project, if that is to read it.

    Comments, layout and all bytes that are not concerned stay. Caffe reads the new text as the message that its own
    upgrade makes of the old one; a text for which that fails is left alone.
    """
    if data.startswith(UTF8_MARK) and not data.startswith(2 * UTF8_MARK):
        return _after_mark(upgrade_text(data[len(UTF8_MARK) :], path, kind, dialect, neighbours, caffe))
    document = parse(data, path)
    reader = _Reader(dialect, neighbours, caffe)
    if kind is None:
        kind = detect(document).kind
    if kind == NET:
        return _upgrade(document, _upgrade_net, reader)
    if kind == SOLVER:
        return _upgrade(document, _upgrade_solver, reader)
    unreadable = [problem for problem in document.problems if problem.kind == "byte-order-mark"]
    return UpgradeResult(data, False, (), _left(document, unreadable[:1]))


def _after_mark(result: UpgradeResult) -> UpgradeResult:
    return result._replace(data=UTF8_MARK + result.data)


class _Reader(NamedTuple):
    """The Caffe that is to read a text, as far as it is known."""

    dialect: str | None
    neighbours: Neighbours | None
    caffe: ProjectCaffe | None

    def lacks(self, bound: Bound, form: str, of_forks: Callable[[frozenset[str]], str]) -> str:
        """Why a text is left in its old form; empty if a newer one can be read."""
        if bound.caffe:
            lack = bound.caffe.lacks_for(form)
            return lack and f"made for this project's Caffe, which has {lack}"
        reading = Readers(readers(bound))
        if self.neighbours is not None and bound.dialect is None:
            reading = self.neighbours.readers(bound.document.source.path, reading.forks)
        why = of_forks(reading.forks)
        return why and reading.leave(why)


_Upgrade: TypeAlias = Callable[[Document, _Reader], _Upgraded]


def _upgrade(document: Document, upgrade: _Upgrade, reader: _Reader) -> UpgradeResult:
    data = document.source.data
    try:
        text, done, left = upgrade(document, reader)
    except CannotUpgrade as error:
        line = document.source.line_number(max(error.start, 0))
        result = UpgradeResult(data, False, (), (Left(line, error.message, error.intended),))
    else:
        new = text.encode("latin-1")
        result = UpgradeResult(new, new != data, tuple(done), tuple(left))
    if (result.changed or result.left) and silenced(document, (*_OLD_IN_NETS, "solver_type")):
        return UpgradeResult(data, False, ignored=True)
    return result


def _left(document: Document, problems: list[Problem]) -> tuple[Left, ...]:
    return tuple(Left(document.source.line_number(problem.start), problem.message) for problem in problems)


def _object_to(document: Document, bound: Bound, refusals: list[Refusal]) -> None:
    """Raise `CannotUpgrade` for a text that Caffe does not read or does not upgrade."""
    problems = [problem for problem in document.problems + bound.problems if problem.certain]
    problems = [problem for problem in problems if problem.kind != "fork-field" and not mixed.is_reported_by(problem)]
    if problems:
        first = min(problems, key=lambda problem: problem.start)
        raise CannotUpgrade(first.start, first.message)
    if refusals:
        refusal = refusals[0]
        at = bound.origin(refusal.at, str(refusal.field[0]) if refusal.field else "") or bound.origin(refusal.at)
        raise CannotUpgrade(at.start if at else 0, refusal.message)


def _upgrade_solver(document: Document, reader: _Reader) -> _Upgraded:
    text = document.source.text
    old = document.root.first("solver_type")
    if old is None:
        return text, [], []
    bound = bind(document, SolverParameter(), reader.dialect, reader.caffe)
    refusals: list[Refusal] = []
    wanted = upgrade_solver(bound.message, bound, refusals)
    _object_to(document, bound, refusals)
    if why := reader.lacks(bound, "type", without_solver_type):
        raise CannotUpgrade(old.start, why, intended=True)
    for problem in bound.problems:
        if problem.kind == "unknown-enum-value" and old.start <= problem.start < old.end:
            raise CannotUpgrade(problem.start, problem.message)
    layout = _layout(document)
    for piece in layout.root.all("solver_type"):
        piece.name = "type"
        name = SolverParameter.SolverType.Name(bound.message.solver_type)
        piece.value = f'"{SOLVER_TYPES.get(name, name)}"'
    new = _written(document, layout)
    _check(document, new, wanted, upgrade_solver(_message(new, SolverParameter())))
    return new, ["solver_type -> type"], []


def _upgrade_net(document: Document, reader: _Reader) -> _Upgraded:
    text = document.source.text
    names = {field.name for field in document.root.fields}
    if not names.intersection(_OLD_IN_NETS) and "BatchNorm" not in text:
        return text, [], []
    bound = bind(document, NetParameter(), reader.dialect, reader.caffe)
    message = bound.message
    generation = net_generation(message)
    has_shapes = bool(message.input_dim or message.input_shape)
    if generation == 2 and not message.input and not any(map(batch_norm.is_old, message.layer)):
        return text, [], []
    refusals: list[Refusal] = []
    wanted = upgrade_message(message, bound, refusals)
    if generation == 1 and message.layer:
        wanted, refusals = mixed.in_text_order(document, wanted, refusals)
    _object_to(document, bound, refusals)
    layout = _layout(document)
    done: list[str] = []
    left: list[Left] = []
    if generation < 2:
        if why := reader.lacks(bound, "layer", too_old):
            start = bound.fork_uses[0].field.start if bound.fork_uses else document.root.fields[0].start
            raise CannotUpgrade(start, why, intended=True)
        done = _upgrade_layers(layout, generation, len(message.layers))
    if message.input:
        at = document.root.first("input")
        line = document.source.line_number(at.start if at else 0)
        if not has_shapes:
            left.append(Left(line, "Caffe drops an input without a shape; add an input_shape, or remove the input"))
        elif why := reader.lacks(bound, "input", without_input_layer):
            left.append(Left(line, why, intended=True))
        else:
            inputs.upgrade_net(layout)
            done.append("input fields -> an Input layer")
    new = _written(document, layout)
    new, frozen = _freeze(new)
    if frozen:
        done.append(f"lr_mult: 0 and decay_mult: 0 for the statistics of {_count(frozen, 'BatchNorm layer')}")
    _check(document, new, wanted, upgrade_message(_message(new, NetParameter())))
    return new, done, left


def _upgrade_layers(layout: Layout, generation: int, number: int) -> list[str]:
    merged = v0.upgrade_net(layout) if generation == 0 else 0
    moved = v1.upgrade_net(layout)
    done = [f"{_count(number, f'V{generation} layer')} -> layer {{ }}"]
    if merged:
        done.append(f"{_count(merged, 'padding layer')} -> pad of the layers after them")
    if moved:
        done.append(f"transformation fields of {_count(moved, 'layer')} -> transform_param")
    return done


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _freeze(text: str) -> tuple[str, int]:
    document = parse(text.encode("latin-1"))
    if "BatchNorm" not in text:
        return text, 0
    message = bind(document, NetParameter()).message
    if not any(map(batch_norm.is_old, message.layer)):
        return text, 0
    layout = _layout(document)
    blocks = [
        block
        for piece in layout.root.all("layer")
        for block in ([item.block for item in piece.block.pieces] if piece.is_list else [piece.block])
    ]
    old = [block for block, layer in zip(blocks, message.layer, strict=True) if batch_norm.is_old(layer)]
    for block in old:
        batch_norm.upgrade_layer(layout, block)
    return _written(document, layout), len(old)


def _layout(document: Document) -> Layout:
    """The layout of a text, with a line end added at its end if that is missing."""
    text = document.source.text
    if text.endswith("\n"):
        return Layout(text, document.root)
    return Layout(text + "\n", document.root)


def _written(document: Document, layout: Layout) -> str:
    new = layout.write()
    return new if document.source.text.endswith("\n") else new.removesuffix("\n")


def _message(text: str, message: Any) -> Any:
    document = parse(text.encode("latin-1"))
    bound = bind(document, message)
    _object_to(document, bound, [])
    return bound.message


def _check(document: Document, new: str, wanted: Any, found: Any) -> None:
    """Raise `CannotUpgrade` if the new text has another meaning than the old one, or other comments."""
    for message in (wanted, found):
        _without_nothing(message)
    if wanted != found or _comments(document.source.text) != _comments(new):
        raise CannotUpgrade(0, _BUG)


def _without_nothing(message: Any) -> None:
    """Remove the empty blocks that Caffe's upgrade adds to data layers."""
    for layer in getattr(message, "layer", ()):
        for name in ("transform_param", *TRANSFORMED_TYPES.values()):
            if layer.HasField(name) and not getattr(layer, name).ListFields():
                layer.ClearField(name)


def _comments(text: str) -> Counter[str]:
    return Counter(text[start:end] for start, end in find_comments(text))


__all__ = ["Left", "UpgradeResult", "upgrade_text"]
