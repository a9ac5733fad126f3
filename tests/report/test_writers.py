"""Every evaluation module writes the files that Benchpress writes, where it writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dagathlon.evaluate.ranking.summary import roc_summary
from dagathlon.graphs import read_graph
from dagathlon.modules import modules
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import Combination, combinations
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows

FIGURES = (
    "FPR_TPR_pattern",
    "FPR_TPR_skel",
    "roc_FPR_TPR",
    "FPRp_FNR_skel",
    "FNR_FPR_skel",
    "elapsed_time_joint",
    "elapsed_log_time_joint",
    "graph_type",
    "SHD_cpdag_joint",
    "f1_skel_joint",
    "f1_pattern_joint",
    "ntests_joint",
)

TYPES = ("original", "cpdag", "skeleton")


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_evaluation_is_in_a_room_or_a_file_of_its_name() -> None:
    room = {"noise_study": "noise", "interval_accuracy": "forecast_accuracy"}
    for name, module in modules("evaluation").items():
        assert {name, room.get(name)} & set(module.__module__.split("."))


def test_metrics_stand_beside_the_joint_table(everything: Path) -> None:
    joint = read_rows(everything / "benchmarks" / "sub" / "joint_benchmarks.csv")
    rows = read_rows(everything / "metrics" / "metrics.csv")
    wanted = {"SHD_dag", "SHD_skel", "SHD_half", "v_structure_F1", "arrowhead_F05", "SID"}
    wanted |= {"parent_AID", "oset_AID", "held_out_log_likelihood", "cross_entropy"}
    assert wanted <= set(rows[0])
    assert not wanted & set(joint[0])
    named = {"id", "algorithm", "adjmat", "data", "seed", "time", "cpu", "memory", "status"}
    assert named <= set(rows[0])
    for row in joint:
        same = [r for r in rows if all(r[k] == row[k] for k in ("id", "seed", "curve_value"))]
        assert len(same) == 1
        assert int(same[0]["SHD_skel"]) == int(row["FP_skel"]) + int(row["FN_skel"])
    for row in rows:
        for name in ("held_out_log_likelihood", "cross_entropy"):
            assert row[name] != "NA"  # undirected graphs too are fitted, chordal or not


def test_data_sets_have_diagnostics(everything: Path) -> None:
    rows = read_rows(everything / "metrics" / "data_sets.csv")
    assert [row["seed"] for row in rows] == ["1", "2"]
    for row in rows:
        assert row["n"] == "50"
        assert row["kind"] == "continuous"
        assert float(row["varsortability"]) == 0.5  # the data are standardised
        assert 0 <= float(row["r2_sortability"]) <= 1
        assert float(row["control_SHD_pattern"]) > 0


def test_benchmarks_has_twelve_folders_with_a_figure_for_each_combination(
    benchmarked: Path,
) -> None:
    folder = benchmarked / "benchmarks" / "sub"
    assert set(FIGURES) <= _names(folder)
    for name in FIGURES:
        assert _names(folder / name) == {"1.png", "2.png"}
    assert {"joint_benchmarks.csv", "ROC_data.csv", "corr_thresh.csv", "config"} <= _names(folder)


def test_graph_estimation_follows_the_layout_of_benchpress(everything: Path) -> None:
    name = "graph_id=g_parameters_id=p_data_id=few_seed=2"
    folder = everything / "graph_estimation" / name
    assert _names(folder) == {f"graph_type={t}" for t in TYPES}
    for kind in TYPES:
        part = folder / f"graph_type={kind}"
        assert _names(part) == {"graphs", "adjmats", "diffplots", "csvs", "graphvizcompare"}
        ends = {"graphs": "png", "adjmats": "png", "diffplots": "png", "csvs": "csv"}
        for feature, end in (ends | {"graphvizcompare": "pdf"}).items():
            expected = {f"prec_thresh_{kind}_{j}.{end}" for j in (1, 2)}
            assert _names(part / feature / "prec_thresh") == expected


def test_a_skeleton_is_written_with_zeros_and_ones(everything: Path) -> None:
    found = sorted(everything.glob("graph_estimation/*/graph_type=skeleton/csvs/*/*.csv"))
    graphs = [read_graph(path) for path in found]
    assert len(graphs) == 4
    assert all(graph.is_undirected for graph in graphs)


def test_graph_plots_are_numbered_through(everything: Path) -> None:
    folder = everything / "graph_plots"
    assert _names(folder / "graphs") == {f"graph_{i}.png" for i in range(1, 5)}
    assert _names(folder / "adjmat_diffplots") == {f"diffplot_{i}.png" for i in range(1, 5)}
    assert _names(folder / "graphvizcompare") == {f"compare_{i}.pdf" for i in range(1, 5)}
    assert _names(folder / "csvs") == {f"adjmat_{i}.csv" for i in range(1, 5)}


def test_true_graphs_are_drawn_and_counted_once_each(everything: Path) -> None:
    assert _names(everything / "graph_true_plots") == {
        f"{name}_true_{i}.png" for name in ("graph", "adjmat") for i in (1, 2)
    }
    rows = read_rows(everything / "graph_true_stats" / "joint_stats.csv")
    assert [row["seed"] for row in rows] == ["1", "2"]
    assert {row["n_nodes"] for row in rows} == {"6"}
    assert (everything / "graph_true_stats" / "graph_properties_plot.png").stat().st_size > 1000


def test_pairs_are_drawn_for_each_data_set(everything: Path) -> None:
    assert _names(everything / "ggally_ggpairs") == {f"pairs_{i}.png" for i in range(1, 3)}


def test_chains_have_trajectories_heat_maps_and_autocorrelations(everything: Path) -> None:
    heat = everything / "mcmc_heatmaps"
    assert _names(heat / "heatmaps") == {f"heatmap_{i}.png" for i in range(1, 5)}
    assert _names(heat / "heatgraphs") == {f"heatgraph_{i}.png" for i in range(1, 5)}
    paths = everything / "mcmc_traj_plots"
    rows = read_rows(paths / "mcmc_filled_trajs.csv")
    assert {row["functional"] for row in rows} == {"score", "size"}
    assert {int(row["sample"]) for row in rows} == set(range(100, 200, 2))
    assert _names(paths / "single_param_settings") == {f"{k}.png" for k in range(1, 5)}
    lags = everything / "mcmc_autocorr_plots"
    assert {row["lag"] for row in read_rows(lags / "joined_autocorr.csv")} == {
        str(k) for k in range(1, 11)
    }
    assert len(_names(lags / "induvidual")) == 4


def test_no_picture_is_empty(everything: Path) -> None:
    pictures = [path for end in ("png", "pdf") for path in everything.rglob(f"*.{end}")]
    empty = [path for path in pictures if not path.stat().st_size]
    assert all("graph_type=cpdag" in str(path) for path in empty), "only what has no CPDAG is empty"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_combinations_are_numbered_by_graph_then_parameters_then_data(
    order: tuple[int, ...],
) -> None:
    found = [
        Combination("g1", "p1", "d1"),
        Combination("g1", "p1", "d2"),
        Combination("g2", "p1", "d1"),
    ]
    rows = [found[0]._asdict(), *(found[i]._asdict() for i in order)]
    assert [one.adjmat for one in combinations(rows)] == ["g1", "g1", "g2"]


@pytest.mark.slow
def test_a_fixed_data_file_has_its_median_points(
    tmp_path: Path, write_study: Callable[..., Path]
) -> None:
    rng = np.random.default_rng(1)
    rows = [",".join(f"{value:.4f}" for value in row) for row in rng.normal(size=(40, 3))]
    (tmp_path / "fixed.csv").write_text("\n".join(["a,b,c", *rows]) + "\n", "utf-8")
    (tmp_path / "truth.csv").write_text("a,b,c\n0,1,0\n0,0,1\n0,0,0\n", "utf-8")
    entry = {"graph_id": "truth.csv", "parameters_id": None, "data_id": "fixed.csv"}
    evaluation = {"benchmarks": {"ids": ["precision"], "filename_prefix": ""}}
    path = write_study(tmp_path / "study.json", evaluation, **entry, seed_range=None)
    Study.load(path).run(tmp_path / "out", jobs=1)
    with Store(tmp_path / "out" / "store", readonly=True) as store:
        results = Results.of(tmp_path / "out" / "study", store)
        summary = roc_summary(results.rows(["precision"]))
        points = roc(
            [], summary, ("FPRn_pattern", "TPR_pattern"), Look.of(results.ids), RocOptions()
        )
    assert len(points["data"]["values"]) == 2
    assert all(row["TPR_pattern_median"] is not None for row in points["data"]["values"])
    figure = tmp_path / "out" / "study" / "benchmarks" / "FPR_TPR_pattern" / "1.png"
    assert figure.stat().st_size > 3000
