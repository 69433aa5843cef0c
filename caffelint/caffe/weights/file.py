"""Opens files of weights: binary ones as a memory map, so that only what is looked at is read."""

from __future__ import annotations

import mmap
import os
import stat

from caffelint.caffe.weights.binary import read_net, read_state
from caffelint.caffe.weights.stored import State, Unreadable, Weights
from caffelint.caffe.weights.wire import BYTES, Buffer, Damaged, parts
from caffelint.text.special import is_special, stream_of

MOST_OF_PROTOBUF = 2**31 - 1
"""Bytes; of a larger file Caffe parses nothing (io.cpp kProtoReadBytesLimit)."""
_HDF5 = b"\x89HDF\r\n\x1a\n"
_LARGEST_USER_BLOCK = 1 << 20
_BEGINNINGS = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the weights; fetch them with git lfs pull"),
    (b"version https://git-annex", "is a git-annex pointer, not the weights"),
    (b"\x1f\x8b", "is packed with gzip; unpack it"),
    (b"PK\x03\x04", "is a zip archive; unpack it, or, if it is a PyTorch model, convert it"),
    (b"BZh", "is packed with bzip2; unpack it"),
    (b"\xfd7zXZ", "is packed with xz; unpack it"),
    (b"\x80\x02", "is a Python pickle, not a caffemodel"),
    (b"<!DOCTYPE", "is a web page, not weights: the download failed"),
    (b"<!doctype", "is a web page, not weights: the download failed"),
    (b"<html", "is a web page, not weights: the download failed"),
)
_TEXT = 512
_NOT_A_STATE = "is a .caffemodel, not a solver state; start from it with --weights, or give the .solverstate"


def read_weights(path: str) -> Weights:
    """A .caffemodel. Raises `Unreadable`."""
    data = _mapped(path)
    if is_hdf5(data):
        from caffelint.caffe.weights.hdf5 import read_net as read_hdf5

        return read_hdf5(path, len(data))
    try:
        weights = read_net(data, path)
    except Unreadable as error:
        raise Unreadable(_what(data) or str(error)) from None
    if not weights.layers:
        weights.seems = _what(data) or ("is a solver state, to be given as --snapshot" if _is_state(data, path) else "")
    return weights


def read_solver_state(path: str) -> State:
    """A .solverstate. Raises `Unreadable`."""
    data = _mapped(path)
    if is_hdf5(data):
        from caffelint.caffe.weights.hdf5 import read_state as read_hdf5

        return read_hdf5(path, len(data))
    if _is_net(data):
        raise Unreadable(_NOT_A_STATE)
    try:
        return read_state(data, path)
    except Unreadable as error:
        raise Unreadable(_what(data) or str(error)) from None


def _is_net(data: Buffer) -> bool:
    """By fields that a solver state has not, or as another kind: its first is a number."""
    try:
        return any(part.kind == BYTES and part.number in (1, 100) for part in parts(data, 0, len(data), outermost=True))
    except Damaged:
        return False


def is_hdf5(data: Buffer) -> bool:
    """As H5Fis_hdf5 looks for the signature: at the beginning, or at 512 bytes and its doubles."""
    at = 0
    while at <= min(len(data), _LARGEST_USER_BLOCK):
        if data[at : at + len(_HDF5)] == _HDF5:
            return True
        at = max(512, at * 2)
    return False


def _is_state(data: Buffer, path: str) -> bool:
    try:
        state = read_state(data, path)
    except Unreadable:
        return False
    return bool(state.history or state.learned_net)


def _mapped(path: str) -> Buffer:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with stream_of(descriptor):
            state = os.fstat(descriptor)
            if stat.S_ISDIR(state.st_mode):
                raise Unreadable("is a folder; give the file")
            if not stat.S_ISREG(state.st_mode):
                raise Unreadable("is a pipe or a device and was not read")
            if is_special(path):
                raise Unreadable("shows the running system and was not read")
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) if state.st_size else b""
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise Unreadable("is a folder; give the file" if os.path.isdir(path) else f"cannot be read: {reason}") from None


def _what(data: Buffer) -> str:
    """What a file is that is not of weights; "" where that is not known."""
    begin = data[:_TEXT]
    for beginning, what in _BEGINNINGS:
        if begin.lstrip().startswith(beginning) if beginning.startswith(b"<") else begin.startswith(beginning):
            return what
    if not data:
        return "is empty"
    if not begin.strip(b"\0"):
        return "holds only zeros, as of a download or a copy that failed"
    if b"\0" not in begin and begin.isascii() and begin.strip():
        return "is text; weights are a binary .caffemodel or an HDF5 file"
    return ""
