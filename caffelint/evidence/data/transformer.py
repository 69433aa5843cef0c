"""What transform_param does to an image (data_transformer.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from caffelint.evidence.data.images import Array, mean_of
from caffelint.lint.data_source import Unreadable


class Transform:
    """Mean, crop, mirror and scale of one layer; crops at random in TRAIN, in the middle in TEST."""

    def __init__(self, param: Any, phase: str, random: np.random.RandomState) -> None:
        self.crop: int = param.crop_size
        self.scale = np.float32(param.scale)
        self.mirror: bool = param.mirror
        self.train = phase == "TRAIN"
        self.random = random
        self.means = np.array(param.mean_value, np.float32)
        self.mean = mean_of(param.mean_file) if param.HasField("mean_file") else None

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
