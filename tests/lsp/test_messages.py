"""What is no message is answered as JSON-RPC has it, in one line, and the server goes on or ends with a line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

URI = "file:///net.prototxt"
COMMAND = [sys.executable, "-m", "caffelint", "lsp", "--isolated"]


def _framed(said: object) -> bytes:
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _request(number: object, method: object, params: object) -> bytes:
    return _framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


BEGIN = _request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}


def _answers(out: bytes) -> list[dict[str, Any]]:
    found = []
    while out:
        head, _, out = out.partition(b"\r\n\r\n")
        length = int(head.split(b":")[1].split()[0])
        found.append(json.loads(out[:length]))
        out = out[length:]
    return found


def _said_to(folder: Path, data: bytes) -> tuple[int, list[dict[str, Any]], list[str]]:
    """The exit status, the answers, and the lines of the log."""
    ran = subprocess.run(COMMAND, input=BEGIN + data, capture_output=True, cwd=folder, timeout=120, check=False)
    return ran.returncode, _answers(ran.stdout), ran.stderr.decode().splitlines()


# The codes are those of the specification of JSON-RPC 2.0, section 5.1, and None is an id that it asks to be null.
@pytest.mark.parametrize(
    ("body", "code", "number"),
    [
        (b"{bad", -32700, None),
        (b'{"a": "\xff"}', -32700, None),
        (b"[" * 200_000, -32700, None),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b"}", -32700, None),
        (b"", -32700, None),
        (b"null", -32600, None),
        (b"[1, 2]", -32600, None),
        (b'{"jsonrpc": "1.0", "id": 4, "method": "shutdown"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {}, "result": 1}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": [4], "method": "shutdown"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 4, "method": 7}', -32600, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "no/such\\u001b[31m", "params": {}}', -32601, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "textDocument/hover"}', -32602, 4),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "textDocument/hover", "params": [1]}', -32602, 4),
    ],
    ids=lambda value: value[:70].decode(errors="replace") if isinstance(value, bytes) else None,
)
def test_what_is_no_message_is_answered_and_the_next_too(
    tmp_path: Path, body: bytes, code: int, number: int | None
) -> None:
    status, answers, lines = _said_to(tmp_path, _framed(body) + _request(5, "textDocument/hover", HOVER))
    assert status == 0
    assert [answer["id"] for answer in answers] == [1, number, 5]
    assert answers[1]["error"]["code"] == code
    assert len(lines) == 1, lines
    assert lines[0].isprintable()


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "method": "no/such", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 99, "result": 1}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": {}}}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": [1]}}',
    ],
)
def test_what_asks_nothing_gets_a_line_in_the_log_and_no_answer(tmp_path: Path, body: bytes) -> None:
    status, answers, lines = _said_to(tmp_path, _framed(body) + _request(5, "textDocument/hover", HOVER))
    assert (status, [answer["id"] for answer in answers], len(lines)) == (0, [1, 5], 1), lines


def test_half_a_character_is_read_as_another_one(tmp_path: Path) -> None:
    document = {"uri": "file:///a\ud800.prototxt", "languageId": "prototxt", "version": 1, "text": "layer {} # \udfff"}
    opened = _framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    hover = _request(5, "textDocument/hover", HOVER | {"textDocument": {"uri": document["uri"]}})
    status, answers, lines = _said_to(tmp_path, opened + hover)
    assert (status, lines) == (0, [])
    assert [answer["id"] for answer in answers if "id" in answer] == [1, 5]
    assert not [answer for answer in answers if "failed" in str(answer)]


def test_what_is_no_uri_is_answered(tmp_path: Path) -> None:
    document = {"uri": "file://[::1/a.prototxt", "languageId": "prototxt", "version": 1, "text": "layer {}"}
    opened = _framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    hover = _request(5, "textDocument/hover", HOVER | {"textDocument": {"uri": document["uri"]}})
    status, answers, lines = _said_to(tmp_path, opened + hover)
    assert (status, lines) == (0, [])
    assert [answer["id"] for answer in answers if "id" in answer] == [1, 5]
    assert not [answer for answer in answers if "please report" in str(answer)]


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 100000000000000\r\n\r\n{}",
        b"Content-Length: " + b"9" * 6000 + b"\r\n\r\n{}",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 500\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"hello\n\n",
        b"\x1b]0;title\x07: \xff" * 1000,
    ],
    ids=lambda data: repr(data[:30]),
)
def test_a_server_that_cannot_know_where_the_next_message_begins_ends_with_a_line(tmp_path: Path, data: bytes) -> None:
    status, answers, lines = _said_to(tmp_path, data)
    assert status == 2
    assert (answers[-1]["id"], answers[-1]["error"]["code"]) == (None, -32700)
    assert len(lines) == 1, lines
    assert lines[0].startswith("caffelint: ")
    assert lines[0].isprintable()


def test_headers_are_read_as_those_of_http(tmp_path: Path) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "shutdown"}).encode()
    data = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n" % len(body) + body
    status, answers, lines = _said_to(tmp_path, data + _framed({"jsonrpc": "2.0", "method": "exit"}))
    assert (status, answers[-1], lines) == (0, {"jsonrpc": "2.0", "id": 5, "result": None}, [])


def test_exit_without_shutdown_is_1_even_while_a_text_waits_for_its_check(tmp_path: Path) -> None:
    document = {"uri": URI, "languageId": "prototxt", "version": 1, "text": "layer {}"}
    opened = _framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    status, _, lines = _said_to(tmp_path, opened + _framed({"jsonrpc": "2.0", "method": "exit", "params": None}))
    assert (status, lines) == (1, [])


def test_a_server_that_is_interrupted_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(BEGIN)
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(60) == 130
            assert server.stderr.read() == b""
        finally:
            server.kill()


def test_stdin_that_is_closed(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *COMMAND], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
    assert "stdin" in ran.stderr
