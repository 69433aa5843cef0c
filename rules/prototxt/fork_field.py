from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, File, Finding, Invalid, Problem, ProblemRule


class ForkField(ProblemRule):
    """The file needs a fork of Caffe: BVLC's Caffe lacks some of its fields or enum values.

    ## Why is this bad?
    It is not, as long as that fork is the one that runs. Any other Caffe refuses the file at the first such field.
    Without a configured dialect, one info names the forks that know all of these fields. With a dialect, or where the
    repository holds its own Caffe, each field that this lacks is an error, reported once per file.

    ## Example
    ```
    layer { type: "PriorBox" prior_box_param { min_size: 30 } }
    ```
    Use instead, for Caffe of the SSD branch:
    ```
    caffelint check --dialect ssd train.prototxt
    ```

    ## Known problems
    caffelint knows the schemas of more than 120 forks; one that it does not know is taken for the nearest ones.

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
            message="BVLC's Caffe refuses prior_box_param; SSD (weiliu89/caffe), NVIDIA Caffe and 23 more have it"
            " (pass --dialect ssd)",
        ),
        # No Caffe has both, so no dialect is advised.
        Invalid(
            'layer { type: "PriorBox" prior_box_param { min_size: 30 } } layer { type: "NoSuchThing" }',
            span="prior_box_param",
            message="BVLC's Caffe refuses prior_box_param; SSD (weiliu89/caffe), NVIDIA Caffe and 23 more have it",
        ),
        Invalid(
            'layer { type: "PriorBox" prior_box_param { min_size: 30 } }',
            span="prior_box_param",
            message="BVLC's Caffe lacks prior_box_param and refuses the file; it is in dialect ssd, nvcaffe and 36"
            " more",
            options={"dialect": "bvlc"},
        ),
    ]

    def report(self, problem: Problem, file: File) -> Iterator[Finding]:
        severity = ERROR if file.knows_caffe else INFO
        # A Caffe that lacks anything else of the file would only turn these infos into errors.
        message = problem.message + (f" (pass --dialect {file.likely_dialects[0]})" if file.likely_dialects else "")
        yield self.finding(
            file.place_of(problem),
            message,
            evidence=problem.evidence,
            severity=severity,
            dialects=file.likely_dialects,
        )
