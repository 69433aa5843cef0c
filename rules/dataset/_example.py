"""What the examples of these rules share."""

from __future__ import annotations

NET = """layer {
  name: "data"
  type: "Data"
  top: "data"
  top: "label"
  data_param { source: "train_lmdb" backend: LMDB batch_size: 4 }
}
layer {
  name: "fc"
  type: "InnerProduct"
  bottom: "data"
  top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } }
}
layer {
  name: "loss"
  type: "SoftmaxWithLoss"
  bottom: "fc"
  bottom: "label"
  top: "loss"
}
"""
SOURCE = 'layer {{ name: "{0}" type: "Data" top: "{0}" data_param {{ source: "{1}" backend: LMDB batch_size: 2 }} }}\n'
PAIRED = (
    SOURCE.format("data", "train_lmdb")
    + SOURCE.format("label", "masks")
    + (
        'layer { name: "score" type: "Convolution" bottom: "data" top: "score"'
        ' convolution_param { num_output: 2 kernel_size: 1 weight_filler { type: "xavier" } } }\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }\n'
    )
)
"""Data and labels of two sources."""


def records(*labels: float, image: str = "") -> str:
    """Records of these labels, of images that differ unless one is given."""
    images = (image or f"1x2x2 {number % 250} {number % 7} {number % 11} 255" for number in range(len(labels)))
    return "\n".join(f"label {label}; image {one}" for label, one in zip(labels, images, strict=True))


def project(source: str, net: str = NET) -> dict[str, str]:
    return {"net.prototxt": net, "train_lmdb": source}


SOUND = project(records(0, 2, 1, 0, 1, 2, 2, 0, 1, 0, 1, 2))
