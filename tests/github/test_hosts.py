"""Where a log may be fetched from."""

from __future__ import annotations

import pytest

from triage.errors import ProviderError, UsageError
from triage.github.hosts import ApiAddress, BlobHosts, read_hosts


def outside(host: str) -> tuple[str, ...]:
    return ("140.82.112.3", "2606:50c0:8000::153")


def inside(host: str) -> tuple[str, ...]:
    return ("140.82.112.3", "10.0.0.7")


def unknown(host: str) -> tuple[str, ...]:
    return ()


DOTCOM_API = ApiAddress("https://api.github.com")
SERVER_API = ApiAddress("https://github.corp.example/api/v3")
DOTCOM = BlobHosts(DOTCOM_API, resolve=outside)
SERVER = BlobHosts(SERVER_API, ("logs-*.corp.example", "10.1.2.3"), resolve=outside)
LOCAL = BlobHosts(ApiAddress("http://127.0.0.1:8000"), resolve=outside)


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        (DOTCOM, "https://productionresultssa3.blob.core.windows.net/actions-results/x?sig=abc"),
        (DOTCOM, "https://pipelines.actions.githubusercontent.com/x"),
        (SERVER, "https://github.corp.example/_logs/x"),
        (BlobHosts(SERVER_API, resolve=inside), "https://media.github.corp.example/x"),
        (BlobHosts(DOTCOM_API, ("logs.corp.example",), resolve=inside), "https://logs.corp.example/x"),
        (BlobHosts(DOTCOM_API, resolve=unknown), "https://productionresultssa3.blob.core.windows.net/x"),
        (SERVER, "https://logs-7.corp.example/x"),
        (SERVER, "https://10.1.2.3/x"),
        (LOCAL, "http://127.0.0.1:9000/x"),
    ],
)
def test_logs_come_from_where_github_keeps_them(hosts: BlobHosts, url: str) -> None:
    hosts.check(url)  # does not raise


@pytest.mark.parametrize(
    ("hosts", "url", "why"),
    [
        (DOTCOM, "https://evil.example/x", "not among the hosts"),
        (DOTCOM, "https://blob.core.windows.net.evil.example/x", "not among the hosts"),
        (DOTCOM, "https://evilgithubusercontent.com/x", "not among the hosts"),
        (DOTCOM, "https://127.0.0.1/x", "not among the hosts"),
        (DOTCOM, "https://[::1]/x", "not among the hosts"),
        (DOTCOM, "https://169.254.169.254/latest/meta-data", "not among the hosts"),
        (DOTCOM, "http://productionresultssa3.blob.core.windows.net/x", "over https"),
        (DOTCOM, "file:///etc/passwd", "not an address"),
        (DOTCOM, "ftp://productionresultssa3.blob.core.windows.net/x", "over https"),
        (DOTCOM, "https://api.github.com@evil.example/x", "user name"),
        (DOTCOM, "https://me:pw@a.githubusercontent.com/x", "user name"),
        (DOTCOM, "https://a.githubusercontent.com:99999/x", "not an address"),
        (DOTCOM, "//a", "over https"),
        (DOTCOM, "", "not an address"),
        (SERVER, "http://github.corp.example/x", "over https"),
        (SERVER, "https://a.blob.core.windows.net/x", "not among the hosts"),
        (SERVER, "http://127.0.0.1/x", "over https"),
        (LOCAL, "http://localhost:9000/x", "not among the hosts"),
        (LOCAL, "http://169.254.169.254/x", "over https"),
    ],
)
def test_logs_come_from_nowhere_else(hosts: BlobHosts, url: str, why: str) -> None:
    with pytest.raises(ProviderError, match=why):
        hosts.check(url)


def test_a_pattern_does_not_open_a_private_network() -> None:
    hosts = BlobHosts(DOTCOM_API, ("169.254.*", "*"), resolve=outside)

    with pytest.raises(ProviderError, match="private network"):
        hosts.check("https://169.254.169.254/latest/meta-data")


def test_a_name_that_leads_into_a_private_network_is_not_asked() -> None:
    hosts = BlobHosts(DOTCOM_API, resolve=inside)

    with pytest.raises(ProviderError, match="private network"):
        hosts.check("https://productionresultssa3.blob.core.windows.net/x")


def test_the_signature_of_an_address_stands_in_no_refusal() -> None:
    with pytest.raises(ProviderError) as refusal:
        DOTCOM.check("https://evil.example/x?sig=s3cret")

    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://github.corp.example/api/v3",
        "https://user:secret@api.github.com",
        "https://api.github.com?x=1",
        "api.github.com",
        "ftp://api.github.com",
        "https://",
        "https://[",
    ],
)
def test_an_api_address_that_would_endanger_the_token_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as refusal:
        ApiAddress(url)

    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("", ()),
        ("Store.acme.example", ("store.acme.example",)),
        (
            "store.acme.example, *.logs.acme.example\n10.1.2.3",
            ("store.acme.example", "*.logs.acme.example", "10.1.2.3"),
        ),
    ],
)
def test_hosts_are_named_with_commas_or_spaces_between_them(text: str, hosts: tuple[str, ...]) -> None:
    assert read_hosts(text) == hosts


@pytest.mark.parametrize("text", ["https://store.acme.example", "store.acme.example:9000", "a/b", "*", "*.*", "."])
def test_what_names_no_host_or_every_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no name of a host|fits every host"):
        read_hosts(text)
