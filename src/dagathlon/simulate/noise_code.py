"""Codes of noise experiments: ``N``, ``M5``, ``cMISL``, ``cM2.5L10``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from dagathlon.errors import StudyError

LETTERS = {"M": "missing", "I": "incorrect", "S": "merged", "L": "latent"}
COMBINED_RATE = 0.05
TRUE_MISSING = "+NA"

_PART = re.compile(r"([MISL])(\d+(?:\.\d+)?)?")
_CODE = re.compile(rf"c?(?:{_PART.pattern})+")
_ALLOWED = (
    "a noise code is N, one kind with its rate in per cent (M5, I10, S5, L2.5), or a combination "
    "at 5 % each (cMI, cMISL); kinds are M missing, I incorrect, S merged states, L latent"
)


def parse_code(code: str) -> dict[str, float]:
    """Parse a code to the rates of its kinds of noise.

    Parameters
    ----------
    code
        ``N``; a letter and a percentage; or ``c`` and several letters, each at 5 % unless a
        percentage follows it.
    """
    if code == "N":
        return {}
    if not _CODE.fullmatch(code):
        raise StudyError(f"found {code!r}; {_ALLOWED}")
    parts = _PART.findall(code)
    letters = [letter for letter, _ in parts]
    combined = code.startswith("c")
    if len(set(letters)) != len(letters):
        raise StudyError(f"found {code!r}, which names a kind of noise twice")
    if combined != (len(parts) > 1) or not (combined or parts[0][1]):
        raise StudyError(f"found {code!r}; {_ALLOWED}")
    rates = {
        LETTERS[letter]: float(percent) / 100 if percent else COMBINED_RATE
        for letter, percent in parts
    }
    for kind, rate in rates.items():
        if not 0 < rate <= 1:
            raise StudyError(f"found {code!r}: the rate of {kind} lies between 0 and 100 %")
    return rates


def code_of(rates: Mapping[str, float]) -> str:
    """Return the code of rates by kind; kinds with rate 0 are omitted."""
    present = {letter: rates.get(kind, 0.0) for letter, kind in LETTERS.items()}
    present = {letter: rate for letter, rate in present.items() if rate > 0}
    if not present:
        return "N"
    if len(present) > 1 and all(rate == COMBINED_RATE for rate in present.values()):
        return "c" + "".join(present)
    parts = "".join(f"{letter}{_percent(rate)}" for letter, rate in present.items())
    return f"c{parts}" if len(present) > 1 else parts


def _percent(rate: float) -> str:
    """Format a rate in percent without an exponent."""
    return f"{Decimal(f'{100 * rate:.10g}'):f}"
