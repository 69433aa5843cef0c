"""A language server in a process of its own, spoken to byte by byte: what is measured or killed is an editor's."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

LONGEST = 600
"""Seconds that a server may live: who waits for what it never says is told then that it ended."""


class LspProcess:
    """A server that has begun a session in a folder; killed in the end."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        self._alarm = Timer(LONGEST, self.process.kill)
        self._alarm.start()
        self._asked = 0
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.send("initialized", {})

    def __enter__(self) -> LspProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was not written before it ended
                assert stream is not None
                stream.close()

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "prototxt", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def ask(self, method: str, params: object) -> Any:
        """The answer; what else is said before it is forgotten."""
        number = self.number()
        self.send(method, params, number)
        while (said := self._receive()).get("id") != number or "method" in said:
            pass
        return said.get("result")

    def wait_for(self, method: str) -> Any:
        """The parameters of the next such notification."""
        while (said := self._receive()).get("method") != method:
            pass
        return said["params"]

    def number(self) -> int:
        """That of a new request."""
        self._asked += 1
        return self._asked

    def send(self, method: str, params: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        data = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _receive(self) -> Any:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server ended"
        return json.loads(self.process.stdout.read(length))

    def cpu_seconds(self) -> float:
        """Processor time that its threads have used so far."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def memory(self) -> float:
        """Resident memory in MB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
