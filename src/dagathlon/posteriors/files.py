"""Posteriors as files: ``.npz`` with everything, ``.csv`` with one chain as Benchpress writes it.

An ``.npz`` file is a zip of plain arrays, which ``numpy.load`` opens without this package; nothing
in it is ever unpickled. `meta` is a JSON text: the names, and for each chain what it is. The arrays
of chain k are named ``k.bits``, ``k.log_weights``, ``k.score``, … .
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError, DataError, no_such_file, not_written
from dagathlon.graphs.path_files import DAMAGED
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.parts import from_parts, to_parts
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.trajectory import chain_of, read_trajectory, write_trajectory

# A zip of a few kilobytes can claim any size.
MOST_BYTES = 1 << 34
SUFFIXES = (".npz", ".csv")


def write_posterior(posterior: Posterior, path: str | Path) -> None:
    """Write a posterior.

    Parameters
    ----------
    posterior
        The posterior.
    path
        ``.npz``: all of it. ``.csv``: one chain without weights, as a trajectory of Benchpress.
    """
    file = Path(path)
    check_suffix(file)
    if file.suffix == ".csv":
        return write_trajectory(_only_chain(posterior, file), file)
    meta, arrays = to_parts(posterior)
    text = np.frombuffer(json.dumps(meta, ensure_ascii=False).encode(), dtype=np.uint8)
    try:
        with zipfile.ZipFile(file, "w") as target:
            for name, array in {"meta": text, **arrays}.items():
                # Without the time of day, so that the same posterior gives the same bytes.
                about = zipfile.ZipInfo(f"{name}.npy")
                about.compress_type = zipfile.ZIP_DEFLATED
                with target.open(about, "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
    except OSError as error:
        raise DataError(not_written(file, error)) from None


def read_posterior(path: str | Path, names: Sequence[str] | None = None) -> Posterior:
    """Read a posterior.

    Parameters
    ----------
    path
        A file of `write_posterior`, or a trajectory of Benchpress (``.csv``).
    names
        For a trajectory, the nodes in order; by default as the file records them.
    """
    file = Path(path)
    check_suffix(file)
    if not file.is_file():
        raise DataError(no_such_file(file))
    if file.suffix == ".csv":
        return Posterior([read_trajectory(file, names)])
    try:
        arrays = _arrays(file)
        meta = json.loads(arrays.pop("meta").tobytes().decode())
        return from_parts(meta, arrays)
    except DAMAGED as error:
        raise DataError(f"{file}: not a posterior ({error})") from None
    except DagathlonError as error:
        raise DataError(f"{file}: {error}") from None


def check_suffix(path: Path) -> None:
    """Refuse a file whose ending is not one of posteriors."""
    if path.suffix not in SUFFIXES:
        raise DataError(
            f"{path}: posteriors are written as .npz, or as .csv (one chain, Benchpress's "
            f"trajectory), not {path.suffix or 'without an ending'}"
        )


def check_chains(path: Path, chains: int) -> None:
    """Refuse to write several chains, or none, as one trajectory file."""
    if path.suffix == ".csv" and chains != 1:
        single = ", or each chain separately: write_trajectory(posterior.chains[0], …)"
        raise DataError(
            f"{path}: a trajectory holds one chain, and there are {chains or 'none'}; write an "
            f".npz file{single if chains else ''}"
        )


def _arrays(file: Path) -> dict[str, npt.NDArray[Any]]:
    with zipfile.ZipFile(file) as archive:
        claimed = sum(member.file_size for member in archive.infolist())
    if claimed > MOST_BYTES:
        raise DataError(f"it claims {claimed / 1e9:.3g} GB of arrays, more than is ever read")
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _only_chain(posterior: Posterior, file: Path) -> Chain:
    check_chains(file, len(posterior.chains))
    return chain_of(posterior.chains[0])
