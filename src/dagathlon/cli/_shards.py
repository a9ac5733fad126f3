"""Shards: parsing of ``--shard``, and what to do after a shard."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from dagathlon.errors import DagathlonError
from dagathlon.study.engine.parts import MOST_SHARDS


def add_shard_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument that selects a shard."""
    parser.add_argument(
        "--shard", metavar="N/COUNT", help="only one of COUNT parts of the study, for array jobs"
    )


def shard_of(arguments: argparse.Namespace) -> tuple[int, int] | None:
    """Return number and count of the requested shard; None for the whole study."""
    text = arguments.shard
    if text is None:
        return None
    if arguments.limit is not None:
        raise DagathlonError("--shard and --limit both choose a part of the study; give one")
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    number, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= count:
        raise DagathlonError(
            "--shard is the number of a part and how many there are, from 1/100 to 100/100 for a "
            f"hundred of them; found {text!r}"
        )
    if count > MOST_SHARDS:
        raise DagathlonError(
            f"--shard divides a study into {MOST_SHARDS:,} parts at most; found {text!r}"
        )
    return number, count


def what_next(shard: tuple[int, int], study: Path, out: Path) -> str:
    """Describe how to continue after a shard is done."""
    number, count = shard
    return (
        f"shard {number}/{count} is done. When all are:\n"
        f"  dagathlon merge FOLDERS… --out DIR   unless all shards wrote to {out}\n"
        f"  dagathlon run {study} --out DIR   the rest and the report, without --shard"
    )
