"""`LearnerSpec`: a learner with its parameters, read from text, pair, mapping, class or object."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias, cast

from dagathlon.errors import StudyError
from dagathlon.learners.base import Learner
from dagathlon.modules import NonNegative, add_files, find, modules, parameter_type
from dagathlon.modules.spec import parse_spec

LearnerLike: TypeAlias = Any
"""A learner in any of the forms that `LearnerSpec.of` accepts."""
_PAIR = 2
_FORMS = (
    "a learner is a name, a text such as 'pc[alpha=0.01]', a pair of a name or class and its "
    "parameters, a mapping with the keys module and parameters, a Learner or its class"
)
# A planned study adds the version of the module.
_KEYS = frozenset({"module", "parameters", "version"})
_SECONDS = parameter_type(NonNegative)


@dataclass(frozen=True)
class LearnerSpec:
    """A learner's class and the parameters that were given for it.

    Parameters
    ----------
    cls
        The class.
    values
        Parameters in the notation of a study, without defaults; a list holds several values of one
        parameter, all of which a study tries.
    text
        The learner's name in messages.
    """

    cls: type[Learner]
    values: Mapping[str, Any]
    text: str

    @classmethod
    def of(cls, given: LearnerLike, parameters: Mapping[str, Any] | None = None) -> Self:
        """Parse a learner given in any form.

        Parameters
        ----------
        given
            A name, a text such as ``pc[alpha=0.01]``, a pair of a name or class and a mapping of
            parameters, a mapping with the key ``module`` and perhaps ``parameters``, a `Learner`,
            or its class.
        parameters
            Further parameters; one that `given` has already is refused.
        """
        learner, values, text = _parts(given)
        further = dict(parameters or {})
        for key in further.keys() & values.keys():
            raise StudyError(f"{text!r}: the parameter {key!r} is given twice")
        return cls(learner, {**values, **further}, text)

    @property
    def name(self) -> str:
        """The name of the learner."""
        return self.cls.name

    def learner(self, timeout: float | None = None) -> Learner:
        """Make the learner with these parameters; refuse several values for one parameter.

        Parameters
        ----------
        timeout
            Time limit in seconds, for a learner with a parameter of that name.
        """
        known = self.cls.parameters()
        for key, value in self.values.items():
            if isinstance(value, list) and key in known and not known[key].type.is_list:
                raise StudyError(f"{self.text!r}: {key!r} takes one value, {len(value)} given")
        values = dict(self.values)
        if timeout is not None:
            timeout = _SECONDS.read(timeout, "timeout")
            if "timeout" in known:
                values["timeout"] = timeout
        return self.cls.from_values(values, self.name)

    def findable(self) -> tuple[Self, Path | None]:
        """Return the spec with a class that other processes can find by name, and the user's file.

        A class that is not registered is registered from the file that defines it; the file
        is None for a registered class.
        """
        if modules("algorithm").get(self.name) is self.cls:
            return self, None
        file = None if self.cls.__module__ == "__main__" else inspect.getsourcefile(self.cls)
        if file is None or not self.name:
            raise StudyError(
                f"{self.cls.__name__}: other processes cannot find a learner that stands in a "
                "notebook or a script; give it a name, put it into a file of its own and import it "
                "from there"
            )
        add_files([file])
        registered = cast(type[Learner], find("algorithm", self.name, file))
        return type(self)(registered, self.values, self.text), Path(file)


def is_learner(given: Any) -> bool:
    """Return whether an argument is one learner in any form, not a list of several."""
    pair = isinstance(given, tuple) and len(given) == _PAIR and isinstance(given[1], Mapping)
    mapping = isinstance(given, Mapping) and "module" in given and given.keys() <= _KEYS
    object_or_text = isinstance(given, str | Learner | LearnerSpec) or inspect.isclass(given)
    return object_or_text or pair or mapping


def _parts(given: LearnerLike) -> tuple[type[Learner], dict[str, Any], str]:
    """Split a learner in any form into its class, its parameters, and its name in messages."""
    if isinstance(given, LearnerSpec):
        return given.cls, dict(given.values), given.text
    if isinstance(given, Learner):
        return type(given), given.non_default(), type(given).name
    if inspect.isclass(given) and issubclass(given, Learner):
        return given, {}, given.name
    if isinstance(given, str):
        name, listed = parse_spec(given)
        values = {key: found[0] if len(found) == 1 else found for key, found in listed.items()}
        return _named(name, given), values, given
    if isinstance(given, Mapping) and "module" in given and given.keys() <= _KEYS:
        given = (given["module"], given.get("parameters", {}))
    if isinstance(given, Sequence) and len(given) == _PAIR and isinstance(given[1], Mapping):
        cls, values, text = _parts(given[0])
        return cls, {**values, **given[1]}, text
    raise StudyError(f"{given!r} names no learner; {_FORMS}")


def _named(name: str, text: str) -> type[Learner]:
    return cast(type[Learner], find("algorithm", name, text if text != name else ""))
