"""`Remark`: a suspicious property of a file, with the option that changes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remark:
    """A suspicious property of a file.

    Parameters
    ----------
    what
        In a word or two, the same for all columns of which it is said: ``sentinel``, ``constant``.
    text
        A sentence about this column or file.
    column
        The column; None for the file.
    option, value
        What changes it, as an option of the commands and what it is given: ``na`` and ``-999``;
        None where only the file itself can be changed.
    advised
        Whether to do it is nearly always right, so that the next command has it.
    """

    what: str
    text: str
    column: str | None = None
    option: str | None = None
    value: str | None = None
    advised: bool = False

    @property
    def flag(self) -> str | None:
        """The command-line option that changes it, before shell quoting; None without one."""
        if self.option is None:
            return None
        return f"--{self.option}" if self.value is None else f"--{self.option}={self.value}"

    def to_json(self) -> dict[str, Any]:
        """Return the remark as JSON."""
        return {"what": self.what, "text": self.text, "flag": self.flag}
