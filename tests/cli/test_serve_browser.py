"""What ``dagathlon serve`` shows, in a real browser: ours works, a stranger's page gets nothing."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from dagathlon.cli.serve import server_of
from dagathlon.report.live.page import LiveServer
from dagathlon.workflow import Study

pytestmark = pytest.mark.slow

_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_STRANGER = """<p id=said></p><script>
const said = [];
async function attempt(name, action) {
  try { await action(); said.push(name); } catch (error) { /* refused */ }
}
(async () => {
  if (self.origin !== "null") said.push("origin");
  await attempt("report", () => fetch("/report/small"));
  await attempt("state", () => fetch("/state.json"));
  await attempt("storage", () => localStorage.length);
  await attempt("cookie", () => { document.cookie = "a=1"; });
  await attempt("picture", () => new Promise((done, failed) => {
    const picture = new Image();
    picture.onload = done; picture.onerror = failed; picture.src = "/report/small?picture";
  }));
  await attempt("window", () => { if (!window.open("/")) throw new Error(); });
  document.getElementById("said").textContent = "done " + said.join(" ");
})();
</script>"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    out = tmp_path_factory.mktemp("served") / "out"
    Study.build("small", ["hc", "pc"], ["asia[n=200,seeds=2]"]).run(out, engine="inline")
    (out / "stranger").mkdir()
    (out / "stranger" / "report.html").write_text(_STRANGER, "utf-8")
    with server_of(out) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def page(server: LiveServer) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        pytest.skip("no chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(_FLAGS))
        yield browser.new_page()
        browser.close()


def test_a_strangers_page_gets_nothing(server: LiveServer, page: Any) -> None:
    page.goto(server.address + "report/stranger")
    page.wait_for_function("document.getElementById('said').textContent.startsWith('done')")
    assert page.inner_text("#said").split() == ["done"]


def test_our_pages_work(server: LiveServer, page: Any) -> None:
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector("#boards section")
    assert page.inner_text("#line").startswith("finished")
    page.click("text=the report")
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    figure = page.query_selector("figure.chart")
    figure.scroll_into_view_if_needed()
    page.wait_for_function("f => f.dataset.drawn === 'yes'", arg=figure)
    with page.expect_download() as download:
        page.query_selector(".save *").click()
    assert download.value.suggested_filename
    assert complaints == []
    assert page.url.endswith("/report/small")
