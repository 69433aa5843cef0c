"""`python -m caffelint.smoke.torch.probe`: says what torch has here, as one line of JSON."""

from __future__ import annotations

import json
import sys
from typing import Any


def probe() -> dict[str, Any]:
    import torch

    from caffelint.smoke.torch.types import REGISTRY

    devices = []
    why = ""
    try:
        for number in range(torch.cuda.device_count()):
            torch.zeros(1, device=f"cuda:{number}")
            free, total = torch.cuda.mem_get_info(number)
            name = torch.cuda.get_device_name(number)
            devices.append({"device": f"cuda:{number}", "name": name, "memory": total, "free": free})
    except (RuntimeError, AssertionError) as error:
        why = str(error).splitlines()[0]
    if not devices and not why:
        why = "this torch is built without CUDA" if torch.version.cuda is None else "CUDA sees no GPU"
    return {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "gpus": devices,
        "no_gpu": why,
        "layers": [*REGISTRY],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(probe()) + "\n")
