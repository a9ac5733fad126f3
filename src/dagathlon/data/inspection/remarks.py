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
        Kind of the remark in a word or two, such as ``sentinel`` or ``constant``.
    text
        A sentence about this column or file.
    column
        The column; None for the file.
    option, value
        The command-line option that changes it, and its value: ``na`` and ``-999``;
        None where only the file itself can be changed.
    advised
        Whether the option is nearly always right, so that suggested commands have it.
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
