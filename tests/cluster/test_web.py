"""Files of the web come from servers that may do anything: each ends, and is told in one line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec.config
import pytest

from caffelint.cluster import check as clustered
from caffelint.cluster import streams
from caffelint.lint.config import Config
from caffelint.lint.read import ReadError

NET = b'layer { name: "a" type: "ReLU" kernel: 3 }\n'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, data: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


class Whole(Handler):
    def do_GET(self) -> None:
        self.answer(NET)

    def do_HEAD(self) -> None:
        self.do_GET()


class Drips(Handler):
    """Offers ranges of a large file, and gives one byte of each."""

    def do_GET(self) -> None:
        at = self.headers.get("Range", "bytes=0-").partition("=")[2].partition("-")[0]
        self.answer(b"#", 206, Content_Range=f"bytes {at}-{at}/99999999")

    def do_HEAD(self) -> None:
        self.answer(b"", Content_Length="99999999", Accept_Ranges="bytes")


class Silent(Handler):
    """Takes what it is asked, and says nothing."""

    ended = threading.Event()

    def do_GET(self) -> None:
        self.ended.wait(60)

    def do_HEAD(self) -> None:
        self.do_GET()


@contextmanager
def served(handler: type[Handler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/net.prototxt"
        finally:
            Silent.ended.set()
            server.shutdown()


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fsspec.get_filesystem_class("http").clear_instance_cache()
    monkeypatch.setattr(fsspec.config, "conf", {})
    monkeypatch.chdir(tmp_path)


def reasons(handler: type[Handler]) -> list[str]:
    with served(handler) as url:
        return [failure.message for failure in clustered.check([url], Config()).failures]


def test_a_file_is_read() -> None:
    with served(Whole) as url:
        assert [finding.name for finding in clustered.check([url], Config()).findings]
    assert reasons(Whole) == []


def test_a_byte_for_each_request_is_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_MOST_PIECES", 20)
    assert reasons(Drips) == ["cannot be read: comes in pieces that are too small"]


def test_a_silent_server_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SECONDS", 1)
    (reason,) = reasons(Silent)
    assert reason.startswith("cannot be read: ")
    assert len(reason) > len("cannot be read: ")


def test_what_the_user_set_for_the_web_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsspec.config, "conf", {"http": {"client_kwargs": {"trust_env": True}}})
    assert reasons(Whole) == []
    assert fsspec.config.conf["http"] == {"client_kwargs": {"trust_env": True}}


class Stream:
    def __init__(self, size: int) -> None:
        self.size, self.reads = size, 0

    def read(self, size: int) -> bytes:
        self.reads += 1
        return b"x" * min(self.size, size)


def test_pieces_end() -> None:
    """After a thousand that are small, and at the size that is asked for."""
    drips, flows = Stream(1), Stream(4096)
    with pytest.raises(ReadError, match="too small"):
        list(streams.pieces(drips, 1 << 30))
    assert drips.reads == 1001
    assert sum(map(len, streams.pieces(flows, 8 << 20))) == (8 << 20) + 1
