"""Remarks on a column of text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from dagathlon.data.inspection.remarks import Remark
from dagathlon.data.inspection.scales import in_order
from dagathlon.data.reading.labels import DECIMAL_COMMA, FOREIGN_MINUS, is_number, plain_number
from dagathlon.errors import listing

_MOSTLY = 0.9
_FEW_ROWS = 10
_SHOWN = 3
# Signs with a meaning in flags, so that no flag is made of words that have them.
_ODD = frozenset(',:=<"')
# Words, in lower case, that mean a missing value.
NOTHING = frozenset(
    (
        *("?", ".", "..", "...", "-", "--", "---", "na", "n/a", "n.a.", "n.a"),
        *("#n/a", "#na", "<na>", "#value!", "#ref!", "#div/0!", "n/d", "nd", "k.a."),
        *("nan", "none", "null", "nil", "missing", "unknown", "unk", "undefined"),
        *("not available", "keine angabe", "inconnu", "don't know", "don\u2019t know"),
        *("dont know", "do not know", "dk", "refused", "prefer not to say", "no answer"),
        *("prefer not to answer", "no response", "not stated", "not answered"),
        *("weiss nicht", "keine antwort", "ne sait pas"),  # casefold writes ss
    )
)
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)


def word_remarks(
    name: str, counts: Mapping[str, int], is_discrete: bool, ordered: bool = False
) -> Iterator[Remark]:
    """Yield remarks on a column's words, given their counts without missing ones.

    Levels that are `ordered` already are not offered an order.
    """
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
    if not numbers and numbers_but_for_gaps(counts) is None:
        yield from _many_levels(name, counts, total)
        yield from _alike(name, counts)
        if not ordered:
            yield from _scale(name, counts)


def _numbers(name: str, counts: Mapping[str, int], total: int) -> Iterator[Remark]:
    """Yield a remark on numbers that are read as labels because of their spelling."""
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
        odd = [word for word in counts if not is_number(word) and word.casefold() not in NOTHING]
        if odd:
            words = listing(map(repr, odd[:_SHOWN]))
            text = f"most entries are numbers, but not {words}; if these mean a missing value:"
            sure = len(odd) <= _SHOWN and _share(counts, total, is_number) >= _MOSTLY
            yield Remark("numbers as text", text, name, "na", ",".join(odd[:_SHOWN]), advised=sure)


def numbers_but_for_gaps(words: Iterable[str]) -> list[float] | None:
    """Return the words as numbers, NaN for missing-value words; None if any word is neither."""
    known = list(words)
    if not all(is_number(word) or word.casefold() in NOTHING for word in known):
        return None
    return [float(word) if is_number(word) else math.nan for word in known]


def _unknown_values(name: str, counts: Mapping[str, int]) -> Iterator[Remark]:
    suspects = [word for word in counts if word.casefold() in NOTHING]
    if suspects and in_order(list(counts)) is None:
        often = sum(counts[word] for word in suspects)
        among = " among numbers" if numbers_but_for_gaps(counts) is not None else ""
        text = f"{listing(map(repr, suspects))} ({often} times){among} may mean a missing value"
        yield Remark("missing word", text, name, "na", ",".join(suspects), advised=True)


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
    """Yield a remark on levels that differ only in case or blanks, with how to merge them."""
    groups: dict[str, list[str]] = {}
    for word in counts:
        groups.setdefault(" ".join(word.casefold().split()), []).append(word)
    same = [
        sorted(words, key=lambda w: (-counts[w], w)) for words in groups.values() if len(words) > 1
    ]
    same.sort(key=min)
    if not same:
        return
    words = listing(" and ".join(map(repr, sorted(words))) for words in same[:_SHOWN])
    text = f"the levels {words} differ in capitals or blanks alone"
    changes = {other: words[0] for words in same for other in words[1:]}
    if _ODD.isdisjoint("".join([name, *changes, *changes.values()])):
        value = f"{name}:{','.join(f'{old}={new}' for old, new in changes.items())}"
        yield Remark("alike levels", text, name, "recode", value, advised=True)
    else:
        yield Remark("alike levels", text, name)


def _scale(name: str, counts: Mapping[str, int]) -> Iterator[Remark]:
    """Yield a remark on levels whose words have a conventional order."""
    words = in_order(list(counts)) or in_order([w for w in counts if w.casefold() not in NOTHING])
    if words is not None and _ODD.isdisjoint("".join([name, *words])):
        text = "the levels have an order by their words; to keep it:"
        yield Remark("ordered levels", text, name, "levels", f"{name}={'<'.join(words)}")


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
