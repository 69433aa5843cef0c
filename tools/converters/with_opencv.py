"""OpenCV's importer, before version 5: `python with_opencv.py FOLDER...`, with `opencv-python-headless<5`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
from common import Refused, run_all


def run(case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    try:
        net = cv2.dnn.readNetFromCaffe(str(case / "net.prototxt"), str(case / "net.caffemodel"))
        for name, value in inputs.items():
            net.setInput(value, name)
        # It names layers, not blobs; a blob is found by the layer that made it last.
        from makers import makers

        found = {}
        for name, (layer, top) in makers(case / "net.prototxt", outputs).items():
            known = net.getLayerNames()
            layer = layer if layer in known else name
            made = net.forwardAndRetrieve([layer])[0]
            if top < len(made):  # it makes the tops alone that are read
                found[name] = made[top]
        return found
    except cv2.error as error:
        raise Refused(str(error).strip().splitlines()[0]) from error


if __name__ == "__main__":
    run_all("opencv", run)
