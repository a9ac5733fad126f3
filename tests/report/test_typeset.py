"""Long tables in print: what stands where, and no name that LaTeX or HTML takes for its own."""

from __future__ import annotations

from typing import Any

from dagathlon.report.tables.latex import Layout, printed, to_html, to_latex

ROWS: list[dict[str, Any]] = [
    {"who": "hc_1 & co", "net": "asia", "n": 1000, "x": 0.5, "x_low": 0.4, "x_high": 0.6},
    {"who": "hc_1 & co", "net": "alarm", "n": 1000, "x": 12.34, "failures": 1},
    {"who": "<b>", "net": "asia", "n": 1000, "x": None, "failures": 2},
]


def test_values_cross_lines_and_columns() -> None:
    layout = Layout("What", ("who",), ("x",), ("net", "n"), partial=("x",))
    (table,) = printed(ROWS, layout)
    assert table.head == ["who", "asia 1,000", "alarm 1,000"]
    assert [[cell.text for cell in line] for line in table.lines] == [
        ["hc_1 & co", "0.50", "12.3*"],
        ["<b>", "F", "n/a"],
    ]
    assert table.lines[0][1].small == "±0.10"


def test_lines_of_one_name_stand_together() -> None:
    rows = [{"who": who, "n": n, "net": "a", "x": 1} for n in (10, 20) for who in ("b", "a")]
    (table,) = printed(rows, Layout("What", ("who", "n"), ("x",), ("net",)))
    lines = [[cell.text for cell in line[:2]] for line in table.lines]
    assert lines == [["b", "10"], ["b", "20"], ["a", "10"], ["a", "20"]]


def test_values_stand_side_by_side() -> None:
    layout = Layout("What", ("who", "net"), ("x", "y"), split="n", percent=("x",))
    (table,) = printed(ROWS, layout)
    assert (table.heading, table.head) == ("1,000", ["who", "net", "x"])
    assert table.lines[0][2].text == "50.0\u00a0%"


def test_names_are_escaped() -> None:
    layout = Layout("A_b", ("who",), ("x",), ("net",), partial=("x",))
    latex, page = to_latex(ROWS, layout), to_html(ROWS, layout)
    assert r"hc\_1 \& co & 0.50 {\tiny $\pm$0.10} & 12.3* \\" in latex
    assert r"\caption{A\_b." in latex
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<td>0.50 <small>±0.10</small></td>" in page


def test_long_tables_go_on_on_the_next_page() -> None:
    rows = [{"who": f"a{i}", "x": i} for i in range(60)]
    latex = to_latex(rows, Layout("What", ("who",), ("x",)))
    assert latex.count(r"\begin{longtable}{lr}") == 1
    assert "tabular" not in latex
    assert latex.count(r" \\") == 62
