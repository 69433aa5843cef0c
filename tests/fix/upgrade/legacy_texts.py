"""Random texts of older formats: a net in some order and layout, with comments where people put them, and elsewhere."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from typing import Any

from google.protobuf import text_format

from caffelint.caffe.old_formats import V0_FIELDS, V0_KEPT_FIELDS, V0_TRANSFORM_FIELDS


def written(net: Any, seed: int) -> str:
    """The net as a text; all its comments are different."""
    rng = random.Random(seed)
    lines = text_format.MessageToString(net).splitlines()
    lines = _in_any_order(lines, rng) if rng.random() < 0.5 else lines
    comments = rng.choice([0.0, 0.1, 0.5])
    joins = rng.choice([0.0, 0.0, 0.2, 0.8, 1.0])
    step = rng.choice(["  ", "  ", "    ", "\t"])
    out = ""
    for number, line in enumerate(lines):
        content = line.lstrip(" ")
        indent = step * ((len(line) - len(content)) // 2)
        if rng.random() < comments / 2:
            out += f"{indent}# above {number} é\n"
        if rng.random() < 0.1:
            out += "\n"
        if rng.random() < 0.1:
            content = re.sub(r" \{$", ": {", content)
        if rng.random() < 0.05 and not content.endswith("{"):
            content += rng.choice([";", ","])
        out += indent + content
        if rng.random() < comments:
            out += f"  # {number} \"'{{\n"
        else:
            out += " " if rng.random() < joins else "\n"
    if rng.random() < 0.3:
        out = out.rstrip("\n")
    return out.replace("\n", "\r\n") if rng.random() < 0.3 else out


def _in_any_order(lines: list[str], rng: random.Random) -> list[str]:
    """The fields of each block shuffled; those of one name stay in their order."""
    chunks: list[list[str]] = []
    depth = 0
    for line in lines:
        if depth == 0:
            chunks.append([])
        chunks[-1].append(line)
        depth += line.endswith("{") - (line.strip() == "}")
    by_name: dict[str, list[list[str]]] = defaultdict(list)
    for chunk in chunks:
        by_name[chunk[0].split()[0].rstrip(":")].append(chunk)
    names = [chunk[0].split()[0].rstrip(":") for chunk in chunks]
    rng.shuffle(names)
    found = []
    for name in names:
        chunk = by_name[name].pop(0)
        found += chunk if len(chunk) < 3 else [chunk[0], *_in_any_order(chunk[1:-1], rng), chunk[-1]]
    return found


def without_lost_fields(net: Any) -> Any:
    """The net without what Caffe drops of the oldest format, and an upgrade of the text therefore leaves alone."""
    if any(connection.HasField("layer") for connection in net.layers):
        for name in ("state", "input_shape"):
            net.ClearField(name)
    for connection in net.layers:
        layer = connection.layer
        for field, _ in layer.ListFields():
            known = field.name in ("type", *V0_KEPT_FIELDS, *V0_TRANSFORM_FIELDS)
            if not known and layer.type not in V0_FIELDS.get(field.name, ()) and layer.type != "padding":
                layer.ClearField(field.name)
    return net
