"""The report in a real browser: drawn, filtered, opened and saved, without a word to anyone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        pytest.skip("no chromium")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=list(_FLAGS))
        yield made
        made.close()


class Visit:
    """An open report, with everything it complained about or asked for."""

    def __init__(self, browser: Any, folder: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = (folder / "report.html").as_uri()
        self.page.goto(self.address)
        self.page.wait_for_function("document.documentElement.dataset.ready === 'yes'")

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def draw_all(self) -> list[Any]:
        figures = self.page.query_selector_all("figure.chart")
        for figure in figures:
            figure.scroll_into_view_if_needed()
            self.page.wait_for_function("f => f.dataset.drawn === 'yes'", arg=figure)
        return list(figures)

    def outside(self) -> list[str]:
        inside = (self.address, "blob:", "data:")
        return [url for url in self.requests if not url.startswith(inside)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_figure_is_drawn_in_silence(browser: Any, benchmarked: Path, scheme: str) -> None:
    visit = Visit(browser, benchmarked, color_scheme=scheme)
    figures = visit.draw_all()
    assert len(figures) >= 5
    for figure in figures:
        assert len(figure.query_selector_all(".plot svg path")) > 5
        assert "undefined" not in figure.inner_text()
    assert visit.complaints == []
    assert visit.outside() == []


def test_every_choice_of_a_figure_is_drawn(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.draw_all()
    for choice in visit.page.query_selector_all("select.variant"):
        for value in choice.evaluate("s => [...s.options].map(o => o.value)"):
            choice.select_option(value)
            visit.page.wait_for_timeout(100)
    assert visit.complaints == []


def test_filters_change_tables_figures_and_the_count(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.draw_all()
    page = visit.page
    assert page.inner_text("#shown-runs") == "16 of 16 runs"
    page.click("#filters summary")
    page.uncheck("#filters input[value=precision]")
    assert page.inner_text("#shown-runs") == "8 of 16 runs"
    page.wait_for_function(
        "!document.querySelector('#figure-boxes svg').textContent.includes('precision')"
    )
    assert "precision" not in page.inner_text("#settings tbody")
    page.select_option("#filters select >> nth=0", "n=100")
    assert page.inner_text("#shown-runs") == "4 of 16 runs"
    page.click("#filters .choices button >> text=none")
    page.wait_for_function("!document.querySelector('#figure-boxes .note').hidden")
    assert page.inner_text("#figure-boxes .note") == "The filters leave nothing to show here."
    page.click("#filters button[type=reset]")
    page.wait_for_function("document.getElementById('shown-runs').textContent === '16 of 16 runs'")
    assert visit.complaints == []


def test_a_run_shows_both_graphs_and_its_parameters(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.page.click("#runs td button >> nth=0")
    dialog = visit.page.locator("dialog[open]")
    assert dialog.locator(".graphs svg").count() == 2
    assert dialog.locator(".graphs svg >> nth=0").locator(".node").count() == 6
    assert "thresh" in dialog.inner_text()
    assert "seed 1" in dialog.inner_text()
    dialog.get_by_text("seed ›").click()
    assert "seed 2" in dialog.inner_text()
    visit.page.keyboard.press("Escape")
    assert visit.page.locator("dialog[open]").count() == 0
    assert visit.complaints == []


def test_the_colours_of_a_run_add_up_to_a_distance(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    for place in range(8):
        visit.page.click(f"#runs td button >> nth={place}")
        dialog = visit.page.locator("dialog[open]")
        said = dialog.locator(".explained").inner_text()
        coloured = dialog.locator(".graphs svg >> nth=1").locator(".missing, .turned, .wrong")
        assert said.endswith(f" {coloured.count()}.")
        assert "= SHD" in said
        visit.page.keyboard.press("Escape")
    assert visit.complaints == []


def test_what_the_filters_do_not_reach_says_so(browser: Any, ranked: Path) -> None:
    visit = Visit(browser, ranked)
    visit.draw_all()
    page = visit.page
    assert page.locator("#ranking h2 .tag").inner_text() == "whole study"
    assert page.locator("#figures .tag, #settings .tag, #runs .tag").count() == 0
    panels = "document.querySelector('#figure-boxes svg').textContent"
    assert page.evaluate(f"{panels}.includes('n=50') && {panels}.includes('n=100')")
    page.select_option("#filters select >> nth=0", "n=100")
    page.wait_for_function(f"!{panels}.includes('n=50')")
    assert page.evaluate("document.documentElement.classList.contains('filtered')")
    assert visit.complaints == []


def test_a_narrow_screen_shows_the_whole_verdict(browser: Any, ranked: Path) -> None:
    visit = Visit(browser, ranked, viewport={"width": 390, "height": 800})
    for cell in visit.page.locator("table.verdict tbody tr:first-child td").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert cell.get_attribute("data-label")


def test_a_click_on_a_point_opens_its_run(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.draw_all()
    visit.page.locator("#figure-cost .mark-symbol path").first.click(force=True)
    assert visit.page.locator("dialog[open] h2").count() == 1


def test_a_point_opens_its_own_run(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.draw_all()
    point = visit.page.locator("#figure-boxes .mark-symbol path, #figure-types path[aria-label]")
    label = point.first.get_attribute("aria-label") or ""
    point.first.click(force=True)
    dialog = visit.page.locator("dialog[open]")
    assert dialog.locator("h2").inner_text() in label
    assert dialog.locator("h3").all_inner_texts() == ["Numbers", "Parameters"]
    assert visit.complaints == []


def test_the_edges_of_a_node_stand_out(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.page.click("#runs td button >> nth=0")
    truth = visit.page.locator("dialog[open] .graphs svg >> nth=0")
    truth.locator(".node >> nth=0").hover()
    name = truth.locator(".node >> nth=0").text_content()
    near = truth.locator(".edge.near title").all_text_contents()
    own = [t for t in truth.locator(".edge title").all_text_contents() if name in t.split()]
    assert near == own
    assert near


def test_a_run_is_opened_and_closed_by_keyboard(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    button = page.locator("#runs td button >> nth=0")
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    assert button.evaluate("b => b === document.activeElement")


def test_everything_has_a_name_for_a_screen_reader(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    visit.draw_all()
    visit.page.click("#runs td button >> nth=0")
    nameless = visit.page.evaluate("""() =>
      [...document.querySelectorAll(
        'button, select, input, dialog svg:not([aria-hidden]), section, [role=region]')]
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')
          || e.getAttribute('aria-labelledby') || (e.labels && e.labels.length)))
        .map((e) => e.outerHTML.slice(0, 80))""")
    assert nameless == []
    unlabelled = "select:not(label select):not([aria-label])"
    assert visit.page.locator(unlabelled).count() == 0


def test_tables_are_sorted_searched_and_saved(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked)
    page = visit.page
    heading = page.locator("#runs th button", has_text="F1 (skeleton)")
    heading.click()
    position = "th => [...th.parentNode.children].indexOf(th)"
    column = page.locator("#runs th[aria-sort=descending]").evaluate(position)
    cells = page.locator(f"#runs tbody td:nth-child({column + 1})").all_inner_texts()
    values = [float(cell) for cell in cells if cell != "–"]
    assert values == sorted(values, reverse=True)
    page.fill("#runs input[type=search]", "precision, thresh = 0.4")
    assert page.locator("#runs tbody tr").count() == 4
    with page.expect_download() as download:
        page.click("#runs .tools button >> nth=0")
    saved = Path(download.value.path()).read_text("utf-8").splitlines()
    assert len(saved) == 5
    assert saved[0].startswith("setting,case,seed,status")


def test_a_failure_shows_its_log_as_text(browser: Any, without_truth: Path) -> None:
    visit = Visit(browser, without_truth)
    visit.draw_all()
    visit.page.click("#failures td button >> nth=0")
    assert "cannot learn from 60 rows <b>at all</b>" in visit.page.inner_text("dialog[open] pre")
    assert visit.complaints == []
    assert visit.outside() == []


def test_a_narrow_screen_does_not_scroll_sideways(browser: Any, benchmarked: Path) -> None:
    visit = Visit(browser, benchmarked, viewport={"width": 390, "height": 800})
    visit.draw_all()
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def test_ranks_strengths_and_data_sets_are_shown(browser: Any, ranked: Path) -> None:
    visit = Visit(browser, ranked)
    visit.draw_all()
    page = visit.page
    assert {"Ranking", "Data sets"} <= set(page.locator("nav a").all_inner_texts())
    rows = page.locator("#ranking table >> nth=0").locator("tbody tr").all_inner_texts()
    first, *_ = cells = [row.split("\t") for row in rows]
    assert first[1].startswith("1 · ")
    # Three algorithms have places, the failing one the last; their other settings have none.
    assert (cells[2][0], cells[2][-1]) == ("failing", "12")
    assert cells[2][1].startswith("3 · ")
    assert [row[1] for row in cells[3:]] == ["–", "–"]
    diagram = page.text_content("#figure-ranks svg")
    assert "critical difference" in diagram
    assert "precision, thresh" in diagram
    assert "<script>alert(1)</script>, thresh" in page.inner_text("#ranking")
    shares = page.locator("#ranking .share")
    assert shares.count() >= 10
    assert page.locator("#ranking .share >> text=100%").count() >= 3
    assert "→" in page.inner_text("#data-sets tbody")
    assert "graph" in page.inner_text("#verdict .kinds td[data-label='best baseline'] >> nth=0")
    # What is worse than the best baseline, or a mean over some of the runs, is not bold.
    assert page.locator("#settings td.best").count() >= 2
    assert page.locator("#settings td.noted").count() >= 1
    assert page.locator("#settings td.noted.best").count() == 0
    assert visit.complaints == []
    assert visit.outside() == []


def test_ranks_fit_a_narrow_screen(browser: Any, ranked: Path) -> None:
    visit = Visit(browser, ranked, viewport={"width": 390, "height": 800})
    visit.draw_all()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_sizes_on_an_axis_are_plain_numbers(browser: Any, ranked: Path) -> None:
    visit = Visit(browser, ranked)
    visit.draw_all()
    shown = visit.page.text_content("#figure-data svg")
    assert "100" in shown
    assert "e+" not in shown
