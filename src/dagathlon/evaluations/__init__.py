"""Evaluations: what a study can ask to be made of its results, one file each, found by location.

The names here are what an evaluation is written with, in this package or anywhere else.
"""

from dagathlon.report.evaluation import AnyTable, Evaluation, LongTable, Table, TableSet
from dagathlon.report.figures.chart import Drawing, StudyChart
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Html, Listing, Picture, Section, Words
from dagathlon.report.tables.latex import Layout
from dagathlon.study.config.plan_requests import Cases, DataScore, Learning, RunScore, Wanted

__all__ = [
    "AnyTable",
    "Cases",
    "DataScore",
    "Drawing",
    "Evaluation",
    "Figure",
    "Grid",
    "Html",
    "Layout",
    "Learning",
    "Listing",
    "LongTable",
    "Look",
    "Picture",
    "Results",
    "RunScore",
    "Section",
    "StudyChart",
    "Table",
    "TableSet",
    "Wanted",
    "Words",
]
