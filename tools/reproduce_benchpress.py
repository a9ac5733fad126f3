"""Make Benchpress's seven studies anew, and write what came out into docs/reproduction.md.

python tools/reproduce_benchpress.py run                # all parts that the page shows: hours
python tools/reproduce_benchpress.py run paper_er_sem_small paper_sachs --jobs 2
python tools/reproduce_benchpress.py write              # the page, from what was recorded
python tools/reproduce_benchpress.py --check            # whether the page is so

`run` prints the commands that it runs, and records the rows of the page's tables, computed from
joint_benchmarks.csv, in tools/benchpress_2025.json. The parts are numbers of seeds that a laptop
finishes; with `--data-sets 100` they are the paper's.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shlex
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reproduction.md"
RECORD = ROOT / "tools" / "benchpress_2025.json"
Rows: TypeAlias = list[dict[str, Any]]

_MARKED = re.compile(r"(<!-- benchpress (\w+) -->\n).*?(<!-- end -->)", re.S)
_MEDIANS = {"tp": "TPR_pattern", "fp": "FPRn_pattern", "f1": "F1_skel", "cpu": "cpu"}


class Part(NamedTuple):
    """A part of a study, run by itself.

    Parameters
    ----------
    study
        Name of the file in ``studies``.
    data_sets
        The first so many; 0 leaves the study as it is.
    options
        Further options of ``tools/part_of_study.py``.
    starts
        How often it is run, each time with other seeds.
    """

    study: str
    data_sets: int = 0
    options: tuple[str, ...] = ()
    starts: int = 1


PARTS: Mapping[str, Part] = {
    "paper_pc_vs_dualpc": Part("paper_pc_vs_dualpc"),
    "paper_sachs": Part("paper_sachs", starts=10),
    "paper_er_sem_small": Part("paper_er_sem_small"),
    "paper_er_sem": Part("paper_er_sem", 10, ("--longest", "320")),
    "paper_hepar2_sem": Part("paper_hepar2_sem", 10, ("--without", "gobnilp-bge")),
    "paper_hepar2_sem_gobnilp": Part("paper_hepar2_sem", 2, ("--ids", "gobnilp-bge")),
    "paper_er_bin": Part("paper_er_bin", 5),
    "paper_hepar2_bin": Part("paper_hepar2_bin", 5),
}


def main() -> int:
    """Run, write or check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("what", nargs="?", choices=("run", "write"), default="write")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of results")
    parser.add_argument("--jobs", type=int, default=1, help="cores to use")
    parser.add_argument("--data-sets", type=int, help="another number of seeds than the page's")
    parser.add_argument("--check", action="store_true", help="only say whether the page is right")
    asked = parser.parse_args()
    if asked.what == "run" and not asked.check:
        for name in asked.parts or PARTS:
            part = PARTS[name]
            if asked.data_sets is not None and part.data_sets:
                part = part._replace(data_sets=asked.data_sets)
            made = run(name, part, asked.out, asked.jobs)
            found = recorded() | {name: made}
            ordered = {known: found[known] for known in PARTS if known in found}
            RECORD.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    page = PAGE.read_text("utf-8")
    wanted = filled(page, recorded())
    if asked.check:
        if page != wanted:
            print(f"{PAGE} is not what {RECORD} says: python {sys.argv[0]} write")
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


def recorded() -> dict[str, Any]:
    """What was recorded, by part."""
    return dict(json.loads(RECORD.read_text("utf-8"))) if RECORD.exists() else {}


def run(name: str, part: Part, out: Path, jobs: int) -> dict[str, Any]:
    """Run a part by the commands of the page; return what the page shows of it."""
    tables = []
    out = out.resolve()
    for start in range(part.starts):
        place = out / (f"{name}_{start}" if part.starts > 1 else name)
        for command in commands(name, part, str(out), start):
            told = command if command[0] != "dagathlon" else [*command, "--jobs", str(jobs)]
            _do(told)
        (found,) = place.rglob("joint_benchmarks.csv")
        with found.open(newline="", encoding="utf-8") as file:
            tables.append(list(csv.DictReader(file)))
    made = {"part": part._asdict() | {"options": list(part.options)}}
    if part.starts > 1:
        return made | {"starts": [list(least(table)) for table in tables]}
    return made | {"rows": list(settings(tables[0]))}


def commands(name: str, part: Part, out: str, start: int = 0) -> Iterator[list[str]]:
    """The commands that make a part of a study and run it, with results below a folder."""
    study, place = f"studies/{part.study}.json", f"{out}/{name}"
    if part.data_sets or part.options:
        sets = ["--data-sets", str(part.data_sets)] if part.data_sets else []
        yield [
            "python",
            "tools/part_of_study.py",
            study,
            *sets,
            *part.options,
            ">",
            f"{place}.json",
        ]
        study = f"{place}.json"
    seed = []
    if part.starts > 1:
        place, seed = f"{place}_{start}", ["--seed", str(start)]
    yield ["dagathlon", "run", study, "--out", place, *seed, "--no-figures"]


