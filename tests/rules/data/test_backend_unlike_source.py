"""What scripts of the project make at the path of a net counts more than the name of the path."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9\n'
NET = 'layer { name: "data" type: "Data" top: "data" data_param { source: "%s" backend: %s batch_size: 8 } }\n'
OPENS = "import caffe, plyvel\ndb = plyvel.DB('%s', create_if_missing=True)\n"
MAKES = "caffe/build/tools/convert_imageset.bin --shuffle --backend=lmdb / list.txt data/a_leveldb\n"


def _messages(tmp_path: Path, net: str, scripts: dict[str, str]) -> list[str]:
    (tmp_path / ".git").mkdir()
    for name, text in {"solver.prototxt": SOLVER, "net.prototxt": net, **scripts}.items():
        (tmp_path / name).write_text(text)
    findings = caffelint.check([tmp_path]).findings
    return [one.message for one in findings if one.name == "backend-unlike-source"]


@pytest.mark.parametrize("path", ["/tmp/db", "/tmp//db/"])
def test_a_script_makes_the_database_as_the_other_kind(tmp_path: Path, path: str) -> None:
    (message,) = _messages(tmp_path, NET % ("/tmp/db", "LMDB"), {"make.py": OPENS % path})
    assert message.endswith('make.py" makes "/tmp/db" as a LEVELDB, but backend is LMDB; set backend: LEVELDB')


def test_a_script_knows_better_than_the_name(tmp_path: Path) -> None:
    assert _messages(tmp_path, NET % ("data/a_leveldb", "LMDB"), {"make.sh": MAKES}) == []


@pytest.mark.parametrize(
    ("source", "scripts"),
    [
        ("/tmp/other", {"make.py": OPENS % "/tmp/db"}),
        # Only read, before it is made anew.
        (
            "/tmp/db",
            {"turn.py": "import caffe, leveldb, lmdb\ndb = leveldb.LevelDB('/tmp/db')\nlmdb.open(out).put(1, 2)\n"},
        ),
        # In whatever folder.
        ("db", {"make.py": OPENS % "db"}),
        ("/tmp/db", {"make.py": OPENS % "/tmp/db", "other.py": "import caffe\nlmdb.open('/tmp/db')\n"}),
    ],
)
def test_what_is_left_open(tmp_path: Path, source: str, scripts: dict[str, str]) -> None:
    assert _messages(tmp_path, NET % (source, "LMDB"), scripts) == []
