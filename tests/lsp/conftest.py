"""A server that runs as an editor runs it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsp_editor import Editor
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "caffelint", "lsp", "--isolated"]))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    params = types.InitializeParams(capabilities=client_capabilities("visual-studio-code"), root_uri=tmp_path.as_uri())

    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(params: None) -> None:
        """An editor asks again; a test does when it likes."""

    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Editor:
    return Editor(client, tmp_path)
