"""The picture of a report, as the README shows it, or of a part of it.

Needs playwright and chromium. After a run of the quickstart:
``python tools/page_picture.py results/quickstart/report.html docs/images/quickstart.png``, and of
one part of a page: ``... results/graphical_models/report.html docs/images/graphical_models.png
'#recovery'``
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1300, 1900


def main() -> int:
    """Take the picture: the first screens of the page, or what a selector names, on white."""
    report, picture = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = made.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_function(
            "[...document.querySelectorAll('figure.chart')]"
            ".filter((f) => f.getBoundingClientRect().top < innerHeight)"
            ".every((f) => f.dataset.drawn === 'yes')"
        )
        if len(sys.argv) > 3:
            page.locator(sys.argv[3]).screenshot(path=picture)
        else:
            page.screenshot(path=picture)
        made.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
