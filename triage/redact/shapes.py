"""What secrets look like in plain text, and what stands before one. RE2 only, so that no log makes this slow."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import re2

from triage.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable

MASK = "***"

_MOST_ROUNDS = 4  # a mask may end the word that hid another secret

# Secrets that say what they are, wherever they stand: in JSON one may follow the `n` of `\n`.
_TOKENS: tuple[str, ...] = (
    r"gh[pousr]_[A-Za-z0-9]{16,}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"(?:glpat|gldt|glrt|glsoat|glcbt|glptt|glft|glimt|glagent|gloas|glffct)-[A-Za-z0-9_.-]{16,}",  # GitLab
    r"GR1348941[A-Za-z0-9_-]{20}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",  # AWS
    r"ABSK[A-Za-z0-9+/]{40,}={0,2}",
    r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f-]{27}",
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,40}",
    r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",  # Azure
    r"[A-Za-z0-9]{52,}AZDO[A-Za-z0-9]{4}",
    r"[A-Za-z0-9+/]{40,}(?:\+ASt|AzSe|AzFu|\+AMC|ACDb)[A-Za-z0-9+/]{5,8}={0,2}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-Ag[A-Za-z0-9_-]{30,}",
    r"rubygems_[a-f0-9]{48}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"api_org_[A-Za-z0-9]{30,}",
    r"sk-(?:ant|proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic and their like
    r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}",
    r"dckr_[po]at_[A-Za-z0-9_-]{20,}",  # Docker
    r"dapi[a-f0-9]{32}",  # Databricks
    r"do[por]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/[A-Za-z0-9_-]{40,}",
    r"(?:shpat|shpca|shppa|shpss)_[a-fA-F0-9]{32}",  # Shopify
    r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,50}",  # Square
    r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})",  # Grafana
    r"NR(?:AK|JS|II)-[A-Z0-9a-z_-]{19,40}",  # New Relic
    r"sntry[su]_[A-Za-z0-9_=+/-]{40,}",  # Sentry
    r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}",  # Terraform
    r"pul-[a-f0-9]{40}",  # Pulumi
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",  # Postman
    r"lin_api_[A-Za-z0-9]{32,48}",  # Linear
    r"(?:ntn|secret)_[A-Za-z0-9]{43,50}",  # Notion
    r"ATATT3[A-Za-z0-9_=-]{100,300}|ATBB[A-Za-z0-9]{32}",  # Atlassian
    r"AKCp[A-Za-z0-9]{60,}",  # Artifactory
    r"sq[pua]_[a-f0-9]{40}",  # SonarQube
    r"sbp_[a-f0-9]{40}|tskey-[a-z]+-[A-Za-z0-9-]{20,}|figd_[A-Za-z0-9_-]{40}|HRKU-[A-Za-z0-9_-]{36,}",
    r"(?:CCIPAT|bkua|nfp|fo1|dp\.pt)[_.][A-Za-z0-9_-]{36,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}",  # JSON web tokens
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
)
# And those of which a longer word might hold the beginning.
_WORDS: tuple[str, ...] = (
    r"1//0[A-Za-z0-9_-]{40,}",
    r"cio[A-Za-z0-9]{32}\b",  # crates.io
    r"oy2[a-z0-9]{43}\b",  # NuGet
    r"sk-[A-Za-z0-9]{20,}\b",
    r"(?:gsk_[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37,40}|nvapi-[A-Za-z0-9_-]{60,}|pplx-[A-Za-z0-9]{40,})\b",
    r"xai-[A-Za-z0-9]{60,}\b",
    r"SK[0-9a-f]{32}\b",  # Twilio
    r"key-[0-9a-f]{32}\b",  # Mailgun
    r"[0-9a-f]{32}-us[0-9]{1,2}\b",  # Mailchimp
    r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",  # Discord
    r"(?:bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram; in addresses it begins with `bot`
    r"hv[sbr]\.[A-Za-z0-9_-]{24,}",  # Vault
)

_BASE64_LINE = r"(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?[ \t|>\"'+]*[A-Za-z0-9+/=]{1,100}[ \t\"',\\]*\r?$"
_HEADER_LINE = r"(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?[ \t|>\"'+]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\r\n]*)?"
_PEM = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rf"((?:\\[nr]|[A-Za-z0-9+/= ])*(?:\r?\n(?:{_BASE64_LINE}|{_HEADER_LINE}))*)"
)

# Names whose value is a secret, whatever it looks like; then names whose value is one when it looks made up.
_PASSWORDS = r"pass(?:word|wd|phrase|code)|pwd|secret(?:[_-]?key)?|client[_-]?secret|secret[_-]?access[_-]?key"
_KEYS = (
    r"(?:access|refresh|auth|id|session|bearer|bot|github|identity|registry)?[_-]?token|_?auth"
    r"|(?:api|access|account|auth|private|signing|encryption|shared[_-]?access|storage|master|app|license)[_-]?key(?:[_-]?id)?"
)
_NAME = rf"(?:[a-z0-9]+[._-]+)*(?:{_PASSWORDS}|{_KEYS})"
_VALUE = r"(?:\\{0,7}\"([^\"\\\r\n]+)|'([^'\r\n]+)|([^\s\"'&;,<>()\[\]{}|\\]+))"
_ASSIGNED = rf"(?i)\b_?({_NAME})(\\{{0,7}}[\"']?[ \t]*(?:=>|:=|[:=])[ \t]*){_VALUE}"
_OPTION = rf"(?i)(?:^|\s)--?({_NAME})([ \t]+){_VALUE}"

_SIGNING = (
    r"(?:sig|signature|x-(?:amz|goog)-[a-z-]+|[a-z_-]*token|api_?key|key-pair-id|client_secret|password|auth|jwt)"
)
_QUERY = rf"(?i)https?://[^\s?\"'<>\\]+\?((?:[^\s\"'<>\\]*&)?{_SIGNING}=[^\s\"'<>\\]*)"
_PARAMETER = rf"(?i)[?&]{_SIGNING}=([^\s&\"'<>\\]+)"
_USERINFO = r"(?i)\b[a-z][a-z0-9+.-]+://[^\s/@:\"'<>]*:([^\s/@\"'<>]+)@"
_USER_ALONE = r"(?i)\bhttps?://([^\s/@:\"'<>]{8,})@"
_HEADER = (
    r"(?i)\b(?:(?:proxy-)?authorization|x-(?:api|auth|access|goog-api)-?(?:key|token)|private-token|job-token"
    r"|(?:set-)?cookie)\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?:(?:basic|bearer|token|digest|negotiate|apikey)[ \t]+)?"
    r"([^\s\"'\\,]{6,})"
)
_SCHEME = r"(?i)\b(?:basic|bearer)[ \t]+([A-Za-z0-9_.~+/=-]{16,})"
_LOGIN = (
    r"(?:\bdocker login\b[^\r\n]*?\s-p|\bsshpass -p|\bcurl\b[^\r\n]*?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']+:"
    r"|\bmachine \S+ login \S+ password)[ \t]*([^\s\"']{3,})"
)
_EMAIL = r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}\b"

# Values that are no secret: left out, asked for, taken from somewhere, or masked before.
_PLACEHOLDER = regex(
    r"[*x.•·_-]+|\W.*"
    r"|(?:true|false|null|none|nil|undefined|inherit|required|missing|empty|unset|not|invalid|expired|redacted|masked"
    r"|hidden|secret|password|token|str|string|bytes|yes|no|is|was|env|auto|default|write|read|basic|bearer|digest)\W*"
    r"|(?-i:[A-Z]+(?:_[A-Z]+)+)|(?:self|os|env|process|settings|config|cfg|args|opts|options|request|secrets|vars|github|inputs|matrix)\.\w.*",
    re.IGNORECASE | re.DOTALL,
)
_LOOKS_MADE_UP = regex(r"(?=.*[A-Za-z])(?:(?=.*\d).{8,}|.{20,})")


def looks_made_up(word: str) -> bool:
    """Whether a word is none of a language."""
    return _LOOKS_MADE_UP.match(word) is not None


Edit = tuple[int, int, bytes]
"""From, to, and what stands there instead."""


def mask_shapes(text: str, *, emails: bool = False) -> str:
    """Mask what has the shape of a secret, and e-mail addresses if that is asked for; the number of lines stays."""
    raw = text.encode("utf-8", "surrogatepass")
    shapes = (*_shapes(), *(_email_shapes() if emails else ()))
    for _ in range(_MOST_ROUNDS):
        before = raw
        for pattern, edit in shapes:
            raw = _edited(raw, pattern, edit)
        if raw == before:
            break
    return raw.decode("utf-8", "surrogatepass")


def _edited(raw: bytes, pattern: Any, edit: Callable[[Any], Edit | None]) -> bytes:  # noqa: ANN401 - re2 has no types
    pieces: list[bytes] = []
    done = at = 0
    while at <= len(raw) and (match := pattern.search(raw, at)) is not None:
        change = edit(match)
        if change is None:
            # What looked like a value may be the name of another one.
            at = max(match.start() + 1, match.end(2) if match.re.groups > 1 else match.end())
            continue
        start, end, text = change
        pieces += (raw[done:start], text)
        done = end
        at = max(end, match.start() + 1)
    return b"".join((*pieces, raw[done:]))


def _whole(match: Any) -> Edit:  # noqa: ANN401
    return match.start(), match.end(), MASK.encode()


def _first_group(match: Any) -> Edit | None:  # noqa: ANN401
    value = match.group(1).decode("utf-8", "replace")
    return None if _PLACEHOLDER.fullmatch(value) else (match.start(1), match.end(1), MASK.encode())


def _made_up(match: Any) -> Edit | None:  # noqa: ANN401
    value = match.group(1).decode("utf-8", "replace")
    return _first_group(match) if _LOOKS_MADE_UP.match(value) else None


def _key_block(match: Any) -> Edit | None:  # noqa: ANN401
    """Mask the lines between the ends of a key; how many there are stays visible."""
    body = match.group(1)
    lines = [line.strip(b"\r \t") for line in body.split(b"\n")]
    if all(line in {b"", MASK.encode()} for line in lines):
        return None
    return match.start(1), match.end(1), b"\n".join(MASK.encode() if line else b"" for line in lines)


def _assigned(match: Any) -> Edit | None:  # noqa: ANN401
    """Mask the value of a name that tells that it is a secret."""
    group = next(number for number in (3, 4, 5) if match.start(number) >= 0)
    value = match.group(group).decode("utf-8", "replace")
    if _PLACEHOLDER.fullmatch(value):
        return None
    name = match.group(1).decode("utf-8", "replace")
    if _IS_PASSWORD.search(name):
        is_secret = len(value) >= 3 and not (group == 5 and _is_prose(match, value))
    else:
        is_secret = _LOOKS_MADE_UP.match(value) is not None
    return (match.start(group), match.end(group), MASK.encode()) if is_secret else None


def _is_prose(match: Any, value: str) -> bool:  # noqa: ANN401
    """Whether a sentence goes on after the colon, as in `invalid password: must be longer`."""
    rest = match.string[match.end() : match.end() + 2]
    return b":" in match.group(2) and value.isalpha() and rest[:1] == b" " and rest[1:2].isalpha()


def _compiled(pattern: str, *, within_line: bool = True) -> Any:  # noqa: ANN401
    options = re2.Options()
    options.never_nl = within_line
    options.log_errors = False
    return re2.compile(f"(?m){pattern}".encode(), options)


_COUNT = regex(r"\{(\d+)(?:,\d*)?\}")


class _Counted:
    """A pattern with high counts, of which RE2 writes out every one: compiled once a wider one finds something."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._wider = _compiled(wider(pattern))

    @cached_property
    def _exact(self) -> Any:  # noqa: ANN401
        return _compiled(self._pattern)

    def search(self, raw: bytes, at: int) -> Any:  # noqa: ANN401
        """Return the first match from an offset on; None without one."""
        return None if self._wider.search(raw, at) is None else self._exact.search(raw, at)


