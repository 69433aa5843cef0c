"""What a file is by its words, without parsing it: a solver, a net to train or one to deploy."""

from __future__ import annotations

import os
import re

from caffelint.lint.read import ReadError, read
from caffelint.schema.spelling import suggest
from caffelint.text.patterns import compiled_later

TRAIN, DEPLOY = "train", "deploy"
_NAMES_A_NET = compiled_later(rb"""net(?:(?<=\bnet)|(?<=\btrain_net)|(?<=\btest_net))\s*(?:#|:\s*["'\[#])""")
"""It begins with letters, which Python looks for forty times as fast as for a choice."""
_SOLVER_SIZE = 1 << 20
_SOLVER = compiled_later(
    rb"^[^#\n]*\b(?:base_lr|lr_policy|snapshot_prefix|(?:train_|test_)?net|train_state)[ \t]*:", re.M
)
_LAYER = compiled_later(rb"^[^#\n]*\blayers?[ \t]*\{", re.M)
_LOSS = compiled_later(rb"oss\b|LOSS\b")
_INPUT = compiled_later(rb"^[^#\n]*\binput[ \t]*:|^[^#\n]*\btype[ \t]*:[ \t]*[\"']Input[\"']", re.M)
_DATA = compiled_later(rb"^[^#\n]*\btype[ \t]*:[ \t]*[\"']?(?:\w*Data|\w*DATA|Python|PYTHON)\b", re.M)
_TESTS = compiled_later(rb"^[^#\n]*\bphase[ \t]*:[ \t]*TEST\b", re.M)


def role_of(path: str) -> str:
    """What a file is: a solver, a net to train or one to deploy; empty if it is none."""
    try:
        data = read(path)
    except ReadError:
        return ""
    if not _LAYER.search(data):
        return "solver" if _SOLVER.search(data) else ""
    return TRAIN if _LOSS.search(data) and not is_called_deploy(path) else DEPLOY


def is_called_deploy(path: str) -> bool:
    """Does the name of a net say that it is there to be run, perhaps with a slip: `depoly.prototxt`?"""
    name = os.path.basename(path).lower()
    return DEPLOY in name or any(suggest(word, (DEPLOY,)) for word in re.findall(r"[a-z]+", name))


def reads_data(path: str) -> bool:
    """Whether a net may get data by itself, as a solver needs it to; not one that has inputs and no data layer."""
    try:
        data = read(path)
    except ReadError:
        return False
    return b"nput" not in data or not _INPUT.search(data) or _DATA.search(data) is not None


def has_test_phase(path: str) -> bool:
    """Whether a net has layers for TEST only."""
    try:
        return _TESTS.search(read(path)) is not None
    except ReadError:
        return False


def names_a_net(path: str) -> bool:
    """Whether a file looks like a solver that names a net; cheap, and wrong only in looking too often."""
    try:
        if os.path.getsize(path) > _SOLVER_SIZE:
            return False
        data = read(path)
    except (OSError, ReadError):
        return False
    return mentions_a_net(data)


def mentions_a_net(data: bytes) -> bool:
    """Whether a text looks like that of a solver that names a net."""
    return _NAMES_A_NET.search(data) is not None
