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


def records(*labels: float, image: str = "1x2x2 0 1 2 3") -> str:
    """Records of these labels; the images differ."""
    return "\n".join(f"label {label}; image {image}" for label in labels)


def project(source: str, net: str = NET) -> dict[str, str]:
    return {"net.prototxt": net, "train_lmdb": source}


SOUND = project(records(0, 2, 1, 0, 1, 2, 2, 0, 1, 0, 1, 2))
