"""The solver and the net of a log against the files that lie there now."""

from __future__ import annotations

from typing import Any, NamedTuple

from caffelint.caffe.build import build
from caffelint.caffe.place import Place
from caffelint.evidence.log.recovered import Recovered, net_file
from caffelint.lint.file import File

_ADDED = ("train_state", "test_state", "device_id", "solver_mode", "net", "train_net", "test_net", "debug_info")
"""What `caffe train` sets itself, or what only says where the net lies."""
_RULES_OF_STATE = ("include", "exclude", "phase")


class Differs(NamedTuple):
    """A field or layer that differs: `logged` and `written` as text, "" where it is not there."""

    what: str
    logged: str
    written: str
    place: Place


def solver_differs(recovered: Recovered, file: File) -> list[Differs]:
    """The fields of the solver in which the file is another than what ran."""
    if recovered.solver is None or file.solver is None:
        return []
    ran, written = recovered.solver.message, file.solver.message
    found = []
    for field in ran.DESCRIPTOR.fields:
        name = field.name
        if name in _ADDED or name.endswith("net_param"):
            continue
        one, other = getattr(ran, name), getattr(written, name)
        if one != other:
            found.append(Differs(name, _shown(ran, name), _shown(written, name), file.solver.at(name)))
    return found


def net_differs(recovered: Recovered, file: File) -> list[Differs]:
    """The layers of the training net that the file has otherwise, lacks, or has besides."""
    net = net_file(file)
    if net is None or net.net is None or recovered.built is None:
        return []
    ran = {layer.name: layer.message for layer in recovered.built.layers if layer.index is not None}
    built = build(net.net.message, "TRAIN", assume_inputs=True)
    written = {layer.name: layer for layer in built.layers if layer.index is not None}
    places = {layer.name: layer for layer in net.net.layers}
    found = [Differs(name, "", "added", places[name].at()) for name in written if name not in ran and name in places]
    for name, message in ran.items():
        if name not in written:
            found.append(Differs(name, "there", "", net.net.at()))
        elif changed := _changed(message, written[name].message):
            found.append(Differs(name, ", ".join(changed), "changed", places[name].at()))
    return found


def _changed(one: Any, other: Any) -> list[str]:
    """The fields of a layer that differ."""
    names = [field.name for field in one.DESCRIPTOR.fields if field.name not in _RULES_OF_STATE]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def _shown(message: Any, name: str) -> str:
    value = getattr(message, name)
    if hasattr(value, "append"):
        return ", ".join(str(one) for one in value)
    if not message.HasField(name):
        return ""
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    return f"{value:.7g}" if isinstance(value, float) else str(value)
