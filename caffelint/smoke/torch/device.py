"""The device that a run is on."""

from __future__ import annotations

import random
import sys

import numpy as np
import torch


class NoDevice(Exception):
    """Why torch cannot use a device: one line."""


def usable(name: str) -> torch.device:
    """The device of a job; raises NoDevice where torch cannot use it."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        if is_out_of_memory(error):
            raise
        why = str(error).splitlines()[0]
        raise NoDevice(f'torch cannot use the device "{name}": {why[:1].lower()}{why[1:200]}') from None
    return device


def is_out_of_memory(error: BaseException) -> bool:
    words = str(error).lower()
    return isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)) or any(
        sign in words for sign in ("out of memory", "can't allocate memory", "not enough memory")
    )


def make_deterministic(seed: int) -> None:
    """The same numbers for the same seed, all of them float32 as in Caffe."""
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False


def peak_memory(device: torch.device) -> int:
    """Bytes: of the device where it is a GPU, else of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
