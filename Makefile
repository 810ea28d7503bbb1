# What a newcomer types: `make` lists it. Only Python 3.11+, make and git are needed; the rest goes into .venv.

PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.made-from-lock

# official files to bring (make run), and which tests (make test)
CORPUS  ?=
MARKERS ?= not slow and not browser

export CORPUS MARKERS
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export DO_NOT_TRACK := 1
export DVC_NO_ANALYTICS := 1
export MLFLOW_DISABLE_TELEMETRY := true
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.DEFAULT_GOAL := help
.PHONY: help run test lint graph bench figures pages serve

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(READY) ## reproduce the whole graph on the sample corpus, or on the official files in CORPUS=folder
	@python -m flows.reproduce --corpus "$$CORPUS"

test: $(READY) ## all tests but the slow ones; MARKERS="" runs those too
	@python -m pytest -m "$$MARKERS"

lint: $(READY) ## ruff, and mypy on src
	@ruff check . && ruff format --check . && mypy

graph: $(READY) ## write into dvc.yaml which code and libraries each stage depends on
	@python -m tasks.code_lists

bench: $(READY) ## measure speed side by side, and write docs/benchmarks.md
	@python -m benchmarks

figures: $(READY) ## fill the docs with the figures of the run in data/, or as FROM=folder says
	@python -m docs.measured "$${FROM:-data}"

pages: $(READY) ## open the Prefect and MLflow pages
	@python -m flows.pages

serve: $(READY) ## reproduce on a schedule: every night at three, or as CRON="0 3 * * *" says
	@python -m flows.serve --cron "$${CRON:-0 3 * * *}"

# made again whenever the lock changes
$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, but $(PYTHON) is " + sys.version.split()[0] + ": name another with PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@
