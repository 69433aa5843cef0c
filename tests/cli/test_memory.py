"""Where memory is short, a line says so."""

from __future__ import annotations

import pytest

from caffelint.cli.main import main
from caffelint.lint.report import own_failure


@pytest.mark.parametrize("while_worded", [False, True])
def test_it_is_a_line_and_not_a_defect(
    while_worded: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def short(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("caffelint.cli.group.cli.invoke", short)
    if while_worded:
        monkeypatch.setattr("caffelint.cli.errors.status_and_line", short)
    assert main(["rules"]) == 3
    assert capfd.readouterr().err == "caffelint: not enough memory\n"


def test_of_one_file_of_many() -> None:
    assert own_failure("net.prototxt", MemoryError()).message == "not enough memory"
