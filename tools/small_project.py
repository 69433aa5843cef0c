"""A solver and its net, of which nothing is wrong, for tests and pictures of editors."""

from __future__ import annotations

SOLVER = """\
net: "net.prototxt"
base_lr: 0.01
lr_policy: "step"
gamma: 0.1
stepsize: 1000
max_iter: 3000
snapshot: 1000
snapshot_prefix: "net"
"""
NET = """\
layer {
  name: "data"
  type: "Input"
  top: "data"
  top: "label"
  input_param { shape { dim: 8 dim: 3 dim: 32 dim: 32 } shape { dim: 8 } }
}
layer {
  name: "conv1"
  type: "Convolution"
  bottom: "data"
  top: "conv1"
  convolution_param {
    num_output: 16
    kernel_size: 3
    bias_term: false
    weight_filler { type: "xavier" }
  }
}
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer {
  name: "fc1"
  type: "InnerProduct"
  bottom: "conv1"
  top: "fc1"
  inner_product_param { num_output: 10 bias_term: false weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc1" bottom: "label" top: "loss" }
"""
