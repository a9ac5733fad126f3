"""Charts and drawings as files, and the tables that are written beside them."""

from __future__ import annotations

import csv
import re
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph, to_svg
from dagathlon.report.charts.matrix import adjacency_plot
from dagathlon.report.figures import charts_io as render
from dagathlon.report.figures import vega_worker as painter
from dagathlon.report.figures.charts_io import save, save_drawing, themed
from dagathlon.report.figures.figure_pool import DrawingProcesses
from dagathlon.report.figures.graph_panels import comparison, drawing
from dagathlon.report.files import harmless, write_columns, write_csv

CHART = adjacency_plot(["a", "b"], [[0, 1], [0, 0]])
TRUTH = Graph.from_edges(["A -> B", "B -> C", "C -> D"])
ESTIMATE = Graph.from_edges(["A -> B", "C -> B", "A -> D"], "ABCD")


def png_size(path: Path) -> tuple[int, int]:
    """Width and height from the header of a PNG file."""
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_one_definition_is_written_in_every_format(tmp_path: Path) -> None:
    for suffix in ("png", "svg", "pdf", "json"):
        save(CHART, tmp_path / f"x.{suffix}")
    width, height = png_size(tmp_path / "x.png")
    assert 50 < width < 400
    assert 50 < height < 400
    assert "<svg" in (tmp_path / "x.svg").read_text("utf-8")
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    assert not list(tmp_path.glob("*.part"))


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        save(CHART, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_page_gives_the_charts_its_own_colour() -> None:
    config = themed(CHART, ink="currentColor")["config"]
    assert config["axis"]["labelColor"] == "currentColor"
    assert "currentColor" not in str(themed(CHART))


def test_a_comparison_tells_correct_missing_and_wrong_edges() -> None:
    drawn = Counter(re.findall(r'class="edge (\w+)"', comparison(ESTIMATE, TRUTH)))
    assert drawn == {"correct": 1, "wrong": 2, "missing": 1}


def test_drawings_are_written_with_captions_on_white(tmp_path: Path) -> None:
    svg = comparison(ESTIMATE, TRUTH)
    assert "truth: dag, 4 nodes, 3 edges" in svg
    assert 'fill="white"' in svg
    save_drawing(svg, tmp_path / "x.png")
    save_drawing(drawing(TRUTH), tmp_path / "x.pdf")
    assert png_size(tmp_path / "x.png")[0] > 200
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_weights_of_edges_are_written_and_make_them_thick() -> None:
    svg = to_svg(TRUTH, weights={("B", "A"): 0.25, ("B", "C"): 1.0})
    assert ">0.25</text>" in svg
    assert "stroke-width:1.6" in svg
    assert "stroke-width:4.6" in svg
    assert svg.count('class="weight"') == 2


def test_long_tables_share_their_constants(tmp_path: Path) -> None:
    blocks = [
        ({"sample": np.arange(2), "value": np.array([1, 2])}, {"id": "a,b", "seed": None}),
        ({"sample": np.arange(1), "value": np.array([0.5])}, {"id": "c", "seed": 1}),
    ]
    write_columns(blocks, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [
        ["sample", "value", "id", "seed"],
        ["0", "1", "a,b", "NA"],
        ["1", "2", "a,b", "NA"],
        ["0", "0.5", "c", "1"],
    ]


def test_figures_painted_elsewhere_are_the_same(tmp_path: Path) -> None:
    names = [f"{i}.{suffix}" for i in range(9) for suffix in ("svg", "png")]
    with DrawingProcesses(most=2) as drawing:
        token = render._drawing.set(drawing)
        for name in names:
            save(CHART, tmp_path / "there" / name)
        render._drawing.reset(token)
    save(CHART, *(tmp_path / "here" / name for name in names))
    for name in names:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_a_figure_that_cannot_be_painted_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(DagathlonError, match="cannot be drawn"),
        DrawingProcesses(most=2) as drawing,
    ):
        drawing.order({"chart": "{", "kinds": [".svg"]}, [tmp_path / "x.svg"])
    assert not (tmp_path / "x.svg").exists()


def test_a_painter_that_ends_early_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(3)", "utf-8")
    monkeypatch.setattr(painter, "__file__", str(broken))
    drawing = DrawingProcesses(most=2)
    for i in range(40):
        drawing.order({"chart": "{}", "kinds": [".svg"]}, [tmp_path / f"{i}.svg"])
    with pytest.raises(DagathlonError, match="has ended"):
        drawing.__exit__(None, None, None)


def _many(folder: Path) -> list[Path]:
    return [folder / "a.png", folder / "deep" / "b.png"]


def test_equal_pictures_are_painted_once_and_not_again(tmp_path: Path) -> None:
    asked: list[int] = []
    for _ in range(2):
        with DrawingProcesses(most=2, on_figure=lambda _, n: asked.append(n)) as drawing:
            drawing.begin(tmp_path)
            for path in _many(tmp_path):
                drawing.order({"drawing": to_svg(TRUTH), "kinds": [".png"]}, [path])
    first, second = (path.read_bytes() for path in _many(tmp_path))
    assert first == second
    assert asked == [1]


def test_pictures_that_changed_or_are_gone_are_painted_again(tmp_path: Path) -> None:
    asked: list[int] = []
    for graph in (TRUTH, ESTIMATE, ESTIMATE):
        with DrawingProcesses(most=2, on_figure=lambda _, n: asked.append(n)) as drawing:
            drawing.begin(tmp_path)
            drawing.order({"drawing": to_svg(graph), "kinds": [".svg"]}, [tmp_path / "a.svg"])
        assert (tmp_path / "a.svg").read_text("utf-8") == to_svg(graph)
        (tmp_path / "a.svg").unlink()
    assert asked == [1, 1, 1]


def test_a_damaged_record_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "figures.json").write_text("[", "utf-8")
    with DrawingProcesses(most=2) as drawing:
        drawing.begin(tmp_path)
        drawing.order({"drawing": to_svg(TRUTH), "kinds": [".svg"]}, [tmp_path / "a.svg"])
    assert (tmp_path / "a.svg").is_file()


