"""Merging of folders of results, with a summary, for several commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from dagathlon.errors import DagathlonError, terminal_text
from dagathlon.study.records.merged_setups import bring_setups
from dagathlon.study.store.conflicts import Conflict, note_conflicts
from dagathlon.study.store.merging import Merged, merge
from dagathlon.study.store.results_folder import STORE_FOLDER, find_store
from dagathlon.study.store.store import Store
from dagathlon.wording import agreeing, counted

AT_ODDS = 1
_MOST_SHOWN = 20
_OFTEN = 100_000


def merge_into(sources: Sequence[Path], out: Path, names: Sequence[str]) -> int:
    """Merge folders of results, or stores, into a folder of results; return the exit code.

    Parameters
    ----------
    sources
        What to merge, in this order.
    out
        The folder of results that they go to, made when it is not there.
    names
        Names of the sources in messages.
    """
    stores = [_checked(source, out) for source in sources]
    conflicts: list[Conflict] = []
    damaged = 0
    with Store(out / STORE_FOLDER) as store:
        for source, folder, name in zip(sources, stores, names, strict=True):
            merged = merge(folder, store, _progress if sys.stderr.isatty() else None)
            print(terminal_text("\n".join(_lines(name, merged))))
            conflicts += merged.conflicts
            damaged += len(merged.damaged)
            if folder != source:
                for note in bring_setups(source, out):
                    print(terminal_text(note))
    if conflicts:
        lines = _conflict_lines(conflicts, note_conflicts(out, conflicts))
        print(terminal_text("\n".join(lines)))
    print(f"dagathlon run STUDY --out {out} computes what is missing and writes the report")
    return AT_ODDS if conflicts or damaged else 0


def _checked(source: Path, out: Path) -> Path:
    """Return the store of a source; raise, before anything is written, if it cannot be merged."""
    if not source.is_dir():
        raise DagathlonError(f"{source}: there is no such folder")
    folder = find_store(source)
    if folder.resolve() == (out / STORE_FOLDER).resolve():
        raise DagathlonError(f"{source}: is the folder that results are merged into")
    Store(folder, readonly=True).close()
    return folder


def _progress(done: int, total: int) -> None:
    if total >= _OFTEN:
        end = "\r" if done < total else "\r\033[K"
        print(f"{done:,} of {total:,} results", end=end, file=sys.stderr, flush=True)


def _lines(name: str, merged: Merged) -> list[str]:
    parts = [f"{counted(merged.added, 'result')} added"]
    if merged.replaced:
        parts.append(f"{merged.replaced:,} of them replaced failures")
    if merged.there:
        parts.append(f"{merged.there:,} {agreeing(merged.there, 'was', 'were')} there already")
    if merged.copied:
        parts.append(f"{counted(merged.copied, 'file')} copied")
    lines = [f"{name}: {', '.join(parts)}"]
    if merged.running:
        lines.append(f"{name}: a run is still writing to it; merge it again when it has ended")
    if merged.damaged:
        lines += [f"{name}: left out: {problem}" for problem in merged.damaged[:_MOST_SHOWN]]
        damaged = counted(len(merged.damaged), "damaged result")
        lines.append(f"{name}: {damaged}, to be computed again by a run")
    return lines


def _conflict_lines(conflicts: Sequence[Conflict], path: Path) -> list[str]:
    lines = [conflict.words() for conflict in conflicts[:_MOST_SHOWN]]
    more = len(conflicts) - len(lines)
    if more:
        lines.append(f"… and {more:,} more")
    lines.append(
        f"conflicts: {len(conflicts):,}; the same task has different results. Those of the "
        f"destination are kept, and {path} lists both"
    )
    return lines
