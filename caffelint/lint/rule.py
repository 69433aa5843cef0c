"""What a rule is.

A rule is a class with a code, a name, a severity, a docstring that is its documentation, and examples that are its
tests. By what it looks at it derives from one of the kinds below and implements `check`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from caffelint.caffe.place import Place
from caffelint.lint.cause import Cause
from caffelint.lint.finding import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Related,
)
from caffelint.lint.words import titles
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net
    from caffelint.caffe.refusal import Kind
    from caffelint.caffe.refused import Refused
    from caffelint.caffe.solver import Solver
    from caffelint.lint.file import File
    from caffelint.text.tree import Problem

Files = Mapping[str, str]

_LONGEST_REPAIR = 60
"""A longer one is not shown in a fix's title."""


class Valid(NamedTuple):
    """An example that the rule accepts with these options; where there are none, its text alone will do."""

    text: str | Files
    options: Mapping[str, Any] = {}


class Invalid(NamedTuple):
    """An example that the rule objects to.

    `text` is one file, or several by name. `span` is the exact text that the finding points at, `message` its exact
    message, `fixed` the text after the rule's fix. Several findings: tuples of spans and messages, in order.
    """

    text: str | Files
    span: str | Sequence[str]
    message: str | Sequence[str]
    fixed: str | Files | None = None
    options: Mapping[str, Any] = {}


class Option(NamedTuple):
    """A setting of a rule: its default (which gives its type) and one sentence on what it does."""

    default: bool | int | float | str | list[str]
    help: str


class Rule:
    """Base of all rules; see the kinds below."""

    code: ClassVar[str] = ""
    name: ClassVar[str] = ""
    severity: ClassVar[str] = ERROR
    certainty: ClassVar[str] = CERTAIN
    aliases: ClassVar[tuple[str, ...]] = ()
    since: ClassVar[str] = "0.1"
    preview: ClassVar[bool] = False
    risks_nan: ClassVar[bool] = False
    """What it finds in a layer may turn values nan or infinite, so `caffelint patch` checks that layer first."""
    has_no_effect: ClassVar[bool] = False
    """What it points at changes nothing in Caffe, so editors show it faded."""
    holds_in_templates: ClassVar[bool] = False
    """What it finds is wrong whatever fills a template's values, so it is reported there as well."""
    claims: ClassVar[tuple[Kind, ...]] = ()
    """Kinds of refusals that this rule speaks of, so that no other one reports them."""
    OPTIONS: ClassVar[Mapping[str, Option]] = {}
    VALID: ClassVar[Sequence[str | Files | Valid]] = ()
    INVALID: ClassVar[Sequence[Invalid]] = ()

    def __init__(self, options: Mapping[str, Any] | None = None):
        self.options = {name: option.default for name, option in self.OPTIONS.items()} | dict(options or {})

    def finding(
        self,
        place: Place,
        message: str,
        *,
        evidence: str = "",
        severity: str | None = None,
        certainty: str | None = None,
        phases: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        cause: Cause | None = None,
        layers: Sequence[Layer] = (),
        dialects: tuple[str, ...] = (),
    ) -> Finding:
        """A finding of this rule. `message`: one line, no final dot: subject, fact, consequence, remedy.

        cause: the same as values, where others build on it: a verdict, or a rule that looks at a run. layers: all that
        have the mistake by themselves, so that accepting it in one of them leaves the others. dialects: those for
        which it would not be reported.
        """
        others = dict.fromkeys(one.at(*place.path) for one in layers if one.node is not None) if len(layers) > 1 else {}
        return Finding(
            self,
            place,
            message,
            evidence=evidence,
            severity=severity,
            certainty=certainty,
            phases=phases,
            related=related,
            fixes=fixes,
            cause=cause,
            others=tuple(other for other in others if other != place),
            dialects=dialects,
        )


class TextRule(Rule):
    """Looks at one file: its text, its tree, its message."""

    def check(self, file: File) -> Iterator[Finding]:
        raise NotImplementedError


