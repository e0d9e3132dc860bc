# PowerAuth Lab. `make` lists the targets; each installs what is missing, builds, and does its job.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help packages build tools run examples test test-tsan test-asan coverage check-manuals samples docs bench fuzz fuzz-api soak explore mutants mutants-random test-page pictures test-reports test-slurm test-container \
	install dist deb test-install lint format clean

SWIFT ?= swift
# The manifest is the truth about imports.
CHECKED := --explicit-target-dependency-import-check error
# Packages of their own, so that building the lab never needs them.
TOOLS := $(addprefix Tools/,Benchmarks Fuzzing Manuals Mutants)
EXAMPLES := $(addprefix Examples/,BankApp ForeignApp)
# The other folders are targets of this package, or hold no Swift.
PROGRAMS := $(filter-out $(TOOLS),$(wildcard Tools/*))
# Peers start faster and smaller with the Swift runtime linked statically. Debugging happens in the other build.
RELEASE := -c release --static-swift-stdlib -debug-info-format none $(CHECKED)
SWIFT_SOURCES := Package.swift Sources Tests $(PROGRAMS) \
	$(foreach side,$(TOOLS) $(EXAMPLES),$(side)/Package.swift $(side)/Sources) \
	Tools/Manuals/Surroundings Tools/Mutants/Tests $(addsuffix /Tests,$(EXAMPLES))
# The modules that `make docs` builds a reference of: the library products for users.
DOCUMENTED := PowerAuth2 PowerAuthSDK2 PowerAuth2ForExtensions PowerAuth2ForWatch WultraPowerAuthNetworking WultraMobileTokenSDK UserNotifications LabApp LabTesting
# Tests at a time: the runner would start hundreds together, and a request waits for one of the cores longer than the
# SDK's own time limit.
TEST_WIDTH := --experimental-maximum-parallelization-width $(shell echo $$((3 * $$(nproc))))
# The page of the last `make run`, which `make test-page` looks at.
CATALOGUE_PAGE := .build/catalogue-page
# Seconds `make fuzz` spends on each parser.
FUZZ_SECONDS ?= 20
# Requests `make fuzz-api` makes of each resource.
FUZZ_EXAMPLES ?= 25
FUZZING := --package-path Tools/Fuzzing -c release --sanitize fuzzer
# Where `make install` installs. Packagers set DESTDIR, which is put in front of it.
PREFIX ?= /usr/local
DESTDIR ?=
# Seconds `make soak` takes; its seed, drawn and printed when empty; a single cell of the kill matrix.
SOAK_SECONDS ?= 600
SOAK_SEED ?=
CELL ?=
# The greatest numbers of preemptions and deaths in the orders of `make explore`, its time, divided among all scenarios, and
# the seed of every order.
EXPLORE_PREEMPTIONS ?= 2
EXPLORE_DEATHS ?= 1
EXPLORE_TIME ?= 10m
EXPLORE_SEED ?= 1
# Mistakes that `make mutants-random` draws from each seed; QUICK=1 takes one module and its tests only.
COUNT ?= 60
SEED ?= 1
MANUALS := --manuals ../shared/seeds --build .build --sources Sources/System --surroundings Tools/Manuals/Surroundings \
	--table docs/manual-samples.md

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages:
	@Tools/scripts/install-packages

build: packages ## Build the lab in release
	@$(SWIFT) build $(RELEASE) --product lab
	@$(SWIFT) build $(RELEASE) --product device-agent
	@Tools/scripts/name-programs "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

# The programs that measure and kill, too.
tools: packages
	@$(SWIFT) build $(RELEASE)

run: build ## Run every scenario of the catalogue and show the result
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab" run Scenarios \
		--report html=$(CATALOGUE_PAGE)

examples: build ## Build and run Examples/BankApp and Examples/ForeignApp as packages outside of the lab
	@SWIFT=$(SWIFT) Tools/scripts/run-examples "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

test: packages ## Run all tests
	@$(SWIFT) build $(CHECKED) --build-tests
	@Tools/scripts/run-tests .build $(TEST_WIDTH)

test-tsan: packages ## Run all tests under Thread Sanitizer
	@SWIFT=$(SWIFT) Tools/scripts/test-sanitized thread .build-tsan $(TEST_WIDTH)

test-asan: packages ## Run all tests under Address Sanitizer
	@SWIFT=$(SWIFT) Tools/scripts/test-sanitized address .build-asan $(TEST_WIDTH)

test-page: build ## Use the page of real runs in a headless Chromium; screenshots go to .build/page-screenshots
	@Tools/scripts/test-page "$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab" .build/page-screenshots \
		$(CATALOGUE_PAGE)

pictures: build ## Make the pictures of README and docs from real runs, into docs/pictures
	@Tools/scripts/pictures "$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab" docs/pictures

test-reports: build ## Let xmllint, two JUnit parsers and prove read the reports of real runs
	@Tools/scripts/install-packages reports
	@Tools/scripts/test-reports "$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab"

test-slurm: build ## Play Examples/ci/slurm.sh with a Slurm of its own, as root (docs/ci.md)
	@Tools/scripts/install-packages slurm
	@Tools/scripts/test-slurm "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

coverage: packages ## Count what the tests reach, by module, into docs/coverage.md
	@SWIFT=$(SWIFT) Tools/scripts/coverage $(TEST_WIDTH)

check-manuals: samples ## Type-check every Swift sample of the SDKs' manuals (docs/manual-samples.md)
	@$(SWIFT) run --package-path Tools/Manuals check-manuals $(MANUALS)

install: build ## Install below PREFIX=/usr/local (docs/install.md)
	@Tools/scripts/install-packages installing
	@Tools/scripts/stage "$$($(SWIFT) build $(RELEASE) --show-bin-path)" "$(DESTDIR)$(PREFIX)"
	@echo "installed: $(PREFIX)/bin/lab"

dist: build ## Make an archive of the installation, in .build/dist
	@Tools/scripts/install-packages packaging
	@Tools/scripts/package archive "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

deb: build ## Make a Debian package, in .build/dist
	@Tools/scripts/install-packages packaging
	@Tools/scripts/package deb "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

test-install: build ## Install into a folder and use that as another user
	@Tools/scripts/install-packages packaging
	@Tools/scripts/test-install "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

test-container: ## Build the image of the Containerfile and use it, with docker or podman
	@Tools/scripts/test-container

# What the samples are compiled against.
samples: packages
	@$(SWIFT) build --target PowerAuth2
	@$(SWIFT) build --target PowerAuth2ForExtensions
	@$(SWIFT) build --target UIKit
	@$(SWIFT) build --target WultraMobileTokenSDK

# Not every parameter of the protocol and the core has its own line, so their warnings are shown only.
docs: packages ## Build the reference of the library products; an unresolved link is an error
	@LAB_DOCS=1 $(SWIFT) package generate-documentation $(addprefix --target ,$(DOCUMENTED)) --warnings-as-errors
	@LAB_DOCS=1 $(SWIFT) package generate-documentation --target PowerAuthProtocol --target PowerAuthCore

bench: tools ## Measure protocol and server against raw baselines (docs/benchmarks.md)
	@$(SWIFT) run --package-path Tools/Benchmarks -c release benchmarks
	@$(SWIFT) run --package-path Tools/Benchmarks -c release server-load \
		"$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab-server"
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/link-load"
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/launch-load"
	@Tools/scripts/bench-suite "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

fuzz: packages ## Search every parser for broken rules, FUZZ_SECONDS=20 each
	@$(SWIFT) build $(FUZZING)
	@Tools/scripts/fuzz "$$($(SWIFT) build $(FUZZING) --show-bin-path)/fuzz" $(FUZZ_SECONDS)

fuzz-api: packages ## Call every resource as its description says and as it does not, FUZZ_EXAMPLES=25 each
	@$(SWIFT) build --product lab-server
	@Tools/scripts/fuzz-api "$$($(SWIFT) build --show-bin-path)/lab-server" $(FUZZ_EXAMPLES)

soak: tools ## Kill the server and apps at every fault point, then at random, SOAK_SECONDS=600 (docs/soak.md)
	@Tools/scripts/soak "$$($(SWIFT) build $(RELEASE) --show-bin-path)" "$(SOAK_SECONDS)" "$(SOAK_SEED)" "$(CELL)"

explore: build ## Explore pairs of operations of two apps and known defects, EXPLORE_TIME=10m (docs/explore-proof.md)
	@Tools/scripts/explore-proof "$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab" "$(EXPLORE_PREEMPTIONS)" \
		"$(EXPLORE_DEATHS)" "$(EXPLORE_TIME)" "$(EXPLORE_SEED)"

mutants: packages ## Make known mistakes in a copy and see the tests fail, ONLY=PowerAuthCore for a part
	@SWIFT=$(SWIFT) $(SWIFT) run --package-path Tools/Mutants mutants $(ONLY)

mutants-random: packages ## Draw mistakes from all modules and measure how many the tests notice, COUNT=60 SEED=1,2,3
	@SWIFT=$(SWIFT) $(SWIFT) run --package-path Tools/Mutants mutants $(if $(QUICK),quick,random) $(COUNT) $(SEED) $(ONLY)

lint: ## Check the format of every Swift file
	@$(SWIFT) format lint --strict --recursive $(SWIFT_SOURCES)

format: ## Format every Swift file
	@$(SWIFT) format --in-place --recursive $(SWIFT_SOURCES)

clean: ## Remove everything that was built or recorded
	@rm -rf .build .build-tsan .build-asan .build-coverage .build-mutants .lab $(addsuffix /.build,$(TOOLS) $(EXAMPLES))