def _do(command: Sequence[str]) -> None:
    """Run a command in the folder of the repository; ``>`` writes its output into a file."""
    print(_shown(command), flush=True)
    words = [sys.executable if word == "python" else word for word in command]
    if words[-2] == ">":
        done = subprocess.run(words[:-2], cwd=ROOT, check=True, capture_output=True)
        path = ROOT / words[-1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(done.stdout)
    else:
        subprocess.run([*words, "--quiet"], cwd=ROOT, check=True)


def settings(table: Iterable[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Medians of every setting over the data sets, of the runs that ended."""
    runs: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for row in table:
        runs[row["id"], row["curve_value"]].append(row)
    for (name, value), found in runs.items():
        ended = [row for row in found if row["status"] == "ok"]
        about = {"id": name, "setting": value, "runs": len(found), "ended": len(ended)}
        if ended:
            medians = {
                key: _median(row[column] for row in ended) for key, column in _MEDIANS.items()
            }
            shd = [1 - float(row["TPR_pattern"]) + float(row["FPRn_pattern"]) for row in ended]
            yield about | medians | {"shd": _median(shd)}
        else:
            yield about


def least(table: Iterable[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Least SHD of CPDAGs and largest F1 of skeletons of every algorithm."""
    runs: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in table:
        if row["status"] == "ok":
            runs[row["id"]].append(row)
    for name, found in runs.items():
        # A graph with a directed cycle has no CPDAG to compare.
        shd = [float(row["SHD_cpdag"]) for row in found if row["SHD_cpdag"] != "NA"]
        f1 = max(float(row["F1_skel"]) for row in found)
        yield {"id": name, "shd": min(shd, default=None), "f1": _rounded(f1)}


def best(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """The setting of least median SHD/P of every algorithm, best first.

    Settings that ended on fewer data sets than another one of the algorithm are left out.
    """
    of: dict[str, Rows] = defaultdict(list)
    for row in rows:
        of[row["id"]].append(dict(row))
    found = []
    for mine in of.values():
        most = max(row["ended"] for row in mine)
        able = [row for row in mine if row["ended"] == most and "shd" in row]
        found += [min(able, key=lambda row: row["shd"])] if able else []
    return sorted(found, key=lambda row: (row["shd"], row["id"]))


def filled(page: str, parts: Mapping[str, Any]) -> str:
    """The page with everything between its markers as recorded."""

    def between(found: re.Match[str]) -> str:
        if found[2] not in parts:
            return found[0]
        return f"{found[1]}{section(found[2], parts[found[2]])}{found[3]}"

    return _MARKED.sub(between, page)


def section(name: str, made: Mapping[str, Any]) -> str:
    """The commands of a part and the table of what came out."""
    said = made["part"]
    part = Part(**said | {"options": tuple(said["options"])})
    shown = [f"    {_shown(each)}" for each in commands(name, part, "results")]
    if "starts" in made:
        lines = [*shown, "", *_starts_table(made["starts"])]
    elif name == "paper_pc_vs_dualpc":
        lines = [*shown, "", *_levels_table(made["rows"])]
    else:
        lines = [*shown, "", *_best_table(made["rows"])]
    return "\n".join(lines) + "\n"


def _best_table(rows: Rows) -> Iterator[str]:
    sets = max(row["runs"] for row in rows)
    yield f"{sets} data sets:" if sets > 1 else "One data set:"
    yield ""
    yield "| algorithm | setting | TP/P | FP/P | SHD/P | F1 skeleton | processor seconds |"
    yield "|---|---|---|---|---|---|---|"
    chosen = best(rows)
    for row in chosen:
        name = row["id"] if row["ended"] == sets else f"{row['id']} ({row['ended']} of {sets})"
        numbers = " | ".join(f"{row[key]:.2f}" for key in ("tp", "fp", "shd", "f1"))
        yield f"| {name} | {row['setting']} | {numbers} | {row['cpu']:.2g} |"
    for name in dict.fromkeys(row["id"] for row in rows):
        if name not in {row["id"] for row in chosen}:
            yield f"| {name} | no run ended | | | | | |"


def _levels_table(rows: Rows) -> Iterator[str]:
    sets = max(row["runs"] for row in rows)
    yield f"{sets} data sets, medians:"
    yield ""
    yield "| algorithm | level | F1 skeleton | TP/P | FP/P | processor seconds |"
    yield "|---|---|---|---|---|---|"
    for row in sorted(rows, key=lambda row: (float(row["setting"]), row["id"])):
        f1, tp, fp = row["f1"], row["tp"], row["fp"]
        yield (
            f"| {row['id']} | {row['setting']} | {f1:.3f} | {tp:.2f} | {fp:.2f} "
            f"| {row['cpu']:.2g} |"
        )


def _starts_table(starts: Sequence[Rows]) -> Iterator[str]:
    yield f"{len(starts)} starts (`--seed` 0 to {len(starts) - 1}), the best setting in each:"
    yield ""
    yield "| algorithm | least SHD of CPDAGs (starts) | largest F1 of skeletons (starts) |"
    yield "|---|---|---|"
    for name in [row["id"] for row in starts[0]]:
        mine = [row for start in starts for row in start if row["id"] == name]
        shd = ["no CPDAG" if row["shd"] is None else f"{row['shd']:g}" for row in mine]
        f1 = [f"{row['f1']:.2f}" for row in mine]
        yield f"| {name} | {_counts(shd)} | {_counts(f1)} |"


def _counts(values: Iterable[str]) -> str:
    """Values with how often each was found; the value alone where all are equal."""
    found = list(values)
    kinds = sorted(set(found), key=lambda value: (len(value), value))
    if len(kinds) == 1:
        return kinds[0]
    return ", ".join(f"{kind} ({found.count(kind)})" for kind in kinds)


def _median(values: Iterable[Any]) -> float:
    return _rounded(statistics.median(map(float, values)))


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _shown(command: Sequence[str]) -> str:
    return " ".join(word if word == ">" else shlex.quote(word) for word in command)


if __name__ == "__main__":
    sys.exit(main())
