# The commands of the project: `make` lists them. Only Python 3.11+, make and git are needed; the rest goes into .venv.

PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.made-from-lock
LM     := $(VENV)/.made-from-lm-lock

# official files to bring (make run); which tests, and in how many processes (make test)
CORPUS  ?=
MARKERS ?= not slow and not browser
WORKERS ?= 0

export CORPUS MARKERS WORKERS
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export DO_NOT_TRACK := 1
export DVC_NO_ANALYTICS := 1
export MLFLOW_DISABLE_TELEMETRY := true
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.DEFAULT_GOAL := help
.PHONY: help ready lm run test lint graph bench figures pages serve

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

ready: ## make .venv from the lock, which every other command does too
	@if $(MAKE) --question $(READY); then echo "$(VENV) has all of requirements.lock: nothing to install"; \
	else $(MAKE) --no-print-directory $(READY); fi

lm: ## add to .venv what reads language models in GGUF files and trains adapters, and a small model
	@if $(MAKE) --question $(LM); then echo "$(VENV) has all of requirements-lm.lock: nothing to install"; \
	else $(MAKE) --no-print-directory $(LM); fi

run: $(READY) ## reproduce the whole graph on the sample corpus, or on the official files in CORPUS=folder
	@python -m flows.reproduce --corpus "$$CORPUS"

test: $(READY) ## all tests but the slow ones; MARKERS="" runs those too, WORKERS=2 in two processes
	@python -m pytest -m "$$MARKERS" -n "$$WORKERS" --dist loadfile --no-loadscope-reorder

lint: $(READY) ## ruff, and mypy on src
	@ruff check . && ruff format --check . && mypy

graph: $(READY) ## write into dvc.yaml which code and libraries each stage depends on
	@python -m tasks.code_lists

bench: $(READY) ## measure speed side by side and write docs/benchmarks.md
	@python -m benchmarks

figures: $(READY) ## fill the docs with the values of the run in data/, or of the one in FROM=folder
	@python -m docs.measured "$${FROM:-data}"

pages: $(READY) ## open the Prefect and MLflow pages, until Ctrl-C
	@python -m flows.pages

serve: $(READY) ## reproduce every night at three, or at the times of CRON="0 3 * * *"
	@python -m flows.serve --cron "$${CRON:-0 3 * * *}"

# made again whenever the lock changes
$(READY): requirements.lock
	@$(PYTHON) tasks/set_up.py $(VENV) requirements.lock
	@$(VENV)/bin/python -m tasks.plots_page
	@touch $@

# added again whenever one of the locks changes
$(LM): requirements-lm.lock $(READY)
	@$(PYTHON) tasks/set_up.py $(VENV) requirements-lm.lock --add
	@touch $@
