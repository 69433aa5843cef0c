"""A reason for which Caffe does not take a net."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """Caffe ends its process here; raised by layer classes, collected by `build` and `upgrade_net`.

    message: what is wrong, in our words.
    caffe: the key phrase of Caffe's own message ("" where it dies without one).
    source: file and function of Caffe that refuses, "net.cpp AppendTop".
    field: path of the field to blame inside the layer, "convolution_param.kernel_size", "bottom[1]", or None.
    layer, index: name and place in the net of the layer, filled in by the collector; None where no layer is to blame.
    at: the message (of the text's own generation) to point at, where `index` cannot tell.
    follows: the refusal was met past another one, so that a fix of that one may change it.
    """

    def __init__(self, message: str, caffe: str, source: str = "", field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.caffe = caffe
        self.source = source
        self.field = field
        self.layer: str | None = None
        self.index: int | None = None
        self.at: Any = None
        self.follows = False

    def __repr__(self) -> str:
        return f"Refusal({self.message!r}, layer={self.layer!r}, field={self.field!r}, caffe={self.caffe!r})"
