"""Measures what an in-place layer does to gradients; runs under Caffe's own Python and prints JSON lines.

For each pair of layers behind a convolution: the largest error of the convolution's weight gradient, relative to its
largest entry, with both layers in place and with the second alone in place, against separate blobs for both.
"""

import json
import os
import tempfile

import caffe
import numpy

FIRST = {
    "ReLU": "",
    "Leaky": "relu_param { negative_slope: 0.1 }",
    "PReLU": "",
    "ELU": "",
    "Sigmoid": "",
    "TanH": "",
    "BatchNorm": "",
    "Scale": "scale_param { bias_term: true }",
    "Bias": "",
    "Exp": "exp_param { scale: 0.1 }",
    "Swish": "",
    "MVN": "",
}
SECOND = ("BatchNorm", "Scale", "ReLU", "Leaky", "PReLU", "ELU", "Sigmoid", "TanH", "Bias")
NET = """
layer { name: "data" type: "Input" top: "data" top: "goal"
  input_param { shape { dim: 4 dim: 3 dim: 5 dim: 5 } shape { dim: 4 dim: 3 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "x" convolution_param { num_output: 4 kernel_size: 3 } }
%s
layer { name: "fc" type: "InnerProduct" bottom: "%s" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "goal" top: "loss" }
"""


def layer(name, kind, bottom, top):
    type_ = "ReLU" if kind == "Leaky" else kind
    return f'layer {{ name: "{name}" type: "{type_}" bottom: "{bottom}" top: "{top}" {FIRST[kind]} }}'


def net(first, second, first_in_place, second_in_place):
    middle = "x" if first_in_place else "y"
    end = middle if second_in_place else "z"
    return NET % (layer("first", first, "x", middle) + "\n" + layer("second", second, middle, end), end)


def gradient(text):
    with open("net.prototxt", "w") as file:
        file.write(text)
    built = caffe.Net("net.prototxt", caffe.TRAIN)
    numbers = numpy.random.RandomState(1)
    for blob in ("data", "goal"):
        built.blobs[blob].data[...] = numbers.randn(*built.blobs[blob].shape)
    for name in sorted(built.params):
        kind = built.layers[list(built._layer_names).index(name)].type
        if kind != "BatchNorm":
            for param in built.params[name]:
                values = numbers.randn(*param.shape) / 2
                # The slopes of a PReLU start above 0, and a negative one is rare.
                param.data[...] = abs(values) if kind == "PReLU" else values
    built.forward()
    built.backward()
    return built.params["conv"][0].diff.copy()


def main():
    caffe.set_mode_cpu()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for first in FIRST:
            for second in SECOND:
                right = gradient(net(first, second, False, False))
                errors = [
                    float(abs(gradient(net(first, second, in_place, True)) - right).max() / abs(right).max())
                    for in_place in (True, False)
                ]
                row = {"first": first, "second": second, "both": errors[0], "second_only": errors[1]}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
