"""A page in Chromium: it opens fast, asks for nothing, its boxes can be reached by keys, and axe finds nothing serious.

`make browser` installs what this needs: playwright, which drives the chromium of the system, and axe-core from npm.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_net import write_sample

from caffelint.cli.main import main

CHROMIUM = shutil.which("chromium")
AXE = Path(__file__).parents[2] / ".cache/npm/node_modules/axe-core/axe.min.js"
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt install chromium"),
]
MOST_MS = 2000
"""Until a page of a thousand layers is drawn."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: make browser")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages by name: a net of some 180 layers, and one of a thousand."""
    found = {}
    for name, stages in (("sample", (3, 4, 6, 3)), ("large", (3, 16, 50, 16))):
        folder = tmp_path_factory.mktemp(name)
        found[name] = folder / "report.html"
        solver = write_sample(folder, stages)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            assert main(["report", solver.name, "-o", "report.html", "--isolated"]) == 0
    return found


@pytest.fixture
def shown(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    """`shown("sample", width=400)`: the page; in the end there was no request, and no error or warning."""
    heard: list[str] = []
    opened = []

    def show(name: str, **options: Any) -> Any:
        size = {"width": options.pop("width", 1200), "height": 800}
        page = browser.new_page(viewport=size, **options)
        opened.append(page)
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        address = pages[name].as_uri()
        page.on("request", lambda request: request.url == address or heard.append(f"request: {request.url}"))
        page.goto(address)
        return page

    yield show
    for page in opened:
        page.close()
    assert heard == []


def boxes(page: Any) -> int:
    return int(page.locator(".state:not([hidden]) .card:visible").count())


def test_a_thousand_layers_open_in_two_seconds(shown: Any) -> None:
    page = shown("large")
    layers = page.evaluate("Object.keys(JSON.parse(document.getElementById('data').textContent).nets[0].layers).length")
    assert layers > 1000
    timing = "performance.getEntriesByType('navigation')[0].domComplete"
    taken = [page.evaluate(timing), *(page.reload() and page.evaluate(timing) for _ in range(3))]
    assert 0 < min(taken) < MOST_MS
    page.click("#open-all")
    assert page.locator(".state:not([hidden]) .box:not(.module) > .card").count() > 300


def test_modules_open_and_close(shown: Any) -> None:
    page = shown("sample")
    before = boxes(page)
    page.click("#open-all")
    assert boxes(page) > 2 * before
    page.click("#close-all")
    assert boxes(page) == before


def test_boxes_of_open_modules_do_not_overlap(shown: Any) -> None:
    page = shown("sample")
    page.click("#open-all")
    selector = ".state:not([hidden]) .box:not(.module) > .card > .body"
    frames = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((body) => {
            const box = body.getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom];
        })""",
        selector,
    )
    assert len(frames) > 50
    for number, (left, top, right, bottom) in enumerate(frames):
        for other_left, other_top, other_right, other_bottom in frames[:number]:
            assert right < other_left or other_right < left or bottom < other_top or other_bottom < top


def test_search_opens_what_is_around(shown: Any) -> None:
    page = shown("sample")
    page.fill("#find", "res4c_branch2b")
    page.press("#find", "Enter")
    assert "res4c_branch2b" in page.inner_text("#details")
    assert "256x10x10" in page.inner_text("#details")
    card = page.locator(".card.chosen").bounding_box()
    stage = page.locator(".stage").bounding_box()
    assert stage["y"] <= card["y"] <= stage["y"] + stage["height"]


def test_keys_lead_along_the_net(shown: Any) -> None:
    page = shown("sample")
    page.locator('.state:not([hidden]) .card[tabindex="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "pool1" in page.inner_text("#details")
    page.keyboard.press("ArrowUp")
    assert "conv1" in page.inner_text("#details")


def test_states_differ(shown: Any) -> None:
    page = shown("sample")
    assert page.locator("#state option").count() == 2
    page.select_option("#state", "1")
    page.fill("#find", "accuracy")
    assert page.inner_text("#found") == "1 found"


def test_findings_can_be_filtered_and_found_in_the_net(shown: Any) -> None:
    page = shown("sample")
    page.click("#tab-findings")
    count = page.locator(".findings > li:visible").count()
    assert count > 1
    page.locator("[data-severity]").first.uncheck()
    assert page.locator(".findings > li:visible").count() < count
    page.locator("[data-severity]").first.check()
    page.get_by_role("button", name="Show in the net").first.click()
    assert page.locator("#panel-net").is_visible()
    assert page.locator(".card.chosen").count() == 1


def test_links_lead_to_the_text(shown: Any) -> None:
    page = shown("sample")
    page.click("#tab-findings")
    page.locator(".findings a.place").first.click()
    assert page.locator("#panel-text").is_visible()
    assert page.locator(".listing :target").is_visible()


def test_on_paper_the_whole_net_is_drawn(shown: Any) -> None:
    page = shown("sample")
    page.evaluate(
        """() => {
            const net = document.querySelector(".state:not([hidden]) svg.net");
            const see = () => [Number(net.getAttribute("viewBox").split(" ")[3]), net.firstChild.getBBox().height];
            window.seen = [see()];
            addEventListener("beforeprint", () => seen.push(see()));
        }"""
    )
    page.pdf()
    on_screen, on_paper = page.evaluate("seen")
    assert on_screen[0] < on_screen[1]
    assert on_paper[0] >= on_paper[1]


def test_without_a_script_all_is_there(shown: Any) -> None:
    page = shown("sample", java_script_enabled=False)
    assert page.locator("#panel-net").is_visible()
    assert page.locator("#panel-findings").is_visible()
    assert not page.locator("#find").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1400])
def test_axe_finds_nothing_serious(shown: Any, width: int, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core: make browser")
    page = shown("sample", width=width, color_scheme=scheme, bypass_csp=True)
    page.add_script_tag(content=AXE.read_text("utf-8"))
    for tab in page.locator("[role=tab]").all():
        tab.click()
        found = page.evaluate("axe.run().then((result) => result.violations)")
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        said = [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in serious]
        assert said == [], tab.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), (
            "nothing is wider than the window"
        )
