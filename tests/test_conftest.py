from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "0.0.0.0", "github.invalid"])
def test_no_test_can_reach_another_machine(host: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="nothing beyond this machine"):
        socket.create_connection((host, 443), timeout=0.1)


def test_a_test_can_reach_a_server_of_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        accepted.close()

        assert client.recv(1) == b""
