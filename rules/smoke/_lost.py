"""What a layer loses of what tells targets, in words."""

from __future__ import annotations

import math

from caffelint.smoke.rule import BLOB, DATA, Lost, Run, Told

from ._numbers import extent


def what_tells(found: Lost) -> str:
    """`from "fc" a linear fit gives the right "label" of 84% of 400 records, from "log" the nearest others ...`."""
    before, after = found.before, found.after
    read = f'"{found.read.name}"'
    text = f"from {_answers(before, read)}{_of(before)}"
    if after.same:
        return f"{text}, and {_made(found)} is the same for all of them"
    chance = f"{100 * after.chance:.0f}%" if after.labels else "0"
    return f"{text}, from {_answers(after, _made(found))}, and chance gives {chance}"


def _made(found: Lost) -> str:
    name = f'"{found.made.name}"'
    return f"what it makes of {name}" if found.made.name == found.read.name else name


def _answers(one: Told, blob: str) -> str:
    by = "a linear fit gives" if one.fitted else "the nearest other records give"
    right = f'{100 * one.agree:.0f}% of the right "{one.name}"'
    return f"{blob} {by} {right if one.labels else f'answers that correlate by {one.agree:.2f}'}"


def _of(one: Told) -> str:
    return f" of {one.records} records" if one.labels else f' with the "{one.name}" of {one.records} records'


def reason(run: Run, found: Lost) -> tuple[str, str]:
    """What a layer of its type does to what it reads, and what would help; "" where that is not known."""
    layer, read = found.layer, found.read.name
    bottom = next((at for at, blob in enumerate(layer.bottoms) if blob.original is found.read), 0)
    sizes = [math.prod(blob.shape) if blob.shape else 0 for blob in (found.read, found.made)]
    if found.after.same and layer.cuts_fractions(bottom):
        values = run.statistics(-1, *_maker(found), BLOB, read, DATA)
        held = f', and "{read}" holds {extent(values.min, values.max)}' if values is not None else ""
        return f"it cuts fractions off{held}", f'let "{read}" hold whole numbers'
    if layer.type == "Python":
        param = layer.message.python_param
        own = f"{param.module}.{param.layer}"
        return "", f"look at the forward of {own}: it may mix the items of a batch, or overwrite what it is to read"
    if layer.normalises and not layer.keeps_statistics:
        why = "it takes away the level and the size of each item, or each of its channels"
        return why, f'remove it, or divide "{read}" by one number for all records'
    if layer.draws_at_random:
        return "it draws at random what it hands on", "remove it"
    if layer.rearranges and len(layer.bottoms) == 1 and sizes[0] == sizes[1] > 0:
        why = f'it hands on the same values, so its items hold values of several items of "{read}"'
        return why, "keep the first axis as it is; to change the order of axes takes a Permute, not a Reshape"
    if layer.rearranges or sizes[1] < sizes[0] and layer.hands_on:
        return "what it leaves out is what tells them", "hand on that part"
    if layer.pools:
        return "it makes one of all values of its window, wherever they are", "take a smaller window"
    if len(layer.bottoms) > 1 and layer.runs_in_place:
        return f'it works in place, so it may overwrite "{read}" before it reads it', "give its top another name"
    if len(layer.bottoms) > 1:
        return f'what else it reads drowns "{read}", or takes it away', ""
    return "", f'let what comes after it read "{read}"'


def _maker(found: Lost) -> tuple[str]:
    return (found.read.producer.name if found.read.producer is not None else "",)
