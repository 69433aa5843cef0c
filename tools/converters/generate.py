"""Makes cases of random nets of one or two layers: `python generate.py FOLDER NUMBER SEED`.

A layer is drawn by its type, and each of its fields is left out, ordinary, or one of the values that converters are
known to stumble over or could: two values for two axes, negative and other axes, several bottoms and tops.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

WEIGHTS = 'weight_filler { type: "gaussian" std: 0.3 } bias_filler { type: "uniform" min: -1 max: 1 }'
FILLER = 'filler { type: "uniform" min: 0.5 max: 2 }'


class Draw(random.Random):
    """Draws the parts of a net."""

    def some(self, chance: float, *texts: str) -> str:
        return self.choice(texts) + " " if self.random() < chance else ""

    def window(self, kernel: bool = True, dilated: bool = True, repeats: bool = True) -> str:
        k = self.choice((1, 2, 3, 3, 3, 4, 5))
        forms = [f"kernel_size: {k}"] * 5 + [f"kernel_h: {k} kernel_w: {self.randint(1, 4)}"] * 2
        if repeats:
            forms += [f"kernel_size: {k} kernel_size: {self.randint(1, 4)}"]
        text = self.choice(forms) + " "
        s, p = self.choice((1, 2, 2, 3)), self.randint(0, max(k - 1, 0))
        strides = [f"stride: {s}"] * 4 + [f"stride_h: {s} stride_w: {self.randint(1, 3)}"]
        pads = [f"pad: {p}"] * 4 + [f"pad_h: {p} pad_w: {self.randint(0, max(k - 1, 0))}"]
        if repeats:
            strides += [f"stride: {s} stride: {self.randint(1, 3)}"]
            pads += [f"pad: {p} pad: {self.randint(0, 2)}", f"pad_h: {p}", f"pad_w: {p}"]
        text += self.some(0.6, *strides) + self.some(0.5, *pads)
        if dilated and k > 1:
            text += self.some(0.2, "dilation: 2", "dilation: 2", "dilation: 1 dilation: 2")
        return text


_ELEMENTWISE = "ReLU ReLU PReLU ELU Sigmoid TanH AbsVal BNLL Power Power Exp Log Threshold Dropout Clip Swish"

Layer = tuple[str, int, int, str]
"""Its type, how many bottoms and tops, and its parameters."""


def convolution(draw: Draw) -> Layer:
    kind = draw.choice(("Convolution", "Convolution", "Deconvolution"))
    group = draw.choice((1, 1, 1, 2, 4))
    n = draw.choice((8, 16))
    count = 2 if draw.random() < 0.05 else 1
    bias = draw.some(0.25, "bias_term: false")
    grouped = f"group: {group} " if group > 1 else ""
    return kind, count, count, f"convolution_param {{ num_output: {n} {draw.window()}{grouped}{bias}{WEIGHTS} }}"


def pooling(draw: Draw) -> Layer:
    pool = draw.choice(("MAX", "MAX", "AVE", "AVE"))
    if draw.random() < 0.15:
        return "Pooling", 1, 1, f"pooling_param {{ pool: {pool} global_pooling: true }}"
    tops = 2 if pool == "MAX" and draw.random() < 0.07 else 1
    method = "" if pool == "MAX" and draw.random() < 0.1 else f"pool: {pool} "
    rounds = draw.some(0.06, "round_mode: FLOOR", "round_mode: CEIL")
    return "Pooling", 1, tops, f"pooling_param {{ {method}{draw.window(dilated=False, repeats=False)}{rounds}}}"


def inner_product(draw: Draw) -> Layer:
    fields = draw.some(0.25, "axis: 1", "axis: 2", "axis: -1", "axis: -3", "axis: 3")
    fields += draw.some(0.15, "transpose: true") + draw.some(0.2, "bias_term: false")
    return "InnerProduct", 1, 1, f"inner_product_param {{ num_output: {draw.choice((3, 8, 10))} {fields}{WEIGHTS} }}"


def batch_norm(draw: Draw) -> Layer:
    fields = draw.some(0.3, "eps: 0.001", "eps: 0.1") + draw.some(
        0.3, "use_global_stats: true", "use_global_stats: false"
    )
    return "BatchNorm", 1, 1, f"batch_norm_param {{ {fields}}}" if fields else ""


def scale(draw: Draw) -> Layer:
    kind = draw.choice(("Scale", "Scale", "Bias"))
    bottoms = 2 if draw.random() < 0.2 else 1
    fields = draw.some(0.25, "axis: 1", "axis: 2", "axis: -1", "axis: 0", "axis: -3")
    if bottoms == 1:
        fields += draw.some(0.15, "num_axes: 1", "num_axes: 2", "num_axes: 0", "num_axes: -1") + FILLER + " "
    if kind == "Scale":
        fields += draw.some(0.5, 'bias_term: true bias_filler { type: "uniform" }', "bias_term: true")
    return kind, bottoms, 1, f"{kind.lower()}_param {{ {fields}}}"


def elementwise(draw: Draw) -> Layer:
    kind = draw.choice(_ELEMENTWISE.split())
    number = draw.choice(("0.5", "2", "0.1", "1"))
    powers = draw.some(0.4, "power: 2", "power: 1", "power: 0.5", "power: -1", "power: 3")
    powers += draw.some(0.6, "scale: 2", "scale: -1", "scale: 0.5")
    base = draw.some(0.5, "base: 2", "base: 10")
    scaled = draw.some(0.5, "scale: 0.5") + draw.some(0.5, "shift: 0.5")
    blocks = {
        "ReLU": [f"relu_param {{ negative_slope: {number} }}"],
        "PReLU": [f"prelu_param {{ {FILLER} }}", f"prelu_param {{ channel_shared: true {FILLER} }}"],
        "ELU": [f"elu_param {{ alpha: {number} }}"],
        "Power": [f"power_param {{ {powers}{draw.some(0.6, 'shift: 1', 'shift: -1', 'shift: 3')}}}"],
        "Exp": [f"exp_param {{ {base}{scaled}}}"],
        "Log": [f"log_param {{ {base}{scaled}}}"],
        "Threshold": ["threshold_param { threshold: 0.3 }"],
        "Clip": ["clip_param { min: -0.5 max: 0.5 }"],
        "Dropout": ["dropout_param { dropout_ratio: 0.3 }"],
        "Swish": ["swish_param { beta: 2 }"],
    }
    block = draw.choice(blocks[kind]) if kind in blocks and draw.random() < (1 if kind == "Clip" else 0.7) else ""
    return kind, 1, 1, block


def normalisation(draw: Draw) -> Layer:
    if draw.random() < 0.35:
        fields = (
            draw.some(0.5, "across_channels: true")
            + draw.some(0.5, "normalize_variance: false")
            + draw.some(0.2, "eps: 0.01")
        )
        return "MVN", 1, 1, f"mvn_param {{ {fields}}}" if fields else ""
    fields = draw.some(0.7, "local_size: 3", "local_size: 5", "local_size: 7") + draw.some(
        0.8, "alpha: 0.0001", "alpha: 0.5"
    )
    fields += draw.some(0.7, "beta: 0.75", "beta: 0.5") + draw.some(0.25, "k: 2", "k: 1")
    fields += draw.some(0.2, "norm_region: WITHIN_CHANNEL", "norm_region: ACROSS_CHANNELS")
    return "LRN", 1, 1, f"lrn_param {{ {fields}}}" if fields else ""


def softmax(draw: Draw) -> Layer:
    axis = draw.some(0.5, "axis: 1", "axis: 2", "axis: -1", "axis: -3", "axis: 3")
    return "Softmax", 1, 1, f"softmax_param {{ {axis}}}" if axis else ""


def arranging(draw: Draw) -> Layer:
    kind = draw.choice(("Flatten", "Reshape", "Reshape", "Tile", "Reduction", "ArgMax", "SPP", "Im2col"))
    if kind == "Flatten":
        fields = draw.some(0.3, "axis: 1", "axis: 2", "axis: 0", "axis: -2") + draw.some(
            0.2, "end_axis: 2", "end_axis: -1"
        )
        return kind, 1, 1, f"flatten_param {{ {fields}}}" if fields else ""
    if kind == "Reshape":
        shapes = (
            "0 -1",
            "0 8 -1",
            "0 8 -1 1",
            "0 2 -1 6",
            "1 -1",
            "-1",
            "0 2 2 -1 6",
            "0 -1 1 1",
            "0 0 -1",
            "-1 6",
            "0 0 0 -1",
            "8 -1",
        )
        dims = " ".join(f"dim: {n}" for n in draw.choice(shapes).split())
        more = draw.some(0.15, "axis: 1", "axis: 1 num_axes: 2", "axis: 2", "num_axes: 1")
        return kind, 1, 1, f"reshape_param {{ shape {{ {dims} }} {more}}}"
    if kind == "Tile":
        return (
            kind,
            1,
            1,
            f"tile_param {{ {draw.some(0.6, 'axis: 1', 'axis: 2', 'axis: -1')}tiles: {draw.randint(1, 3)} }}",
        )
    if kind == "Reduction":
        fields = draw.some(0.7, "operation: SUM", "operation: MEAN", "operation: ASUM", "operation: SUMSQ")
        fields += draw.some(0.7, "axis: 1", "axis: 2", "axis: -1") + draw.some(0.3, "coeff: 2")
        return kind, 1, 1, f"reduction_param {{ {fields}}}"
    if kind == "ArgMax":
        fields = (
            draw.some(0.6, "axis: 1", "axis: 2", "axis: -1")
            + draw.some(0.3, "top_k: 2", "top_k: 1")
            + draw.some(0.3, "out_max_val: true")
        )
        return kind, 1, 1, f"argmax_param {{ {fields}}}" if fields else ""
    if kind == "SPP":
        return kind, 1, 1, f"spp_param {{ pyramid_height: 2 pool: {draw.choice(('MAX', 'AVE'))} }}"
    return kind, 1, 1, "convolution_param { kernel_size: 3 }"


def joining(draw: Draw) -> Layer:
    if draw.random() < 0.5:
        bottoms = draw.choice((2, 2, 3))
        operation = draw.some(0.7, "operation: SUM", "operation: SUM", "operation: PROD", "operation: MAX")
        coefficients = ""
        if "PROD" not in operation and "MAX" not in operation and draw.random() < 0.4:
            numbers = [draw.choice(("1", "-1", "2", "0.5")) for _ in range(bottoms)]
            coefficients = " ".join(f"coeff: {number}" for number in numbers) + " "
        fields = operation + coefficients
        return "Eltwise", bottoms, 1, f"eltwise_param {{ {fields}}}" if fields else ""
    axis = draw.some(
        0.6, "axis: 1", "axis: 2", "axis: -1", "axis: -3", "axis: 0", "concat_dim: 1", "concat_dim: 2", "concat_dim: 3"
    )
    return "Concat", draw.choice((1, 2, 2, 2, 3)), 1, f"concat_param {{ {axis}}}" if axis else ""


def slicing(draw: Draw) -> Layer:
    axis = draw.some(0.5, "axis: 1", "axis: 2", "axis: -1", "axis: -3", "slice_dim: 1", "slice_dim: 2")
    tops = draw.choice((2, 2, 3))
    points = " ".join(f"slice_point: {n + 1} " for n in range(tops - 1)) if draw.random() < 0.7 else ""
    return "Slice", 1, tops, f"slice_param {{ {axis}{points}}}"


def cropping(draw: Draw) -> Layer:
    fields = draw.some(0.3, "axis: 2", "axis: 3", "axis: 1", "axis: -1", "axis: -2")
    fields += draw.some(0.7, "offset: 1", "offset: 2", "offset: 1 offset: 2", "offset: 0 offset: 1 offset: 2")
    return "Crop", 2, 1, f"crop_param {{ {fields}}}" if fields else ""


FAMILIES: list[Callable[[Draw], Layer]] = [
    *[convolution] * 5,
    *[pooling] * 4,
    *[inner_product] * 2,
    *[batch_norm] * 2,
    *[scale] * 3,
    *[elementwise] * 5,
    *[normalisation] * 3,
    *[softmax] * 2,
    *[arranging] * 4,
    *[joining] * 4,
    *[slicing] * 2,
    cropping,
]


def net(draw: Draw) -> str:
    """The text of a net of one or two layers between inputs and outputs."""
    height, width = draw.choice(((9, 7), (8, 8), (12, 6), (10, 8)))
    channels = draw.choice((8, 8, 16))  # others go over the end of memory in MNN's packed layers
    shape = [1, channels, height, width]
    if draw.random() < 0.08:
        shape = [1, channels]
    inputs: list[tuple[str, list[int]]] = []
    lines: list[str] = []
    last = ""
    for number in range(draw.choice((1, 1, 2))):
        kind, bottoms, tops, block = draw.choice(FAMILIES)(draw)
        positive = kind == "Log" or "power: 0.5" in block or "power: -1" in block
        names = []
        for index in range(bottoms):
            if last and index == 0:
                names.append(last)
                continue
            dims = list(shape)
            if kind == "Crop" and index == 1:
                dims[2:] = [max(n - draw.randint(1, 4), 1) for n in dims[2:]]
            if kind in ("Scale", "Bias") and index == 1 and draw.random() < 0.7:
                dims = dims[: draw.choice((1, 2, 2))]
            name = ("positive" if positive else "data") + (str(len(inputs)) if inputs else "")
            inputs.append((name, dims))
            names.append(name)
        in_place = (
            tops == bottoms == 1
            and number
            and kind in ("ReLU", "PReLU", "Sigmoid", "TanH", "Scale", "BatchNorm", "Dropout", "ELU")
        )
        made = [names[0]] if in_place and draw.random() < 0.6 else [f"top{number}{'abc'[n]}" for n in range(tops)]
        wires = "".join(f' bottom: "{one}"' for one in names) + "".join(f' top: "{one}"' for one in made)
        phase = draw.some(0.03, "include { phase: TEST }", "phase: TEST", "exclude { phase: TRAIN }")
        lines.append(f'layer {{ name: "{kind.lower()}{number}" type: "{kind}"{wires} {phase}{block} }}')
        last = made[0]
    return "\n".join([_head(draw, inputs), *lines, ""])


def _head(draw: Draw, inputs: list[tuple[str, list[int]]]) -> str:
    form = draw.random()
    if form < 0.1 and all(len(dims) == 4 for _, dims in inputs):
        names = "".join(f'input: "{name}" ' for name, _ in inputs)
        return names + " ".join(f"input_dim: {n}" for _, dims in inputs for n in dims)
    if form < 0.18:
        names = "".join(f'input: "{name}" ' for name, _ in inputs)
        return names + " ".join(f"input_shape {{ {' '.join(f'dim: {n}' for n in dims)} }}" for _, dims in inputs)
    layer = 'layer {{ name: "{0}" type: "Input" top: "{0}" input_param {{ shape {{ {1} }} }} }}'
    return "\n".join(layer.format(name, " ".join(f"dim: {n}" for n in dims)) for name, dims in inputs)


def main() -> None:
    out, number, seed = sys.argv[1:]
    for index in range(int(number)):
        case = Path(out) / f"{int(seed)}_{index:05d}"
        case.mkdir(parents=True)
        (case / "net.prototxt").write_text(net(Draw(f"{seed} {index}")), encoding="utf-8")


if __name__ == "__main__":
    main()
