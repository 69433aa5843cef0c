from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Given,
    Invalid,
    Solver,
    SolverRule,
    compiled_later,
    fix,
    is_for_unknown_caffe,
    quoted,
    write,
)

from ._text import AT_FIRST_UPDATE

_TESTS = compiled_later(r"(?i)(?<![a-z])(?:test|eval|infer|predict)")
_POLICIES = ("fixed", "step", "exp", "inv", "multistep", "poly", "sigmoid")
_ALL = ", ".join(_POLICIES)


class UnknownLrPolicy(SolverRule):
    """`lr_policy` is missing, or is not a policy that Caffe knows.

    ## Why is this bad?
    The policies are fixed, step, exp, inv, multistep, poly and sigmoid, in lower case; there is no default. Caffe
    checks the name only at the first update, after loading the data and a whole test pass, and aborts there. Some forks
    have further policies: multifixed, plateau, sgdr.

    ## Example
    ```
    lr_policy: "steps" stepsize: 1000 gamma: 0.1
    ```
    Use instead:
    ```
    lr_policy: "step" stepsize: 1000 gamma: 0.1
    ```

    ## Fix safety
    Safe if only the case is wrong, since Caffe refuses the policy as it is. Otherwise unsafe, since the name is a
    guess.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S102"
    name = "unknown-lr-policy"
    severity = ERROR
    _OWN = 'layer { name: "a" type: "MyOwnThing" bottom: "b" top: "c" }'
    VALID = [
        'base_lr: 0.1 lr_policy: "fixed"',
        'base_lr: 0.1 lr_policy: "sigmoid" stepsize: 10 gamma: 1',
        'lr_policy: "multifixed" stagelr: 0.1 stageiter: 100 base_lr: 1',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.1 lr_policy: "steps" stepsize: 10',
            span='lr_policy: "steps"',
            message='lr_policy "steps" is unknown, so Caffe stops at the first update; did you mean "step"?',
            fixed='base_lr: 0.1 lr_policy: "step" stepsize: 10',
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "Fixed"',
            span='lr_policy: "Fixed"',
            message='lr_policy "Fixed" is unknown, so Caffe stops at the first update; did you mean "fixed"?',
            fixed='base_lr: 0.1 lr_policy: "fixed"',
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "cosine"',
            span='lr_policy: "cosine"',
            message=f'lr_policy "cosine" is unknown, so Caffe stops at the first update; set one of {_ALL}',
        ),
        Invalid(
            "base_lr: 0.1 max_iter: 10",
            span="base_lr: 0.1",
            message=f"lr_policy is missing and has no default, so Caffe stops at the first update; set one of {_ALL}",
        ),
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt" base_lr: 0.1\nlr_policy: "stepdecr"', "net.prototxt": _OWN},
            span='lr_policy: "stepdecr"',
            message='no known Caffe has lr_policy "stepdecr", so Caffe stops at the first update unless yours has it',
        ),
        Invalid(
            'lr_policy: "stages" stages_lr: 0.1 stages_size: 100',
            span='lr_policy: "stages"',
            message='no known Caffe has lr_policy "stages", so Caffe stops at the first update unless yours has it',
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "sgdr"',
            span='lr_policy: "sgdr"',
            message='lr_policy "sgdr" is known only to Jolibrain Caffe (jolibrain/caffe), so BVLC\'s Caffe stops at'
            " the first update; set one of fixed, step, exp, inv, multistep, poly, sigmoid",
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "sgdr"',
            span='lr_policy: "sgdr"',
            message=f'lr_policy "sgdr" is unknown in dialect bvlc, so Caffe stops; set one of {_ALL}',
            options={"dialect": "bvlc"},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        policy = solver.message.lr_policy
        if policy in _POLICIES or solver.given("lr_policy") is Given.UNREADABLE:
            return
        forks = solver.policy_forks
        if solver.dialect in forks or (solver.caffe and policy in solver.caffe.registered.policies):
            return
        place = solver.at_first("lr_policy", "base_lr", "momentum", "weight_decay", "max_iter")
        evidence = f"{AT_FIRST_UPDATE}: Unknown learning rate policy: {policy}"
        if forks and not solver.dialect:
            # The policy's own fields say which Caffe is meant, and fork-field names it.
            if not any(use.forks & forks for use in solver.bound.fork_uses):
                message = f'lr_policy "{policy}" is known only to {solver.fork_names(forks)}'
                message += f", so BVLC's Caffe stops at the first update; set one of {_ALL}"
                yield self.finding(place, message, evidence=evidence, severity=WARNING, certainty=LIKELY)
        elif forks:
            message = f'lr_policy "{policy}" is unknown in dialect {solver.dialect}, so Caffe stops; set one of {_ALL}'
            yield self.finding(place, message, evidence=evidence)
        elif not solver.has("lr_policy"):
            message = f"lr_policy is missing and has no default, so Caffe stops at the first update; set one of {_ALL}"
            only_tests = not solver.has("base_lr") and _TESTS.search(os.path.basename(solver.path))
            severity = INFO if only_tests or is_for_unknown_caffe(solver) else None
            yield self.finding(place, message, evidence=evidence, severity=severity)
        elif (near := _near(policy)) and (policy.lower() == near or not is_for_unknown_caffe(solver)):
            safety = SAFE if policy.lower() == near else UNSAFE
            fixes = fix(f'set lr_policy: "{near}"', safety, write(solver, "lr_policy", value=quoted(near)))
            message = f'lr_policy "{policy}" is unknown, so Caffe stops at the first update; did you mean "{near}"?'
            yield self.finding(place, message, evidence=evidence, fixes=fixes)
        elif is_for_unknown_caffe(solver) or any(is_for_unknown_caffe(use.net) for use in solver.nets):
            message = f'no known Caffe has lr_policy "{policy}", so Caffe stops at the first update unless yours has it'
            yield self.finding(place, message, evidence=evidence, severity=INFO, certainty=LIKELY)
        else:
            message = f'lr_policy "{policy}" is unknown, so Caffe stops at the first update; set one of {_ALL}'
            yield self.finding(place, message, evidence=evidence)


def _near(policy: str) -> str:
    from difflib import get_close_matches

    plain = policy.lower().replace("_", "").replace("-", "").replace(" ", "")
    meant = {"polynomial": "poly", "constant": "fixed", "exponential": "exp", "inverse": "inv"}.get(plain)
    return meant or next(iter(get_close_matches(plain, _POLICIES, 1, 0.75)), "")
