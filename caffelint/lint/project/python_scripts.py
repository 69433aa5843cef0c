"""What people's own Python scripts do with the nets that they build, each with its place; read as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from caffelint.project.mentions import Asked, Channels, Fed, Judged, Mention, Spoilt, Supplied
from caffelint.project.notebooks import without_magic
from caffelint.project.script_starts import path_end
from caffelint.project.scripts import Script, bare
from caffelint.text.patterns import compiled_later

NOTEBOOK = ".ipynb"
_FEEDS = ("Transformer(", "Classifier(", ".blobs[")
"""What makes what a net is given, in Python."""
_ROLES = compiled_later(r"\.prototxt|deploy|train|test|val|model|caffe|solver|net(?=[^a-z]|$)|[^a-z0-9]")
_LEAST_OWN = 3
"""Letters and digits of the name of a file besides what it is for."""
_OPENS = ("imread(", "imdecode(", "load_image(", "Image.open(", "VideoCapture(")


def fed_by(scripts: Iterable[Script]) -> Iterator[tuple[Mention, Fed]]:
    """How people's own Python scripts make what they give a net of images, each with its place."""
    for script in _own_python(scripts, *_FEEDS):
        from caffelint.project.python_feeds import fed  # to read Python takes time at the start

        if found := fed(_python_of(script)):
            yield Mention(script.path, found.line), found


def asked_by(scripts: Sequence[Script], folder: str, name: str) -> list[tuple[Mention, Asked]]:
    """What people's own Python scripts ask of a net that none of them writes, each with its place."""
    found: list[tuple[Mention, Asked]] = []
    for script in _own_python(scripts, "Net("):
        from caffelint.project.python_blobs import asked  # to read Python takes time at the start

        is_its = _is_path_of(folder, name)
        found += ((Mention(script.path, one.line), one) for one in asked(_python_of(script)) if is_its(one.path))
    return [] if found and any(script.writes(name, folder) for script in scripts) else found


def supplied_by(scripts: Sequence[Script], folder: str, name: str) -> list[tuple[Mention, Supplied]]:
    """What people's own Python scripts give a net that none of them writes, each with its place."""
    found: list[tuple[Mention, Supplied]] = []
    for script in _own_python(scripts, "Net(", "Classifier(", "Detector("):
        from caffelint.project.python_supplied import supplied

        is_its = _is_path_of(folder, name)
        found += ((Mention(script.path, one.line), one) for one in supplied(_python_of(script)) if is_its(one.path))
    return [] if found and any(script.writes(name, folder) for script in scripts) else found


def channels_by(scripts: Sequence[Script], folder: str, name: str) -> list[tuple[Mention, Channels]]:
    """How many channels people's own Python scripts take the images to have of a net that none of them writes."""
    found: list[tuple[Mention, Channels]] = []
    for script in _own_python(scripts, "channel_swap", "load_image"):
        from caffelint.project.python_channels import channels

        is_its = _is_path_of(folder, name)
        found += ((Mention(script.path, one.line), one) for one in channels(_python_of(script)) if is_its(one.path))
    return [] if found and any(script.writes(name, folder) for script in scripts) else found


def spoilt_by(scripts: Iterable[Script]) -> list[tuple[Mention, Spoilt]]:
    """What people's own Python scripts make wrong of the images that they give a net."""
    found: list[tuple[Mention, Spoilt]] = []
    for script in _own_python(scripts, *_OPENS):
        from caffelint.project.python_put import spoilt

        found += ((Mention(script.path, one.line), one) for one in spoilt(_python_of(script)))
    return found


def uncleared_by(scripts: Iterable[Script], folder: str, name: str) -> tuple[Mention, ...]:
    """Where people's own Python scripts run a net backward whose weights they update, and never clear its gradients."""
    found: list[Mention] = []
    for script in _own_python(scripts, ".backward("):
        from caffelint.project.python_uncleared import uncleared

        is_its = _is_path_of(folder, name)
        found += (Mention(script.path, one.line) for one in uncleared(_python_of(script)) if is_its(one.path))
    return tuple(found)


def untrained_by(scripts: Iterable[Script], folder: str, name: str) -> tuple[Mention, ...]:
    """Where people's own Python scripts build a net by which they test while they train, and which never learns."""
    found: list[Mention] = []
    for script in _own_python(scripts, "olver("):
        from caffelint.project.python_untrained import untrained

        one = untrained(_python_of(script))
        if one and _is_path_of(folder, name)(one.path):
            found.append(Mention(script.path, one.line))
    return tuple(found)


def judged_by(scripts: Iterable[Script]) -> Iterator[tuple[Script, Judged]]:
    """Where people's own Python scripts run the training net of a solver forward and read what it gives."""
    for script in _own_python(scripts, ".net.forward("):
        from caffelint.project.python_judged import judged

        yield from ((script, one) for one in judged(_python_of(script)))


def _own_python(scripts: Iterable[Script], *words: str) -> Iterator[Script]:
    """People's own Python scripts that hold one of these words."""
    for script in scripts:
        if script.path.endswith((".py", NOTEBOOK)) and not script.is_shipped:
            if any(word in script.text for word in words):
                yield script


def _is_path_of(folder: str, name: str) -> Callable[[str], bool]:
    """Says whether a path that a script gives may be that of a file: by its name, and its folder where it gives one.

    The folder of another machine may be called otherwise, where the name is that of a model and no other file's.
    """
    ends = ends_of(folder, name)
    is_own = len(_ROLES.sub("", name.lower())) >= _LEAST_OWN
    return lambda path: path_end(path) in ends or is_own and path[:1] in "/~" and bare(path) == name


def ends_of(folder: str, name: str) -> tuple[str, str]:
    """How `path_end` may write the path of a file in a folder."""
    return name, f"{os.path.basename(folder)}/{name}"


def _python_of(script: Script) -> str:
    return without_magic(script.text) if script.path.endswith(NOTEBOOK) else script.text
