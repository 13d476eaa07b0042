"""What alembic runs: the migrations, on the connection and in the transaction that the store gives."""

from alembic import context

from triage.history.store.schema import metadata
from triage.history.store.upgrade import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
