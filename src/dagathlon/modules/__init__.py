"""Modules: everything that a study can name, found by an index or entry points."""

from dagathlon.modules.lineage import Delegate, SharedCode
from dagathlon.modules.module import Kind, Module, Parameter
from dagathlon.modules.registry import add_files, find, modules
from dagathlon.modules.types import (
    Count,
    Names,
    Natural,
    NonNegative,
    ParameterType,
    Probability,
    Range,
    Reference,
    parameter_type,
)

__all__ = [
    "Count",
    "Delegate",
    "Kind",
    "Module",
    "Names",
    "Natural",
    "NonNegative",
    "Parameter",
    "ParameterType",
    "Probability",
    "Range",
    "Reference",
    "SharedCode",
    "add_files",
    "find",
    "modules",
    "parameter_type",
]
