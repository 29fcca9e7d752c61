# make run | test | lint | types | floors | format | test-long | bench | pins | clean
# Needs Python 3.11 or newer and make; everything else goes into .venv, which is made once and
# refreshed when pyproject.toml or constraints.txt changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

# What `make run` starts: the live table with its demonstration fights; LANG_=ru starts it in Russian.
RUN ?= table --demo --db sqlite:///gambeson.db --lang $(or $(LANG_),en)
# More for pytest: make test PYTEST_FLAGS="-n 2 -k pokrovy"
PYTEST_FLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help run test lint types floors format test-long bench pins clean

help:
	@sed -n '1,3s/^# //p' Makefile

# The stamp is written last: an installation that broke off is made again.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "gambeson needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 || \
	    { rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); } || \
	    { rm -rf $(VENV); \
	      echo "'$(PYTHON) -m venv' does not work here. On Debian and Ubuntu: apt install python3-venv;" >&2; \
	      echo "or name another Python: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@echo "Putting what gambeson needs into $(VENV); this is done once and takes a few minutes."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cli,table,postgres,simulate,dev]'
	@touch $(STAMP)

run: $(STAMP)
	@$(BIN)/gambeson $(RUN)

# In this order, the quickest first; the closing line is pytest's.
test: lint types floors
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

floors: $(STAMP)
	$(BIN)/lint-imports --no-logo

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test-long: $(STAMP)
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "long or not long" $(PYTEST_FLAGS)

bench: $(STAMP)
	@set -e; for bench in benchmarks/*.py; do \
	    test -e "$$bench" || { echo "no benchmarks yet"; exit 0; }; \
	    echo "== $$bench"; $(BIN)/python "$$bench"; \
	done

# Resolves afresh, without the old pins, in an environment of its own.
pins:
	rm -rf $(VENV)-pins
	$(PYTHON) -m venv $(VENV)-pins
	$(VENV)-pins/bin/python -m pip install --quiet --disable-pip-version-check -e '.[cli,table,postgres,simulate,dev]'
	@head -n 1 constraints.txt > constraints.new
	$(VENV)-pins/bin/python -m pip freeze --exclude-editable >> constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)-pins

clean:
	rm -rf $(VENV) $(VENV)-pins build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
