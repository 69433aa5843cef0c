"""`caffelint lsp`: a session of an editor, message by message, with texts and positions of any kind.

Each request is answered, no failure of caffelint's own is in the log, and the last diagnostics of each open text are
those that a server gives that has seen nothing before.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import zlib
from pathlib import Path
from typing import Any

from caffelint.lsp.server import Server, server

SEEDS = "prototxt"
INVALID_PARAMS = -32602
AT_POSITIONS = [
    "hover",
    "completion",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "prepareCallHierarchy",
]
OF_TEXTS = ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens", "documentLink"]
FAR = (0, 1, 70, 2**31 - 1)
NAMES = ("other", "", '"', "\n", "\ud800", "data", "\u202e\U0001f600")
NET = "net.prototxt"
SOLVER = "solver.prototxt"
SOLVER_TEXT = f'net: "{NET}" base_lr: 0.01 lr_policy: "fixed" max_iter: 10 # caffelint: ignore[poly-without-max-iter]'


class Session:
    """Speaks with a server as the stream does, in the same process; keeps what it says."""

    def __init__(self) -> None:
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # it logs each request that is refused
        self.server: Server = server(isolated=True)
        self.server.protocol.set_writer(self)
        self.asked: set[int] = set()
        self.answers: dict[int, dict[str, Any]] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, dict[str, Any]] = {}

    def write(self, data: bytes) -> None:
        said = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in said:
            error = said.get("error")
            assert error is None or error["code"] == INVALID_PARAMS, error
            self.answers[said["id"]] = said
        elif said["method"] == "textDocument/publishDiagnostics":
            self.published[said["params"]["uri"]] = said["params"]
        elif said["method"] in ("window/logMessage", "window/showMessage"):
            assert "please report it" not in said["params"]["message"], said["params"]["message"]

    def close(self) -> None:
        """It is only written to."""

    def send(self, method: str, params: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        protocol = self.server.protocol
        protocol.handle_message(json.loads(json.dumps(message), object_hook=protocol.structure_message))

    def ask(self, method: str, params: object) -> Any:
        number = len(self.asked) + 1
        self.asked.add(number)
        self.send(method, params, number)
        assert number in self.answers, f"{method} is not answered"
        return self.answers[number].get("result")

    def put(self, name: str, text: str) -> None:
        """Open a text, or change it."""
        uri = uri_of(name)
        version = self.versions[uri] = self.versions.get(uri, 0) + 1
        if version == 1:
            document = {"uri": uri, "languageId": "prototxt", "version": version, "text": text}
            self.send("textDocument/didOpen", {"textDocument": document})
        else:
            document = {"uri": uri, "version": version}
            self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def leave(self, name: str) -> None:
        if self.versions.pop(uri_of(name), None):
            self.send("textDocument/didClose", {"textDocument": {"uri": uri_of(name)}})

    async def begin(self, capabilities: object = None) -> None:
        root = Path.cwd().as_uri()
        self.ask("initialize", {"processId": None, "rootUri": root, "capabilities": capabilities or {}})
        self.send("initialized", {})

    async def judged(self) -> dict[str, Any]:
        """What is published of the open texts once all is checked."""
        self.send("textDocument/didSave", {"textDocument": {"uri": uri_of(NET)}})
        for _ in range(3):
            await asyncio.sleep(0)
        assert all(self.published[uri]["version"] == version for uri, version in self.versions.items())
        return {uri: self.published[uri]["diagnostics"] for uri in self.versions}


def uri_of(name: str) -> str:
    return (Path.cwd() / name).as_uri()


def run(data: bytes) -> None:
    asyncio.run(_run(data))


async def _run(data: bytes) -> None:
    chance = random.Random(zlib.crc32(data))
    text = data.decode("utf-8", "surrogateescape" if chance.random() < 0.1 else "replace")
    session = Session()
    await session.begin(
        {
            "general": {"positionEncodings": [chance.choice(("utf-8", "utf-16", "utf-32"))]},
            "workspace": {"workspaceEdit": {"documentChanges": chance.random() < 0.5}},
        }
    )
    texts = {NET: text, SOLVER: SOLVER_TEXT}
    for name in chance.sample(list(texts), 2):
        session.put(name, texts[name])
    for _ in range(8):
        name = chance.choice((NET, NET, SOLVER))
        step = chance.random()
        if step < 0.2:
            at = chance.randrange(len(text) + 1)
            texts[name] = chance.choice((text, text[:at], text[:at] + text[at + 1 :], SOLVER_TEXT))
            session.put(name, texts[name])
        elif step < 0.25:
            session.leave(name)
        else:
            _question(session, chance, name, texts[name])
    for name in (NET, SOLVER):
        session.put(name, texts[name])
    found = await session.judged()
    fresh = Session()
    await fresh.begin({"general": {"positionEncodings": [session.server.workspace.position_encoding]}})
    for name in (NET, SOLVER):
        fresh.put(name, texts[name])
    assert await fresh.judged() == found


def _question(session: Session, chance: random.Random, name: str, text: str) -> None:
    document = {"uri": uri_of(name)}
    before = text[: chance.randrange(len(text) + 1)]
    near = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    at = near if chance.random() < 0.7 else {"line": chance.choice(FAR), "character": chance.choice(FAR)}
    place = {"textDocument": document, "position": at, "context": {"includeDeclaration": True, "triggerKind": 1}}
    range_ = {"start": chance.choice((at, {"line": 0, "character": 0})), "end": at}
    if chance.random() < 0.4:
        method = chance.choice(AT_POSITIONS)
        answer = session.ask(f"textDocument/{method}", place)
        for item in (answer or ()) if method == "prepareCallHierarchy" else ():
            session.ask("callHierarchy/incomingCalls", {"item": item})
            session.ask("callHierarchy/outgoingCalls", {"item": item})
    elif chance.random() < 0.3:
        session.ask(f"textDocument/{chance.choice(OF_TEXTS)}", {"textDocument": document})
    elif chance.random() < 0.3:
        session.ask("textDocument/rename", {**place, "newName": chance.choice(NAMES)})
    elif chance.random() < 0.3:
        session.ask("textDocument/selectionRange", {"textDocument": document, "positions": [at, near]})
    elif chance.random() < 0.4:
        session.ask("textDocument/inlayHint", {"textDocument": document, "range": range_})
        steps = chance.choice((0, 1, -1, 10**30))
        session.ask(
            "workspace/executeCommand", {"command": "caffelint.nextState", "arguments": [document["uri"], steps]}
        )
    else:
        asked = {"textDocument": document, "range": range_, "context": {"diagnostics": []}}
        for action in (session.ask("textDocument/codeAction", asked) or ())[-3:]:
            session.ask("codeAction/resolve", action)
