from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, python_classes, title
from caffelint.lint.built import BuiltLayer


class TargetMadeNoisy(NetRule):
    """A layer that makes noise works in place on a blob that a loss takes for its target as well.

    ## Why is this bad?
    A net that is to take noise away has to be compared with what was there before the noise. In place, the noise gets
    into the target, too: the best that the net can do is to hand on what it reads, and TEST, without the noise, asks
    something else.

    ## Example
    ```
    layer { name: "drop" type: "Dropout" bottom: "data" top: "data" }
    ```
    Use instead:
    ```
    layer { name: "drop" type: "Dropout" bottom: "data" top: "noisy" }
    ```

    ## Known problems
    Of a Python layer it is read, not run, whether its `forward` draws random numbers.

    ## References
    - net.cpp, AppendTop: in place, the blob of that name is one and the same for all that read it later
    """

    code = "O024"
    name = "target-made-noisy"
    severity = WARNING
    certainty = LIKELY
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" }}\n'
        'layer {{ name: "drop" type: "Dropout" bottom: "data" top: "{0}" }}\n'
        'layer {{ name: "fc" type: "InnerProduct" bottom: "{0}" top: "fc" inner_product_param {{ num_output: 4 }} }}\n'
        'layer {{ name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "{1}" top: "loss" }}\n'
    )
    VALID = [_NET.format("noisy", "data"), _NET.format("data", "label")]
    INVALID = [
        Invalid(
            _NET.format("data", "data"),
            span='top: "data"',
            message='Dropout "drop" makes noise in place, and EuclideanLoss "loss" takes what it made for its target;'
            ' give it a top of its own, such as "data_noisy", for the layers that are to take the noise away',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        built = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None)
        for loss in built.layers if built is not None else ():
            if len(loss.bottoms) < 2 or not any(loss.loss_weights) or loss.reads_classes(1):
                continue
            noise, top = loss.bottoms[1].maker, loss.bottoms[1].original.name
            if noise is None or noise.index is None or not noise.runs_in_place:
                continue
            fed = not noise.bottoms[0].need_backward and noise in loss.bottoms[0].depends_on
            if fed and _makes_noise(net, noise):
                yield self.finding(
                    net.layers[noise.index].at("top"),
                    f"{title(noise)} makes noise in place, and {title(loss)} takes what it made for its target; give it"
                    f' a top of its own, such as "{top}_noisy", for the layers that are to take the noise away',
                    phases=(TRAIN,),
                )


def _makes_noise(net: Net, layer: BuiltLayer) -> bool:
    if layer.type != "Python" or layer.index is None:
        return bool(layer.draws_at_random)
    return any(python.draws for python in python_classes(net.layers[layer.index]))
