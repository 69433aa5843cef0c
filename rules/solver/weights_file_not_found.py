from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Option, Solver, SolverRule, Valid
from caffelint.lint.disk import data_of_this_machine, data_sources, found_from, is_template, starts


class WeightsFileNotFound(SolverRule):
    """A file of weights that the solver starts from does not exist, although the data does, or begins with `~`.

    ## Why is this bad?
    Caffe reads the files of `weights` once it has built the nets, and aborts if one is missing. It does not expand `~`,
    which a shell does.

    ## Example
    ```
    weights: "models/vgg16.cafemodel"
    ```
    Use instead:
    ```
    weights: "models/vgg16.caffemodel"
    ```

    ## Known problems
    Weights are rarely on the machine where the text is checked, so a missing file is reported only where Caffe seems to
    run: if data of the solver's nets exists here that is no part of the repository, or with `check-sources`. The file
    of `caffe train --weights` wins over this one, and is not known here.

    ## Options
    - `check-sources`: look for the weights also if there is no data
    - `roots`: folders that relative paths may start from, besides the working directory and the folders of the file

    ## References
    - solver.cpp, LoadNetWeights; net.cpp, CopyTrainedLayersFrom
    """

    code = "S214"
    name = "weights-file-not-found"
    severity = ERROR
    OPTIONS = {
        "check-sources": Option(False, "Check that the weights exist here, also if no data does."),
        "roots": Option([], "Folders that relative paths may start from."),
    }
    VALID = [
        'base_lr: 0.01 weights: "gone.caffemodel"',
        Valid('base_lr: 0.01 weights: "$MODEL"', {"check-sources": True}),
        Valid('base_lr: 0.01 weights: "/, /"', {"check-sources": True}),
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 weights: "~/vgg16.caffemodel"',
            span='weights: "~/vgg16.caffemodel"',
            message='weights "~/vgg16.caffemodel" starts with ~, which Caffe does not expand, so it stops at the start;'
            " write the full path",
        ),
        Invalid(
            'base_lr: 0.01 weights: "/, gone.caffemodel"',
            span='weights: "/, gone.caffemodel"',
            message='weights "gone.caffemodel" do not exist in the working directory or beside this file, so Caffe'
            " stops at the start; correct the path",
            options={"check-sources": True},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for position, listed in enumerate(solver.message.weights):
            # LoadNetWeights: several files may be listed in one string, with commas.
            for path in map(str.strip, listed.split(",")):
                what = f'weights "{path}"'
                place = solver.at("weights", position)
                if path.startswith("~/"):
                    text = f"{what} starts with ~, which Caffe does not expand, so it stops at the start; write the"
                    yield self.finding(place, f"{text} full path")
                elif not is_template(path) and self._judges(solver) and not self._found(solver, path):
                    where = "" if path.startswith("/") else " in the working directory or beside this file"
                    text = f"{what} do not exist{where}, so Caffe stops at the start; correct the path"
                    yield self.finding(place, text)

    def _judges(self, solver: Solver) -> bool:
        sources = [source for use in solver.nets for source in data_sources(use.net, self.options["roots"])]
        return bool(self.options["check-sources"]) or data_of_this_machine(sources) is not None

    def _found(self, solver: Solver, path: str) -> bool:
        return bool(found_from(path, [*starts(solver.path, self.options["roots"])]))
