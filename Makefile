# make demo   install, train on an embedded sample, translate, and compare models
# make test   install and run everything that CI runs: lint, types, tests
# make check  the same as make test
# make docs   build the documentation as a website in site/
# make docs-serve   serve it at http://127.0.0.1:8000, and reload after changes
# make lock   resolve the versions in constraints.txt and .ci/locked.txt again (needs uv)
# make release-check   build a release, install it into an empty environment and test it
# make clean  remove the virtual environment and all caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
LOCKED := .ci/locked.txt
FOUNDATION := pyproject.toml constraints.txt $(LOCKED) Makefile
# Keep Python's bytecode: tests start the program hundreds of times.
unexport PYTHONDONTWRITEBYTECODE
BUILD_TOOLS := cmake editables hatchling setuptools wheel # for hyperbaton and kenlm; also pinned

.PHONY: demo test types check docs docs-serve lock release-check clean

demo: $(VENV)/installed
	$(BIN)/hyperbaton demo

# Types are checked while the last code is compiled. Three processes for two cores, because some
# tests wait.
test: $(VENV)/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(MAKE) --jobs 2 types $(VENV)/compiled
	$(BIN)/python -m pytest -n 3 --dist worksteal

types: $(VENV)/installed-test
	$(BIN)/mypy

check: test

docs: $(VENV)/installed-docs
	$(BIN)/mkdocs build --strict

docs-serve: $(VENV)/installed-docs
	$(BIN)/mkdocs serve

lock:
	printf '%s\n' $(BUILD_TOOLS) | uv pip compile --universal --all-extras --no-annotate \
		--no-header --upgrade pyproject.toml - -o constraints.txt
	printf '%s\n' $(BUILD_TOOLS) | uv pip compile --universal --extra test --extra align \
		--no-annotate --no-header --generate-hashes --constraint constraints.txt \
		pyproject.toml - -o $(LOCKED)

release-check: $(VENV)/installed-test
	.ci/release $(BIN)/python

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps are written last, so an interrupted installation starts again.
$(VENV)/created:
ifdef UV
	uv venv --quiet --clear --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv --clear $(VENV)
endif
	touch $@

$(VENV)/installed: $(VENV)/created $(FOUNDATION)
	@echo "installing into $(VENV); compiling kenlm can take a minute or two"
	$(install) --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/created $(FOUNDATION)
	@echo "installing into $(VENV); compiling kenlm can take a minute or two"
	$(install_locked)
	touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/created $(FOUNDATION)
	$(install) --editable '.[docs]'
	touch $@

$(VENV)/compiled: $(VENV)/installed
	$(BIN)/hyperbaton compile
	touch $@

ifdef UV
install = uv pip install --quiet --python $(BIN)/python --constraint constraints.txt \
	--build-constraint constraints.txt
else
install = PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check
endif
# Every downloaded file must have a known hash; the build of hyperbaton uses these pinned tools.
install_locked = $(install) --require-hashes --requirement $(LOCKED) && \
	$(install) --no-deps --no-build-isolation --editable .
