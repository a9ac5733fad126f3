"""External modules: learners and generators in any language, run as programs.

A module is a folder with a manifest, ``module.toml``, and whatever its command needs. See
docs/external-modules.md for the contract between Dagathlon and the program.
"""

from dagathlon.external.build import load_folder
from dagathlon.external.learner import ExternalLearner, ExternalSampler
from dagathlon.external.manifest import MANIFEST, Manifest, read_manifest
from dagathlon.external.module import ExternalModule

__all__ = [
    "MANIFEST",
    "ExternalLearner",
    "ExternalModule",
    "ExternalSampler",
    "Manifest",
    "load_folder",
    "read_manifest",
]
