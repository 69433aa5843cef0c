"""A field that stopped Caffe, by what protobuf says of it: its name alone is in the log, as the text was never read."""

from __future__ import annotations

import re
from typing import NamedTuple

from caffelint.evidence.log.values import Ended
from caffelint.schema import messages
from caffelint.schema.provenance import provenance
from caffelint.schema.spelling import suggest
from caffelint.schema.tables import message_type

_NO_FIELD = re.compile(r'Message type "caffe\.(\w{1,100})" has no field named "(\w{1,100})"')


class UnknownField(NamedTuple):
    """meant: the field that it was surely meant to be, "" where none is near. forks: those whose message has it."""

    name: str
    meant: str
    forks: tuple[str, ...]


def unknown_field(ended: Ended) -> UnknownField | None:
    """None where protobuf stopped at something else."""
    found = _NO_FIELD.search(ended.message)
    message = getattr(messages, found[1], None) if found else None
    if found is None or message is None:
        return None
    facts = provenance().field(found[1], found[2])
    if facts is not None:
        return UnknownField(found[2], "", tuple(facts.forks))
    of_bvlc = [name for name, one in message_type(message.DESCRIPTOR).fields.items() if not one.fork_only]
    return UnknownField(found[2], suggest(found[2], of_bvlc) or "", ())
