# make demo   install, train on an embedded sample, translate, and compare models
# make test   install and run everything that CI runs: lint, types, tests
# make check  the same as make test
# make lock   resolve the versions in constraints.txt anew (needs uv)
# make clean  remove the virtual environment and all caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
comma := ,
UV := $(shell command -v uv 2>/dev/null)
FOUNDATION := pyproject.toml constraints.txt Makefile
# Python keeps what it compiles: tests start the program hundreds of times.
unexport PYTHONDONTWRITEBYTECODE
BUILD_TOOLS := cmake editables hatchling setuptools wheel # for us and for kenlm, pinned as well

.PHONY: demo test check lock clean

demo: $(VENV)/installed
	$(BIN)/hyperbaton demo

test: $(VENV)/installed-test $(VENV)/compiled
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: test

lock:
	printf '%s\n' $(BUILD_TOOLS) | uv pip compile --universal --all-extras --no-annotate \
		--no-header --upgrade pyproject.toml - -o constraints.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
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
	$(call install,.)
	touch $@

$(VENV)/installed-test: $(VENV)/created $(FOUNDATION)
	@echo "installing into $(VENV); compiling kenlm can take a minute or two"
	$(call install,.[test$(comma)align])
	touch $@ $(VENV)/installed

$(VENV)/compiled: $(VENV)/installed
	$(BIN)/hyperbaton compile
	touch $@

ifdef UV
install = uv pip install --quiet --python $(BIN)/python --constraint constraints.txt \
	--build-constraint constraints.txt --editable '$(1)'
else
install = PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(1)'
endif
