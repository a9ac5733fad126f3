"""Addresses to listen on: one per process, never all interfaces."""

from __future__ import annotations

import socket

from dagathlon.cluster.dask_parts import configured, needed
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError

LOCAL = "127.0.0.1"
_DASHBOARD = 8787


def listening_host(settings: ClusterSettings) -> str:
    """Return the only address on which the scheduler listens."""
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
    """Return the network interface: the requested one, or that of dask-jobqueue's configuration."""
    if settings.interface or settings.host or not settings.manager.has_jobs:
        return settings.interface
    return configured(settings, "interface") or ""


def address_of(name: str, where: str) -> str:
    """Resolve a host name to an address; `where` is the remedy named in the error."""
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET)[0][4][0])
    except OSError as error:
        raise DagathlonError(
            f"the address of {name!r} is not known ({error.strerror}); {where}"
        ) from None


def dashboard_address(settings: ClusterSettings) -> str:
    """Return the dashboard's address: dask's usual port on this machine if it is free."""
    if settings.dashboard:
        return settings.dashboard
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOCAL, _DASHBOARD))
        except OSError:
            return f"{LOCAL}:0"
    return f"{LOCAL}:{_DASHBOARD}"
