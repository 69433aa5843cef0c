from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, File, Finding, Invalid, Problem, ProblemRule


class ForkField(ProblemRule):
    """The file needs a fork of Caffe: BVLC's lacks some of its fields or enum values.

    ## Why is this bad?
    It is not, as long as that fork is what runs. Any other Caffe refuses the file at the first such field. Without a
    configured dialect one info names the forks that know all of them; with one, each field that the dialect lacks is
    an error, told once a file.

    ## Example
    ```
    layer { type: "PriorBox" prior_box_param { min_size: 30 } }
    ```
    Use instead, for Caffe of the SSD branch:
    ```
    caffelint check --dialect ssd train.prototxt
    ```

    ## Known problems
    caffelint knows some 170 schemas; a fork that is not among them is taken for the nearest ones.

    ## References
    - the files of `proto/forks/` name repository and commit of each schema
    """

    code = "P003"
    name = "fork-field"
    severity = INFO
    VALID = [
        "layer { pooling_param { kernel_size: 3 } }",
    ]
    INVALID = [
        Invalid(
            'layer { type: "PriorBox" prior_box_param { min_size: 30 } }',
            span="prior_box_param",
            message="BVLC's Caffe lacks prior_box_param; SSD (weiliu89/caffe), NVIDIA Caffe and 23 more have it"
            " (--dialect ssd)",
        ),
        Invalid(
            'layer { type: "PriorBox" prior_box_param { min_size: 30 } }',
            span="prior_box_param",
            message="prior_box_param is unknown to BVLC's Caffe, known to dialect ssd, nvcaffe and 36 more",
            options={"dialect": "bvlc"},
        ),
    ]

    def report(self, problem: Problem, file: File) -> Iterator[Finding]:
        severity = INFO if file.dialect is None else ERROR
        yield self.finding(file.place_of(problem), problem.message, evidence=problem.evidence, severity=severity)
