"""OpenCV's importer, before version 5: `python with_opencv.py FOLDER...`, with `opencv-python-headless<5`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
from common import Refused, run_all
from makers import makers


def run(case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    try:
        net = cv2.dnn.readNetFromCaffe(str(case / "net.prototxt"), str(case / "net.caffemodel"))
        for name, value in inputs.items():
            net.setInput(value, name)
        # It names layers, not blobs; a blob is found by the layer that made it last.
        known = set(net.getLayerNames())
        made = makers(case / "net.prototxt", outputs)
        layers = {blob: layer if layer in known else blob for blob, (layer, _) in made.items()}
        asked = list(dict.fromkeys(layers.values()))
        # All at once: asked a second time, it fuses layers a second time.
        given = dict(zip(asked, net.forwardAndRetrieve(asked), strict=True))
        # It makes the tops alone that are read.
        return {blob: given[layers[blob]][top] for blob, (_, top) in made.items() if top < len(given[layers[blob]])}
    except cv2.error as error:
        raise Refused(str(error).strip().splitlines()[0]) from error


if __name__ == "__main__":
    run_all("opencv", run)
