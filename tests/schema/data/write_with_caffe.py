"""Writes the files beside it with a real Caffe, and what its own classes read in them.

Run once, with a Python that imports caffe: `.caffe/caffe-python tests/schema/data/write_with_caffe.py`.
Each X is a binary file, each X.txt what Caffe's caffe_pb2 prints after reading X; declarations.txt is its schema.
"""

import os

from google.protobuf import descriptor_pb2, text_format

HERE = os.path.dirname(os.path.abspath(__file__))
NET = """
name: "tiny"
layer {
  name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param {
    shape { dim: 2 dim: 3 dim: 6 dim: 6 } shape { dim: 2 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 }
  }
  include { phase: TRAIN not_stage: "deploy" }
}
layer {
  name: "conv" type: "Convolution" bottom: "data" top: "conv"
  param { lr_mult: 1 decay_mult: 1 } param { name: "bias" lr_mult: 2 decay_mult: 0 }
  convolution_param {
    num_output: 4 kernel_size: 3 pad: 1 stride: 1 group: 1
    weight_filler { type: "msra" variance_norm: AVERAGE } bias_filler { type: "constant" value: 0.25 }
  }
}
layer { name: "norm" type: "BatchNorm" bottom: "conv" top: "conv" }
layer { name: "scale" type: "Scale" bottom: "conv" top: "conv" scale_param { bias_term: true } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" relu_param { negative_slope: 0.125 engine: CAFFE } }
layer {
  name: "pool" type: "Pooling" bottom: "conv" top: "pool"
  pooling_param { pool: AVE kernel_h: 3 kernel_w: 2 stride: 2 round_mode: FLOOR }
}
layer { name: "drop" type: "Dropout" bottom: "pool" top: "drop" dropout_param { dropout_ratio: 0.25 } }
layer {
  name: "score" type: "InnerProduct" bottom: "drop" top: "score"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } }
}
layer {
  name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss"
  loss_weight: 0.5 loss_param { ignore_label: 255 normalization: BATCH_SIZE }
}
"""
SOLVER = """
net_param { %s }
base_lr: 0.01 lr_policy: "multistep" stepvalue: 1 gamma: 0.5 momentum: 0.9 weight_decay: 0.0005
max_iter: 2 random_seed: 7 solver_mode: CPU snapshot_format: BINARYPROTO snapshot_prefix: "%s"
snapshot_after_train: true
"""


def save(name, message):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(message.SerializeToString())
    show(name, type(message))


def show(name, message_class):
    with open(os.path.join(HERE, name), "rb") as file:
        read = message_class.FromString(file.read())
    with open(os.path.join(HERE, name + ".txt"), "w") as file:
        file.write(text_format.MessageToString(read))


def declarations(file):
    """A line for each message, field and enum value of a FileDescriptorProto; labels and types as it numbers them."""
    for message in file.message_type:
        yield f"message {message.name}"
        for field in message.field:
            name = f"{message.name}.{field.name} = {field.number}"
            type_name = field.type_name.replace(".caffe.", "") or "-"
            packed = "packed" if field.options.packed else "-"
            default = field.default_value if field.HasField("default_value") else "-"
            yield " ".join([name, str(field.label), str(field.type), type_name, packed, default])
        for enum in message.enum_type:
            for value in enum.value:
                yield f"{message.name}.{enum.name}.{value.name} = {value.number}"
    for enum in file.enum_type:
        for value in enum.value:
            yield f"{enum.name}.{value.name} = {value.number}"


def caffe_declarations():
    from caffe.proto import caffe_pb2

    file = descriptor_pb2.FileDescriptorProto()
    caffe_pb2.DESCRIPTOR.CopyToProto(file)
    return "".join(line + "\n" for line in declarations(file))


def train():
    import caffe

    solver_path = os.path.join(HERE, "solver.tmp")
    with open(solver_path, "w") as file:
        file.write(SOLVER % (NET, os.path.join(HERE, "tiny")))
    caffe.set_mode_cpu()
    caffe.get_solver(solver_path).solve()
    os.remove(solver_path)
    os.rename(os.path.join(HERE, "tiny_iter_2.caffemodel"), os.path.join(HERE, "tiny.caffemodel"))
    os.rename(os.path.join(HERE, "tiny_iter_2.solverstate"), os.path.join(HERE, "tiny.solverstate"))


def main():
    os.environ.setdefault("GLOG_minloglevel", "2")  # before caffe is imported
    import caffe
    import numpy
    from caffe.proto import caffe_pb2

    train()
    show("tiny.caffemodel", caffe_pb2.NetParameter)
    state = caffe_pb2.SolverState()
    with open(os.path.join(HERE, "tiny.solverstate"), "rb") as file:
        state.ParseFromString(file.read())
    state.learned_net = "tiny.caffemodel"  # less the folder that this ran in
    save("tiny.solverstate", state)
    save("mean.binaryproto", caffe.io.array_to_blobproto(numpy.arange(48, dtype=numpy.float32).reshape(1, 3, 4, 4) / 7))
    pixels = numpy.arange(60, dtype=numpy.uint8).reshape(3, 4, 5) * 4
    save("pixels.datum", caffe.io.array_to_datum(pixels, label=3))
    save("floats.datum", caffe.io.array_to_datum(numpy.linspace(-1, 1, 12).reshape(1, 3, 4), label=-1))
    with open(os.path.join(HERE, "declarations.txt"), "w") as file:
        file.write(caffe_declarations())


if __name__ == "__main__":
    main()
