"""The bundled external modules: every folder beside this file is one."""

from __future__ import annotations

from pathlib import Path

from dagathlon.external.build import load_folder
from dagathlon.external.manifest import MANIFEST

for _manifest in sorted(Path(__file__).parent.glob(f"*/{MANIFEST}")):
    _learner = load_folder(_manifest.parent)
    globals()[_learner.__name__] = _learner
