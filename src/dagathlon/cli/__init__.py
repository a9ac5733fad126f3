"""The command line: argument parsing, dispatch, error output."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn, TextIO

import dagathlon
from dagathlon.cli._exit_codes import INTERRUPTED, USER_ERROR
from dagathlon.errors import DagathlonError, DataWarning, storable_text, suggestion, terminal_text
from dagathlon.modules.index import index

_WELCOME = """\
Dagathlon benchmarks structure learners: the same data, the same rules, one scoreboard.

  dagathlon run studies/quickstart.json    run a study and write a report
  dagathlon learn data.csv --with pc --out graph.csv
                                           learn a graph from your data
  dagathlon suggest data.csv               which learners suit your data
  dagathlon rank-without-truth data.csv    which of them to trust on your data
  dagathlon modules                        what there is to compare
  dagathlon --help                         all commands
"""
_COMMAND = "COMMAND"
_FORMER = {"interval": "rank-without-truth"}
"""Former names of commands, which work until 1.0."""
_CHOICE = re.compile(r"argument (.+?): invalid choice: (['\"])(.*?)\2 \(")


class _Parser(argparse.ArgumentParser):
    """Argument parser whose errors name the nearest match and the help to read."""

    def error(self, message: str) -> NoReturn:
        match = _CHOICE.match(message)
        if match:
            message = self._unknown_choice(match[1], match[3])
        self.exit(USER_ERROR, f"{self.prog}: {message}\nhelp: {self.prog} --help\n")

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Exit with an error for unrecognised options."""
        known = [option for action in self._actions for option in action.option_strings]
        wrong = next((word for word in words if word.startswith("-")), words[0])
        what = "option" if wrong.startswith("-") else "argument"
        self.error(f"unrecognised {what} {wrong!r}{suggestion(wrong.split('=')[0], known)}")

    def _unknown_choice(self, argument: str, word: str) -> str:
        named = [action for action in self._actions if argument in _names_of(action)]
        known = [str(choice) for action in named for choice in action.choices or ()]
        near = suggestion(word, known)
        if argument == _COMMAND:
            return f"there is no command {word!r}{near}"
        return f"argument {argument}: {word!r}{near} is none of {', '.join(known)}"


def commands_of(root: argparse.ArgumentParser) -> dict[str, str]:
    """Return the commands of a parser with their help lines."""
    return {
        str(choice.dest): choice.help or ""
        for action in root._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action._choices_actions
    }


def _names_of(action: argparse.Action) -> tuple[object, ...]:
    """Return the names by which argparse's messages refer to an argument."""
    return "/".join(action.option_strings), action.metavar, action.dest


def parser(words: Sequence[str] | None = None) -> _Parser:
    """Return the parser of all commands; each is declared in the file of its name.

    Parameters
    ----------
    words
        The arguments to be parsed: files of other commands than theirs are not imported, and the
        parsers of those have no arguments. None imports all.
    """
    root = _Parser(
        prog="dagathlon", description="Benchmark structure learners: one study file, one report."
    )
    root.add_argument(
        "--version", action=_Version, nargs=0, help="show program's version number and exit"
    )
    commands = root.add_subparsers(title="commands", metavar=_COMMAND)
    wanted = next((word for word in words or () if not word.startswith("-")), None)
    for info in pkgutil.iter_modules(__path__):
        name = info.name.replace("_", "-")
        if info.name.startswith("_") or info.ispkg:
            continue
        if words is None or name == wanted or name not in index().commands:
            importlib.import_module(f"{__name__}.{info.name}").add_parser(commands)
        else:
            commands.add_parser(name, help=index().commands[name])
    return root


class _Version(argparse.Action):
    """Action that prints the version, which is looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"dagathlon {dagathlon.__version__}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code, 2 for user errors."""
    words = _renamed(sys.argv[1:] if arguments is None else list(arguments))
    root = parser(words)
    for word in words:
        if word != storable_text(word):
            root.error(f"the argument {word!r} is not UTF-8 text")
    chosen, rest = root.parse_known_args(words)
    chosen.words = words
    if rest:
        getattr(chosen, "parser", root).refuse(rest)
    if not hasattr(chosen, "run"):
        print(_WELCOME, end="")
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code: int = chosen.run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output has gone, so that no message would arrive.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DagathlonError, OSError, MemoryError) as error:
        notes = getattr(error, "__notes__", ())
        said = "\n".join([f"dagathlon: {_reason(error)}", *notes])
        print(terminal_text(said), file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt:
        print("dagathlon: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _renamed(words: list[str]) -> list[str]:
    """Replace a former command name at the start by the present one, with a deprecation note."""
    if not words or words[0] not in _FORMER:
        return words
    former, name = words[0], _FORMER[words[0]]
    print(f"dagathlon: {former} is {name} now; the old name goes with 1.0", file=sys.stderr)
    return [name, *words[1:]]


def _reason(error: Exception) -> str:
    """Describe an error for users; machine errors, such as a full disk, need no traceback."""
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    return "there is not enough memory for this" if isinstance(error, MemoryError) else str(error)


def _show_warning(  # noqa: PLR0917 - the signature is Python's
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print warnings that users can act on without the line of code that raised them."""
    word = "" if issubclass(category, DataWarning) else f"{category.__name__}: "
    print(terminal_text(f"dagathlon: warning: {word}{message}"), file=file or sys.stderr)
