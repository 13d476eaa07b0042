"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make them; whoever comes first makes them for all."""
    _make_repository()
    _make_kept()
    _make_run()
    _make_signature()
    _make_test()
    _make_job()
    _make_failure()
    _make_sighting()
    _make_test_result()


def _make_repository() -> None:
    op.create_table(
        "triage_repository",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("default_branch", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("host", "full_name", name="triage_repository_key"),
    )


def _make_kept() -> None:
    op.create_table(
        "triage_kept",
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("repository_key", "digest", name="triage_kept_key"),
    )
    op.create_index("triage_kept_by_age", "triage_kept", ["at"])


def _make_run() -> None:
    op.create_table(
        "triage_run",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("workflow", sa.Text(), nullable=False),
        sa.Column("workflow_path", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("head_branch", sa.Text(), nullable=False),
        sa.Column("head_repository", sa.Text(), nullable=False),
        sa.Column("head_repository_id", sa.BigInteger()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.Text()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger()),
        sa.Column("started_at", sa.BigInteger()),
        sa.Column("updated_at", sa.BigInteger()),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("pull_number", sa.Integer()),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("branch_kind", sa.SmallInteger(), nullable=False),
        sa.Column("jobs_known", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_key", "run_id", "attempt", name="triage_run_key"),
    )
    op.create_index("triage_run_by_age", "triage_run", ["created_at"])
    op.create_index(
        "triage_run_by_branch", "triage_run", ["repository_key", "branch_kind", "workflow_path", "created_at"]
    )


def _make_signature() -> None:
    op.create_table(
        "triage_signature",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("parts", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_key", "version", "digest", name="triage_signature_key"),
    )


def _make_test() -> None:
    op.create_table(
        "triage_test",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_key", "digest", name="triage_test_key"),
    )


def _make_job() -> None:
    op.create_table(
        "triage_job",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("repository_key", _ID, nullable=False),
        sa.Column("run_key", _ID, nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.Text()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("runner", sa.Text()),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger()),
        sa.Column("started_at", sa.BigInteger()),
        sa.Column("completed_at", sa.BigInteger()),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("check_run_id", sa.BigInteger()),
        sa.ForeignKeyConstraint(["repository_key"], ["triage_repository.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_key"], ["triage_run.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("repository_key", "job_id", name="triage_job_key"),
    )
    op.create_index("triage_job_by_run", "triage_job", ["run_key"])


def _make_failure() -> None:
    op.create_table(
        "triage_failure",
        sa.Column("job_key", _ID, nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("log_state", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text()),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.Column("failed_step", sa.Text()),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("tests_run", sa.Integer()),
        sa.Column("tests_passed", sa.Integer()),
        sa.ForeignKeyConstraint(["job_key"], ["triage_job.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_key", name="triage_failure_key"),
    )


def _make_sighting() -> None:
    op.create_table(
        "triage_sighting",
        sa.Column("signature_key", _ID, nullable=False),
        sa.Column("branch_kind", sa.SmallInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("job_key", _ID, nullable=False),
        sa.ForeignKeyConstraint(["job_key"], ["triage_job.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["signature_key"], ["triage_signature.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("signature_key", "branch_kind", "at", "job_key", name="triage_sighting_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("triage_sighting_by_job", "triage_sighting", ["job_key"])


def _make_test_result() -> None:
    op.create_table(
        "triage_test_result",
        sa.Column("test_key", _ID, nullable=False),
        sa.Column("branch_kind", sa.SmallInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("job_key", _ID, nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("signature_key", _ID),
        sa.ForeignKeyConstraint(["job_key"], ["triage_job.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["signature_key"], ["triage_signature.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["test_key"], ["triage_test.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("test_key", "branch_kind", "at", "job_key", name="triage_test_result_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("triage_test_result_by_job", "triage_test_result", ["job_key"])
    op.create_index("triage_test_result_by_signature", "triage_test_result", ["signature_key"])
