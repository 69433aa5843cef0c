"""The server obeys no settings of a stranger's checkout that run something, and writes and starts nothing itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from caffelint.lsp.actions import code_actions, resolve
from caffelint.lsp.documents import Documents

EVIL = "import pathlib\npathlib.Path(__file__).with_name('ran').write_text('x')\n"


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_stranger_s_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "evil.py").write_text(EVIL)
    (tmp_path / "caffelint.toml").write_text('plugins = ["evil.py"]\ncaffe-python = "./evil.py"\nread-data = true\n')
    net = 'layer { name: "p" type: "Python" top: "x" python_param { module: "evil" layer: "L" } }\n'
    net += 'layer { name: "r" type: "ReLU" bottom: "X" top: "y" }\n'
    (tmp_path / "net.prototxt").write_text(net)
    before = _everything(tmp_path)

    def starts(*arguments: object, **named: object) -> None:
        raise AssertionError(f"something is started: {arguments}")

    for name in ("os.system", "os.execv", "os.posix_spawn", "subprocess.Popen.__init__"):
        monkeypatch.setattr(name, starts)
    documents = Documents()
    uri = (tmp_path / "net.prototxt").as_uri()
    path = documents.put(uri, 1, net)
    documents.check(path)
    assert any("plugins is not honoured" in line for line in documents.complaints)
    view = documents.view(uri)
    assert view is not None
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    document = types.TextDocumentIdentifier(uri)
    for action in code_actions(documents, view, types.CodeActionParams(document, whole, types.CodeActionContext([]))):
        resolve(documents, action)
    assert _everything(tmp_path) == before
