# Two commands: `make demo` triages a recorded pull request without network or token, `make test` runs every check.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check lint types layers pytest lock clean

demo: .venv/core
	@$(BIN)/triage pr 39471 --recorded tests/fixtures/runs/case-a

test check: lint types layers pytest

lint: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

pytest: .venv/dev
	$(BIN)/python -m pytest -n auto

# Hashes, and no index address: whatever index a machine uses, only these files are installed.
.venv/core: requirements/core.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	test -f .venv/dev || $(BIN)/python -m pip install -q --require-hashes --only-binary :all: -r requirements/core.txt
	test -f .venv/dev || $(BIN)/python -m pip install -q --no-deps -e .
	@touch $@

.venv/dev: requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --require-hashes --only-binary :all: -r requirements/dev.txt
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@ .venv/core

lock:
	uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/core.txt
	uv pip compile -q pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/dev.txt

clean:
	rm -rf .venv
