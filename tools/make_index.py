"""Write the index of modules and commands, and the scripts that complete commands in shells.

python tools/make_index.py           # after adding, moving or renaming a module or a command
python tools/make_index.py --check   # fail if a file is not what this would write
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any, get_args

from dagathlon import cli
from dagathlon.cli.completion import SCRIPTS, SHELLS
from dagathlon.modules.index import FILE, PUBLIC, python_modules
from dagathlon.modules.module import Kind
from dagathlon.modules.registry import defined_in


def index() -> dict[str, Any]:
    """What the sources define now."""
    sources = sorted(python_modules())
    modules: dict[str, dict[str, str]] = {kind: {} for kind in get_args(Kind)}
    former: dict[str, dict[str, str]] = {kind: {} for kind in get_args(Kind)}
    classes: dict[str, str] = {}
    for source in sources:
        for module in defined_in(importlib.import_module(source)):
            home = module.__module__ if module.__module__ in sources else source
            place = modules[module.kind].setdefault(module.name, home)
            if place != home:
                raise SystemExit(f"{module.kind} {module.name!r} is defined in {place} and {home}")
            former[module.kind] |= dict.fromkeys(module.former_names, module.name)
            if home.startswith(f"{PUBLIC}.") and classes.setdefault(module.__name__, home) != home:
                raise SystemExit(f"two classes of {PUBLIC} are named {module.__name__}")
    return {
        "classes": classes,
        "commands": cli.commands_of(cli.parser()),
        "former": former,
        "modules": modules,
        "sources": sources,
    }


def files() -> dict[Path, str]:
    """The text of each file that this writes."""
    import shtab  # noqa: PLC0415 - the index can be compared without

    scripts = {SCRIPTS / shell: shtab.complete(cli.parser(), shell=shell) for shell in SHELLS}
    return {
        FILE: json.dumps(index(), indent=1, sort_keys=True) + "\n",
        **{path: text.rstrip() + "\n" for path, text in scripts.items()},
    }


def stale() -> dict[Path, str]:
    """Files that are not as they would be written, each with what it should be."""
    return {
        path: text
        for path, text in files().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    found = stale()
    for path, text in found.items():
        if check:
            print(f"{path.name} is stale: run python tools/make_index.py", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(check and bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
