"""The page: one HTML file that loads nothing, and runs nothing but the script in it."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint import __version__
from caffelint.caffe.layers.data import DataLayer
from caffelint.lint.asked_shape import asked_shape
from caffelint.lint.finding import SEVERITIES
from caffelint.lint.source_shapes import reads
from caffelint.page import evidence, findings, schedule, summary
from caffelint.page.assets import asset
from caffelint.page.drawing import Drawing, draw, shape_text
from caffelint.page.evidence import Tab
from caffelint.page.facts import facts
from caffelint.page.marks import layers_of, marks
from caffelint.page.markup import Markup, element, joined
from caffelint.page.palette import variables
from caffelint.page.source import listing
from caffelint.page.svg import in_page
from caffelint.report.words import count, sentence
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.caffe.solver import Solver
    from caffelint.lint.report import Failure, ReportedFinding
    from caffelint.page.views import View

MARK = '<!doctype html><meta charset=utf-8><meta name=generator content="caffelint report">'
"""How each page begins: by that a later run knows that it may replace it."""


class Project(NamedTuple):
    """What a page is about: a solver with its nets, or a net.

    texts: the bytes of its files by path. given: the JSON of other commands. home: the address of the page over all
    projects, empty if there is none. accepted: how many findings are left out, and why.
    """

    path: str
    solver: Solver | None
    views: Sequence[View]
    findings: Sequence[ReportedFinding]
    texts: Mapping[str, bytes]
    failures: Sequence[Failure] = ()
    given: Sequence[Mapping[str, Any]] = ()
    home: str = ""
    accepted: Sequence[str] = ()


def page(project: Project) -> str:
    """The whole file."""
    anchors = {path: number for number, path in enumerate(project.texts)}
    drawings = [draw(view.built) for view in project.views]
    tabs = [Tab("net", "Net", _net(project, drawings))] if project.views else []
    tabs.append(
        Tab("findings", f"Findings {len(project.findings)}", findings.panel(project.findings, project.texts, anchors))
    )
    tabs.append(Tab("summary", "Summary", summary.panel(project.views)))
    if project.solver is not None:
        records = evidence.records(project.given)
        tabs.append(Tab("schedule", "Schedule", schedule.panel(project.solver, project.views, records)))
    tabs += evidence.tabs(project.given, {finding.message for finding in project.findings})
    tabs.append(Tab("text", "Text", listing(project.texts, project.findings)))
    data = {
        "nets": [
            facts(view, drawing, anchors.get(view.net.path, -1))
            for view, drawing in zip(project.views, drawings, strict=True)
        ],
        "findings": [_in_nets(finding, project.views) for finding in project.findings],
    }
    return document(project.path, _head(project), tabs, data)


def document(title: str, head: Markup, tabs: Sequence[Tab], data: Mapping[str, Any]) -> str:
    """A page of tabs. data: what its script reads."""
    style = variables() + asset("net.css") + asset("page.css")
    script = asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none';"
        " form-action 'none'"
    )
    buttons = [
        element(
            "button",
            tab.title,
            type="button",
            role="tab",
            id=f"tab-{tab.id}",
            aria_controls=f"panel-{tab.id}",
            aria_selected="true" if not number else "false",
            tabindex=0 if not number else -1,
        )
        for number, tab in enumerate(tabs)
    ]
    panels = [
        element(
            "section",
            element("h2", tab.title),
            tab.content,
            id=f"panel-{tab.id}",
            role="tabpanel",
            aria_labelledby=f"tab-{tab.id}",
            class_="panel",
        )
        for tab in tabs
    ]
    return joined(
        Markup(MARK),
        Markup('\n<html lang="en"><head>'),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{title} · caffelint"),
        element("style", Markup(style)),
        Markup("</head>\n<body>"),
        head,
        element("div", *buttons, role="tablist", aria_label="Parts of the report", class_="tabs needs-script"),
        element("main", *panels),
        element("footer", f"Made by caffelint {__version__}. Nothing was loaded or run to show this page."),
        element("script", Markup(_script_json(data)), type="application/json", id="data"),
        element("script", Markup(script)),
        Markup("</body></html>\n"),
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _script_json(data: Mapping[str, Any]) -> str:
    """JSON that cannot end its element, and that no reader of HTML takes for a comment."""
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def badges(found: Sequence[ReportedFinding], accepted: Sequence[str] = ()) -> Markup:
    """How many findings of each severity there are, and how many were left out."""
    by_severity = Counter(finding.severity for finding in found)
    shown = [
        element("span", count(by_severity[severity], severity), class_=f"badge {severity}")
        for severity in SEVERITIES
        if by_severity[severity]
    ]
    none = element("span", "no other findings" if accepted else "no findings", class_="badge good")
    left_out = [element("span", text, class_="badge unknown") for text in accepted]
    return element("p", *(shown or [none]), *left_out, class_="badges")


def _head(project: Project) -> Markup:
    run = [view for view in project.views if view.is_run]
    verdicts = [element("li", f"{view.title}: {summary.verdict(view)}", class_=_class(view.loads)) for view in run]
    lines = [f"{failure.file}: {failure.message}" for failure in project.failures]
    return element(
        "header",
        element("p", element("a", "All projects", href=project.home)) if project.home else None,
        element("h1", visible(project.path)),
        badges(project.findings, project.accepted),
        element("ul", *verdicts, class_="verdicts") if verdicts else None,
        *(element("p", sentence(line), class_="note error") for line in lines[:20]),
    )


def _class(loads: bool | None) -> str:
    return {True: "good", False: "error", None: "unknown"}[loads]


def _net(project: Project, drawings: Sequence[Drawing]) -> Markup:
    states = [
        element("option", f"{view.title}{'' if view.is_run else ' (of no solver)'}", value=number)
        for number, view in enumerate(project.views)
    ]
    tools = element(
        "div",
        element("label", "State ", element("select", *states, id="state")) if len(states) > 1 else None,
        element("label", "Find a layer ", element("input", type="search", id="find", autocomplete="off")),
        element("span", "", id="found", role="status"),
        _button("zoom-out", "-", "Zoom out"),
        _button("zoom-in", "+", "Zoom in"),
        _button("fit", "Fit", "Show the whole net"),
        _button("open-all", "Open all", "Open all modules"),
        _button("close-all", "Fold", "Close all modules"),
        _button("next-finding", "Next finding", "Go to the next layer with a finding"),
        class_="tools needs-script",
    )
    drawn = [
        element(
            "div",
            element("h3", view.title, class_="state-name") if len(states) > 1 else None,
            *(element("p", note, class_="note") for note in _notes(view)),
            in_page(drawing, marks(project.findings, view), f"n{number}", f"The net in {view.title}"),
            class_="state",
            data_state=number,
        )
        for number, (view, drawing) in enumerate(zip(project.views, drawings, strict=True))
    ]
    help_ = "Arrows go along the net, Enter opens a module, + and - zoom, 0 fits, / finds, n goes to the next finding."
    return joined(
        tools,
        element(
            "div",
            element("div", *drawn, class_="stage"),
            element(
                "aside",
                element("div", element("p", "Choose a layer to see what is known of it.", class_="note"), id="details"),
                element("p", help_, class_="note needs-script"),
                aria_label="The layer",
                class_="side",
            ),
            class_="split",
        ),
    )


def _button(id_: str, text: str, label: str) -> Markup:
    return element("button", text, type="button", id=id_, aria_label=None if text[0].isalpha() else label, title=label)


def _notes(view: View) -> list[str]:
    found = [f"Caffe refuses layer {refusal.layer or ''}: {refusal.message}" for refusal in view.built.refusals[:1]]
    shapes = ", ".join(f"{name} {shape_text(shape)}" for name, shape in list(view.built.assumed.items())[:4])
    if shapes:
        found.append(f"Shapes that the text does not give are assumed: {shapes}. --input-shape gives others.")
    elif not found:
        for layer in view.built.layers:
            if not layer.bottoms and layer.tops and layer.tops[0].shape is None:
                shape, remark = asked_shape(layer.partial_image() if isinstance(layer, DataLayer) else None)
                top = layer.tops[0].name
                give = f"give --input-shape {top}={shape}{remark}"
                if reads(layer.type) and not view.notes:
                    give += ", or --read-data"
                found.append(f'The shape of "{top}" is not in the text; {give}')
                break
    found += view.notes[:4]
    return [sentence(line) for line in found]


def _in_nets(finding: ReportedFinding, views: Sequence[View]) -> list[Any]:
    """Severity, message, and the layers of each net that it is on."""
    on = {str(number): found for number, view in enumerate(views) if (found := layers_of(finding, view))}
    return [finding.severity, f"{sentence(finding.message)} [{finding.code} {finding.name}]", on]
