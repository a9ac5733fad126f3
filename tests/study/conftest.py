"""The helpers of these tests are plain modules beside them."""

import os

import pytest

# In the place of the library that draws, which takes seconds to start.
PLAIN = """
def vegalite_to_svg(chart, vl_version):
    return "<svg xmlns='http://www.w3.org/2000/svg'/>"


def svg_to_png(svg, scale):
    return svg.encode()


def javascript_bundle(script, vl_version):
    return script
"""


@pytest.fixture(scope="session")
def plain_pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a run whose figures and page are written, but show nothing.

    For tests of tables; how figures look is tested with the report.
    """
    folder = tmp_path_factory.mktemp("plain")
    (folder / "vl_convert.py").write_text(PLAIN)
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
