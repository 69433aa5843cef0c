"""What the examples of these rules share: a small net, and a file of weights that fits it."""

from __future__ import annotations

from collections.abc import Sequence

DATA = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 5 } } }\n'
CONV = (
    'layer { name: "%s" type: "Convolution" bottom: "%s" top: "%s"'
    " convolution_param { num_output: %d kernel_size: %d } }\n"
)
FC = 'layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "fc" inner_product_param { num_output: %d } }\n'
NET = DATA + CONV % ("conv", "data", "conv", 3, 3) + FC % ("fc", "conv", 4)


def values(count: int, seed: int = 1) -> list[float]:
    """Numbers that differ from each other."""
    return [((seed * 37 + index * 61) % 97 - 48) / 100 for index in range(count)]


def blob(shape: Sequence[int], data: Sequence[float] | None = None, seed: int = 1) -> str:
    """A blob in protobuf's text format."""
    count = 1
    for dim in shape:
        count *= dim
    dims = " ".join(f"dim: {dim}" for dim in shape)
    numbers = ", ".join(f"{value:g}" for value in (values(count, seed) if data is None else data))
    return f"blobs {{ shape {{ {dims} }} data: [{numbers}] }}"


def layer(name: str, type_: str, *blobs: str) -> str:
    return f'layer {{ name: "{name}" type: "{type_}" {" ".join(blobs)} }}\n'


CONV_BLOBS = (blob((3, 2, 3, 3)), blob((3,), seed=2))
FC_BLOBS = (blob((4, 27), seed=3), blob((4,), seed=4))
MODEL = layer("conv", "Convolution", *CONV_BLOBS) + layer("fc", "InnerProduct", *FC_BLOBS)
FITS = {"net.prototxt": NET, "net.caffemodel": MODEL}
