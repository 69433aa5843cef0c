# What a contributor expects; `make setup` first.  .ci/run does all of it from a clean checkout.
BIN := $(if $(wildcard .venv/bin/python),.venv/bin/)
PYTHON := $(BIN)python

.PHONY: all setup test nightly lint types docs site serve bench gpu accept browser pictures corpus proto verdicts caffe vscode wheel sbom

all: test lint types docs

setup:
	tools/setup.sh dev

test:
	$(BIN)pytest -n auto --dist loadfile

nightly:  # fresh seeds, larger samples, the tests that take long, and whether the last commit costs 5 % more time
	CAFFELINT_SEED=random $(BIN)pytest -n auto --dist loadfile
	$(PYTHON) tools/bench_parent.py

lint:
	$(BIN)ruff check .
	$(BIN)lint-imports

types:
	$(BIN)mypy

docs:
	$(PYTHON) tools/docs.py

site:  # the documentation as a site, in build/site; links are checked
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

serve:  # the site at http://127.0.0.1:8000, written anew with each change
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs serve

bench:  # make bench DIR=folder; adds to bench.jsonl, and draws docs/pictures/bench.svg
	$(PYTHON) tools/bench.py $(or $(DIR),fixtures)
	$(PYTHON) tools/bench_curves.py
	$(PYTHON) tools/bench_history.py

gpu:  # all that needs a GPU; writes docs/gpu.md, or says in one line that there is none
	$(PYTHON) tools/gpu.py

accept:
	$(PYTHON) tools/accept.py --update

browser:  # pages in Chromium, which has to be installed, as has npm
	$(PYTHON) -m pip install -q playwright
	npm install --silent --prefix .cache/npm axe-core
	CAFFELINT_SEED=random $(BIN)pytest tests/page/test_browser.py

pictures:  # those of docs/report.md and docs/editors.md
	$(PYTHON) tools/page_pictures.py
	$(PYTHON) tools/editor_pictures.py

corpus:  # make corpus DIR=folder
	$(PYTHON) tools/corpus.py $(DIR)

proto:
	$(PYTHON) tools/build_proto.py

verdicts:
	$(PYTHON) tools/record_verdicts.py

caffe:
	tools/install_caffe.sh

vscode:  # editors/vscode/caffelint.vsix, the extension; needs Node.js
	cp LICENSE editors/vscode/
	cd editors/vscode && npm ci --no-audit && npm run compile
	cd editors/vscode && PATH="$(CURDIR)/$(BIN):$$PATH" npm test
	cd editors/vscode && npm run package

wheel:  # the same to the byte wherever the commit is checked out with umask 022; the time in it is the commit's
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(PYTHON) -m build

sbom: wheel  # dist/caffelint.cdx.json: what is installed with the wheel, in CycloneDX
	$(PYTHON) -m venv --clear --without-pip build/sbom
	$(PYTHON) -m pip -q --python build/sbom/bin/python install dist/*.whl
	$(PYTHON) -m cyclonedx_py environment --output-reproducible -o dist/caffelint.cdx.json build/sbom/bin/python
