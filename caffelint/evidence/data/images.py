"""Images and mean files as Caffe reads them. Needs numpy, and for images Pillow."""

from __future__ import annotations

import math
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caffelint.lint.data_source import IMAGE_FORMATS, LARGEST_IMAGE, Unreadable
from caffelint.lint.read import ReadError, read
from caffelint.schema import BlobProto

if TYPE_CHECKING:
    from PIL.Image import Image

    from caffelint.lint.reach import Reach

Array = NDArray[Any]
RESIZE_BITS = 11
_MOST_SCANNED = 16 * LARGEST_IMAGE


class TooLarge(Unreadable):
    """An image of more pixels than are decoded, or a JPEG that goes over them too often."""


def mean_of(path: str, reach: Reach | None = None) -> Array:
    """The channels x height x width of a mean file. reach: where it may lie. Raises Unreadable."""
    try:
        blob: Any = BlobProto.FromString(read(path, reach=reach))
    except ReadError as reason:
        raise Unreadable(f"mean_file {path} {reason}") from None
    except Exception:
        raise Unreadable(f"mean_file {path} is not a BlobProto") from None
    shape = list(blob.shape.dim[:9]) or [blob.num, blob.channels, blob.height, blob.width]
    with np.errstate(over="ignore"):
        values = np.array(blob.double_data or blob.data, np.float32)
    shape = [1] * (4 - len(shape)) + shape
    if len(shape) > 4 or shape[0] != 1 or min(shape) < 1 or values.size != math.prod(shape):
        raise Unreadable(f"mean_file {path} holds {values.size} values of shape {shape}")
    return values.reshape(shape[1:])


def decode(file: IO[bytes] | bytes | str, color: bool | None) -> Array:
    """An image as OpenCV decodes it, blue first: in colour, in grey, or (None) as it is; channels x height x width.

    Raises Unreadable, and what Pillow raises.
    """
    return planes(picture(file, color))


def picture(file: IO[bytes] | bytes | str, color: bool | None) -> Image:
    """The same image as Pillow holds it: its bands are grey, or red, green, blue and what covers them.

    Raises Unreadable, and what Pillow raises.
    """
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    with Image.open(BytesIO(file) if isinstance(file, bytes) else file, formats=IMAGE_FORMATS) as image:
        if image.width * image.height > LARGEST_IMAGE:
            raise TooLarge(f"an image of {image.width}x{image.height} pixels is too large to read")
        if image.format in ("JPEG", "MPO") and image.width * image.height * (scans := _scans(image)) > _MOST_SCANNED:
            raise TooLarge(f"an image of {image.width}x{image.height} pixels in {scans} scans takes too long to read")
        if color is None:
            return _native(image)
        ImageOps.exif_transpose(image, in_place=True)
        if image.mode.startswith(("I;", "I")):
            deep = np.asarray(image) >> 8
            return _converted(Image.fromarray(deep.astype(np.uint8)), "RGB" if color else "L")
        return _converted(image, "RGB" if color else "L")


def is_covered(file: bytes) -> bool:
    """Has an image file that can be decoded an alpha channel that shows something? OpenCV drops it (IMREAD_COLOR)."""
    from PIL import Image

    with Image.open(BytesIO(file), formats=IMAGE_FORMATS) as image:
        if "A" not in image.getbands():
            return False
        low, high = image.getchannel("A").getextrema()
        return bool(low != high)


def _scans(image: Any) -> int:
    """How often a JPEG goes over its pixels: progressive ones about ten times. A scan of nothing takes ten bytes."""
    at = image.fp.tell()
    image.fp.seek(0)
    scans: int = image.fp.read().count(b"\xff\xda")
    image.fp.seek(at)
    return scans


def _native(image: Image) -> Image:
    if image.mode in ("1", "L"):
        return _converted(image, "L")
    if image.mode.startswith(("I", "F")):
        raise Unreadable(f"an encoded image has pixels of mode {image.mode}, but Caffe takes only bytes")
    return _converted(image, "RGBA" if "A" in image.mode or "transparency" in image.info else "RGB")


def _converted(image: Image, mode: str) -> Image:
    """Decoded, and copied only where its mode is another one."""
    if image.mode != mode:
        return image.convert(mode)
    image.load()
    return image


def planes(image: Image) -> Array:
    """Blue first; channels x height x width."""
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
