"""The known name that somebody meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_MEANT = {
    "kernel": "kernel_size",
    "ksize": "kernel_size",
    "kernel_sizes": "kernel_size",
    "filter_size": "kernel_size",
    "kernelsize": "kernel_size",
    "method": "pool",
    "pooling": "pool",
    "pool_method": "pool",
    "pad_size": "pad",
    "padding": "pad",
    "strides": "stride",
    "n_output": "num_output",
    "num_outputs": "num_output",
    "nout": "num_output",
    "learning_rate": "base_lr",
    "lr": "base_lr",
    "max_iteration": "max_iter",
    "max_iterations": "max_iter",
    "step_size": "stepsize",
    "step_value": "stepvalue",
    "batchsize": "batch_size",
    "bottoms": "bottom",
    "tops": "top",
    "solver_type": "type",
    "ratio": "dropout_ratio",
    "weights_filler": "weight_filler",
    "lr_mults": "lr_mult",
    "AVG": "AVE",
    "AVERAGE": "AVE",
    "MAXIMUM": "MAX",
    "ADD": "SUM",
    "MULT": "PROD",
    "MUL": "PROD",
}
"""Slips that are far apart as letters and near in the head."""

_MANY, _FEW = 800, 60
_NO_SLIP = 4
_SHORT, _LONGER = 6, 2
"""By how many letters the length of a slip differs at most, and that of a name of so few letters: by one."""
_ENDINGS = ("param", "filler", "loss", "data", "layer")
"""Words that many names share: alike in them, two names are not yet near."""


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def is_same(name: str, known: str) -> bool:
    """Whether two names differ in case, '_' and '-' alone, so that nothing else can be meant."""
    return _plain(name) == _plain(known)


def is_block_of(name: str, type_: str) -> bool:
    """Whether a block is named after a layer type, such as `rrelu_param` after RReLU.

    Where no Caffe knows the two, they are somebody's own, and neither is a slip of another name.
    """
    return is_same(name, f"{type_}_param")


def distance(one: str, other: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap of neighbours) between two names; `limit` + 1 where there are more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    if len(set(one) - set(other)) > limit or len(set(other) - set(one)) > limit:
        return limit + 1  # each edit takes away or adds one letter at most
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before = before, row
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def suggest(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `name` was surely meant to be; None where none is near."""
    if len(name) > 64:
        return None
    names = list(known)
    meant = _MEANT.get(name) or _MEANT.get(name.upper())
    if meant in names:
        return meant
    if len(names) > _MANY:  # as somebody's own: a slip is mostly one of the letters behind the first two
        names = [one for one in names if one[:2] == name[:2] and abs(len(one) - len(name)) <= _LONGER][:_FEW]
    plain, plains = _plain(name), [_plain(candidate) for candidate in names]
    if plain in plains:
        return names[plains.index(plain)]
    best, best_distance = None, _NO_SLIP
    longer = _LONGER if len(plain) > _SHORT else 1
    for candidate, other in zip(names, plains, strict=True):
        if abs(len(other) - len(plain)) > longer:
            continue  # as most are, so nothing else is asked about them
        far = _slips(name, candidate)
        if far < best_distance:
            best, best_distance = candidate, far
    return best


def _slips(name: str, candidate: str) -> int:
    """How many typing slips turn one name into the other; `_NO_SLIP` if it is certainly not a slip."""
    one, other = _plain(name), _plain(candidate)
    for ending in _ENDINGS:
        if one.endswith(ending) and other.endswith(ending):
            one, other = one.removesuffix(ending), other.removesuffix(ending)
    if len(one) == 3 and one == other[1:]:
        return 1  # the first letter is lost, as at the start of a pasted text: `ame`, `ype`
    limit = 0 if len(one) < 4 else 1 if len(one) <= _SHORT else 3 if _are_of_the_same_letters(one, other) else 2
    far = distance(one, other, limit)
    if far > limit or _differ_in_part(name, candidate) or (far > 1 and one[0] != other[:1]):
        return _NO_SLIP
    return far


def _are_of_the_same_letters(one: str, other: str) -> bool:
    """Whether two names begin alike and differ in order, and in one letter at most: `Eucleadian`, `Euclidean`."""
    few, many = sorted((one, other), key=len)
    return one[0] == other[:1] and len(many) <= len(few) + 1 and (Counter(many) - Counter(few)).total() <= 1


def _differ_in_part(name: str, candidate: str) -> bool:
    """Whether one names a part or a sibling of the other (stride_h, stride_w, conv2), which is another thing."""
    one, other = sorted((name, candidate), key=len)
    if other.startswith(one + "_") or one[:-1] == other[:-1]:
        return True
    return _plain(one).rstrip("0123456789") == _plain(other).rstrip("0123456789")
