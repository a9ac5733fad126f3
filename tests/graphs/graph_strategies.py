"""Random graphs with names that files find hard."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from dagathlon.graphs import Graph

NASTY_NAMES = [
    "A",
    "a b",
    " lead",
    "trail ",
    "comma,comma",
    'quo"te',
    '"',
    '""',
    "new\nline",
    "car\rriage",
    "both\r\nends",
    "tab\there",
    "\u2028separator",
    "x\x0by",
    "Ünïcødé",
    "变量",
    "😀",
    "->",
    "o-o",
    "A -> B",
    "A->B",
    "1.",
    "1",
    "0",
    "TRUE",
    "#comment",
    "# marks",
    "\ufeffmark",
    "node",
    "Graph Nodes:",
    "<b>&amp;",
    "]]>",
    "a;b",
    "back\\\\slash",
    "it's",
    "{}[]=",
    "//",
    "/*",
    "ID",
    "-",
]


NAMES = st.one_of(
    st.sampled_from(NASTY_NAMES),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8),
)


@st.composite
def graphs(draw, max_nodes=6, names=None, min_nodes=0, marks=(1, 2, 3)) -> Graph:
    p = draw(st.integers(min_nodes, max_nodes))
    labels = draw(st.lists(NAMES if names is None else names, min_size=p, max_size=p, unique=True))
    matrix = np.zeros((p, p), dtype=np.uint8)
    for i in range(p):
        for j in range(i):
            if draw(st.booleans()):
                matrix[i, j] = draw(st.sampled_from(marks))
                matrix[j, i] = draw(st.sampled_from(marks))
    return Graph(labels, matrix)
