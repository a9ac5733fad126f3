"""What is suspicious about a column of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from dagathlon.data.inspection.remarks import Remark
from dagathlon.data.labels import DECIMAL_COMMA, FOREIGN_MINUS, is_number, plain_number
from dagathlon.errors import listing

_MOSTLY = 0.9
_FEW_ROWS = 10
_SHOWN = 3
# Words, in small letters, that people write where they know nothing.
NOTHING = frozenset(
    (
        *("?", ".", "..", "...", "-", "--", "---", "na", "n/a", "n.a.", "n.a"),
        *("#n/a", "#na", "<na>", "#value!", "#ref!", "#div/0!", "n/d", "nd", "k.a."),
        *("nan", "none", "null", "nil", "missing", "unknown", "unk", "undefined"),
        *("not available", "keine angabe", "inconnu"),
    )
)
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)


def of_words(name: str, counts: Mapping[str, int], is_discrete: bool) -> Iterator[Remark]:
    """Remarks about the words of a column and how often each occurs, without missing ones."""
    total = sum(counts.values())
    if not total:
        return
    yield from _unknown_values(name, counts)
    if _share(counts, total, _is_date) >= _MOSTLY:
        text = f"dates and times such as {_first(counts)!r}, which no learner can use as levels"
        yield Remark("date", text, name, "drop", name, advised=True)
        return
    if not is_discrete:
        return
    numbers = list(_numbers(name, counts, total))
    yield from numbers
    if not numbers:
        yield from _many_levels(name, counts, total)
        yield from _alike(name, counts)


def _numbers(name: str, counts: Mapping[str, int], total: int) -> Iterator[Remark]:
    """Numbers that are labels because of how they are written."""
    if _share(counts, total, _is_percentage) >= _MOSTLY:
        text = f"numbers with percent signs such as {_first(counts)!r} are taken for labels"
        yield Remark("percent", text, name, "kinds", f"{name}=continuous", advised=True)
    elif any(_has_foreign_minus(word) for word in counts):
        foreign = next(word for word in counts if _has_foreign_minus(word))
        text = f"{foreign!r} has a minus sign of another alphabet, so that it is no number"
        yield Remark("foreign minus sign", text, name, "kinds", f"{name}=continuous", advised=True)
    elif _share(counts, total, DECIMAL_COMMA.fullmatch) >= _MOSTLY:
        text = f"numbers with decimal commas such as {_first(counts)!r} are taken for labels"
        yield Remark("decimal comma", text, name, "decimal", ",")
    elif _share(counts, total, is_number) >= 0.5:
        odd = [word for word in counts if not is_number(word)]
        if odd:
            words = listing(map(repr, odd[:_SHOWN]))
            text = f"most entries are numbers, but not {words}; if these mean a missing value:"
            sure = len(odd) <= _SHOWN and _share(counts, total, is_number) >= _MOSTLY
            yield Remark("numbers as text", text, name, "na", ",".join(odd[:_SHOWN]), advised=sure)


def _unknown_values(name: str, counts: Mapping[str, int]) -> Iterator[Remark]:
    found = [word for word in counts if word.casefold() in NOTHING]
    if found:
        often = sum(counts[word] for word in found)
        text = f"{listing(map(repr, found))} ({often} times) may mean a missing value"
        yield Remark("missing word", text, name, "na", ",".join(found), advised=True)


def _many_levels(name: str, counts: Mapping[str, int], total: int) -> Iterator[Remark]:
    if total < _FEW_ROWS:
        return
    if len(counts) == total:
        text = "another label in each row: it names the rows"
        yield Remark("id", text, name, "kinds", f"{name}=id", advised=True)
    elif len(counts) > max(10, total / 5):
        text = f"{len(counts):,} levels in {total:,} rows: hardly any level is seen often enough"
        yield Remark("many levels", text, name, "drop", name)


def _alike(name: str, counts: Mapping[str, int]) -> Iterator[Remark]:
    seen: dict[str, str] = {}
    for word in counts:
        plain = " ".join(word.casefold().split())
        if plain in seen:
            text = f"the levels {seen[plain]!r} and {word!r} differ in capitals or blanks alone"
            yield Remark("alike levels", text, name)
            return
        seen[plain] = word


def _share(counts: Mapping[str, int], total: int, fits: Callable[[str], object]) -> float:
    return sum(count for word, count in counts.items() if fits(word)) / total


def _is_date(word: str) -> bool:
    return _DATE.fullmatch(word) is not None


def _is_percentage(word: str) -> bool:
    return word.endswith("%") and is_number(plain_number(word))


def _has_foreign_minus(word: str) -> bool:
    return word[:1] in FOREIGN_MINUS and is_number(plain_number(word))


def _first(counts: Mapping[str, int]) -> str:
    return next(iter(counts))
