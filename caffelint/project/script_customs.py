"""What the scripts of a project do with nets and solvers, whichever these are."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from caffelint.project.mentions import Mention
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.project.scripts import Script


class Customs(NamedTuple):
    """What the scripts of a project do with nets and solvers, whichever these are: the first place of each.

    `steps`: step a solver; `drives`: run or update a net by hand; `trains_on`: give a training the weights of a trained
    net; `from_scratch`: train without any; `fills`: set the weights of upsampling layers; `sets_rate`: write the
    base_lr of a solver; `names_net`: write the net of a solver; `builds_sgd`: build an SGDSolver, which is one whatever
    type the file says; `makes_floats`: make records of floats; `hands_over`: give a net that they train weights which
    this training did not make; `reshapes`: give blobs of nets other shapes; `on_gpu`: choose the GPU for a solver.
    """

    steps: Mention | None = None
    drives: Mention | None = None
    trains_on: Mention | None = None
    from_scratch: Mention | None = None
    fills: Mention | None = None
    sets_rate: Mention | None = None
    names_net: Mention | None = None
    builds_sgd: Mention | None = None
    makes_floats: Mention | None = None
    hands_over: Mention | None = None
    reshapes: Mention | None = None
    on_gpu: Mention | None = None


def customs_of(scripts: Sequence[Script]) -> Customs:
    """The first script that does each of these things, one that speaks of a solver before all that do not."""
    scripts = sorted(scripts, key=lambda script: "olver" not in script.text)
    return Customs(*(next(filter(None, map(attrgetter(name), scripts)), None) for name in Customs._fields))
