"""Secrets as they look in logs, none of them real, and what looks like one and is none."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CHANCE = random.Random(20260918)


def _made(number: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_CHANCE.choice(alphabet) for _ in range(number))


def _hex(number: int) -> str:
    return _made(number, "0123456789abcdef")


def _part(number: int) -> str:
    """Make text that holds letters and digits for sure, as everything random of that length does."""
    return f"a1B2{_made(number - 4)}"


_CLAIMS = base64.urlsafe_b64encode(json.dumps({"sub": "1234567890", "scope": "all"}).encode()).decode().rstrip("=")
_WORD = _part(24)

# What it is: the line of a log, and the part of it that must never be seen.
_LINES: dict[str, tuple[str, str]] = {
    "GitHub personal": ("token {}", f"ghp_{_part(36)}"),
    "GitHub app": ("remote: {} is not allowed", f"ghs_{_part(36)}"),
    "GitHub fine-grained": ("using {}", f"github_pat_{_part(22)}_{_part(59)}"),
    "GitLab": ("fetching with {}", f"glpat-{_part(20)}"),
    "AWS key": ("AccessDenied for {}", f"AKIA{_made(16, string.ascii_uppercase + '234567')}"),
    "AWS secret": ("aws_secret_access_key = {}", _part(40)),
    "Google API": ("key {} is restricted", f"AIza{_part(35)}"),
    "Google OAuth": ("got {}", f"ya29.{_part(60)}"),
    "Azure storage": ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};", _part(86) + "=="),
    "Azure signature": ("GET https://x.blob.core.windows.net/a?se=1&sig={}", _part(43) + "%3D"),
    "Slack": ("posting with {}", f"xoxb-{_made(12, string.digits)}-{_part(24)}"),
    "Slack hook": ("POST https://{}", f"hooks.slack.com/services/T{_hex(8)}/B{_hex(8)}/{_part(24)}"),
    "Stripe": ("charged by {}", f"sk_live_{_part(24)}"),
    "npm": ("//registry.example/:_authToken={}", f"npm_{_part(36)}"),
    "PyPI": ("uploading as {}", f"pypi-AgEIcHlwaS5vcmc{_part(60)}"),
    "Hugging Face": ("login {}", f"hf_{_part(34)}"),
    "OpenAI": ("key {} is wrong", f"sk-proj-{_part(48)}"),
    "Anthropic": ("key {} is wrong", f"sk-ant-api03-{_part(93)}"),
    "Nvidia": ("NGC {}", f"nvapi-{_part(64)}"),
    "Docker": ("as {}", f"dckr_pat_{_part(27)}"),
    "docker login": ("$ docker login -u bot -p {} registry.example", _part(20)),
    "Databricks": ("with {}", f"dapi{_hex(32)}"),
    "SendGrid": ("with {}", f"SG.{_part(22)}.{_part(43)}"),
    "Discord hook": ("POST https://{}", f"discord.com/api/webhooks/{_made(18, string.digits)}/{_part(68)}"),
    "Telegram": ("bot{}", f"{_made(9, '123456789')}:AA{_part(33)}"),
    "Grafana": ("with {}", f"glsa_{_part(32)}_{_hex(8)}"),
    "Vault": ("VAULT says {}", f"hvs.{_part(90)}"),
    "JSON web token": ("Cookie-free {}", f"eyJhbGciOiJIUzI1NiJ9.{_CLAIMS}.{_part(43)}"),
    "Bearer": ("> Authorization: Bearer {}", _part(40)),
    "Basic": ("> authorization: basic {}", base64.b64encode(f"user:{_WORD}".encode()).decode()),
    "cookie": ("< Set-Cookie: session={}; Path=/", _part(40)),
    "header": ('-H "X-Api-Key: {}"', _part(32)),
    "user in a URL": ("fatal: unable to access 'https://bot:{}@git.example/x.git'", _part(20)),
    "database URL": ("connect to postgresql://ci:{}@db.example/history", _part(18)),
    "password": ("DB_PASSWORD={}", _part(12)),
    "password in JSON": ('{{"user": "ci", "password": "{}"}}', _part(16)),
    "option": ("$ deploy --api-key {} --now", _part(32)),
    "query": ("GET https://api.example/v1?access_token={}", _part(32)),
    "signed S3 link": ("GET https://b.s3.example/x?X-Amz-Expires=60&X-Amz-Signature={}", _hex(64)),
    "curl": ("$ curl -u ci:{} https://api.example", _part(20)),
    "age": ("{}", f"AGE-SECRET-KEY-1{_made(58, string.ascii_uppercase + string.digits)}"),
    "Atlassian": ("with {}", f"ATATT3{_part(180)}"),
}
SECRETS: dict[str, tuple[str, str]] = {name: (line.format(secret), secret) for name, (line, secret) in _LINES.items()}


def _for_an_address(line: str, secret: str) -> tuple[str, str]:
    return f"GET https://ci.example/log?message={quote(line, safe='')}", quote(secret, safe="")


def _in_base64(line: str, secret: str) -> tuple[str, str]:
    encoded = base64.b64encode(line.encode()).decode()
    return f"body: {encoded} (base64)", encoded[len(encoded) // 2 :]


def _in_json_in_json(line: str, secret: str) -> tuple[str, str]:
    return json.dumps({"log": json.dumps({"line": line})}), secret


def _coloured(line: str, secret: str) -> tuple[str, str]:
    at = line.index(secret) + len(secret) // 2
    return f"{line[:at]}\x1b[1;31m{line[at:]}\x1b[0m", secret


def _wrapped(line: str, secret: str) -> tuple[str, str]:
    """Wrap a line that is as wide as a terminal; both halves of the secret are as bad as the whole."""
    at = line.index(secret) + max(8, len(secret) * 2 // 3)
    return f"{'x ' * 40}{line[:at]}\n{line[at:]}", line[line.index(secret) : at]


# How else a secret may stand in a log: a line and the secret in it give a text, and what must not be seen of that.
DISGUISES: Mapping[str, Callable[[str, str], tuple[str, str]]] = {
    "encoded for an address": _for_an_address,
    "in base64": _in_base64,
    "in JSON in JSON": _in_json_in_json,
    "coloured": _coloured,
    "wrapped": _wrapped,
}

_SHA1, _SHA256 = (hashlib.new(kind, b"ci-triage").hexdigest() for kind in ("sha1", "sha256"))
NO_SECRETS: tuple[str, ...] = (
    f"HEAD is now at {_SHA1[:10]} Warm up",
    f"commit {_SHA1}",
    f"Digest: sha256:{_SHA256}",
    f"FROM registry.example/base@sha256:{_SHA256}",
    f"--hash=sha256:{_SHA256}",
    f"torch-2.9.0-cp311-cp311-linux_x86_64.whl#sha256={_SHA256}",
    f"integrity sha512-{base64.b64encode(hashlib.sha512(b'ci').digest()).decode()}",
    "run 6f1c0d5e-8a0e-4a44-9a3c-0c4f1c7f9d11 ended",
    f"Cache restored from key: linux-pip-{_SHA256}",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x14336 and 2048x2048)",
    "KeyError: 'meta_info'",
    "the token is missing, password: required",
)
