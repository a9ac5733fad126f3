"""External modules: learners in any language, described by a manifest and run as programs.

A module is a folder with a ``module.toml`` and whatever its command needs. See
docs/external-modules.md for the contract between Dagathlon and the program.
"""

from dagathlon.external.build import load_folder
from dagathlon.external.learner import ExternalLearner, ExternalSampler
from dagathlon.external.manifest import MANIFEST, Manifest, read_manifest

__all__ = [
    "MANIFEST",
    "ExternalLearner",
    "ExternalSampler",
    "Manifest",
    "load_folder",
    "read_manifest",
]
