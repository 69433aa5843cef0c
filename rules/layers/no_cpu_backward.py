from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, Related, Solver, file_name, title
from caffelint.lint.built import types_that

_NET = (
    'layer {{ name: "data" type: "Input" top: "data" top: "rois" top: "label" input_param {{ shape {{ dim: 1 dim: 3'
    " dim: 32 dim: 32 }} shape {{ dim: 2 dim: 5 }} shape {{ dim: 2 }} }} }}"
    ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" param {{ lr_mult: {} }} param {{ lr_mult: {}'
    " }} convolution_param {{ num_output: 4 kernel_size: 3 }} }}"
    ' layer {{ name: "roi" type: "ROIPooling" bottom: "conv" bottom: "rois" top: "roi" roi_pooling_param {{ pooled_w: 2'
    " pooled_h: 2 spatial_scale: 1 }} }}"
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "roi" top: "fc" inner_product_param {{ num_output: 2 }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}'
)
_SOLVER = 'net: "net.prototxt" base_lr: 0.01 solver_mode: {}'


class NoCpuBackward(NetRule):
    """A net is trained on the CPU through a layer that passes a gradient on only on a GPU.

    ## Why is this bad?
    The backward pass of ROIPooling and PSROIPooling on the CPU is `NOT_IMPLEMENTED`: Caffe stops at the first one if a
    layer before them learns. pycaffe ignores `solver_mode`, and is on the CPU without caffe.set_mode_gpu().

    ## Example
    ```
    solver_mode: CPU
    ```
    Use instead:
    ```
    solver_mode: GPU
    ```

    ## Known problems
    Silent where a script of the project chooses the GPU for a solver, or where the project has a Caffe of its own.

    ## References
    - roi_pooling_layer.cpp and psroi_pooling_layer.cpp (Backward_cpu) of the Caffes of Fast R-CNN and R-FCN
    """

    code = "L020"
    name = "no-cpu-backward"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: not kind.backward_on_cpu)
    VALID = [
        {"solver.prototxt": _SOLVER.format("GPU"), "net.prototxt": _NET.format(1, 1)},
        # Nothing before it learns.
        {"solver.prototxt": _SOLVER.format("CPU"), "net.prototxt": _NET.format(0, 0)},
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER.format("CPU"), "net.prototxt": _NET.format(1, 1)},
            span='type: "ROIPooling"',
            message='ROIPooling "roi" has no backward pass on the CPU, which solver_mode: CPU of "solver.prototxt" asks'
            " for, so Caffe stops in the first iteration; set solver_mode: GPU there",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        solvers = [solver for solver in net.solvers if _is_on_cpu(solver)]
        for built in net.states() if solvers else ():
            for layer in built.layers if built.phase == TRAIN else ():
                if layer.index is None or layer.backward_on_cpu or not any(layer.propagate_down):
                    continue
                place = solvers[0].at("solver_mode")
                yield self.finding(
                    net.layers[layer.index].at("type"),
                    f"{title(layer)} has no backward pass on the CPU, which solver_mode: CPU of"
                    f' "{file_name(solvers[0].path)}" asks for, so Caffe stops in the first iteration; set solver_mode:'
                    " GPU there",
                    related=(Related("the mode of the solver", place),),
                )
                return


def _is_on_cpu(solver: Solver) -> bool:
    message, runs = solver.message, solver.runs
    if message.solver_mode != message.CPU or solver.caffe is not None:
        return False
    return runs is None or runs.customs.on_gpu is None
