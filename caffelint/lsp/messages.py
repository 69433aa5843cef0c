"""What the editor sends: messages cut from a stream, and an answer to what is none.

The loop of pygls logs a traceback for each message that it cannot read, then leaves requests without an answer, reads
as many bytes as a header asks for, and cannot be interrupted while it waits.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable
from threading import Thread
from typing import Any, BinaryIO, NamedTuple

from cattrs import transform_error
from lsprotocol.types import CANCEL_REQUEST, ErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from caffelint.text.visible import visible

LONGEST = 1 << 28
"""Bytes of a message: as much as `check` reads of stdin."""

_LONGEST_HEADER = 1 << 12
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""Where a message may hold half of a character, which no file name and no text in UTF-8 can."""
_SHOWN = 60


class UnreadableError(Exception):
    """Where the next message begins cannot be known; the text says why."""


class _Refused(NamedTuple):
    """Why a message has no answer; `request` is its id where that is known."""

    code: ErrorCodes
    reason: str
    request: int | str | None = None


def serve(server: LanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer an editor until it says that it exits, or is gone; the exit status. Raises UnreadableError."""
    log = logging.StreamHandler()
    log.setFormatter(_OneLine())
    log.addFilter(lambda record: not record.getMessage().startswith("Unable to deserialize"))  # said when refused
    logging.getLogger("pygls").addHandler(log)
    server.protocol.set_writer(StdoutWriter(stdout))
    return asyncio.run(_serve(server, stdin))


async def _serve(server: LanguageServer, stdin: BinaryIO) -> int:
    loop = asyncio.get_running_loop()
    came: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()

    def put(body: bytes | Exception | None) -> None:
        loop.call_soon_threadsafe(came.put_nowait, body)

    # A thread that ends with the process: one of a pool that waits for the editor would make Ctrl+C wait, too.
    Thread(target=_read_all, args=(stdin, put), daemon=True).start()
    while (body := await came.get()) is not None:
        if isinstance(body, Exception):
            _send(server, _Refused(ErrorCodes.ParseError, str(body)))
            raise body
        try:
            refused = _handle(server, body)
        except SystemExit as end:  # how pygls exits
            return int(end.code or 0)
        if refused:
            logging.getLogger("pygls").error("%s", refused.reason)
            if refused.request is not None or refused.code is not ErrorCodes.InvalidParams:
                _send(server, refused)
        await asyncio.sleep(0)  # for what is due meanwhile
    return 0


def _read_all(stdin: BinaryIO, put: Callable[[bytes | Exception | None], None]) -> None:
    try:
        while (body := read_message(stdin)) is not None:
            put(body)
        put(None)
    except (UnreadableError, OSError) as error:
        put(error)


def read_message(stdin: BinaryIO) -> bytes | None:
    """The next message without its headers; None at the end. Raises UnreadableError, OSError."""
    length = None
    while line := stdin.readline(_LONGEST_HEADER):
        name, colon, value = line.strip().partition(b":")
        if name.lower() == b"content-length":
            length = _length(value.strip())
        elif not name and not colon:
            if length is None:
                raise UnreadableError("a message has no header Content-Length")
            body = stdin.read(length)
            if len(body) < length:
                raise UnreadableError(f"the input ends after {len(body)} of the {length} bytes of a message")
            return body
        elif not colon or not line.endswith(b"\n"):
            raise UnreadableError(f"{_shown(line)} is not a header of a message")
    return None


def _length(value: bytes) -> int:
    length = int(value) if value.isdigit() and len(value) <= len(str(LONGEST)) else LONGEST + 1
    if length > LONGEST:
        raise UnreadableError(f"Content-Length is {_shown(value)}; it can be 0 to {LONGEST}")
    return length


def _shown(value: bytes) -> str:
    text = value[:_SHOWN].decode(errors="backslashreplace").strip()
    return json.dumps(text + ("..." if len(value) > _SHOWN else ""))


def _handle(server: LanguageServer, body: bytes) -> _Refused | None:
    """Do what a message asks, or say what is wrong with it."""
    try:
        said = json.loads(body)
        if _HALF.search(body):  # as many units of UTF-16 as before, so positions stay right
            said = json.loads(json.dumps(said, ensure_ascii=False).encode(errors="replace"))
    except RecursionError:
        return _Refused(ErrorCodes.ParseError, "a message is nested too deeply")
    except ValueError as error:
        return _Refused(ErrorCodes.ParseError, f"a message is not JSON: {error}")
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return _Refused(ErrorCodes.InvalidRequest, 'a message is not an object with jsonrpc: "2.0"')
    request, method = said.get("id"), said.get("method", "")
    if not isinstance(request, int | str | None):
        return _Refused(ErrorCodes.InvalidRequest, "the id of a message is neither an integer nor a string")
    if not isinstance(method, str):
        return _Refused(ErrorCodes.InvalidRequest, "the method of a message is not a string", request)
    try:
        message: Any = server.protocol.structure_message(said)
    except JsonRpcException as error:
        why = transform_error(error.__cause__)[0] if error.__cause__ else str(error)
        what = f"the parameters of {method}" if method else "an answer"
        return _Refused(ErrorCodes.InvalidParams, f"{what} cannot be read: {why}", request)
    if method == CANCEL_REQUEST and not isinstance(message.params.id, int | str):
        return _Refused(ErrorCodes.InvalidParams, "the id to be cancelled is neither an integer nor a string")
    server.protocol.handle_message(message)
    return None


def _send(server: LanguageServer, refused: _Refused) -> None:
    error = {"code": refused.code.value, "message": refused.reason}
    server.protocol._send_data({"jsonrpc": "2.0", "id": refused.request, "error": error})


class _OneLine(logging.Formatter):
    """What pygls logs, without its tracebacks: a line each, for the editor's log of the server."""

    def format(self, record: logging.LogRecord) -> str:
        why = f": {record.exc_info[1]}" if record.exc_info and record.exc_info[1] else ""
        return visible(" ".join(f"caffelint: {record.getMessage().partition(chr(10))[0]}{why}".split()))