def wider(pattern: str) -> str:
    """Write a pattern so that it takes any number where it counts: it finds something wherever the pattern does."""
    return _COUNT.sub(lambda count: "*" if count[1] == "0" else "+", pattern)


_IS_PASSWORD = regex(rf"(?:{_PASSWORDS})\Z", re.IGNORECASE)


@cache
def _shapes() -> tuple[tuple[Any, Callable[[Any], Edit | None]], ...]:
    """What is looked for, in this order, compiled at first use."""
    return (
        (_compiled(_PEM, within_line=False), _key_block),
        (_Counted("|".join(_TOKENS)), _whole),
        (_Counted(rf"(?:\b|\\[nrt])({'|'.join(_WORDS)})"), _first_group),
        (_compiled(_QUERY), _first_group),
        (_compiled(_PARAMETER), _first_group),
        (_compiled(_USERINFO), _first_group),
        (_compiled(_USER_ALONE), _first_group),
        (_compiled(_LOGIN), _first_group),
        (_compiled(_HEADER), _first_group),
        (_compiled(_SCHEME), _made_up),
        (_compiled(_OPTION), _assigned),
        (_compiled(_ASSIGNED), _assigned),
    )


@cache
def _email_shapes() -> tuple[tuple[Any, Callable[[Any], Edit | None]], ...]:
    return ((_compiled(_EMAIL), _whole),)
