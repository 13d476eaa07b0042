"""A certificate of an authority of one's own is believed where `REQUESTS_CA_BUNDLE` names it, and nowhere else."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.gather.reads import REPOSITORY, a_job
from tests.github.conftest import QUICK
from tests.github.stub import Answer, Stub, points_to, says
from triage.errors import ProviderError
from triage.github import connect
from triage.model import MissingLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from triage.github.reads import LiveReads


class Enterprise(Stub):
    """A GitHub that speaks https only, and a store of logs in it."""

    def __init__(self, certificate: Path) -> None:
        super().__init__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        return super().url.replace("http:", "https:")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's key and certificate, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "github.acme.example")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path: Path = tmp_path_factory.mktemp("tls") / "server.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return path


@pytest.fixture
def reads(certificate: Path) -> Iterator[LiveReads]:
    with Enterprise(certificate) as server:
        server.on("/api/v3/repos/acme/engine", says(REPOSITORY))
        server.on("/api/v3/repos/acme/engine/actions/jobs/1/logs", points_to(f"{server.url}/store/1"))
        server.on("/store/1", Answer(body=b"boom\n"))
        with connect("acme/engine", token="t", api_url=f"{server.url}/api/v3", limits=QUICK, deadline=5) as live:
            yield live


def test_it_is_believed_for_the_api_and_for_logs_where_the_environment_names_it(
    reads: LiveReads, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    log = reads.log(a_job(1))

    assert reads.repository()["default_branch"] == "main"
    assert not isinstance(log, MissingLog)
    with log.open() as file:
        assert file.read() == b"boom\n"


def test_it_is_not_believed_where_nothing_names_it(reads: LiveReads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)

    with pytest.raises(ProviderError) as raised:
        reads.repository()
    assert "certificate" in str(raised.value)
    assert "REQUESTS_CA_BUNDLE" in str(raised.value)
