from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Kind,
    Net,
    NetRule,
    fix,
    is_for_unknown_caffe,
    quoted,
    title,
    titles,
    write,
)
from caffelint.lint.built import FILLERS

from ._fillers import FILLED

_MANY = 3


class UnknownFillerType(NetRule):
    """A filler has a type that Caffe does not have.

    ## Why is this bad?
    Caffe knows constant, gaussian, positive_unitball, uniform, xavier, msra and bilinear, all in lower case, and aborts
    on any other name. Some forks have more.

    ## Example
    ```
    weight_filler { type: "Xavier" }
    ```
    Use instead:
    ```
    weight_filler { type: "xavier" }
    ```

    ## Known problems
    A name that no Caffe has, and that is like none of the names above, is an info if all of three or more weights have
    it, or if the net has other names that no known Caffe has: a fork may well have added it.

    ## Fix safety
    Safe if only the case is wrong, since Caffe refuses the filler anyway. Otherwise unsafe, since the name is a guess.

    ## References
    - filler.hpp, GetFiller
    """

    code = "I009"
    name = "unknown-filler-type"
    severity = ERROR
    claims = (Kind.UNKNOWN_FILLER,)
    layer_types = FILLED
    _FC = (
        'layer { name: "fc" type: "InnerProduct" bottom: "a" top: "b"'
        ' inner_product_param { weight_filler { type: "%s" } } }'
    )
    VALID = [_FC % "xavier", _FC % "constant"]
    _OWN_FIELD = 'layer { name: "own" type: "Silence" bottom: "b" transform_param { crop_size_l: 64 } } '
    INVALID = [
        Invalid(
            _FC % "Xavier",
            span='type: "Xavier"',
            message='InnerProduct "fc": Caffe has no filler "Xavier" and stops at load; did you mean "xavier"?',
            fixed=_FC % "xavier",
        ),
        Invalid(
            _FC % "guassian",
            span='type: "guassian"',
            message='InnerProduct "fc": Caffe has no filler "guassian" and stops at load; did you mean "gaussian"?',
            fixed=_FC % "gaussian",
        ),
        Invalid(
            _FC % "orthogonal",
            span='type: "orthogonal"',
            message='InnerProduct "fc": Caffe has no filler "orthogonal", so it stops at load unless your fork adds'
            " it; use one of bilinear, constant, gaussian, msra, positive_unitball, uniform, xavier",
        ),
        # In all layers, it is a fork's own.
        Invalid(
            _FC % "prelu" + _FC % "prelu" + _FC % "prelu",
            span='type: "prelu"',
            message='InnerProduct "fc": Caffe has no filler "prelu", so it stops at load unless your fork adds it;'
            " use one of bilinear, constant, gaussian, msra, positive_unitball, uniform, xavier",
        ),
        # A fork that nobody knows may well have a filler that extends one of Caffe's.
        Invalid(
            _OWN_FIELD + _FC % "bilinear_3D",
            span='type: "bilinear_3D"',
            message='InnerProduct "fc": Caffe has no filler "bilinear_3D", so it stops at load unless your fork adds'
            " it; use one of bilinear, constant, gaussian, msra, positive_unitball, uniform, xavier",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        own = net.bound.caffe.registered.fillers if net.bound.caffe else frozenset[str]()
        for type_, places in net.fillers.items():
            if type_ in FILLERS or type_ in own or "$" in type_ or "{" in type_:
                continue
            from difflib import get_close_matches

            close = get_close_matches(type_.lower(), FILLERS, n=1, cutoff=0.8)
            if close and type_.lower() != close[0] and type_.lower().startswith(close[0]) and is_for_unknown_caffe(net):
                close = []  # a fork's own filler, called after the one that it extends
            if not close:
                layer, (path, _) = places[0]
                layers = [*dict.fromkeys(layer for layer, _ in places)]
                yield self.finding(
                    layer.at(*path, "type"),
                    f'{titles(layers)}: Caffe has no filler "{type_}", so it stops at load unless your fork adds it;'
                    f" use one of {', '.join(sorted(FILLERS))}",
                    severity=INFO if is_for_unknown_caffe(net) or _is_in_all(net, type_) else WARNING,
                    certainty=LIKELY,
                    layers=layers,
                )
                continue
            safety = SAFE if type_.lower() == close[0] else UNSAFE
            for layer, (path, _) in places:
                yield self.finding(
                    layer.at(*path, "type"),
                    f'{title(layer)}: Caffe has no filler "{type_}" and stops at load; did you mean "{close[0]}"?',
                    evidence=f"Caffe stops with: Unknown filler name: {type_}",
                    certainty=CERTAIN,
                    fixes=fix(f'use "{close[0]}"', safety, write(layer, *path, "type", value=quoted(close[0]))),
                )


def _is_in_all(net: Net, type_: str) -> bool:
    """Whether all of several weights have this filler: nobody writes a net around a name that no Caffe takes."""
    types = [kind for kind, places in net.fillers.items() for _, (path, _) in places if path[-1] == "weight_filler"]
    return len(types) >= _MANY and set(types) == {type_}