class ProblemRule(Rule):
    """Reports the problems of its name that reading a file met (`Problem.kind`); the reader words them."""

    def report(self, problem: Problem, file: File) -> Iterator[Finding]:
        severity, certainty = (None, None) if problem.certain else (INFO if problem.own else WARNING, LIKELY)
        fixes: tuple[Fix, ...] = ()
        if problem.repairs:
            edits = tuple((file.path, edit) for edit in problem.repairs)
            fixes = (Fix(self.title(problem), SAFE if problem.repair_is_safe else UNSAFE, edits),)
        place = Place(file.document, problem.start, problem.end, file.layer_at(problem.start), problem.path)
        finding = self.finding(
            place, problem.message, evidence=problem.evidence, severity=severity, certainty=certainty, fixes=fixes
        )
        finding.holds_in_templates = finding.holds_in_templates or file.is_open_string(problem)
        yield finding

    def title(self, problem: Problem) -> str:
        """What the repair of a problem does, in a few words."""
        texts = {edit.text.strip() for edit in problem.repairs}
        text = texts.pop()
        if texts or len(text) > _LONGEST_REPAIR or "\n" in text:
            return "put it in quotes" if text[:1] == text[-1:] == '"' and not texts else "make it valid prototxt"
        return f"write {text}" if text else "remove it"


class SolverRule(Rule):
    """Looks at a solver."""

    def check(self, solver: Solver) -> Iterator[Finding]:
        raise NotImplementedError


class LayerRule(Rule):
    """Looks at one layer. Called for layers of `layer_types` alone, for all where that is empty."""

    layer_types: ClassVar[tuple[str, ...]] = ()

    def check(self, layer: Layer) -> Iterator[Finding]:
        raise NotImplementedError


class NetRule(Rule):
    """Looks at a net as a whole. Called for nets that hold one of `layer_types`, for all where that is empty."""

    layer_types: ClassVar[tuple[str, ...]] = ()

    def check(self, net: Net) -> Iterator[Finding]:
        raise NotImplementedError


class RefusalRule(NetRule):
    """Reports what Caffe refuses about a net: the kinds that it claims; without `claims` all that no rule claims.

    Called for nets of forks as well, but there only with what each Caffe refuses. `check` is for what else the rule has
    to say of a net.
    """

    def report(self, refused: Refused) -> Iterator[Finding]:
        yield self.finding(
            refused.place,
            self.message(refused),
            evidence=self.evidence(refused),
            phases=refused.phases,
            fixes=self.fixes(refused),
            layers=refused.layers,
        )

    def message(self, refused: Refused) -> str:
        """All layers that meet it are the subject, or none if the net itself is to blame."""
        message = refused.refusal.message
        return f"{titles(refused.layers)}: {message}" if refused.layers else message

    def evidence(self, refused: Refused) -> str:
        return f"Caffe stops with: {refused.refusal.caffe}" if refused.refusal.caffe else ""

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """How it can be mended, in each of `refused.layers`."""
        return ()

    def check(self, net: Net) -> Iterator[Finding]:
        return iter(())


class ProjectRule(Rule):
    """Looks at a solver together with the nets that it names (`solver.nets`)."""

    def check(self, solver: Solver) -> Iterator[Finding]:
        raise NotImplementedError


class EvidenceRule(Rule):
    """Looks at something else than prototxt text: at what a run showed, at what a run left behind."""

    @classmethod
    def subject(cls, files: Files) -> Any:
        """What the files of an example tell."""
        raise NotImplementedError

    def check(self, subject: Any) -> Iterator[Finding]:
        raise NotImplementedError


class SmokeRule(EvidenceRule):
    """Looks at a finished training run. Derive from `caffelint.smoke.rule.SmokeRule`, which knows what that is."""


class LogRule(EvidenceRule):
    """Looks at a log of training. Derive from `caffelint.evidence.log.rule.LogRule`, which knows what that is."""


class DatasetRule(EvidenceRule):
    """Looks at data sets. Derive from `caffelint.evidence.data.rule.DatasetRule`, which knows what that is."""


class WeightsRule(EvidenceRule):
    """Looks at trained weights. Derive from `caffelint.evidence.weights.rule.WeightsRule`, which knows them."""


KINDS: tuple[type[Rule], ...] = (
    TextRule,
    ProblemRule,
    SolverRule,
    LayerRule,
    RefusalRule,
    NetRule,
    ProjectRule,
    SmokeRule,
    LogRule,
    DatasetRule,
    WeightsRule,
)

EVIDENCE: tuple[str, ...] = tuple(
    kind.__name__.removesuffix("Rule").lower() for kind in KINDS if issubclass(kind, EvidenceRule)
)
"""The kinds of rules that look at something else than text."""


def kind_of(rule: type[Rule]) -> str:
    """`text`, `problem`, `solver`, `layer`, `refusal`, `net`, `project`, `smoke`, `log`, `dataset` or `weights`."""
    for kind in KINDS:
        if issubclass(rule, kind):
            return kind.__name__.removesuffix("Rule").lower()
    raise TypeError(f"{rule.__name__} derives from no kind of rule")
