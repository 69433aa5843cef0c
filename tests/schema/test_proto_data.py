"""Files that a real Caffe wrote (`data/write_with_caffe.py`) say the same to the merged classes as to Caffe."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import text_format

from caffelint.schema import message_class

DATA = Path(__file__).parent / "data"
FILES = {
    "tiny.caffemodel": "NetParameter",
    "tiny.solverstate": "SolverState",
    "mean.binaryproto": "BlobProto",
    "pixels.datum": "Datum",
    "floats.datum": "Datum",
}


@pytest.mark.parametrize(("name", "message"), FILES.items())
def test_decodes_as_caffe_does(name: str, message: str) -> None:
    written = (DATA / name).read_bytes()
    decoded = message_class(message).FromString(written)
    assert decoded == text_format.Parse((DATA / f"{name}.txt").read_text(), message_class(message)())
    assert decoded.SerializeToString() == written


def test_the_model_holds_what_was_trained() -> None:
    net = message_class("NetParameter").FromString((DATA / "tiny.caffemodel").read_bytes())
    convolution = next(layer for layer in net.layer if layer.name == "conv")
    assert list(convolution.blobs[0].shape.dim) == [4, 3, 3, 3]
    assert len(convolution.blobs[0].data) == 108
    assert any(convolution.blobs[0].data)
