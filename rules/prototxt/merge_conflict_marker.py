from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class MergeConflictMarker(ProblemRule):
    """A merge left its `<<<<<<<`, `=======` or `>>>>>>>` in the file.

    ## Why is this bad?
    Caffe's parser refuses the file. caffelint checks the side above `=======` and skips the other one.

    ## Example
    ```
    <<<<<<< HEAD
    base_lr: 0.01
    =======
    base_lr: 0.001
    >>>>>>> tune
    ```
    Use instead:
    ```
    base_lr: 0.01
    ```
    """

    code = "P020"
    name = "merge-conflict-marker"
    severity = ERROR
    VALID = [
        "# =======\nbase_lr: 0.01",
    ]
    INVALID = [
        Invalid(
            "<<<<<<< HEAD\nbase_lr: 0.01\n=======\nbase_lr: 0.001\n>>>>>>> tune\nmax_iter: 10\n",
            span="<<<<<<< HEAD",
            message="<<<<<<< is left over from a merge; keep one side and remove the markers",
        ),
    ]
