"""What transform_param does to an image (data_transformer.cpp), and images as OpenCV reads them."""

from __future__ import annotations

from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caffelint.schema import BlobProto

if TYPE_CHECKING:
    from PIL.Image import Image

Array = NDArray[Any]
RESIZE_BITS = 11


class Unreadable(Exception):
    """Why a source gives no batch: one line."""


class Transform:
    """Mean, crop, mirror and scale of one layer; crops at random in TRAIN, in the middle in TEST."""

    def __init__(self, param: Any, phase: str, random: np.random.RandomState) -> None:
        self.crop: int = param.crop_size
        self.scale = np.float32(param.scale)
        self.mirror: bool = param.mirror
        self.train = phase == "TRAIN"
        self.random = random
        self.means = np.array(param.mean_value, np.float32)
        self.mean = _mean(param.mean_file) if param.HasField("mean_file") else None

    def __call__(self, image: Array) -> Array:
        """channels x height x width, uint8 or float, to float32 of the top's size."""
        channels, height, width = image.shape
        mirrored = self.mirror and self.random.randint(2)
        crop = self.crop
        top, left, bottom, right = 0, 0, height, width
        if crop:
            if crop > min(height, width):
                raise Unreadable(f"crop_size {crop} is larger than an image of {height}x{width}")
            top, left = (self._offset(side - crop) for side in (height, width))
            bottom, right = top + crop, left + crop
        made: Array = image[:, top:bottom, left:right].astype(np.float32)
        if self.mean is not None:
            if self.mean.shape != image.shape:
                there, here = ("x".join(map(str, shape)) for shape in (self.mean.shape, image.shape))
                raise Unreadable(f"mean_file holds {there}, but an image is {here}")
            made -= self.mean[:, top:bottom, left:right]
        elif len(self.means):
            if len(self.means) not in (1, channels):
                raise Unreadable(f"{len(self.means)} mean_value for {channels} channels; give 1 or {channels}")
            made -= self.means.reshape(-1, 1, 1)
        if self.scale != 1:
            made *= self.scale
        return made[:, :, ::-1] if mirrored else made

    def _offset(self, room: int) -> int:
        return int(self.random.randint(room + 1)) if self.train else room // 2


def _mean(path: str) -> Array:
    try:
        with open(path, "rb") as file:
            blob: Any = BlobProto.FromString(file.read())
    except OSError as error:
        raise Unreadable(f"mean_file {path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except Exception:
        raise Unreadable(f"mean_file {path} is not a BlobProto") from None
    shape = list(blob.shape.dim) or [blob.num, blob.channels, blob.height, blob.width]
    values = np.array(blob.double_data or blob.data, np.float32)
    shape = [1] * (4 - len(shape)) + shape
    if len(shape) > 4 or values.size != np.prod(shape, dtype=np.int64) or shape[0] != 1:
        raise Unreadable(f"mean_file {path} holds {values.size} values of shape {shape}")
    return values.reshape(shape[1:])


def decode(file: IO[bytes] | bytes | str, color: bool | None) -> Array:
    """An image as OpenCV decodes it, blue first: in colour, in grey, or (None) as it is; channels x height x width."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    with Image.open(BytesIO(file) if isinstance(file, bytes) else file) as image:
        if color is None:
            return _planes(_native(image))
        upright: Image.Image = ImageOps.exif_transpose(image)
        if upright.mode.startswith(("I;", "I")):
            deep = np.asarray(upright) >> 8
            upright = Image.fromarray(deep.astype(np.uint8))
        return _planes(upright.convert("RGB" if color else "L"))


def _native(image: Image) -> Image:
    if image.mode in ("1", "L"):
        return image.convert("L")
    if image.mode.startswith(("I", "F")):
        raise Unreadable(f"an encoded image has pixels of mode {image.mode}, but Caffe takes only bytes")
    return image.convert("RGBA" if "A" in image.mode or "transparency" in image.info else "RGB")


def _planes(image: Image) -> Array:
    pixels = np.asarray(image)
    if pixels.ndim == 2:
        return pixels[None]
    order = [2, 1, 0, *range(3, pixels.shape[2])]
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[order])


def resize(image: Array, height: int, width: int) -> Array:
    """Bilinear, in the fixed-point arithmetic of OpenCV's resize of bytes; halved exactly, the mean of four."""
    if image.shape[1:] == (height, width):
        return image
    pixels = image.astype(np.int64)
    if image.shape[1:] == (2 * height, 2 * width):
        four = pixels[:, ::2, ::2] + pixels[:, ::2, 1::2] + pixels[:, 1::2, ::2] + pixels[:, 1::2, 1::2]
        halved: Array = ((four + 2) >> 2).astype(np.uint8)
        return halved
    left, right, of_left, of_right = _weights(image.shape[2], width)
    rows = pixels[:, :, left] * of_left + pixels[:, :, right] * of_right
    above, below, of_above, of_below = _weights(image.shape[1], height)
    upper = ((rows[:, above] >> 4) * of_above[:, None]) >> 16
    lower = ((rows[:, below] >> 4) * of_below[:, None]) >> 16
    made: Array = np.clip((upper + lower + 2) >> 2, 0, 255).astype(np.uint8)
    return made


def _weights(size: int, wanted: int) -> tuple[Array, Array, Array, Array]:
    """Of each wanted place: the two neighbours, and their weights in 1 / 2048."""
    place = ((np.arange(wanted) + 0.5) * (size / wanted) - 0.5).astype(np.float32)
    first = np.floor(place).astype(np.int64)
    share = place - first
    share[(first < 0) | (first >= size - 1)] = 0
    first = first.clip(0, size - 1)
    one = 1 << RESIZE_BITS
    weights = [np.rint(part.astype(np.float32) * one).astype(np.int64) for part in (1 - share, share)]
    return first, (first + 1).clip(0, size - 1), weights[0], weights[1]
