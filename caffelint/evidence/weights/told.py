"""What files of weights hold, and what of it goes where, in a few lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.caffe.weights.stored import BINARY, Weights
from caffelint.evidence.weights.evidence import Fit, WeightsEvidence

_GENERATIONS = {0: "layers of the oldest format (V0)", 1: "layers of the older format (V1)"}
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def lines_of(evidence: WeightsEvidence) -> Iterator[str]:
    for weights in evidence.models:
        yield f"{weights.path}: {_held(weights)}"
        for fit in evidence.of_model(weights):
            yield f"  {_given(fit)}"


def size_of(size: int) -> str:
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def _held(weights: Weights) -> str:
    layers = len(weights.trained)
    parts = [f"{layers} layer{'' if layers == 1 else 's'} with weights", f"{weights.count:,} values"]
    parts.append(size_of(weights.size))
    parts.append(_GENERATIONS.get(weights.generation, "") if weights.format == BINARY else weights.format)
    return ", ".join(part for part in parts if part)


def _given(fit: Fit) -> str:
    phases = " and ".join(fit.phases)
    fed, starved, misfits, unknown = len(fit.fed), len(fit.starved), len(fit.misfits), len(fit.unknown)
    whole = fed + starved + misfits + unknown
    told = f"{fit.net.path} ({phases}): "
    if unknown == whole - starved and unknown:
        told += f"{unknown} of {whole} layers with parameters {'are' if unknown > 1 else 'is'} found by name; whether"
        told += f" {'they fit' if unknown > 1 else 'it fits'} depends on the data{_remedy(fit)}"
        return told + (f"; {starved} {'start' if starved > 1 else 'starts'} from fillers" if starved else "")
    told += f"{fed} of {whole} layers with parameters get weights"
    if misfits:
        told += f", {misfits} do not fit" if misfits > 1 else ", 1 does not fit"
    if starved:
        told += f", {starved} start from fillers" if starved > 1 else ", 1 starts from its fillers"
    if unknown:
        told += f", {unknown} found by name {'have shapes' if unknown > 1 else 'has a shape'} that"
        told += f" {'depend' if unknown > 1 else 'depends'} on the data{_remedy(fit)}"
    return told


def _remedy(fit: Fit) -> str:
    """The shape that is to be given, by the first top of the net's data."""
    blob = next((blob for blob in fit.built.inputs if blob.shape is None), None)
    return f"; give its shape with --input-shape {blob.name}=NxCxHxW" if blob is not None else ""


def as_json(evidence: WeightsEvidence) -> list[dict[str, Any]]:
    return [_model(evidence, weights) for weights in evidence.models]


def _model(evidence: WeightsEvidence, weights: Weights) -> dict[str, Any]:
    return {
        "file": weights.path,
        "format": weights.format,
        "generation": weights.generation,
        "size": weights.size,
        "layers": [
            {
                "name": layer.name,
                "type": layer.type,
                "blobs": [
                    {"number": number, "shape": list(blob.shape), "values": blob.count, "kind": blob.kind}
                    for number, blob in layer.blobs.items()
                ],
            }
            for layer in weights.trained
        ],
        "nets": [
            {
                "file": fit.net.path,
                "phases": list(fit.phases),
                "copied": [layer.name for layer in fit.fed],
                "from_fillers": [layer.name for layer in fit.starved],
                "do_not_fit": [misfit.target.name for misfit, _ in fit.misfits],
                "ignored": [layer.name for layer in fit.taken.ignored if layer.blobs],
                "unknown": [layer.name for layer in fit.unknown],
            }
            for fit in evidence.of_model(weights)
        ],
    }
