"""Who listens where: one address for each process, never all interfaces."""

from __future__ import annotations

import socket

from dagathlon.cluster.dask_parts import configured, needed
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError

LOCAL = "127.0.0.1"
_DASHBOARD = 8787


def listening_host(settings: ClusterSettings) -> str:
    """The one address on which the scheduler listens."""
    if interface := interface_of(settings):
        utils = needed("distributed.utils")
        try:
            return str(utils.get_ip_interface(interface))
        except ValueError:
            known = ", ".join(name for _, name in socket.if_nameindex())
            raise DagathlonError(
                f"interface: there is no {interface!r} with an address; known: {known}"
            ) from None
    where = "host or interface says on which address of this machine the scheduler is to listen"
    return address_of(settings.host or socket.gethostname(), where)


def interface_of(settings: ClusterSettings) -> str:
    """The network interface to use, asked for or of dask-jobqueue's own settings."""
    if settings.interface or settings.host or not settings.manager.has_jobs:
        return settings.interface
    return configured(settings, "interface") or ""


def address_of(name: str, where: str) -> str:
    """The address that a name stands for; `where` says what to do if there is none."""
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET)[0][4][0])
    except OSError as error:
        raise DagathlonError(
            f"the address of {name!r} is not known ({error.strerror}); {where}"
        ) from None


def dashboard_address(settings: ClusterSettings) -> str:
    """Where the dashboard listens: dask's usual port of this machine if it is free."""
    if settings.dashboard:
        return settings.dashboard
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOCAL, _DASHBOARD))
        except OSError:
            return f"{LOCAL}:0"
    return f"{LOCAL}:{_DASHBOARD}"
