"""Words with a conventional order, such as the answers on Likert scales."""

from __future__ import annotations

import re
from collections.abc import Collection

_FEWEST = 3
_NUMBERED = re.compile(r"(\d{1,2})\s*[-.)\u2013]\s*[^\W\d].*")
_STRONGLY = ("strongly", "completely", "totally", "fully")
_MUCH = ("very", "extremely", *_STRONGLY)
_SLIGHTLY = ("somewhat", "slightly", "mildly", "rather")
_MIDDLE = ("neutral", "neither", "undecided", "neither agree nor disagree", "indifferent")


def _two_sided(
    negative: str, positive: str, much: Collection[str] = _MUCH
) -> tuple[tuple[str, ...], ...]:
    """Return a scale from strongly negative over a neutral middle to strongly positive."""
    middle = (*_MIDDLE, f"neither {positive} nor {negative}", f"neither {negative} nor {positive}")
    return (
        tuple(f"{word} {negative}" for word in much),
        (negative,),
        tuple(f"{word} {negative}" for word in _SLIGHTLY),
        middle,
        tuple(f"{word} {positive}" for word in _SLIGHTLY),
        (positive,),
        tuple(f"{word} {positive}" for word in much),
    )


_SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    _two_sided("disagree", "agree", _STRONGLY),
    _two_sided("dissatisfied", "satisfied"),
    _two_sided("unsatisfied", "satisfied"),
    _two_sided("unlikely", "likely"),
    _two_sided("unhappy", "happy"),
    _two_sided("unimportant", "important"),
    _two_sided("difficult", "easy"),
    _two_sided("negative", "positive"),
    (
        ("never",),
        ("almost never", "hardly ever", "very rarely", "very seldom"),
        ("rarely", "seldom"),
        ("sometimes", "occasionally", "now and then"),
        ("often", "frequently", "regularly"),
        ("very often", "very frequently", "usually", "mostly"),
        ("almost always", "nearly always"),
        ("always",),
    ),
    (
        ("terrible", "awful"),
        ("very poor", "very bad"),
        ("poor", "bad"),
        ("fair", "average", "acceptable", "ok", "okay", "medium", "satisfactory"),
        ("good",),
        ("very good",),
        ("excellent", "outstanding"),
    ),
    (
        ("none", "absent"),
        ("very low", "minimal", "very mild"),
        ("low", "mild", "slight", "little"),
        ("medium", "moderate", "middle", "mid", "intermediate", "normal", "average"),
        ("high", "severe", "strong", "much"),
        ("very high", "very severe", "extreme", "very strong", "critical"),
    ),
    (
        ("tiny", "very small"),
        ("small",),
        ("medium",),
        ("large", "big"),
        ("very large", "huge"),
    ),
    (
        ("not at all",),
        ("slightly", "a little", "a little bit", "hardly"),
        ("somewhat", "moderately", "partly", "to some extent"),
        ("quite", "quite a bit", "considerably", "mostly", "a lot"),
        ("very", "very much", "completely", "totally"),
        ("extremely",),
    ),
    (
        ("much worse", "a lot worse"),
        ("worse", "somewhat worse", "a little worse"),
        ("the same", "same", "about the same", "unchanged"),
        ("better", "somewhat better", "a little better"),
        ("much better", "a lot better"),
    ),
)
_RANKS = [{word: rank for rank, words in enumerate(scale) for word in words} for scale in _SCALES]


def in_order(words: Collection[str]) -> list[str] | None:
    """Return the words from low to high if all lie on different steps of one scale; else None."""
    if len(words) < _FEWEST:
        return None
    numbered = {word: match for word in words if (match := _NUMBERED.fullmatch(word))}
    numbers = {word: int(match[1]) for word, match in numbered.items()}
    if len(numbers) == len(words) == len(set(numbers.values())):
        return sorted(words, key=numbers.__getitem__)
    for ranks in _RANKS:
        steps = {word: ranks.get(_plain(word), -1) for word in words}
        if min(steps.values()) >= 0 and len(set(steps.values())) == len(words):
            return sorted(words, key=steps.__getitem__)
    return None


def _plain(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())
