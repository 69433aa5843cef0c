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
        # A name that is an argument of a function or goes through a list is whatever it is given.
        ("PATH = 'data/train'\ndef show(PATH):\n    env = lmdb.open(PATH)", []),
        ("PATH = 'data/train'\nfor name, PATH in sets:\n    env = lmdb.open(PATH)", []),
        ("db = plyvel.DB(sys.argv[1])", []),
        ("db = plyvel.DB(os.path.join(root, 'db'))", []),
        (
            "B=leveldb\nconvert_imageset --resize_height=256 --backend=${B} \\\n  $ROOT/ train.txt data/train\n",
            [("LEVELDB", "data/train")],
        ),
        ("$TOOLS/convert_mnist_data.bin -backend lmdb a/images a/labels a/train_lmdb", [("LMDB", "a/train_lmdb")]),
        ("convert_imageset --backend=lmdb / train.txt data/train 2>&1 | tee log", [("LMDB", "data/train")]),
        ("convert_imageset --backend=lmdb / train.txt data/2", [("LMDB", "data/2")]),
        # Which one is the default hangs on the Caffe.
        ("convert_imageset / train.txt data/train", []),
        ("convert_imageset --backend=$1 / train.txt data/train", []),
        ("convert_imageset --backend=lmdb / train.txt $1", []),
        ("convert_imageset --backend=lmdb / train.txt data/$NAME", []),
    ],
)
def test_databases(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(made.kind, made.path) for made in databases(text)] == wanted


@pytest.mark.parametrize(
    ("text", "is_new"),
    [
        ("env = lmdb.open('db', map_size=1 << 40)", True),
        ("env = lmdb.open('db', map_size=int(1e9), readonly=True)", False),
        ("env = lmdb.open('db', readonly=True)", False),
        ("db = plyvel.DB('db', create_if_missing=True)", True),
        ("db = leveldb.LevelDB('db')\ndb.Put(key, value)", True),
        ("db = leveldb.LevelDB('db')\nprint(db.Get(key))", False),
        # Read, and written elsewhere.
        ("db = leveldb.LevelDB('db')\nenv = lmdb.open(out)\nenv.begin(write=True).put(key, value)", False),
        ("convert_imageset --backend=lmdb / train.txt db", True),
    ],
)
def test_which_are_made(text: str, is_new: bool) -> None:
    assert [made.is_new for made in databases(text)] == [is_new]
