"""What is kept of open texts."""

from __future__ import annotations

from pathlib import Path

from caffelint.lsp.documents import Documents


def test_the_lines_of_a_text_are_counted_once_until_it_changes(tmp_path: Path) -> None:
    """Each finding of a whole text asks for them."""
    documents = Documents(isolated=True)
    net = tmp_path / "net.prototxt"
    documents.put(net.as_uri(), 1, "layer { }\n")
    counted = documents.lines(str(net))
    assert documents.lines(str(net)) is counted
    documents.put(net.as_uri(), 2, "layer { }\nlayer { }\n")
    changed = documents.lines(str(net))
    assert changed is not None
    assert changed.data.count(b"\n") == 2
