"""A page that shows a study while it runs: where it stands, the scoreboard, the reports.

The folder may be a stranger's, whose reports hold scripts. No link in it is followed, and what is
served says in a header what the browser must refuse it: an origin, hence storage and the answers to
requests, and the network. The page that asks for the state is ours; it has no origin either, and is
let through to one address, which nothing else knows.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, quote, unquote, urlsplit

from dagathlon.errors import DagathlonError
from dagathlon.study.store.results_folder import plain_files, read_file

State: TypeAlias = Mapping[str, Any]

_HOST = "127.0.0.1"
_REPORT = "/report/"
_SO_FAR = "/so-far/"
_STATE = "/state.json"
_PAGE = "report.html"
_PATIENCE = 10.0  # seconds without a word after which a request is given up
_NOTHING = (
    "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_INLINE = (
    "script-src 'unsafe-inline'{}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
# Charts are compiled in the page, and tables and pictures are saved from it.
_OF_REPORTS = (
    _NOTHING.replace("sandbox", "sandbox allow-scripts allow-downloads")
    + "; "
    + _INLINE.format(" 'unsafe-eval'")
)
_OF_OURS = _NOTHING.replace("sandbox", "sandbox allow-scripts") + "; " + _INLINE.format("")
_HTML, _JSON, _TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"


class LiveServer(ThreadingHTTPServer):
    """HTTP server of one folder of results, for this machine only.

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
        self._key = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """Return the address of the page."""
        return f"http://{_HOST}:{self.server_address[1]}/"

    @property
    def state_address(self) -> str:
        """Return the address of the state, below `address`."""
        return f"{_STATE.lstrip('/')}?key={self._key}"

    def is_own_page(self, key: str) -> bool:
        """Return whether a request for the state comes from a page of this server."""
        return secrets.compare_digest(key.encode("utf-8", "replace"), self._key.encode())

    def reports(self) -> list[str]:
        """Return the setups that have a report."""
        with os.scandir(self.folder) as entries:
            setups = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        files = ((name, plain_files(self.folder, name)) for name in setups)
        return sorted(name for name, inside in files if any(file.name == _PAGE for file in inside))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections; print other errors on one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(f"dagathlon: a request failed ({error!r})", file=sys.stderr)

    def is_own_name(self, host: str) -> bool:
        """Return whether the Host header names this server, which foreign pages cannot forge."""
        return host in {f"{name}:{self.server_address[1]}" for name in (_HOST, "localhost")}


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    server_version = "dagathlon"
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Answer with the page, the state, or a report; any other path is not found."""
        host = self.headers.get("Host", "")
        if not self.server.is_own_name(host):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        try:
            self._answer(host)
        except DagathlonError as error:
            self._send(str(error), _TEXT)
        except OSError:
            raise
        except Exception as error:  # of a report of whatever content: in words, in its place
            self._send(f"this cannot be shown ({error!r})", _TEXT, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _answer(self, host: str) -> None:
        address = urlsplit(self.path)
        path = unquote(address.path, errors="surrogateescape")
        if path == "/":
            self._send_live(host)
        elif path == _STATE and self.server.is_own_page(_key_of(address.query)):
            self._send(self._state(self.server.reports()), _JSON)
        elif path.startswith(_REPORT) and path.removeprefix(_REPORT) in self.server.reports():
            report = read_file(self.server.folder, path.removeprefix(_REPORT), _PAGE)
            self._send(report, _HTML, policy=_OF_REPORTS)
        elif path.startswith(_SO_FAR):
            page = self.server.page(path.removeprefix(_SO_FAR))
            if page is None:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                self._send(page, _HTML, policy=_OF_REPORTS)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_live(self, host: str) -> None:
        page = (files("dagathlon.report") / "assets" / "live.html").read_text("utf-8")
        asked = f"connect-src http://{host}{_STATE}"
        page = page.replace("state.json", self.server.state_address)
        self._send(page, _HTML, policy=f"{_OF_OURS}; {asked}")

    def _state(self, reports: Iterable[str]) -> str:
        try:
            state = self.server.state()
        except DagathlonError as error:
            state = {"line": str(error), "done": 0, "total": 1, "header": [], "rows": []}
        names = {
            title: _REPORT + quote(title, safe="", errors="surrogateescape") for title in reports
        }
        return json.dumps({"boards": [], **state, "reports": names})

    def _send(
        self,
        content: str | bytes,
        kind: str,
        status: HTTPStatus = HTTPStatus.OK,
        policy: str = _NOTHING,
    ) -> None:
        body = content if isinstance(content, bytes) else content.encode("utf-8", errors="replace")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy)
        if kind == _JSON:
            # A page without an origin is a stranger to every server, also to the one it is from.
            self.send_header("Access-Control-Allow-Origin", "null")
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Add the security headers of every response."""
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the page polls every other second."""


def _key_of(query: str) -> str:
    return parse_qs(query).get("key", [""])[0]
