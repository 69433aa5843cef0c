from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Run, Sided, SmokeRule

from ._evidence import worded
from ._example import CALM, NET, losses, project

_TOLD = 4
_MIRRORS = NET.replace("  dummy", "  transform_param { mirror: true } dummy").replace('"DummyData"', '"Data"')
_SIDED = Sided("label", 1, 300, 0.02, 0.97, [(0, 1), (1, 0), (2, 2)])


class MirroredAnswers(SmokeRule):
    """Training mirrors its images, and mirrored images are those of another label.

    ## Why is this bad?
    A mirrored "turn left" is "turn right". Half of the images that training reads have the label of the other side, so
    the net cannot tell the two apart.

    The first images of the TEST net are mirrored, and the labels of those that are nearest to them are looked up: where
    these are other ones than their own, one for one and the other way round, the sides matter.

    ## Known problems
    Nothing is told without a TEST net, and where images of a label have too little in common for the nearest ones to
    tell it.

    ## References
    - data_transformer.cpp, Transform; mirrored-sides tells the same by the names of classes
    """

    code = "X134"
    name = "mirrored-answers"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), _SIDED),
        project(*losses(*CALM), net=_MIRRORS),
        project(*losses(*CALM), _SIDED._replace(name="other"), net=_MIRRORS),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _SIDED, net=_MIRRORS),
            span="mirror: true",
            message='Data "data": training mirrors half of its images, but of 300 images of TEST, the nearest ones of'
            ' the mirrored image have another "label" in 97% of cases, 0 for 1, 1 for 0, so half of the images have'
            " the label of the other side: set mirror: false",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for layer in run.built[0].layers:
            mirrors = layer.transforms and layer.message.transform_param.mirror
            names = [top.name for top in layer.tops] if mirrors else []
            found = next((one for one in run.all(Sided) if one.name in names), None)
            if found is None:
                continue
            what = f"{title(layer)}: training mirrors half of its images, but of {found.records} images of TEST, the"
            what += f' nearest ones of the mirrored image have another "{found.name}" in {100 * found.with_it:.0f}% of'
            what += f" cases, {_pairs(found)}, so half of the images have the label of the other side"
            cause = Cause("labels", what, "set mirror: false", LIKELY)
            place = run.place(layer.name, 0, "transform_param", "mirror")
            yield worded(self, place, cause)


def _pairs(one: Sided) -> str:
    moved = [(here, there) for here, there in one.labels if here != there]
    more = f" and {len(moved) - _TOLD} more" if len(moved) > _TOLD else ""
    return ", ".join(f"{here:g} for {there:g}" for here, there in moved[:_TOLD]) + more
