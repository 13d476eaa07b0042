"""The tables. What a migration makes must be equal to this; a test compares the two.

Every row belongs to one repository, and every question names one: repositories are never mixed. Names are prefixed,
because a team's PostgreSQL may hold other things too. Times are whole seconds since 1970, UTC. What may be of any
length is found by its digest: PostgreSQL indexes no text beyond 2,700 bytes.

    repository ─┬─ run ── job ─┬─ failure                 what broke in a red job
                │              ├─ sighting ── signature   which signatures it shows
                │              └─ test_result ── test     what came of its tests
                ├─ feedback                               what people said of verdicts
                └─ kept                                   answers that need not be asked for again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

if TYPE_CHECKING:
    from typing import Any

metadata = MetaData()

# SQLite only counts up a column that is exactly INTEGER, which there holds 64 bits.
_Id = BigInteger().with_variant(Integer, "sqlite")


def _id() -> Column[Any]:
    return Column("id", _Id, primary_key=True, autoincrement=True)


def _of(table: str, *, nullable: bool = False) -> Column[Any]:
    return Column(f"{table}_key", _Id, ForeignKey(f"triage_{table}.id", ondelete="CASCADE"), nullable=nullable)


def _text(name: str) -> Column[Any]:
    return Column(name, Text, nullable=False)


def _time(name: str, *, nullable: bool = True) -> Column[Any]:
    return Column(name, BigInteger, nullable=nullable)


repository = Table(
    "triage_repository",
    metadata,
    _id(),
    _text("host"),
    _text("full_name"),
    _text("default_branch"),
    Column("private", Boolean, nullable=False),
    UniqueConstraint("host", "full_name", name="triage_repository_key"),
)

run = Table(
    "triage_run",
    metadata,
    _id(),
    _of("repository"),
    Column("run_id", BigInteger, nullable=False),
    Column("attempt", Integer, nullable=False),
    _text("workflow"),
    _text("workflow_path"),
    _text("event"),
    _text("head_sha"),
    _text("head_branch"),
    _text("head_repository"),
    Column("head_repository_id", BigInteger),
    _text("status"),
    Column("conclusion", Text),
    _text("url"),
    _time("created_at"),
    _time("started_at"),
    _time("updated_at"),
    _text("actor"),
    Column("pull_number", Integer),
    _text("author"),
    Column("branch_kind", SmallInteger, nullable=False),
    Column("jobs_known", Boolean, nullable=False),
    UniqueConstraint("repository_key", "run_id", "attempt", name="triage_run_key"),
    Index("triage_run_by_branch", "repository_key", "branch_kind", "workflow_path", "created_at"),
    Index("triage_run_by_age", "created_at"),
)

job = Table(
    "triage_job",
    metadata,
    _id(),
    _of("repository"),
    _of("run"),
    Column("job_id", BigInteger, nullable=False),
    _text("name"),
    _text("status"),
    Column("conclusion", Text),
    _text("url"),
    Column("runner", Text),
    _text("labels"),
    _time("created_at"),
    _time("started_at"),
    _time("completed_at"),
    _text("steps"),
    Column("check_run_id", BigInteger),
    UniqueConstraint("repository_key", "job_id", name="triage_job_key"),
    Index("triage_job_by_run", "run_key"),
)

failure = Table(
    "triage_failure",
    metadata,
    _of("job"),
    _text("reader"),
    _text("fault"),
    _text("log_state"),
    _text("title"),
    Column("rule", Text),
    _text("excerpt"),
    Column("failed_step", Text),
    Column("whole", Boolean, nullable=False),
    Column("tests_run", Integer),
    Column("tests_passed", Integer),
    PrimaryKeyConstraint("job_key", name="triage_failure_key"),
)

signature = Table(
    "triage_signature",
    metadata,
    _id(),
    _of("repository"),
    Column("version", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    _text("kind"),
    _text("parts"),
    UniqueConstraint("repository_key", "version", "digest", name="triage_signature_key"),
)

# The one table that grows large, and the question asked most. Its key is the index of that question, and in SQLite the
# table itself. A signature belongs to one repository, so the repository need not be in it.
sighting = Table(
    "triage_sighting",
    metadata,
    _of("signature"),
    Column("branch_kind", SmallInteger, nullable=False),
    _time("at", nullable=False),
    _of("job"),
    PrimaryKeyConstraint("signature_key", "branch_kind", "at", "job_key", name="triage_sighting_key"),
    Index("triage_sighting_by_job", "job_key"),
    sqlite_with_rowid=False,
)

test = Table(
    "triage_test",
    metadata,
    _id(),
    _of("repository"),
    Column("digest", LargeBinary, nullable=False),
    _text("name"),
    UniqueConstraint("repository_key", "digest", name="triage_test_key"),
)

test_result = Table(
    "triage_test_result",
    metadata,
    _of("test"),
    Column("branch_kind", SmallInteger, nullable=False),
    _time("at", nullable=False),
    _of("job"),
    Column("outcome", Text),
    _of("signature", nullable=True),
    PrimaryKeyConstraint("test_key", "branch_kind", "at", "job_key", name="triage_test_result_key"),
    Index("triage_test_result_by_job", "job_key"),
    Index("triage_test_result_by_signature", "signature_key"),
    sqlite_with_rowid=False,
)

kept = Table(
    "triage_kept",
    metadata,
    _of("repository"),
    Column("digest", LargeBinary, nullable=False),
    _time("at", nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("repository_key", "digest", name="triage_kept_key"),
    Index("triage_kept_by_age", "at"),
)

feedback = Table(
    "triage_feedback",
    metadata,
    _id(),
    _of("repository"),
    Column("comment_id", BigInteger, nullable=False),
    _time("at", nullable=False),
    _text("by"),
    _text("says"),
    Column("pull_number", Integer, nullable=False),
    _text("head_sha"),
    Column("run_id", BigInteger, nullable=False),
    Column("job_id", BigInteger, nullable=False),
    _text("job_name"),
    _text("category"),
    Column("right", Text),
    _text("reason"),
    UniqueConstraint("repository_key", "comment_id", name="triage_feedback_key"),
    Index("triage_feedback_by_age", "repository_key", "at"),
)
