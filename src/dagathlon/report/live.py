"""A page that shows a study while it runs: where it stands, the scoreboard, the reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from dagathlon.errors import DagathlonError

State: TypeAlias = Mapping[str, Any]

_HOST = "127.0.0.1"
_REPORT = "/report/"
_SO_FAR = "/so-far/"


class LiveServer(ThreadingHTTPServer):
    """Serves one folder of results to this machine alone.

    Parameters
    ----------
    folder
        The folder of results.
    state
        Where the study stands: anything that JSON can hold; asked again for every look.
    page
        The report on a setup as far as it has come, by title; None when there is no such setup.
    port
        Port on the loopback address; 0 takes a free one.
    """

    daemon_threads = True

    def __init__(
        self, folder: Path, state: Callable[[], State], page: Callable[[str], str | None], port: int
    ) -> None:
        super().__init__((_HOST, port), _Handler)
        self.folder, self.state, self.page = folder, state, page

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{_HOST}:{self.server_address[1]}/"

    def reports(self) -> dict[str, Path]:
        """The reports that are there, by setup."""
        return {path.parent.name: path for path in sorted(self.folder.glob("*/report.html"))}

    def is_own_name(self, host: str) -> bool:
        """Whether a request names this server; pages of other sites cannot make theirs do so."""
        return host in {f"{name}:{self.server_address[1]}" for name in (_HOST, "localhost")}


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    server_version = "dagathlon"

    def do_GET(self) -> None:
        """Answer with the page, the state, or a report; there is nothing else."""
        if not self.server.is_own_name(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        path = unquote(urlsplit(self.path).path)
        reports = self.server.reports()
        if path == "/":
            page = files("dagathlon.report") / "assets" / "live.html"
            self._send(page.read_bytes(), "text/html; charset=utf-8")
        elif path == "/state.json":
            self._send(self._state(reports), "application/json")
        elif path.startswith(_REPORT) and path.removeprefix(_REPORT) in reports:
            report = reports[path.removeprefix(_REPORT)]
            self._send(report.read_bytes(), "text/html; charset=utf-8")
        elif path.startswith(_SO_FAR):
            self._send_page(path.removeprefix(_SO_FAR))
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _state(self, reports: Iterable[str]) -> bytes:
        try:
            state = self.server.state()
        except DagathlonError as error:
            state = {"line": str(error), "done": 0, "total": 1, "header": [], "rows": []}
        names = {title: _REPORT + quote(title, safe="") for title in reports}
        return json.dumps({"boards": [], **state, "reports": names}).encode()

    def _send_page(self, title: str) -> None:
        try:
            page = self.server.page(title)
        except DagathlonError as error:
            self._send(str(error).encode(), "text/plain; charset=utf-8")
            return
        if page is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._send(page.encode("utf-8", errors="replace"), "text/html; charset=utf-8")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the page asks every other second."""
