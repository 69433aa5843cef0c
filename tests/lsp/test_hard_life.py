"""What happens to a server: cancelled requests, files that vanish, many open files, and being killed."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path

import pytest
from lsp_editor import Editor
from lsp_process import LspProcess
from lsprotocol import types
from seeds import SEED, draws
from small_project import NET, SOLVER


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
    names = [f"net{number}.prototxt" for number in range(draws(50, 4))]
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


@pytest.mark.parametrize("number", range(draws(2, 20)))
def test_a_server_that_is_killed_leaves_nothing_and_starts_again(tmp_path: Path, number: int) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (project / "net.prototxt").write_text(NET)
    before = _everything(tmp_path)
    _kill(project, home, random.Random(SEED + 1700 + number))
    assert _everything(tmp_path) == before
    with _begun(project, home) as server:
        uri = (project / "net.prototxt").as_uri()
        server.open(uri, NET.replace('bottom: "fc1"', 'bottom: "nothing"'))
        found = server.wait_for("textDocument/publishDiagnostics")["diagnostics"]
    assert "unknown-bottom" in [one["code"] for one in found]
    assert _everything(tmp_path) == before


def test_a_server_whose_editor_is_gone_ends(tmp_path: Path) -> None:
    with _begun(tmp_path, tmp_path) as server:
        server.open((tmp_path / "net.prototxt").as_uri(), NET)
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(60) == 0


def test_two_editors_of_one_project(tmp_path: Path) -> None:
    """What one has not saved is nothing to the other; what it has saved counts where the file is not open."""
    net = tmp_path / "net.prototxt"
    net.write_text(NET)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    solver = (tmp_path / "solver.prototxt").as_uri()
    wrong = NET.replace('name: "loss" type: "SoftmaxWithLoss"', 'name: "loss" type: "Softmax"')
    wrong = wrong.replace('bottom: "fc1" bottom: "label"', 'bottom: "fc1"')

    def codes(server: LspProcess, uri: str, version: int | None) -> list[str]:
        while (said := server.wait_for("textDocument/publishDiagnostics")) and said["uri"] != uri:
            pass
        assert said.get("version") == version
        return [one["code"] for one in said["diagnostics"]]

    with _begun(tmp_path, tmp_path) as one, _begun(tmp_path, tmp_path) as other:
        one.open(net.as_uri(), wrong)
        assert "no-loss" in codes(one, net.as_uri(), 1)
        other.open(solver, SOLVER)
        sound = codes(other, solver, 1)
        other.change(solver, 2, SOLVER + "# unlike what is on the disk\n")
        assert codes(other, solver, 2) == sound
        net.write_text(wrong)
        other.send("workspace/didChangeWatchedFiles", {"changes": [{"uri": net.as_uri(), "type": 2}]})
        while "no-loss" not in codes(other, net.as_uri(), None):
            pass
        one.change(net.as_uri(), 2, NET)
        assert "no-loss" not in codes(one, net.as_uri(), 2)
    assert net.read_text() == wrong


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _begun(project: Path, home: Path) -> LspProcess:
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home)}
    return LspProcess([sys.executable, "-m", "caffelint", "lsp", "--isolated"], project, environment)


def _kill(project: Path, home: Path, chance: random.Random) -> None:
    """End a server in the middle of its work."""
    with _begun(project, home) as server:
        uri = (project / "net.prototxt").as_uri()
        server.open(uri, NET)
        place = {"textDocument": {"uri": uri}, "position": {"line": 8, "character": 9}}
        for number in range(chance.randrange(6)):
            server.change(uri, number + 2, NET[: chance.randrange(len(NET))])
            server.send("textDocument/hover", place, server.number())
        if chance.random() < 0.5:
            server.wait_for("textDocument/publishDiagnostics")
        time.sleep(chance.random() * 0.4)
