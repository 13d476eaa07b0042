"""Who may give a command: asked of GitHub when the command is about to act, and no without a clear yes (T8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from triage.entry.command.answers import Refused
from triage.errors import ProviderError
from triage.settings import Role

if TYPE_CHECKING:
    from triage.entry.command.event import Asked
    from triage.settings import Permit
    from triage.source.acts import Acts, Standing

_ROLES: Final = {role.value: role for role in Role}


def role_of(standing: Standing) -> Role | None:
    """Return a person's role; one that an organisation made up counts as what GitHub folds it to. None for no role."""
    return _ROLES.get(standing.role) or _ROLES.get(standing.base)


def check_permit(permit: Permit, asked: Asked, acts: Acts) -> None:
    """Ask GitHub whether the person may.

    Raises:
        Refused: They may not, or GitHub did not say that they may.
    """
    try:
        standing = acts.standing(asked.person.login)
    except ProviderError as error:
        raise Refused("no-answer", "GitHub did not say whether you may do that, so it was not done.") from error
    role = role_of(standing)
    if role is None or standing.user_id != asked.person.id:
        raise Refused("permission", "GitHub does not know you as somebody who may do that here.")
    if role.rank < permit.role.rank and not (permit.author and asked.is_of_the_author):
        raise Refused("permission", f"that needs {needed(permit)}, and you have the role `{role.value}`.")


def needed(permit: Permit) -> str:
    """Say who may."""
    author = ", or to have opened the pull request" if permit.author else ""
    higher = "" if permit.role is Role.ADMIN else " or more"
    return f"the role `{permit.role.value}`{higher}{author}"
