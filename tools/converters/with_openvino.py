"""OpenVINO's Model Optimizer, to 2023.0: `python with_openvino.py FOLDER...`, with `openvino-dev==2023.0.2`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common import Refused, run_all
from openvino.runtime import Core
from openvino.tools.mo import convert_model

_EXACT = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}


def run(case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    try:
        model = convert_model(
            input_model=str(case / "net.caffemodel"),
            input_proto=str(case / "net.prototxt"),
            framework="caffe",
            silent=True,
        )
        net = Core().compile_model(model, "CPU", _EXACT)
    except BaseException as error:
        raise Refused(f"{type(error).__name__}: {' '.join(str(error).split())[:250]}") from error
    fed = {}
    for port in net.inputs:
        names = [name for name in (*port.get_names(), port.get_node().get_friendly_name()) if name in inputs]
        if not names and len(inputs) > 1:
            raise Refused(f"an input named {port.get_any_name()}")
        fed[port] = inputs[names[0] if names else next(iter(inputs))]
    values = net(fed)
    found = {}
    for name in outputs:
        ports = [port for port in net.outputs if name in port.get_names()]
        if not ports and len(net.outputs) == len(outputs) == 1:
            ports = [net.outputs[0]]
        if ports:
            found[name] = values[ports[0]]
    return found


if __name__ == "__main__":
    run_all("openvino", run)
