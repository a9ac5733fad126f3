"""Notes of learners on the page."""

from dagathlon.report.page.provenance import remarks


def _row(setting, notes=None):
    return {"setting": setting} | ({} if notes is None else {"notes": notes})


def test_settings_with_notes_are_listed_once():
    rows = [_row("pc", "3 tests were undefined."), _row("pc", "5 were."), _row("pc"), _row("hc")]
    page = remarks(rows)
    assert page.count("<li>") == 1
    assert "<strong>pc</strong> (2 of 3 runs): 3 tests were undefined." in page


def test_nothing_is_shown_without_notes():
    assert not remarks([_row("pc"), _row("hc")])


def test_notes_are_text():
    assert "<script>" not in remarks([_row("a", "<script>")])


def test_times_of_work_done_together_are_said_apart():
    rows = [{"setting": "exact", "time_note": "counted for 5 others"}, _row("hc", "wide data")]
    page = remarks(rows)
    assert page.index("wide data") < page.index("time_note") < page.index("counted for 5 others")
