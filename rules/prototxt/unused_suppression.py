from __future__ import annotations

from caffelint.lint import WARNING, Invalid, ProblemRule


class UnusedSuppression(ProblemRule):
    """A `caffelint: ignore` comment silences nothing.

    ## Why is this bad?
    The finding that it was written for is gone, or the rule's name is misspelt and never silenced anything. Left in
    place, it hides the next finding of that kind, or makes people believe that something was checked and accepted.

    A comment is judged only if all the rules that it names run.

    ## Fix safety
    Removing the comment is safe. Correcting the name is unsafe, since it is a guess that silences a finding.

    ## Example
    ```
    lr_policy: "fixed"  # caffelint: ignore[poly-without-max-iter]
    ```
    Use instead:
    ```
    lr_policy: "fixed"
    ```
    """

    code = "P015"
    name = "unused-suppression"
    severity = WARNING
    has_no_effect = True
    VALID = ['lr_policy: "fixed"  # caffelint: ignore[poly-without-max-iter] other rules do not run here']
    INVALID = [
        Invalid(
            'lr_policy: "fixed"  # caffelint: ignore[poly-without-maxiter]',
            span="# caffelint: ignore[poly-without-maxiter]",
            message='no rule is called "poly-without-maxiter", so this comment silences nothing; did you mean'
            " poly-without-max-iter?",
            fixed='lr_policy: "fixed"  # caffelint: ignore[poly-without-max-iter]',
        )
    ]
