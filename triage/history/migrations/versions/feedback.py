"""What people said of verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make its table."""
    op.create_table(
        "triage_feedback",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("comment_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("says", sa.Text(), nullable=False),
        sa.Column("pull_number", sa.Integer(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("job_name", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("right", sa.Text()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_key", "comment_id", name="triage_feedback_key"),
    )
    op.create_index("triage_feedback_by_age", "triage_feedback", ["repository_key", "at"])
