"""Whole nets of the usual kinds, in torch and in the real Caffe: all blobs, all gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from google.protobuf import text_format
from parity import Case, ask, compare, distance, inject_masks, run

from caffelint.caffe.build import build
from caffelint.schema.messages import NetParameter
from caffelint.smoke.torch.net import LayerError, TorchNet, not_runnable


def inputs(**shapes: str) -> str:
    return "\n".join(
        f'layer {{ name: "{name}" type: "Input" top: "{name}" input_param {{ shape {{ '
        + " ".join(f"dim: {dim}" for dim in shape.split())
        + " } } }"
        for name, shape in shapes.items()
    )


def layer(layer_type: str, bottoms: str, top: str, block: str = "", name: str = "", more: str = "") -> str:
    """One layer; `name` is its own where a top is written in place."""
    read = " ".join(f'bottom: "{bottom}"' for bottom in bottoms.split())
    made = " ".join(f'top: "{one}"' for one in top.split())
    return f'layer {{ name: "{name or top.split()[0]}" type: "{layer_type}" {read} {made} {block} {more} }}\n'


def conv(bottom: str, top: str, size: str, more: str = "") -> str:
    return layer("Convolution", bottom, top, f"convolution_param {{ {size} }}", more=more)


def relu(blob: str) -> str:
    return layer("ReLU", blob, blob, name=blob + "_relu")


def pool(bottom: str, top: str, size: str) -> str:
    return layer("Pooling", bottom, top, f"pooling_param {{ {size} }}")


def full(bottom: str, top: str, outputs: int, more: str = "") -> str:
    return layer("InnerProduct", bottom, top, f"inner_product_param {{ num_output: {outputs} }}", more=more)


def norm(blob: str) -> str:
    scale = layer("Scale", blob, blob, "scale_param { bias_term: true }", name=blob + "_scale")
    return layer("BatchNorm", blob, blob, name=blob + "_norm") + scale


def unit(bottom: str, name: str, outputs: int, stride: int) -> str:
    first = conv(bottom, name + "a", f"num_output: {outputs} kernel_size: 3 pad: 1 stride: {stride} bias_term: false")
    second = conv(name + "a", name + "b", f"num_output: {outputs} kernel_size: 3 pad: 1 bias_term: false")
    straight = conv(bottom, name + "s", f"num_output: {outputs} kernel_size: 1 stride: {stride} bias_term: false")
    total = layer("Eltwise", f"{name}s {name}b", name) + relu(name)
    return first + norm(name + "a") + relu(name + "a") + second + norm(name + "b") + straight + norm(name + "s") + total


LENET = (
    inputs(data="8 1 28 28", label="8")
    + conv("data", "conv1", "num_output: 6 kernel_size: 5")
    + pool("conv1", "pool1", "kernel_size: 2 stride: 2")
    + conv("pool1", "conv2", "num_output: 10 kernel_size: 5", "param { lr_mult: 1 } param { lr_mult: 2 }")
    + pool("conv2", "pool2", "kernel_size: 2 stride: 2")
    + full("pool2", "ip1", 20)
    + relu("ip1")
    + full("ip1", "ip2", 10)
    + layer("Accuracy", "ip2 label", "accuracy")
    + layer("SoftmaxWithLoss", "ip2 label", "loss")
)
ALEXNET = (
    inputs(data="4 3 67 67", label="4")
    + conv("data", "conv1", "num_output: 12 kernel_size: 11 stride: 4")
    + relu("conv1")
    + layer("LRN", "conv1", "norm1", "lrn_param { local_size: 5 alpha: 0.01 beta: 0.75 }")
    + pool("norm1", "pool1", "kernel_size: 3 stride: 2")
    + conv("pool1", "conv2", "num_output: 16 kernel_size: 5 pad: 2 group: 2")
    + relu("conv2")
    + layer("LRN", "conv2", "norm2", "lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 0.1 }")
    + pool("norm2", "pool2", "kernel_size: 3 stride: 2 pool: AVE pad: 1")
    + full("pool2", "fc6", 32)
    + relu("fc6")
    + layer("Dropout", "fc6", "drop6", "dropout_param { dropout_ratio: 0.4 }")
    + full("drop6", "fc8", 10)
    + layer("SoftmaxWithLoss", "fc8 label", "loss", "loss_param { normalization: NONE }")
)
INCEPTION = (
    inputs(data="4 3 15 15", label="4")
    + conv("data", "stem", "num_output: 8 kernel_size: 3")
    + relu("stem")
    + conv("stem", "one", "num_output: 4 kernel_size: 1")
    + conv("stem", "three", "num_output: 5 kernel_size: 3 pad: 1")
    + relu("three")
    + pool("stem", "pool", "kernel_size: 3 stride: 1 pad: 1")
    + conv("pool", "pooled", "num_output: 3 kernel_size: 1")
    + layer("Concat", "one three pooled", "inception")
    + layer("Pooling", "inception", "mean", "pooling_param { pool: AVE global_pooling: true }")
    + full("mean", "main", 6)
    + full("stem", "side", 6)
    + layer("SoftmaxWithLoss", "side label", "side_loss", more="loss_weight: 0.3")
    + layer("SoftmaxWithLoss", "main label", "main_loss")
)
RESNET = (
    inputs(data="4 3 24 24", label="4")
    + conv("data", "stem", "num_output: 8 kernel_size: 3 pad: 1 bias_term: false")
    + norm("stem")
    + relu("stem")
    + pool("stem", "pool", "kernel_size: 3 stride: 2")
    + unit("pool", "u1", 8, 1)
    + unit("u1", "u2", 12, 2)
    + pool("u2", "mean", "pool: AVE global_pooling: true")
    + full("mean", "fc", 7)
    + layer("SoftmaxWithLoss", "fc label", "loss")
)
FCN = (
    inputs(data="2 3 17 19", label="2 1 17 19")
    + conv("data", "conv1", "num_output: 6 kernel_size: 3 pad: 10")
    + relu("conv1")
    + pool("conv1", "pool1", "kernel_size: 2 stride: 2")
    + conv("pool1", "score", "num_output: 4 kernel_size: 3 dilation: 2")
    + layer("Deconvolution", "score", "up", "convolution_param { num_output: 4 kernel_size: 4 stride: 2 group: 4 }")
    + layer("Crop", "up data", "crop", "crop_param { axis: 2 offset: 5 }")
    + layer("SoftmaxWithLoss", "crop label", "loss", "loss_param { ignore_label: 3 normalize: false }")
    + layer("Accuracy", "crop label", "accuracy", "accuracy_param { ignore_label: 3 }")
)
RECURRENT = (
    inputs(words="5 3", cont="5 3", target="5 3")
    + layer("Embed", "words", "embedded", "embed_param { input_dim: 2 num_output: 6 }")
    + layer("LSTM", "embedded cont", "lstm", "recurrent_param { num_output: 5 }")
    + layer("RNN", "lstm cont", "rnn", "recurrent_param { num_output: 4 }")
    + layer("InnerProduct", "rnn", "scores", "inner_product_param { num_output: 4 axis: 2 }")
    + layer("SoftmaxWithLoss", "scores target", "loss", "softmax_param { axis: 2 }", more="loss_weight: 5")
)
SHARED = 'param { name: "%sw" lr_mult: 1 } param { name: "%sb" lr_mult: 2 }'
SIAMESE = (
    inputs(pair="6 2 12 12", sim="6")
    + layer("Slice", "pair", "left right", "slice_param { slice_dim: 1 slice_point: 1 }")
    + conv("left", "c1", "num_output: 5 kernel_size: 3", SHARED % ("c", "c"))
    + relu("c1")
    + full("c1", "f1", 3, SHARED % ("f", "f"))
    + conv("right", "c2", "num_output: 5 kernel_size: 3", SHARED % ("c", "c"))
    + relu("c2")
    + full("c2", "f2", 3, SHARED % ("f", "f"))
    + layer("ContrastiveLoss", "f1 f2 sim", "loss", "contrastive_loss_param { margin: 3 }")
)
AUTOENCODER = (
    inputs(data="5 1 6 6")
    + layer("Flatten", "data", "flat")
    + layer("Power", "flat", "target", "power_param { scale: 0.1 shift: 0.5 }")
    + full("flat", "code", 9)
    + layer("Sigmoid", "code", "code_s")
    + full("code_s", "decoded", 36)
    + layer("SigmoidCrossEntropyLoss", "decoded target", "entropy")
    + layer("Sigmoid", "decoded", "decoded_s")
    + layer("EuclideanLoss", "decoded_s target", "error", more="loss_weight: 0")
    + layer("Reduction", "code_s", "sparse", "reduction_param { operation: ASUM }", more="loss_weight: 0.01")
)
NETS = {
    "lenet": LENET,
    "alexnet": ALEXNET,
    "inception": INCEPTION,
    "resnet": RESNET,
    "fcn": FCN,
    "recurrent": RECURRENT,
    "siamese": SIAMESE,
    "autoencoder": AUTOENCODER,
}
WHOLE = {"label", "words", "cont", "target", "sim"}


def parse(text: str) -> Any:
    return text_format.Parse(text, NetParameter())


def case(name: str, text: str, phase: str) -> Case:
    net = parse(text)
    built = build(net, phase, dialect="bvlc")
    assert not built.refusals
    assert not not_runnable(built)
    random = np.random.RandomState(3)
    given = {}
    for spec in built.layers:
        if spec.type == "Input":
            top = spec.tops[0]
            values = random.randint(0, 2, top.shape) if top.name in WHOLE else random.randn(*top.shape)
            given[f"input/{top.name}"] = values.astype(np.float32)
        for param in spec.params or ():
            fan = max(1, int(np.prod(param.shape[1:])))
            values = random.uniform(0.5, 1.5, param.shape) if spec.type == "BatchNorm" else random.randn(*param.shape)
            values = values / np.sqrt(fan)
            if param.owner is None:
                given[f"param/{spec.name}/{param.index}"] = values.astype(np.float32)
    return Case(f"{name}-{phase}", net, phase, given, passes=1, backward=phase == "TRAIN")


@pytest.fixture(scope="module")
def cases(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    found = [case(name, text, phase) for name, text in NETS.items() for phase in ("TRAIN", "TEST")]
    ask(caffe_python, found, tmp_path_factory.mktemp("nets"))
    return {one.name: one for one in found}


@pytest.mark.parametrize("phase", ["TRAIN", "TEST"])
@pytest.mark.parametrize("name", NETS)
def test_net_is_caffes(cases: dict[str, Case], name: str, phase: str) -> None:
    one = cases[f"{name}-{phase}"]
    assert one.found is not None, one.log
    ours, net = run(one)
    wrong = [(what, apart) for what, apart, limit in compare(one, ours) if apart > limit]
    assert not wrong
    losses = sum(weight * float(one.found[f"data/{blob}"].sum()) for blob, weight in net.losses)
    assert float(net.loss) == pytest.approx(losses, rel=1e-5)


@pytest.mark.parametrize("name", ["alexnet", "resnet"])
def test_what_runs_unwatched_is_the_same(cases: dict[str, Case], name: str) -> None:
    one = cases[f"{name}-TRAIN"]
    watched, _ = run(one)
    net = TorchNet(one.built)
    inject_masks(net, one)
    with torch.no_grad():
        for layer_name, params in net.layer_params.items():
            for number, data in enumerate(params):
                data.copy_(torch.from_numpy(one.given[f"param/{layer_name}/{number}"]))
    net.forward({key[6:]: torch.from_numpy(value) for key, value in one.given.items() if key.startswith("input/")})
    net.backward()
    for layer_name, params in net.layer_params.items():
        for number, data in enumerate(params):
            key = f"{layer_name}/{number}"
            assert distance(data.detach().numpy(), watched[f"param/{key}"]) < 1e-5
            if data.grad is not None:
                assert distance(data.grad.numpy(), watched[f"param_grad/{key}"], 1e-3) < 1e-4


def test_shared_parameters_are_there_once(cases: dict[str, Case]) -> None:
    net = TorchNet(cases["siamese-TRAIN"].built)
    assert [(param.layer.name, param.index, param.lr_mult) for param in net.params] == [
        ("c1", 0, 1),
        ("c1", 1, 2),
        ("f1", 0, 1),
        ("f1", 1, 2),
    ]
    assert [user.name for user in net.params[0].users] == ["c1", "c2"]
    assert net.layer_params["c2"][0] is net.layer_params["c1"][0]


def test_a_test_net_reads_what_was_trained() -> None:
    train, test = (TorchNet(build(parse(LENET), phase)) for phase in ("TRAIN", "TEST"))
    test.share_trained_layers(train)
    data = {"data": torch.randn(8, 1, 28, 28), "label": torch.zeros(8)}
    with torch.no_grad():
        train.layer_params["ip2"][1].fill_(3.0)
    assert torch.allclose(test.forward(data)["loss"], train.forward(data)["loss"])
    assert not test.forward(data)["loss"].requires_grad


def test_watching_tells_the_first_bad_blob_both_ways() -> None:
    net = TorchNet(build(parse(LENET), "TRAIN"))
    seen: list[tuple[str, str, bool]] = []
    net.on_top = lambda spec, index, data: seen.append(("forward", spec.name, bool(data.isfinite().all())))
    net.on_gradient = lambda spec, index, data: seen.append(("backward", spec.name, bool(data.isfinite().all())))
    with torch.no_grad():
        net.layer_params["ip1"][0][0, 0] = float("nan")
    net.forward({"data": torch.randn(8, 1, 28, 28), "label": torch.zeros(8)})
    net.backward()
    forward = [name for way, name, _ in seen if way == "forward"]
    assert forward == [spec.name for spec in net.built.layers if spec.message is not None]
    assert next(name for way, name, finite in seen if not finite) == "ip1"
    backward = [name for way, name, _ in seen if way == "backward"]
    assert backward == ["loss", "ip2", "ip1_relu", "ip1", "pool2", "conv2", "pool1", "conv1"]


def test_a_label_that_is_no_class() -> None:
    net = TorchNet(build(parse(LENET), "TRAIN"))
    with pytest.raises(LayerError, match='layer "loss": label 10 is none of the 10 classes, 0 to 9'):
        net.forward({"data": torch.randn(8, 1, 28, 28), "label": torch.full((8,), 10.0)})


def test_what_cannot_run_is_reported_before() -> None:
    text = inputs(data="2 3 8 8") + layer("Python", "data", "odd") + layer("ReLU", "data", "plain")
    built = build(parse(text), "TRAIN")
    assert [(spec.name, why) for spec, why in not_runnable(built)] == [
        ("odd", "its code is imported only where it runs")
    ]


def test_dropout_keeps_as_many_as_it_says() -> None:
    text = inputs(data="100 1000") + layer("Dropout", "data", "drop", "dropout_param { dropout_ratio: 0.3 }")
    built = build(parse(text), "TRAIN")
    data = {"data": torch.ones(100, 1000)}
    first, again, other = (TorchNet(built, seed=seed).forward(data)["drop"] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.unique().tolist() == pytest.approx([0, 1 / 0.7])
    assert float((first == 0).float().mean()) == pytest.approx(0.3, abs=0.01)
