# What a contributor expects; `make setup` first.  .ci/run does all of it from a clean checkout.
BIN := $(if $(wildcard .venv/bin/python),.venv/bin/)
PYTHON := $(BIN)python

.PHONY: all setup test nightly lint types docs bench accept corpus proto verdicts caffe

all: test lint types docs

setup:
	tools/setup.sh dev

test:
	$(BIN)pytest -n auto --dist loadfile

nightly:  # fresh seeds, larger samples, and the tests that take long
	CAFFELINT_SEED=random $(BIN)pytest -n auto --dist loadfile

lint:
	$(BIN)ruff check .
	$(BIN)lint-imports

types:
	$(BIN)mypy

docs:
	$(PYTHON) tools/docs.py

bench:  # make bench DIR=folder
	$(PYTHON) tools/bench.py $(or $(DIR),fixtures)
	$(PYTHON) tools/bench_curves.py

accept:
	$(PYTHON) tools/accept.py --update

corpus:  # make corpus DIR=folder
	$(PYTHON) tools/corpus.py $(DIR)

proto:
	$(PYTHON) tools/build_proto.py

verdicts:
	$(PYTHON) tools/record_verdicts.py

caffe:
	tools/install_caffe.sh
