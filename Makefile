# Everything a person or CI does here, by one word each. Needs make, a C library and
# Python 3.11 or newer; the rest comes from the locks in requirements/ (with hashes) and, for
# the tests, from Debian's packages (tests/services/install.sh).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PACKAGES := analysis barograph collector runner store ui

PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet

# Wheels only: where there is no compiler, a source package would fail half-way. The locks are
# complete, so nothing is resolved; byte code is made when it is first needed.
LOCKED := $(PIP) install --require-hashes --only-binary :all: --no-deps --no-compile

# What must not run beside another test; tests/conftest.py marks it by folder.
SERIAL := serial or vm

# Byte code is made once, where it is first needed, whatever the shell says: without it each of
# the thousand processes that the tests start compiles all that it imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo install test check lint types imports repo parallel serial services bench lock clean

# List the targets with the comment above each.
help:
	@awk '/^# /{said=substr($$0,3); next} /^[a-z]+:/{split($$1,t,":"); if(said) printf "make %-10s %s\n", t[1], said} {said=""}' $(firstword $(MAKEFILE_LIST))

# Run a real sweep at six memory ceilings and say what they did to the score (needs root).
demo: $(STAMPS)/run
	$(BIN)/barograph demo

# Make .venv with what the program and its tests need.
install: $(STAMPS)/dev

# Everything that CI runs: the checks, then every test.
test: check parallel serial

# The gate: lint, format, both type checkers, import contracts, the rules on the repository.
check: lint types imports repo

# Ruff, every rule but those that pyproject.toml gives a reason against, and the format.
lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy strict and pyright strict.
types: $(STAMPS)/dev
	$(BIN)/mypy
	$(BIN)/basedpyright

# Who may import whom, and the one home of each third-party client.
imports: $(STAMPS)/dev
	$(BIN)/lint-imports --no-cache

# Sizes, documents, locks and the other rules that only a test can hold.
repo: $(STAMPS)/dev
	$(BIN)/pytest -q tests/repo

# The tests that may share the machine, on two cores.
parallel: $(STAMPS)/dev
	$(BIN)/pytest -n 2 --dist loadgroup --ignore tests/repo -m "not ($(SERIAL))"

# The tests that want the machine to themselves: real kernel, whole sweeps, virtual machine.
serial: $(STAMPS)/dev services
	$(BIN)/pytest --ignore tests/repo -m "$(SERIAL)"

# Install by apt what the tests need and this machine lacks.
services:
	sh tests/services/install.sh

# Measure what README and docs state; results with their commands go to bench/results.
bench: $(STAMPS)/dev
	$(BIN)/python -m bench

# Resolve the locks after a change of pyproject.toml; UPGRADE=--upgrade takes newer versions.
lock: $(STAMPS)/lock
	$(COMPILE) pyproject.toml --all-extras --group build -o requirements/run.lock
	$(COMPILE) pyproject.toml --all-extras --group dev -c requirements/run.lock -o requirements/dev.lock
	$(COMPILE) --group lock -o requirements/tools.lock
	$(COMPILE) --group peers -o requirements/peers.lock

# Remove what was made here: environment, caches, data of the demo.
clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist barograph-data barograph-demo
	find $(PACKAGES) tests bench examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# One lock for every Python that we support; no index address, so that any mirror serves.
COMPILE := $(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-annotate --custom-compile-command "make lock" $(UPGRADE)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: say PYTHON=/path/to/python3.11" >&2; exit 4; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "$(PYTHON) -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 4; }

# A stamp is newer than its lock: nothing is installed again until the lock changes.
$(STAMPS)/run: requirements/run.lock pyproject.toml | $(BIN)/pip
	$(LOCKED) -r requirements/run.lock
	$(PIP) install --no-deps --no-index --no-build-isolation --editable .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: requirements/dev.lock $(STAMPS)/run
	$(LOCKED) -r requirements/dev.lock
	@touch $@

$(STAMPS)/lock: requirements/tools.lock
	@$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip --disable-pip-version-check --quiet install \
		--require-hashes --only-binary :all: -r requirements/tools.lock
	@mkdir -p $(STAMPS) && touch $@
