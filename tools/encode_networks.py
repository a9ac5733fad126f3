"""Write the standard networks and data of src/dagathlon/data/standard from public wheels.

Usage: ``python tools/encode_networks.py PGMPY_WHEEL CDT_WHEEL``

The wheels pgmpy 1.1.2 and cdt 0.6.0 on PyPI carry the figures: networks of the bnlearn repository
as BIF and JSON, and the measurements of Sachs et al. as CSV. Nothing but the figures is taken over:
names, levels, arcs and numbers, in the order and with the digits of the source.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dagathlon.data.models.distributions import Table
from dagathlon.data.models.network import About
from dagathlon.data.networks import bif, compact
from dagathlon.data.networks.container import pack
from dagathlon.data.networks.definition import Definition, build
from dagathlon.data.standard import NetworkRecord

TARGET = Path(__file__).parent.parent / "src" / "dagathlon" / "data" / "standard"
REFERENCES = Path(__file__).parent / "network_references.json"
FOLDER = "pgmpy/utils/example_models"
ORIGIN = (
    "bnlearn Bayesian network repository (www.bnlearn.com/bnrepository), "
    "figures as carried by pgmpy 1.1.2"
)
LICENCE = "CC BY-SA 3.0, by the terms of the bnlearn repository's site; the source file states none"
SACHS_ORIGIN = (
    "Supplementary data of Sachs et al., Science 308:523-529, 2005, figures as carried by cdt 0.6.0"
)
SACHS_LICENCE = (
    "no licence stated by the publisher; the figures are facts measured by the authors, "
    "redistributed by cdt (MIT) and by many others: cite the article"
)
SACHS_NAMES = {
    "praf": "Raf",
    "pmek": "Mek",
    "plcg": "Plcg",
    "PIP2": "PIP2",
    "PIP3": "PIP3",
    "p44/42": "Erk",
    "pakts473": "Akt",
    "PKA": "PKA",
    "PKC": "PKC",
    "P38": "P38",
    "pjnk": "Jnk",
}


def gaussian_definitions(text: str) -> list[Definition]:
    """Nodes of pgmpy's JSON: coefficients by name and the variance around the mean."""
    content = json.loads(text)
    result = []
    for name in content["nodes"]:
        given = content["cpds"][name]
        coefficients = [given["coefficients"][key][0] for key in ("(Intercept)", *given["parents"])]
        row = [*coefficients, float(np.sqrt(given["variance"][0]))]
        result.append(Definition(name, None, tuple(given["parents"]), np.array([row])))
    return result


def record(name: str, content: bytes) -> NetworkRecord:
    """The facts of the index, counted from the encoded network."""
    network = compact.read(content)
    tables = [given for given in network.distributions.values() if isinstance(given, Table)]
    levels = [len(table.levels) for table in tables]
    in_degrees = [len(given.parents) for given in network.distributions.values()]
    about = network.about
    return NetworkRecord(
        name=name,
        kind=network.kind,
        n_nodes=len(network),
        n_arcs=sum(in_degrees),
        n_parameters=network.n_parameters,
        max_in_degree=max(in_degrees),
        min_levels=min(levels, default=None),
        max_levels=max(levels, default=None),
        origin=about.origin,
        licence=about.licence,
        reference=about.reference,
    )


def encode_networks(wheel: zipfile.ZipFile) -> list[NetworkRecord]:
    """Write one compact file per network."""
    references = json.loads(REFERENCES.read_text(encoding="utf-8"))
    records = []
    for name in sorted(references):
        about = About(name, ORIGIN, LICENCE, references[name])
        if f"{FOLDER}/{name}.json" in wheel.namelist():
            nodes = gaussian_definitions(wheel.read(f"{FOLDER}/{name}.json").decode())
        else:
            packed = wheel.read(f"{FOLDER}/{name}.bif.gz")
            nodes = bif.definitions(gzip.decompress(packed).decode())
        build(nodes)
        content = compact.encode(nodes, about)
        (TARGET / f"{name}.dagnet").write_bytes(content)
        records.append(record(name, content))
        print(f"{name}: {len(content)} bytes")
    return records


def encode_sachs(wheel: zipfile.ZipFile) -> None:
    """Write the measurements, column after column."""
    text = wheel.read("cdt/data/resources/cyto_full_data.csv").decode()
    columns = text.partition("\n")[0].strip().split(",")
    values = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    header = {
        "names": [SACHS_NAMES[column] for column in columns],
        "origin": SACHS_ORIGIN,
        "licence": SACHS_LICENCE,
    }
    content = pack(header, values.T.ravel())
    (TARGET / "sachs.dagdata").write_bytes(content)
    print(f"sachs data: {len(content)} bytes, {values.shape}")


def main() -> int:
    """Encode everything and write the index."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        records = encode_networks(wheel)
    with zipfile.ZipFile(sys.argv[2]) as wheel:
        encode_sachs(wheel)
    listed = json.dumps([asdict(entry) for entry in records], indent=1, ensure_ascii=False)
    (TARGET / "index.json").write_text(listed + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
