"""Network files: one module per format, `read_network` and `write_network` for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dagathlon.data.models.network import Network
from dagathlon.data.networks import bif, compact, dsc, hugin, rds, xdsl, xmlbif
from dagathlon.data.networks.limits import read_bytes
from dagathlon.errors import DataError, listing, not_written, unknown

__all__ = [
    "NETWORK_FORMATS",
    "has_network_ending",
    "is_network_path",
    "read_network",
    "write_network",
]


@dataclass(frozen=True)
class NetworkFormat:
    """A file format of networks: its file endings, reader and writer."""

    endings: tuple[str, ...]
    read: Callable[[bytes], Network]
    write: Callable[[Network], bytes] | None = None


NETWORK_FORMATS: Mapping[str, NetworkFormat] = {
    "dagnet": NetworkFormat((".dagnet",), compact.read, compact.write),
    "bif": NetworkFormat((".bif",), bif.read, bif.write),
    "dsc": NetworkFormat((".dsc",), dsc.read),
    "net": NetworkFormat((".net",), hugin.read),
    "rds": NetworkFormat((".rds",), rds.read),
    "xdsl": NetworkFormat((".xdsl",), xdsl.read),
    "xmlbif": NetworkFormat((".xmlbif", ".xbif", ".xml"), xmlbif.read),
}
_COMPRESSED = (".gz", ".bz2", ".xz")


def read_network(path: str | Path, format: str | None = None) -> Network:
    """Read a Bayesian network with its parameters.

    Parameters
    ----------
    path
        The file; gzip, bzip2 and xz are undone.
    format
        ``bif``, ``dsc``, ``net`` (Hugin), ``xmlbif``, ``xdsl`` (GeNIe), ``rds`` (a ``bn.fit`` of
        R's bnlearn) or ``dagnet`` (our own); by default chosen by the file's ending.

    Returns
    -------
    Network
        Nodes, levels and parents in the order of the file.
    """
    file = Path(path)
    chosen = _format(file, format)
    try:
        return NETWORK_FORMATS[chosen].read(read_bytes(file))
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def write_network(network: Network, path: str | Path, format: str | None = None) -> None:
    """Write a network as ``bif`` (discrete networks) or ``dagnet`` (any network, full precision).

    Parameters
    ----------
    network
        The network.
    path
        The file, overwritten if it exists.
    format
        By default chosen by the file's ending.
    """
    file = Path(path)
    chosen = _format(file, format)
    write = NETWORK_FORMATS[chosen].write
    if write is None:
        writable = [name for name, known in NETWORK_FORMATS.items() if known.write]
        raise DataError(f"{file}: {chosen} is read only; formats written: {listing(writable)}")
    try:
        file.write_bytes(write(network))
    except OSError as error:
        raise DataError(not_written(file, error)) from None
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def is_network_path(text: str | Path) -> bool:
    """Whether the text must mean a file: a path, a known ending, or an existing file."""
    file = Path(text)
    return isinstance(text, Path) or len(file.parts) > 1 or bool(_by_ending(file)) or file.is_file()


def has_network_ending(name: str) -> bool:
    """Whether the name has the ending of a network file format."""
    return _by_ending(Path(name)) is not None


def _by_ending(file: Path) -> str | None:
    plain = file.with_suffix("") if file.suffix.lower() in _COMPRESSED else file
    ending = plain.suffix.lower()
    return next((name for name, known in NETWORK_FORMATS.items() if ending in known.endings), None)


def _format(file: Path, given: str | None) -> str:
    if given is not None:
        if given not in NETWORK_FORMATS:
            raise DataError(unknown("network format", given, NETWORK_FORMATS, str(file)))
        return given
    by_ending = _by_ending(file)
    if by_ending is None:
        endings = [ending for known in NETWORK_FORMATS.values() for ending in known.endings]
        raise DataError(unknown("ending of a network file", file.suffix, endings, str(file)))
    return by_ending
