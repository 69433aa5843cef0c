"""Nets for the bench, written by code: deep, wide, and long."""

from __future__ import annotations

from collections.abc import Callable

INPUT = """layer {{ name: "data" type: "Input" top: "data" top: "label"
  input_param {{ shape {{ dim: {0} dim: 3 dim: {1} dim: {1} }} shape {{ dim: {0} }} }} }}"""


class Writer:
    """Layers one after the other; each method adds one, or a few, and gives the name of its top."""

    def __init__(self, batch: int, size: int) -> None:
        self.layers = [INPUT.format(batch, size)]

    def add(self, type_: str, name: str, bottoms: list[str], more: str = "", top: str = "") -> str:
        names = " ".join(f'bottom: "{bottom}"' for bottom in bottoms)
        self.layers.append(f'layer {{ name: "{name}" type: "{type_}" {names} top: "{top or name}" {more} }}')
        return top or name

    def conv(self, name: str, bottom: str, outputs: int, kernel: int, more: str = "", bias: bool = True) -> str:
        fill = 'weight_filler { type: "xavier" }'
        bias_text = "" if bias else "bias_term: false"
        p = f"convolution_param {{ num_output: {outputs} kernel_size: {kernel} {more} {bias_text} {fill} }}"
        return self.add("Convolution", name, [bottom], p)

    def relu(self, bottom: str) -> str:
        return self.add("ReLU", f"{bottom}_relu", [bottom], top=bottom)

    def pool(self, name: str, bottom: str, more: str = "kernel_size: 2 stride: 2") -> str:
        return self.add("Pooling", name, [bottom], f"pooling_param {{ pool: MAX {more} }}")

    def normalized(self, name: str, bottom: str, outputs: int, kernel: int, more: str = "") -> str:
        """Convolution, BatchNorm and Scale, the last two in place."""
        top = self.conv(name, bottom, outputs, kernel, more, bias=False)
        self.add("BatchNorm", f"{name}_bn", [top], top=top)
        return self.add("Scale", f"{name}_scale", [top], "scale_param { bias_term: true }", top=top)

    def text(self) -> str:
        return "\n".join(self.layers) + "\n"


def resnet152() -> str:
    """He et al. 2015: bottlenecks of 1 x 1, 3 x 3, 1 x 1; 3, 8, 36 and 3 of them in four stages."""
    net = Writer(8, 224)
    top = net.relu(net.normalized("conv1", "data", 64, 7, "stride: 2 pad: 3"))
    top = net.pool("pool1", top, "kernel_size: 3 stride: 2")
    for stage, (blocks, width) in enumerate(((3, 64), (8, 128), (36, 256), (3, 512)), 2):
        for block in range(blocks):
            name = f"res{stage}_{block}"
            stride = "stride: 2" if block == 0 and stage > 2 else "stride: 1"
            shortcut = net.normalized(f"{name}_proj", top, 4 * width, 1, stride) if block == 0 else top
            inner = net.relu(net.normalized(f"{name}_a", top, width, 1, stride))
            inner = net.relu(net.normalized(f"{name}_b", inner, width, 3, "pad: 1"))
            inner = net.normalized(f"{name}_c", inner, 4 * width, 1)
            top = net.relu(net.add("Eltwise", name, [shortcut, inner]))
    top = net.add("Pooling", "pool5", [top], "pooling_param { pool: AVE global_pooling: true }")
    top = net.add(
        "InnerProduct", "fc", [top], 'inner_product_param { num_output: 1000 weight_filler { type: "msra" } }'
    )
    net.add("SoftmaxWithLoss", "loss", [top, "label"])
    return net.text()


def ssd300() -> str:
    """Liu et al. 2016: a VGG-16, further maps, and a box and a class predictor on six of them."""
    net = Writer(8, 300)
    net.layers[0] = net.layers[0].replace("shape { dim: 8 }", "shape { dim: 1 dim: 1 dim: 20 dim: 8 }")
    top, seen = "data", []
    for stage, (repeats, width) in enumerate(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)), 1):
        for number in range(1, repeats + 1):
            top = net.relu(net.conv(f"conv{stage}_{number}", top, width, 3, "pad: 1"))
        if stage == 4:
            seen.append(net.add("Normalize", "conv4_norm", [top], "norm_param { across_spatial: false }"))
        top = net.pool(f"pool{stage}", top, "kernel_size: 2 stride: 2" if stage < 5 else "kernel_size: 3 pad: 1")
    top = net.relu(net.conv("fc6", top, 1024, 3, "pad: 6 dilation: 6"))
    top = net.relu(net.conv("fc7", top, 1024, 1))
    seen.append(top)
    for stage, (width, more) in enumerate(
        ((256, "pad: 1 stride: 2"), (128, "pad: 1 stride: 2"), (128, ""), (128, "")), 6
    ):
        top = net.relu(net.conv(f"conv{stage}_1", top, width, 1))
        top = net.relu(net.conv(f"conv{stage}_2", top, 2 * width, 3, more))
        seen.append(top)
    parts: dict[str, list[str]] = {"loc": [], "conf": [], "prior": []}
    for index, (source, boxes) in enumerate(zip(seen, (4, 6, 6, 6, 4, 4), strict=True)):
        for kind, size in (("loc", 4), ("conf", 21)):
            head = net.conv(f"{source}_{kind}", source, boxes * size, 3, "pad: 1")
            head = net.add("Permute", f"{head}_perm", [head], "permute_param { order: 0 order: 2 order: 3 order: 1 }")
            parts[kind].append(net.add("Flatten", f"{head}_flat", [head]))
        ratios = "aspect_ratio: 2" + (" aspect_ratio: 3" if boxes == 6 else "")
        sizes = f"min_size: {30 + 50 * index} max_size: {80 + 50 * index} {ratios} flip: true"
        parts["prior"].append(
            net.add("PriorBox", f"{source}_prior", [source, "data"], f"prior_box_param {{ {sizes} }}")
        )
    tops = [
        net.add("Concat", f"mbox_{kind}", tops, f"concat_param {{ axis: {2 if kind == 'prior' else 1} }}")
        for kind, tops in parts.items()
    ]
    net.add("MultiBoxLoss", "loss", [*tops, "label"], "multibox_loss_param { num_classes: 21 }")
    return net.text()


def long(layers: int) -> str:
    """Convolutions, rectifiers and sums in turn, as many as one likes."""
    net = Writer(1, 8)
    top = before = net.conv("start", "data", 4, 3, "pad: 1")
    for number in range(layers - 4):
        name = f"l{number}"
        before, top = (
            top,
            (
                net.conv(name, top, 4, 3, "pad: 1")
                if number % 3 == 0
                else net.add("ReLU", name, [top])
                if number % 3 == 1
                else net.add("Eltwise", name, [top, before])
            ),
        )
    fill = 'inner_product_param { num_output: 10 weight_filler { type: "xavier" } }'
    net.add("SoftmaxWithLoss", "loss", [net.add("InnerProduct", "fc", [top], fill), "label"])
    return net.text()


NETS: dict[str, Callable[[], str]] = {
    "ResNet-152": resnet152,
    "SSD-300": ssd300,
    "1,000 layers": lambda: long(1_000),
    "10,000 layers": lambda: long(10_000),
}
