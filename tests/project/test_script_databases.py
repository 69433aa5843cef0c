"""Which databases a script opens or makes, and where that is left open."""

from __future__ import annotations

import pytest

from caffelint.project.script_databases import databases


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("env = lmdb.open('data/train', map_size=1 << 40)", [("LMDB", "data/train")]),
        ("PATH = 'data/train'\nenv = lmdb.open(PATH)", [("LMDB", "data/train")]),
        ("db = leveldb.LevelDB('/tmp/db')", [("LEVELDB", "/tmp/db")]),
        ("db = plyvel.DB(sys.argv[1])", []),
        ("db = plyvel.DB(os.path.join(root, 'db'))", []),
        (
            "B=leveldb\nconvert_imageset --resize_height=256 --backend=${B} \\\n  $ROOT/ train.txt data/train\n",
            [("LEVELDB", "data/train")],
        ),
        ("$TOOLS/convert_mnist_data.bin -backend lmdb a/images a/labels a/train_lmdb", [("LMDB", "a/train_lmdb")]),
        # Which one is the default hangs on the Caffe.
        ("convert_imageset / train.txt data/train", []),
        ("convert_imageset --backend=$1 / train.txt data/train", []),
        ("convert_imageset --backend=lmdb / train.txt $1", []),
        ("convert_imageset --backend=lmdb / train.txt data/$NAME", []),
    ],
)
def test_databases(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(made.kind, made.path) for made in databases(text)] == wanted
