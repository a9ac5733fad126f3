"""The page of the Python interface, from the docstrings of what it offers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

import dagathlon
from dagathlon import data, evaluate, graphs
from dagathlon.learners.independence import IndependenceTest, TestResult
from dagathlon.learners.score.scores import GraphScore
from dagathlon.posteriors.posterior import Posterior
from dagathlon.study_run import LearningRun, StudyRun

_ENTRY = re.compile(r"^(\S[^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)+)", re.M)
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)
_LISTS = ("Parameters", "Attributes", "Returns", "Raises")
_START = """\
# Python

Everything that the commands do can be done in Python. What is listed here is what may be relied on;
it is imported from where the headings say, and imports nothing heavy before it is needed.
"""


def python_page() -> str:
    """The whole page."""
    parts = [_START, "## dagathlon\n"]
    for name in dagathlon.__all__:
        parts += _described(name, getattr(dagathlon, name))
    for cls in (StudyRun, LearningRun, GraphScore, IndependenceTest, TestResult):
        parts += _described(cls.__name__, cls)
    parts += ["## Posteriors\n", *_described("Posterior", Posterior)]
    for module in (graphs, data, evaluate):
        parts.append(f"## {module.__name__}\n")
        for name in sorted(set(module.__all__) - set(dagathlon.__all__)):
            parts += _described(name, getattr(module, name), members=False)
    return "\n".join(parts)


def _described(name: str, thing: Any, members: bool = True) -> Iterator[str]:
    """A heading, the docstring and, of a class, its public members in short."""
    doc = inspect.getdoc(thing)
    if not doc or not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return
    yield f"### `{name}{_signature(thing)}`\n"
    yield _markdown(doc)
    if members and inspect.isclass(thing):
        lines = list(_members(thing))
        if lines:
            yield "| member | what it is |\n|---|---|\n" + "\n".join(lines) + "\n"


def _members(cls: type) -> Iterator[str]:
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or not _is_ours(cls, name):
            continue
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        is_value = not (callable(plain) or hasattr(plain, "__get__"))
        doc = _attributes(cls).get(name) if is_value else inspect.getdoc(plain)
        if doc:
            call = _signature(plain, bound=not isinstance(member, staticmethod))
            first = " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")
            yield f"| `{name}{call}` | {_text(first)} |"


@cache
def _attributes(cls: type) -> dict[str, str]:
    """Return the descriptions of attributes in the docstrings of a class and its bases."""
    said: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        pieces = _SECTION.split(inspect.cleandoc(vars(base).get("__doc__") or ""))
        for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
            if title == "Attributes":
                for names, text in _ENTRY.findall(body):
                    said |= dict.fromkeys(names.split(", "), " ".join(text.split()))
    return said


def _is_ours(cls: type, name: str) -> bool:
    owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
    return owner.__module__.startswith("dagathlon")


def _signature(thing: Any, bound: bool = False) -> str:
    """Names and simple defaults; types are in the documentation of each parameter."""
    if isinstance(thing, cached_property):
        return ""
    if not inspect.isclass(thing) and not inspect.isroutine(thing):
        return ""
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return ""
    try:
        found = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return "()"
    shown = [_parameter(one) for one in found[bound and not inspect.isclass(thing) :]]
    shown = [text for text in shown if text]
    stars = [i for i, one in enumerate(found) if one.kind is one.KEYWORD_ONLY]
    if stars and not any(one.kind is one.VAR_POSITIONAL for one in found):
        first = _parameter(found[stars[0]])
        if first in shown:
            shown.insert(shown.index(first), "*")
    return f"({', '.join(shown)})"


def _parameter(one: inspect.Parameter) -> str:
    if one.name.startswith("_"):
        return ""
    prefix = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    if one.default is one.empty:
        return prefix + one.name
    simple = isinstance(one.default, int | float | str | None)
    return f"{one.name}={one.default!r}" if simple else f"{one.name}=…"


def _markdown(doc: str) -> str:
    """A numpydoc docstring as Markdown."""
    pieces = _SECTION.split(doc)
    parts = [_text(pieces[0].strip())]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if title in _LISTS:
            parts.append(f"**{title}**\n\n{_list(body)}")
        elif title == "Examples":
            parts.append(f"```python\n{_without_flags(body)}\n```")
        else:
            parts.append(f"**{title}**\n\n{_text(body.strip())}")
    return "\n\n".join(parts) + "\n"


def _list(body: str) -> str:
    items: list[str] = []
    for line in body.strip("\n").splitlines():
        if line and not line[0].isspace():
            items.append(f"- `{line.strip()}`:")
        elif items:
            items[-1] += f" {line.strip()}"
    return "\n".join(_text(item.rstrip()) for item in items)


def _without_flags(body: str) -> str:
    return re.sub(r"\s*# doctest: \+SKIP", "", body.strip())


def _text(words: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", words).replace("<", "&lt;")
