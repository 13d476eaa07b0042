"""Holds the fake to GitHub's own description of its API: no answer leaves it that GitHub would not give.

The description is the one `githubkit` generates its models from (REST API 2026-03-10). The version we ask for,
2022-11-28, differs in fields that were dropped since; the fake still sends those, and the models let them pass.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from tests.fakegithub.answers import Answer

UNDOCUMENTED = {
    "graphql-viewer": "the viewer, asked by GraphQL, which has a description of its own",
    "log-expired": "410 for the log of a job whose time of retention is over; the description knows only 302",
    "log-not-found": "404 for the log of a job that does not exist; the description knows only 302",
    "job-startup-failure": "a job with the conclusion `startup_failure` or `stale`, which the description leaves out",
}


class Drift(AssertionError):
    """The fake gave an answer that GitHub's description does not allow."""


def check(answer: Answer, model: str | None) -> None:
    """Let an answer pass, or not.

    Args:
        answer: What is about to be sent.
        model: Name of the description of a good answer; `[Job]` for a list of them; None when it has no body.

    Raises:
        Drift: It does not fit, and is not among the undocumented answers.
    """
    if answer.undocumented:
        if answer.undocumented not in UNDOCUMENTED:
            message = f"{answer.undocumented!r} is no undocumented answer that we know of"
            raise Drift(message)
        return
    if answer.status >= 300 or model is None:
        if model is None and answer.status == 200 and answer.body is not None:
            message = "an answer with a body must say which description it follows"
            raise Drift(message)
        return
    problem = _problem(answer.body, model)
    if problem:
        raise Drift(problem)


def _problem(body: Any, model: str) -> str:
    from pydantic import ValidationError

    if model.startswith("[") != isinstance(body, list):
        return f"not a {model} of GitHub's but a {type(body).__name__}"
    try:
        for item in body if isinstance(body, list) else [body]:
            _adapter(model.strip("[]")).validate_python(item)
    except ValidationError as error:
        return f"not a {model} of GitHub's: {error}"
    return ""


@cache
def _adapter(model: str) -> TypeAdapter[Any]:
    from githubkit_schemas.latest import models
    from pydantic import TypeAdapter

    described: Any = getattr(models, model)
    return TypeAdapter(described)
