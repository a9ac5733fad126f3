"""A process that turns charts and drawings into pictures: as bytes, with no idea of files.

It is started by path, so that it imports nothing of the package and is ready at once. A request
is a line of JSON with `kinds` and either `chart` or `drawing`; the answer is a line of JSON with
the length of each picture, or with `error`, and then the pictures.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

VEGA_LITE = "6.1"
SCALE = 1.5


def pictures(request: dict[str, Any]) -> list[bytes]:
    """Render the pictures of a request; a chart is evaluated once for all of them."""
    import vl_convert  # noqa: PLC0415 - only when a figure is written

    svg = request.get("drawing")
    if svg is None:
        svg = vl_convert.vegalite_to_svg(request["chart"], vl_version=VEGA_LITE)
    images = []
    for kind in request["kinds"]:
        if kind == ".svg":
            images.append(svg.encode())
        elif kind == ".pdf":
            images.append(vl_convert.svg_to_pdf(svg))
        else:
            images.append(vl_convert.svg_to_png(svg, scale=SCALE))
    return images


def main() -> None:
    """Answer requests until the input ends."""
    # Whatever a library prints must not stand between the pictures.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        try:
            images = pictures(json.loads(line))
            head: dict[str, Any] = {"lengths": list(map(len, images))}
        except Exception as error:
            images, head = [], {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(head).encode() + b"\n")
        answers.writelines(images)
        answers.flush()


if __name__ == "__main__":
    main()
