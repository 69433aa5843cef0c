"""`caffe.io` for Python layers: blobs and records as arrays, images as floats (io.py of pycaffe)."""

from __future__ import annotations

from typing import Any

import numpy as np

from caffelint.schema import message_class

__all__ = [
    "Transformer",
    "array_to_blobproto",
    "array_to_datum",
    "blobproto_to_array",
    "datum_to_array",
    "load_image",
    "resize_image",
]


def blobproto_to_array(blob: Any, return_diff: bool = False) -> Any:
    values = np.array(blob.diff if return_diff else blob.data)
    legacy = ("num", "channels", "height", "width")
    old = any(map(blob.HasField, legacy))
    return values.reshape([getattr(blob, name) for name in legacy] if old else blob.shape.dim)


def array_to_blobproto(arr: Any, diff: Any = None) -> Any:
    blob: Any = message_class("BlobProto")()
    blob.shape.dim.extend(arr.shape)
    blob.data.extend(arr.astype(float).flat)
    if diff is not None:
        blob.diff.extend(diff.astype(float).flat)
    return blob


def array_to_datum(arr: Any, label: int | None = None) -> Any:
    if arr.ndim != 3:
        raise ValueError("Incorrect array shape.")
    datum: Any = message_class("Datum")()
    datum.channels, datum.height, datum.width = arr.shape
    if arr.dtype == np.uint8:
        datum.data = arr.tobytes()
    else:
        datum.float_data.extend(arr.astype(float).flat)
    if label is not None:
        datum.label = label
    return datum


def datum_to_array(datum: Any) -> Any:
    values = np.frombuffer(datum.data, np.uint8).copy() if datum.data else np.array(datum.float_data).astype(float)
    return values.reshape(datum.channels, datum.height, datum.width)


def load_image(filename: str, color: bool = True) -> Any:
    """Height x width x 3 (1 without color), RGB, float32 in [0, 1]."""
    import skimage
    import skimage.io

    image = skimage.img_as_float(skimage.io.imread(filename, as_gray=not color)).astype(np.float32)
    if image.ndim == 2:
        return np.tile(image[:, :, np.newaxis], (1, 1, 3 if color else 1))
    return image[:, :, :3]


def resize_image(im: Any, new_dims: tuple[int, int], interp_order: int = 1) -> Any:
    """To height and width, float32; of 1 or 3 channels with skimage, of others with scipy."""
    if im.shape[-1] not in (1, 3):
        from scipy.ndimage import zoom

        scale = tuple(np.array(new_dims, float) / np.array(im.shape[:2]))
        return zoom(im, (*scale, 1), order=interp_order).astype(np.float32)
    low, high = im.min(), im.max()
    if high <= low:
        return np.full((*new_dims, im.shape[-1]), low, np.float32)
    from skimage.transform import resize

    scaled = resize((im - low) / (high - low), new_dims, order=interp_order, mode="constant")
    return (scaled * (high - low) + low).astype(np.float32)


class Transformer:
    """Puts images into the form that a net reads. inputs: shape of each input by its name."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.inputs = inputs
        self.transpose: dict[str, Any] = {}
        self.channel_swap: dict[str, Any] = {}
        self.raw_scale: dict[str, Any] = {}
        self.mean: dict[str, Any] = {}
        self.input_scale: dict[str, Any] = {}

    def preprocess(self, in_: str, data: Any) -> Any:
        """Resized, transposed, channels swapped, scaled, less the mean, scaled again: float32, a copy."""
        image = data.astype(np.float32)
        size = tuple(self.inputs[in_][2:])
        if image.shape[:2] != size:
            image = resize_image(image, size)
        if in_ in self.transpose:
            image = image.transpose(self.transpose[in_])
        if in_ in self.channel_swap:
            image = image[list(self.channel_swap[in_])]
        image = image * np.float32(self.raw_scale.get(in_, 1))
        image = image - np.asarray(self.mean.get(in_, 0), np.float32)
        return image * np.float32(self.input_scale.get(in_, 1))

    def deprocess(self, in_: str, data: Any) -> Any:
        image = data.copy().squeeze() / self.input_scale.get(in_, 1) + self.mean.get(in_, 0)
        image = image / self.raw_scale.get(in_, 1)
        if in_ in self.channel_swap:
            image = image[np.argsort(self.channel_swap[in_])]
        return image.transpose(np.argsort(self.transpose[in_])) if in_ in self.transpose else image

    def set_transpose(self, in_: str, order: Any) -> None:
        self.transpose[in_] = order

    def set_channel_swap(self, in_: str, order: Any) -> None:
        self.channel_swap[in_] = order

    def set_raw_scale(self, in_: str, scale: float) -> None:
        self.raw_scale[in_] = scale

    def set_mean(self, in_: str, mean: Any) -> None:
        """mean: one value for each channel, or an image of the input's own size."""
        self.mean[in_] = mean[:, np.newaxis, np.newaxis] if mean.ndim == 1 else mean

    def set_input_scale(self, in_: str, scale: float) -> None:
        self.input_scale[in_] = scale
