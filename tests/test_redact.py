"""Secrets never leave; what only looks random stays.

The secrets are put together here, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import json
import random
import re
import string
import time

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.redact import MASK, redact, shapes

_HEX = "0123456789abcdef"
_BASE64 = string.ascii_letters + string.digits + "+/"
_WORD = string.ascii_letters + string.digits


def made_up(length: int, alphabet: str = _WORD) -> str:
    """The same secret for the same arguments, with letters and digits."""
    rng = random.Random(f"{length} {alphabet}")
    return "a1" + "".join(rng.choice(alphabet) for _ in range(length - 2))


def upper(length: int) -> str:
    return made_up(length, string.ascii_uppercase + "234567").upper().replace("1", "A")


SHAPES: dict[str, str] = {
    "github classic": "ghp_" + made_up(36),
    "github oauth": "gho_" + made_up(36),
    "github user": "ghu_" + made_up(36),
    "github server": "ghs_" + made_up(36),
    "github refresh": "ghr_" + made_up(76),
    "github fine-grained": "github_pat_" + made_up(22) + "_" + made_up(59),
    "gitlab personal": "glpat-" + made_up(20),
    "gitlab job": "glcbt-64_" + made_up(20),
    "aws key id": "AKIA" + upper(16),
    "aws temporary key id": "ASIA" + upper(16),
    "google api key": "AIza" + made_up(35),
    "google oauth": "ya29." + made_up(60),
    "google client secret": "GOCSPX-" + made_up(28),
    "azure client secret": "abc8Q~" + made_up(34),
    "slack bot": "xoxb-123456789012-1234567890123-" + made_up(24),
    "slack app": "xapp-1-A0123-4567-" + made_up(40),
    "slack webhook": "https://hooks.slack.com/services/T0123ABCD/B0123ABCD/" + made_up(24),
    "stripe live": "sk_live_" + made_up(24),
    "stripe webhook": "whsec_" + made_up(32),
    "npm": "npm_" + made_up(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + made_up(60),
    "rubygems": "rubygems_" + made_up(48, _HEX),
    "crates.io": "cio" + made_up(32),
    "nuget": "oy2" + made_up(43, string.ascii_lowercase + string.digits),
    "hugging face": "hf_" + made_up(34),
    "openai": "sk-" + made_up(48),
    "openai project": "sk-proj-" + made_up(80),
    "anthropic": "sk-ant-api03-" + made_up(90),
    "groq": "gsk_" + made_up(52),
    "langsmith": "lsv2_pt_" + made_up(42),
    "docker": "dckr_pat_" + made_up(27),
    "databricks": "dapi" + made_up(32, _HEX),
    "digital ocean": "dop_v1_" + made_up(64, _HEX),
    "sendgrid": "SG." + made_up(22) + "." + made_up(43),
    "twilio": "SK" + made_up(32, _HEX),
    "mailgun": "key-" + made_up(32, _HEX),
    "discord bot": "M" + made_up(23) + ".G1a2b3." + made_up(38),
    "discord webhook": "https://discord.com/api/webhooks/123456789012345678/" + made_up(68),
    "telegram": "123456789:AA" + made_up(33),
    "shopify": "shpat_" + made_up(32, _HEX),
    "square": "sq0atp-" + made_up(22),
    "grafana": "glsa_" + made_up(32) + "_" + made_up(8, _HEX),
    "new relic": "NRAK-" + upper(27),
    "sentry": "sntrys_" + made_up(60),
    "vault": "hvs." + made_up(90),
    "terraform": made_up(14) + ".atlasv1." + made_up(64),
    "pulumi": "pul-" + made_up(40, _HEX),
    "postman": "PMAK-" + made_up(24, _HEX) + "-" + made_up(34, _HEX),
    "linear": "lin_api_" + made_up(40),
    "notion": "ntn_" + made_up(46),
    "atlassian": "ATATT3" + made_up(180),
    "artifactory": "AKCp" + made_up(69),
    "sonarqube": "sqp_" + made_up(40, _HEX),
    "supabase": "sbp_" + made_up(40, _HEX),
    "tailscale": "tskey-auth-" + made_up(40),
    "json web token": "eyJ" + made_up(30) + ".eyJ" + made_up(60) + "." + made_up(43),
    "age": "AGE-SECRET-KEY-1" + upper(58),
}

PLACES = {
    "plain": "using {} for the upload",
    "url": "GET https://api.example.com/v1/items?page=2&k={} failed",
    "json": '{{"level": "info", "message": "{}"}}',
    "escaped json": '{{\\"message\\": \\"\\n{}\\"}}',
    "start of a line": "{}\nnext line",
    "quoted": "'{}',",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("secret", SHAPES.values(), ids=SHAPES.keys())
def test_a_secret_that_says_what_it_is_is_masked_wherever_it_stands(secret: str, place: str) -> None:
    clean = redact(place.format(secret))

    assert secret not in clean
    assert secret[-12:] not in clean
    assert MASK in clean
    assert clean.count("\n") == place.count("\n")


PASSWORD = "c0rrect-horse"
KEY = made_up(40, _BASE64)


@pytest.mark.parametrize(
    "text",
    [
        f"AWS_SECRET_ACCESS_KEY={KEY}",
        f"aws_secret_access_key = {KEY}",
        f'  "aws_session_token": "{KEY}"',
        f"export DATABASE_PASSWORD={KEY}",
        f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={KEY}==;EndpointSuffix=core",
        f"Server=db;User Id=sa;Password={KEY};",
        f"//registry.npm.example/:_authToken={KEY}",
        f'"auths": {{"https://index.docker.io/v1/": {{"auth": "{KEY}=="}}}}',
        f'{{"identitytoken": "{KEY}"}}',
        f"Authorization: Bearer {KEY}",
        f"authorization: basic {KEY}==",
        f"AUTHORIZATION: token {KEY}",
        f"curl -H 'PRIVATE-TOKEN: {KEY}' https://gitlab.example.com",
        f"curl -H 'X-Api-Key: {KEY}' https://x.example",
        f"Set-Cookie: session={KEY}; path=/",
        f"curl -u robot:{KEY} https://x.example",
        f"docker login -u robot -p {KEY} registry.example.com",
        f"twine upload --password {KEY} dist/x.whl",
        f"gh auth login --with-token --token={KEY}",
        f"DD_API_KEY={made_up(32, _HEX)}",
        "CODECOV_TOKEN=550e8400-e29b-41d4-a716-446655440000",
        f"client_secret: '{KEY}'",
        f'"private_key_id": "{made_up(40, _HEX)}"',
        f"https://x-access-token:{KEY.replace('/', 'x')}@github.com/acme/engine.git",
        f"https://{made_up(40)}@github.com/acme/engine.git",
        f"postgresql://app:{KEY.replace('/', 'x')}@db.example.com:5432/app",
        f"redis://:{KEY.replace('/', 'x')}@cache.example.com:6379",
        f"mongodb+srv://app:{KEY.replace('/', 'x')}@cluster.example.net/?retryWrites=true",
        f"https://x.blob.core.windows.net/c/log.txt?se=2026-11-30&sp=r&sv=2025&sr=b&sig={KEY.replace('+', 'x')}%3D",
        f"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4&X-Amz-Credential=A%2Fb&X-Amz-Signature={made_up(64, _HEX)}",
        f"https://storage.googleapis.com/b/o?X-Goog-Algorithm=a&X-Goog-Signature={made_up(128, _HEX)}",
        f"https://d1.cloudfront.net/x?Expires=1&Signature={KEY.replace('+', 'x')}&Key-Pair-Id=K1",
        f"wss://x.example/ws?token={KEY.replace('+', 'x').replace('/', 'y')}",
        f"machine github.com login robot password {KEY}",
        f"apiKey: {KEY}",
        f"hf_token={KEY}",
        f'{{\\"password\\": \\"{KEY}\\"}}',
    ],
)
def test_a_value_is_masked_where_its_name_says_what_it_is(text: str) -> None:
    clean = redact(text)

    for secret in (KEY, KEY[-12:], made_up(32, _HEX), "446655440000", made_up(40)[-12:], made_up(64, _HEX)[-12:]):
        assert secret not in clean
    assert MASK in clean


@pytest.mark.parametrize(
    "text", [f"password={PASSWORD}", f"password: {PASSWORD}", f'"Password":"{PASSWORD}"', f"--password {PASSWORD}"]
)
def test_a_password_is_masked_however_plain(text: str) -> None:
    assert redact(text) == text.replace(PASSWORD, MASK)


def test_a_signed_address_loses_its_whole_query() -> None:
    signed = "https://results.blob.core.windows.net/logs/1.txt?rsct=text&se=2026&sig=abc%2Fdef123%3D&ske=1 (404)"

    assert redact(signed) == f"https://results.blob.core.windows.net/logs/1.txt?{MASK} (404)"


KEY_BODY = "\n".join(made_up(64, _BASE64) for _ in range(3)) + "\n" + made_up(20, _BASE64) + "=="


@pytest.mark.parametrize(
    "kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_of_a_private_key_only_its_ends_stay(kind: str) -> None:
    text = f"before\n-----BEGIN {kind}-----\n{KEY_BODY}\n-----END {kind}-----\nafter it"

    assert redact(text) == (
        f"before\n-----BEGIN {kind}-----\n{MASK}\n{MASK}\n{MASK}\n{MASK}\n-----END {kind}-----\nafter it"
    )


def test_of_a_private_key_that_breaks_off_the_words_after_it_stay() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}\nWe go on\nwith words"

    assert redact(text).endswith(f"{MASK}\nWe go on\nwith words")


def test_a_private_key_in_json_is_masked() -> None:
    account = json.dumps(
        {
            "type": "service_account",
            "private_key": f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}\n-----END PRIVATE KEY-----\n",
        }
    )

    clean = redact(account)

    assert made_up(64, _BASE64) not in clean
    assert made_up(20, _BASE64) not in clean
    assert "service_account" in clean


def test_a_private_key_in_a_raw_log_is_masked_behind_its_timestamps() -> None:
    stamp = "2026-11-30T11:26:03.0611977Z "
    lines = ["-----BEGIN PRIVATE KEY-----", *KEY_BODY.split("\n"), "-----END PRIVATE KEY-----", "ordinary text"]

    clean = redact("\n".join(stamp + line for line in lines))

    assert made_up(64, _BASE64) not in clean
    assert clean.endswith(f"{stamp}ordinary text")
    assert clean.count("\n") == len(lines) - 1


HARMLESS = [
    "commit fae22971ab757405a1ccdae087866ba0c91ce904 is the head",
    "HEAD is now at 7bf7d59d85e0 Fix the scheduler",
    "Digest: sha256:4ed33101ee7ec299041cc41dd268dae17031184be94384b1ce7936dc4e5dead3",
    "--hash=sha256:4ed33101ee7ec299041cc41dd268dae17031184be94384b1ce7936dc4e5dead3",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "https://files.example/packages/47/ef/8b5470b5b94b36231ed9c0bde90caa71c0d4322d4a15f009b2b7f4287fe0/pip-22.3-py3.whl",
    "lock held by 550e8400-e29b-41d4-a716-446655440000",
    "https://github.com/acme/engine/actions/runs/35301744417/job/10123456789",
    "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8",
    "GITHUB_TOKEN Permissions",
    "Secret source: Actions",
    "  token: ***",
    "SyntaxError: Unexpected token: punctuation",
    "JSONDecodeError: unexpected token: foo at line 1",
    "max_tokens=4096, num_tokens: 123456789, pad_token='<pad>', eos_token_id=2",
    "password=password, token=self.token, secret=os.environ['X'], api_key=settings.API_KEY",
    "server-password: GITHUB_TOKEN",
    "secrets: inherit",
    "password is required; token: not set; API_KEY: missing",
    "flash_attn_fw_hdim192_bf16_sm80_causal_kernel_for_all_of_the_heads",
    "npm_config_cache=/home/runner/.npm and npm_lifecycle_event=test",
    "pypi-mirror.acme.invalid is not reachable, nor pypi-proxy-for-the-whole-company-2",
    "the key sk-learn-like-estimator-checks-run-here",
    "git@github.com:acme/engine.git and https://registry.npm.example/@babel/core",
    "http://localhost:8080/@fs/x?page=2&sort=name",
    "basic understanding of authentication_mechanisms_and_such",
    "Bearer authentication is what the server wants",
    "cache key: Linux-pip-4ed33101ee7ec299041cc41dd268dae1",
    "Author: Somebody <somebody@example.com>",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_random_or_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_addresses_of_people_are_masked_on_request() -> None:
    assert redact("by Ann <ann.b+c@mail.example.org>, see x@y", emails=True) == f"by Ann <{MASK}>, see x@y"


_SOME_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                *SHAPES.values(),
                *HARMLESS,
                "password",
                "token",
                "=",
                ": ",
                "\n",
                '"',
                "'",
                "https://a:b@c/?sig=1",
                "Bearer ",
                MASK,
            ]
        ),
        max_size=6,
    ).map("".join),
)


@given(_SOME_TEXT)
def test_masking_twice_changes_nothing_and_lines_stay(text: str) -> None:
    clean = redact(text)

    assert redact(clean) == clean
    assert clean.count("\n") == text.count("\n")


def test_a_hostile_text_takes_no_longer_than_its_length() -> None:
    texts = [
        "password=" * 20_000,
        "https://a:" * 20_000,
        "eyJ" * 60_000,
        "-----BEGIN PRIVATE KEY-----\n" * 6_000,
        "a@" * 80_000,
    ]
    began = time.perf_counter()

    for text in texts:
        redact(text, emails=True)

    assert time.perf_counter() - began < 20


# ---------------------------------------------------------------------------------------------------------------------
# Compiled late


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_a_pattern_finds_it_finds_without_its_counts(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from((*shapes._TOKENS, *shapes._WORDS)))
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII)))

    assert re2.search(pattern, text)
    assert re2.search(shapes.wider(pattern), text)


@pytest.mark.parametrize("pattern", [*shapes._TOKENS, *shapes._WORDS])
def test_no_count_is_left(pattern: str) -> None:
    assert "{" not in shapes.wider(pattern)
    re2.compile(shapes.wider(pattern))
