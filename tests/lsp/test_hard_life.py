"""What happens to a server: cancelled requests, files that vanish, many open files, and being killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import NET, SOLVER, Editor
from lsp_process import LspProcess
from lsprotocol import types


@pytest.mark.asyncio
async def test_a_cancelled_request_ends_and_the_next_is_answered(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    params = types.HoverParams(**editor.place("net.prototxt", '"Convolution"', 3))
    protocol = editor.client.protocol
    asked = [
        asyncio.ensure_future(protocol.send_request_async(types.TEXT_DOCUMENT_HOVER, params, msg_id=f"hover {number}"))
        for number in range(20)
    ]
    await asyncio.sleep(0)
    for number in range(20):
        editor.client.cancel_request(types.CancelParams(f"hover {number}"))
    await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)  # each gets an answer or an error
    found = await editor.client.text_document_hover_async(params)
    assert found is not None
    assert await editor.change("net.prototxt", NET.replace('bottom: "fc1"', 'bottom: "nothing"'))


@pytest.mark.asyncio
async def test_a_net_that_vanishes_from_the_disk_and_comes_back(editor: Editor) -> None:
    net = editor.folder / "net.prototxt"
    net.write_text(NET)
    before = await editor.open("solver.prototxt", SOLVER)
    net.unlink()
    kind = types.FileChangeType
    for change, is_there in ((kind.Deleted, False), (kind.Created, True)):
        if is_there:
            net.write_text(NET)
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([types.FileEvent(net.as_uri(), change)])
        )
        found = await editor.diagnostics("solver.prototxt")
        assert ([one.code for one in found] == [one.code for one in before]) == is_there


@pytest.mark.asyncio
async def test_an_open_text_whose_file_vanishes_is_judged_on(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    await editor.open("solver.prototxt", SOLVER)
    (editor.folder / "net.prototxt").unlink()
    wrong = await editor.change("net.prototxt", NET.replace('bottom: "fc1"', 'bottom: "nothing"'))
    assert "unknown-bottom" in [one.code for one in wrong], wrong
    right = await editor.change("net.prototxt", NET)
    assert "unknown-bottom" not in [one.code for one in right]


@pytest.mark.asyncio
async def test_many_open_files(editor: Editor) -> None:
    names = [f"net{number}.prototxt" for number in range(50)]
    wrong = NET.replace('bottom: "fc1"', 'bottom: "nothing"')
    for number, name in enumerate(names):
        found = await editor.open(name, wrong if number % 2 else NET)
        assert ("unknown-bottom" in [one.code for one in found]) == number % 2
    found = await editor.change(names[0], wrong)
    assert "unknown-bottom" in [one.code for one in found]
    for name in names:
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.identifier(name)))
    left = {editor.uri(name) for name in names}
    while left:
        params = await editor.told()
        if not params.diagnostics:
            left.discard(params.uri)


def test_a_server_that_is_killed_leaves_nothing_and_starts_again(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (project / "net.prototxt").write_text(NET)
    before = _everything(tmp_path)
    first = _findings_until_killed(project, home)
    assert _everything(tmp_path) == before
    assert _findings_until_killed(project, home) == first
    assert _everything(tmp_path) == before


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _findings_until_killed(project: Path, home: Path) -> Any:
    """What a server says of the net before it is killed, while more is asked of it."""
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home)}
    with LspProcess([sys.executable, "-m", "caffelint", "lsp", "--isolated"], project, environment) as server:
        uri = (project / "net.prototxt").as_uri()
        server.open(uri, NET)
        said = server.wait_for("textDocument/publishDiagnostics")
        place = {"textDocument": {"uri": uri}, "position": {"line": 8, "character": 9}}
        server.send("textDocument/hover", place, server.number())
    return said
