"""The GPUs that several runs at once may take, one each."""

from __future__ import annotations

from caffelint.smoke.engines import AUTO, CAFFE, any_gpu
from caffelint.smoke.session import Choice


def gpus(choice: Choice) -> tuple[str, ...]:
    """Names such as cuda:0, where the choice is left to caffelint; empty where a device was named or there is none."""
    is_chosen = choice.device != AUTO or choice.gpu is not None
    if is_chosen or choice.engine == CAFFE or choice.caffe_python or not any_gpu():
        return ()
    from caffelint.smoke.env import torch_devices

    return tuple(one["device"] for one in torch_devices().get("gpus", ()))
