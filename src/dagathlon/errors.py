"""Exceptions shown to users: what was found, what is allowed, the nearest match."""

from __future__ import annotations

import difflib
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

_MAX_LISTED = 12
_LEAST_PART, _MOST_NAMED = 3, 3
_PARTS = re.compile(r"[ _.-]+")
_Made = TypeVar("_Made")


class DagathlonError(Exception):
    """Error in the user's input, shown as one message and never as a traceback."""


class GraphError(DagathlonError):
    """Error: a graph unsuitable for an operation, or an unreadable graph file."""


class DataError(DagathlonError):
    """Error: data that cannot be read or do not fit their use."""


class UnsuitedError(DataError):
    """Error: data that a learner does not accept; in a study its runs on them are skipped."""


class DataWarning(UserWarning):
    """Warning about usable data that are probably not as intended, such as a constant column."""


class StudyError(DagathlonError):
    """Error: an invalid study; the message names the place of every mistake in the file.

    Parameters
    ----------
    problems
        All that is wrong with it.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems
        self.file = ""

    def inside(self, file: object) -> StudyError:
        """Return the same mistakes, with the name of the file."""
        found = StudyError(*self.problems)
        found.file = f"{file}: "
        return found

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return f"{self.file}{self.problems[0]}"
        listed = (f"  {number}. {text}" for number, text in enumerate(self.problems, 1))
        return "\n".join([f"{self.file}{len(self.problems)} mistakes", *listed])


class Mistakes:
    """Collector of a study's mistakes, to report them together."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def read(self, make: Callable[..., _Made], *given: Any) -> _Made:
        """Return `make(*given)`; on a `StudyError` note its mistakes and return None."""
        try:
            return make(*given)
        except StudyError as error:
            self._found.update(dict.fromkeys(error.problems))
            return cast(_Made, None)

    def add(self, problem: str) -> None:
        """Add a mistake."""
        self._found[problem] = None

    def refuse(self) -> None:
        """Raise `StudyError` if there were mistakes."""
        if self._found:
            raise StudyError(*self._found)


class NotApplicableError(DagathlonError):
    """Error: a step without meaning for these data, such as merging states of binary variables."""


class UnavailableError(DagathlonError):
    """Error: a module cannot run on this machine; its runs are skipped."""


class OutOfTimeError(DagathlonError):
    """Error: the deadline passed before there was a result to return.

    Attributes
    ----------
    stage
        The learner's stage at that time, if it named one (`dagathlon.pulse.stage`).
    """

    stage: str = ""


class KilledError(DagathlonError):
    """Error: a program was killed by an external signal, so its task has no outcome."""


class WrongResultError(DagathlonError):
    """Error: a module returned an invalid result.

    Parameters
    ----------
    problems
        All that is wrong with it.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def listing(choices: Iterable[object]) -> str:
    """Return the choices as a readable list, truncated after a dozen."""
    words = [str(choice) for choice in choices]
    if len(words) > _MAX_LISTED:
        return ", ".join(words[:_MAX_LISTED]) + f", … ({len(words)} in all)"
    return ", ".join(words) if words else "none"


def suggestion(found: object, choices: Iterable[object]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest choice, or the empty string.

    If the word is a whole part of several choices, as ``lingam`` of ``ica_lingam``, all those
    with the fewest parts are named.
    """
    words = {str(choice).casefold(): str(choice) for choice in choices}
    plain = str(found).casefold()
    if slip := difflib.get_close_matches(plain, list(words), n=1, cutoff=0.85):
        return f" (did you mean {words[slip[0]]!r}?)"
    parts = {word: _PARTS.split(word) for word in words}
    whole = [word for word in words if len(plain) >= _LEAST_PART and plain in parts[word]]
    fewest = min((len(parts[word]) for word in whole), default=0)
    whole = [word for word in whole if len(parts[word]) == fewest]
    if 0 < len(whole) <= _MOST_NAMED and plain not in words:
        return f" (did you mean {' or '.join(repr(words[word]) for word in sorted(whole))}?)"
    near = difflib.get_close_matches(plain, list(words), n=1, cutoff=0.6)
    return f" (did you mean {words[near[0]]!r}?)" if near else ""


def no_such_file(path: Path) -> str:
    """Return the message for a missing file, with the nearest name or the missing folder."""
    if not path.parent.is_dir():
        return f"{path}: there is no such file, and no folder {path.parent}"
    try:
        beside = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        beside = []
    return f"{path}: there is no such file{suggestion(path.name, beside)}"


def refuse_device(path: Path) -> None:
    """Raise an `OSError` for a device such as /dev/zero, which has no end."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError("it is a device, not a file")


def not_written(path: Path, error: Exception) -> str:
    """Return the message for a file that cannot be written, such as for a missing folder."""
    if isinstance(error, FileNotFoundError):
        return f"{path}: cannot be written (there is no folder {path.parent})"
    return f"{path}: cannot be written ({getattr(error, 'strerror', None) or error})"


def unknown(what: str, found: object, choices: Iterable[object], where: str = "") -> str:
    """Return the message for an unknown name, with the choices and the nearest match."""
    known = list(choices)
    place = f"{where}: " if where else ""
    return f"{place}unknown {what} {found!r}{suggestion(found, known)}; known: {listing(known)}"


def storable_text(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot encode, written as escapes.

    Python decodes file names and output that are not UTF-8 to such characters.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def terminal_text(text: str) -> str:
    """Return the text without characters that would control a terminal, but for line ends.

    Messages quote names and texts of files and folders, which may be a stranger's.
    """
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)
