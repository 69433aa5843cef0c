from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from caffelint.lint import ERROR, Finding, Invalid, Option, Solver, SolverRule, Valid, compiled_later
from caffelint.lint.disk import data_of_this_machine, data_sources, found_from, is_template, starts

_OTHERS = compiled_later(r"^~/|_iter_\d+\.caffemodel(?:\.h5)?$")
"""What is no file as it is written, or may be one that a training writes (Solver::SnapshotFilename)."""


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
    run: if data of the solver's nets exists here that is no part of the repository, or with `check-sources`. A name
    like that of a snapshot is passed over, since the training that writes it may be run first. The file of `caffe train
    --weights` wins over this one, and is not known here.

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
        # What another training of the project writes.
        Valid('base_lr: 0.01 weights: "stage1_iter_1000.caffemodel"', {"check-sources": True}),
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
        # LoadNetWeights: several files may be listed in one string, with commas.
        named = [(n, path.strip()) for n, listed in enumerate(solver.message.weights) for path in listed.split(",")]
        missing = self._missing(solver, [path for _, path in named if not (is_template(path) or _OTHERS.search(path))])
        for position, path in named:
            what, place = f'weights "{path}"', solver.at("weights", position)
            if path.startswith("~/"):
                text = f"{what} starts with ~, which Caffe does not expand, so it stops at the start"
                yield self.finding(place, f"{text}; write the full path")
            elif path in missing:
                where = "" if os.path.isabs(path) else " in the working directory or beside this file"
                text = f"{what} do not exist{where}, so Caffe stops at the start; correct the path"
                yield self.finding(place, text)

    def _missing(self, solver: Solver, paths: Sequence[str]) -> Collection[str]:
        """Those of some files that are not there, if it is here that Caffe runs."""
        roots = self.options["roots"]
        sources = (source for net in solver.distinct_nets if paths for source in data_sources(net, roots))
        if not self.options["check-sources"] and data_of_this_machine(sources) is None:
            return ()
        folders = [*starts(solver.path, roots)]
        return {path for path in paths if not found_from(path, folders)}
