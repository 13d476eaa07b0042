"""How the tables came to be, version by version; alembic runs them when a store is opened."""
