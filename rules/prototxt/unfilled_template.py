from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    WARNING,
    File,
    Finding,
    Invalid,
    Place,
    Related,
    Solver,
    TextRule,
    file_name,
)

_NAMED = 3
_SHOWN = 40
"""Characters of a placeholder: `{{ ... }}` may contain code."""


class UnfilledTemplate(TextRule):
    """A template: a file with placeholders such as `$VAR`, `{{ name }}`, `<path>`, or names instead of numbers.

    ## Why is this bad?
    It need not be, if a script fills the placeholders in before Caffe reads the file. So this is an info, and nothing
    else in the file is checked but for what is wrong whatever fills it (a field that is set twice or that no Caffe has,
    a value of the wrong type), unless only batch sizes and names of data sources are filled in; the filled files are.
    `--templates check` checks the rest of every template.

    It is an error if a solver names the file and no script of the project has the placeholder, because Caffe has no
    variables and refuses a placeholder outside quotes.
    Inside quotes, Caffe takes it literally, and does not find the file `$DATA/train_lmdb`: a warning if a script trains
    by that solver as it is, else a blank for whoever uses the file.

    ## Example
    ```
    layer { data_param { batch_size: $BATCH } }
    ```
    Use instead:
    ```
    layer { data_param { batch_size: 64 } }
    ```
    """

    code = "P013"
    name = "unfilled-template"
    severity = ERROR
    _SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9'
    VALID = [
        "layer { data_param { batch_size: 64 } }  # $BATCH is 64",
        'layer { name: "costs 5$" }',
        "layer: < name: 'a' >",
    ]
    INVALID = [
        Invalid(
            "base_lr: 0.1\ntest_iter: # TODO (10,000 images)\nmax_iter: 9",
            span="TODO",
            message="this is a template with 1 placeholder, TODO; not checked further",
        ),
        Invalid(
            "base_lr: //TODO\nmomentum: //TODO\nmax_iter: // your choice\n",
            span="//TODO",
            message="this is a template with 2 placeholders, //TODO and // your choice; not checked further",
        ),
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output } }',
            span="{ num_output }",
            message="{ num_output } is neither a block with fields nor a value, so Caffe refuses the file; complete it",
        ),
        Invalid(
            "layer { data_param { batch_size: $BATCH } }",
            span="$BATCH",
            message="this is a template with 1 placeholder, $BATCH; the rest is checked, as only data is filled in",
        ),
        Invalid(
            "layer { convolution_param { num_output: {{ outputs }} } } layer { data_param { batch_size: $BATCH } }",
            span="{{ outputs }}",
            message="this is a template with 2 placeholders, {{ outputs }} and $BATCH; not checked further",
        ),
        Invalid(
            'base_lr: %{rate}% momentum: @{momentum} lr_policy: "fixed" max_iter: 9',
            span="%{rate}%",
            message="this is a template with 2 placeholders, %{rate}% and @{momentum}; not checked further",
        ),
        Invalid(
            "layer { convolution_param { num_output: cls3x } } layer { convolution_param { num_output: cls3x } }",
            span="cls3x",
            message="this is a template with 1 placeholder, cls3x; not checked further",
        ),
        Invalid(
            "layer { data_param { source: PATH_TO_LMDB } }",
            span="PATH_TO_LMDB",
            message="this is a template with 1 placeholder, PATH_TO_LMDB; the rest is checked, as only data is filled"
            " in",
        ),
        Invalid(
            'layer { data_param { source: "${DATA}/train_lmdb" } }',
            span="${DATA}",
            message="${DATA} in quotes looks like a placeholder, which Caffe takes literally unless a script fills it"
            " in",
        ),
        Invalid(
            {"solver.prototxt": _SOLVER, "net.prototxt": "layer { data_param { batch_size: $BATCH } }"},
            span="$BATCH",
            message='"solver.prototxt" names this file, which is a template with 1 placeholder, $BATCH, so Caffe'
            " refuses it; fill it in, or name the filled file",
        ),
        Invalid(
            'layer { data_param { source: "$LMDB" batch_size: $LMDB } }',
            span=("$LMDB", "$LMDB"),
            message=(
                "this is a template with 1 placeholder, $LMDB; the rest is checked, as only data is filled in",
                "$LMDB is filled in as a whole string on line 1 and without quotes here, so one of them is wrong; write"
                " another placeholder here",
            ),
        ),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        found = file.placeholders
        if not found:
            return
        first = next((problem for problem in found if problem.certain), found[0])
        source = file.document.source
        names = list(dict.fromkeys(source.slice(problem.start, problem.end) for problem in (first, *found)))
        related = tuple(
            Related(source.slice(other.start, other.end), file.place_of(other)) for other in found if other != first
        )
        solvers = file.net.solvers if file.net else []
        users = [solver for solver in solvers if solver.path != file.path]
        users = [one for one in users if not one.bound.placeholders] or [one for one in users if _differ(one, names)]
        user = f'"{file_name(users[0].path)}"' if users else ""
        related += tuple(_blanks(users[0])) if users else ()
        listed, number = _listed(names), f"{len(names)} placeholder{'s' * (len(names) > 1)}"
        place = file.place_of(first)
        if file.is_template:
            template = f"a template with {number}, {listed}"
            if user:
                message = f"{user} names this file, which is {template}, so Caffe refuses it; fill it in, or name the"
                # Where several things are to be filled in, somebody's script does, and often writes the solver, too.
                severity = INFO if len(names) > 1 else None
                yield self.finding(place, f"{message} filled file", related=related, severity=severity)
            else:
                rest = (
                    "the rest is checked, as only data is filled in" if file.lacks_only_data else "not checked further"
                )
                message = f"this is {template}; {rest}"
                yield self.finding(place, message, severity=INFO, related=related)
        elif any(problem.certain for problem in found):
            message = f"{listed} is neither a block with fields nor a value, so Caffe refuses the file; complete it"
            yield self.finding(place, message, related=related)
        else:
            looks = "looks like a placeholder" if len(names) == 1 else "look like placeholders"
            is_run = any(solver.runs and (solver.runs.by_tool or solver.runs.only_sgd) for solver in solvers)
            severity = WARNING if user and is_run else INFO
            message = f"{listed} in quotes {looks}, which Caffe takes literally unless a script fills"
            message += " it in" if len(names) == 1 else " them in"
            yield self.finding(place, message, severity=severity, certainty=LIKELY, related=related)
        yield from self._mixed_up(file)

    def _mixed_up(self, file: File) -> Iterator[Finding]:
        """`source: "$LMDB" batch_size: $LMDB`: no value fits both."""
        source = file.document.source
        strings: dict[str, int] = {}
        for problem in file.placeholders:
            around = source.slice(problem.start - 1, problem.start), source.slice(problem.end, problem.end + 1)
            name = source.slice(problem.start, problem.end)
            if around in (('"', '"'), ("'", "'")):
                strings.setdefault(name, source.line_number(problem.start))
        for problem in file.placeholders:
            name = source.slice(problem.start, problem.end)
            if problem.certain and name in strings:
                yield self.finding(
                    file.place_of(problem),
                    f"{name} is filled in as a whole string on line {strings[name]} and without quotes here, so one of"
                    " them is wrong; write another placeholder here",
                    severity=WARNING,
                    certainty=LIKELY,
                )


def _blanks(solver: Solver) -> Iterator[Related]:
    """The placeholders of a solver that is a template itself."""
    for one in solver.bound.placeholders:
        place = Place(solver.document, one.start, one.end)
        yield Related(place.text, place)


def _differ(solver: Solver, names: list[str]) -> bool:
    """Has a solver none of these placeholders? A script may then fill in the one file and leave out the other."""
    return not any(blank.message in names for blank in _blanks(solver))


def _listed(names: list[str]) -> str:
    """The first placeholders, as a person would list them."""
    names = [name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…" for name in names]
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