def test_the_script_of_charts_is_kept_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = iter(["short", "x" * 100_000, "never asked for"])
    monkeypatch.setattr("vl_convert.javascript_bundle", lambda *_, **__: next(made))
    for wanted in (5, 100_000, 100_000):
        render.vega_script.cache_clear()
        assert len(render.vega_script()) == wanted
    (kept,) = (tmp_path / "dagathlon").glob("*.js")
    kept.write_text("damaged", "utf-8")
    render.vega_script.cache_clear()
    assert render.vega_script() == "never asked for"
    render.vega_script.cache_clear()


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://x")', "+a", "-a", "@a", "\t=1", "-", "\uff1d1"]
)
def test_no_cell_is_taken_for_a_formula(text: str, tmp_path: Path) -> None:
    """Texts of a study, which may be a stranger's, are no programs of a spreadsheet."""
    write_csv([{"id": text, "n": -1.5, text: 1}], tmp_path / "a.csv")
    write_columns([({"node": [text, "A"], "n": [-1, 2]}, {"id": text})], tmp_path / "b.csv")
    for name in "ab":
        with (tmp_path / f"{name}.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert rows[0]["id"] == f"'{text}"
        assert float(rows[0]["n"]) < 0
    assert next(iter(rows[0].values())) == f"'{text}"
    assert rows[1]["node"] == "A"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("packed", [False, True])
def test_no_kind_of_text_column_is_taken_for_a_formula(
    kind: pa.DataType, packed: bool, tmp_path: Path
) -> None:
    column = pa.array(["=x", "A"], kind)
    column = column.dictionary_encode() if packed else column
    write_columns([({"node": column}, {"id": "x"})], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == '"node","id"\n"\'=x","x"\n"A","x"\n'


def test_a_line_of_a_text_begins_no_cell(tmp_path: Path) -> None:
    """A return alone ends a line for spreadsheets, and for Python's writer it does not."""
    write_csv([{"id": "a\r=1"}], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b'id\n"a\n=1"\n'


@pytest.mark.parametrize("text", ["-1", "+2.5e3", "-inf", "a=b", "1+2", "", "NA"])
def test_numbers_and_other_texts_are_written_as_they_are(text: str) -> None:
    assert harmless(text) == text
