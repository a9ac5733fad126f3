"""What the sentences of a lead claim, and the same recomputed from the runs by plain loops."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from scipy import stats

Row = dict[str, Any]


class Recomputed:
    """Numbers of a table of runs: `id`, `setting`, `adjmat`, …, `seed`, `status`, the metric.

    Parameters
    ----------
    rows
        The runs.
    metric
        A column of which less is better.
    """

    def __init__(self, rows: Sequence[Row], metric: str) -> None:
        self.rows, self.metric = rows, metric
        self.ids = {row["setting"]: row["id"] for row in rows}
        self.cases: dict[tuple[Any, ...], dict[str, float]] = {}
        for row in rows:
            case = (row["adjmat"], row["parameters"], row["data"], row["seed"])
            found = self.cases.setdefault(case, {})
            if row["status"] not in ("ok", "skipped"):
                found[row["setting"]] = float("inf")
            elif row[metric] is not None:
                found[row["setting"]] = row[metric]

    def winners(self) -> tuple[Counter[str], int]:
        """On how many kinds of data each algorithm has the best mean, and how many kinds."""
        wins: Counter[str] = Counter()
        kinds = dict.fromkeys(case[:3] for case in self.cases)
        n = 0
        for kind in kinds:
            means = self.means(kind)
            if means:
                n += 1
                least = min(means.values())
                wins.update({self.ids[s] for s, v in means.items() if v - least < 1e-9})
        return wins, n

    def means(self, kind: tuple[Any, ...]) -> dict[str, float]:
        """Means of the settings with most numbers, on the data sets that all of these have."""
        numbers: dict[str, dict[Any, float]] = {}
        for case, values in self.cases.items():
            if case[:3] == kind:
                for setting, value in values.items():
                    if value != float("inf"):
                        numbers.setdefault(setting, {})[case[3]] = value
        most = max(map(len, numbers.values()), default=0)
        full = {s: v for s, v in numbers.items() if len(v) == most}
        common = set.intersection(*map(set, full.values())) if full else set()
        return {s: mean(v[c] for c in common) for s, v in full.items()} if common else {}

    def ranked(self) -> tuple[dict[str, float], dict[str, int], int]:
        """Average ranks at best settings, data sets that each took part in, and how many there are.

        Whoever took no part has the mean rank, (k + 1) / 2 of the k who did.
        """
        among, _, _ = self._averages(list(self.ids))
        best: dict[str, str] = {}
        for setting in sorted(among, key=lambda name: among[name]):
            best.setdefault(self.ids[setting], setting)
        chosen = [s for s in self.ids if s in best.values()]
        return self._averages(chosen if len(set(self.ids.values())) > 1 else list(self.ids))

    def _averages(self, names: list[str]) -> tuple[dict[str, float], dict[str, int], int]:
        there = [v for v in self.cases.values() if any(s in v for s in names)]
        often = [s for s in names if sum(s in v for v in there) * 2 >= len(there) > 0]
        least = min(2, len(often))
        used = [v for v in there if sum(s in v for s in often) >= least]
        if len(often) > 1:
            groups = [group for group in _groups(often, used) if len(group) > 1]
            if len(groups) != 1:
                return {}, {}, 0
            often = [s for s in often if s in groups[0]]
        total = dict.fromkeys(often, 0.0)
        for values in used:
            present = [s for s in often if s in values]
            ranks = dict(zip(present, stats.rankdata([values[s] for s in present]), strict=True))
            for s in often:
                total[s] += ranks.get(s, (len(present) + 1) / 2)
        n = {s: sum(s in v for v in used) for s in often}
        return {s: total[s] / len(used) for s in often if used}, n, len(used)


def _groups(names: list[str], cases: Sequence[dict[str, float]]) -> list[set[str]]:
    """Names that comparisons link."""
    group = {s: s for s in names}
    for values in cases:
        together = {group[s] for s in names if s in values}
        group = {s: min(together) if g in together else g for s, g in group.items()}
    return [{s for s in names if group[s] == one} for one in set(group.values())]


def plain(lead: str) -> str:
    """The words of a lead."""
    return html.unescape(re.sub("<[^>]+>", "", lead.replace("</p>", " </p>")))


def names_in(words: str) -> list[str]:
    """``a; b and c`` or ``a, b and c``: names that have commas themselves go by semicolons."""
    *before, last = words.rsplit(" and ", 1)
    parts = [part for one in before for part in one.split("; " if "; " in one else ", ")]
    return [name.strip() for name in (*parts, last)]


def check_several_kinds(said: str, table: Recomputed) -> int:
    """Compare every number of a lead over several kinds of data; returns how many there were."""
    return _check_wins(said, table) + _check_ranks(said, table) + _check_partly(said, table)


def _check_wins(said: str, table: Recomputed) -> int:
    wins, n = table.winners()
    checked = 0
    if found := re.search(r"(\S+) is best by .*? on (both|all (\d+)) kinds of data", said):
        kinds = int(found[3] or 2)
        assert (kinds, wins[found[1]]) == (n, n)
        assert len(wins) == 1
        checked += 1
    pattern = r"(\S+) is best or among the best on (\d+) of (\d+) kinds of data([^.;]*)"
    if found := re.search(pattern, said):
        assert int(found[3]) == n
        each = [(found[1], found[2]), *re.findall(r"(\S+) on (\d+)", found[4])]
        assert all(wins[name] == int(count) for name, count in each)
        assert max(wins.values()) == int(found[2])
        others = re.search(r"; (\d+) others? on (as many or fewer|as many|fewer)\.", said)
        assert len(wins) == len(each) + (int(others[1]) if others else 0)
        checked += len(each) + 1
    return checked


def _check_ranks(said: str, table: Recomputed) -> int:
    averages, _, n = table.ranked()
    pattern = (
        r"By average rank over (all|the|the only|both) (?:(\d+) )?data sets?"
        r"( in which two or more of those ranked took part)?, "
        r"(.*?) (is first|share the first place) \((\d+\.\d\d) among (\d+) (algorithms|settings)"
    )
    found = re.search(pattern, said)
    if found is None:
        assert len(averages) < 2 or not n
        return 0
    assert int(found[2] or (2 if found[1] == "both" else 1)) == n
    assert (found[1] != "the") == (n == len(table.cases))
    least = min(averages.values())
    first = {s for s, value in averages.items() if value - least < 1e-9}
    if f"{len(first)} algorithms" != found[4].strip():
        assert set(names_in(found[4])) == first
    assert f"{least:.2f}" == found[6]
    assert len(averages) == int(found[7])
    later = [value for s, value in averages.items() if s not in first]
    rest = said[found.end() :].partition("). ")[2]
    follows = re.search(r"^(.*?) follows? with (\d+\.\d\d)", rest)
    assert (follows is None) == (not later)
    if follows:
        assert f"{min(later):.2f}" == follows[2]
        second = {s for s, v in averages.items() if s not in first and v - min(later) < 1e-9}
        if not follows[1].startswith("each of"):
            assert set(names_in(follows[1])) == second
    return 3


def _check_partly(said: str, table: Recomputed) -> int:
    averages, parts, n = table.ranked()
    some = {s: parts[s] for s in averages if parts[s] < n}
    if len(averages) < 2 or not n:
        return 0
    found = re.search(r" of these (\d+) data sets?\.", said)
    assert (found is None) == (not some)
    if found:
        assert int(found[1]) == n
        words = re.split(r"(?:\)|\S\)?)\. ", said[: found.start()])[-1]
        each = re.findall(r"([^;]*?) in (\d+)", words.replace(" took part", ""))
        parted = [(re.sub(r"^(, |; | and | )", "", name), int(count)) for name, count in each]
        assert all(some[name] == count for name, count in parted)
        assert len(some) == len(parted) or "more in some" in words
    return 1
