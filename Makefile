# PowerAuth Lab. `make` lists the targets; each installs what is missing, builds, and does its job.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help packages build run test bench fuzz lint format clean

SWIFT ?= swift
# Peers start faster and smaller with the Swift runtime linked statically.
RELEASE := -c release --static-swift-stdlib
SWIFT_SOURCES := Package.swift Sources Tests $(foreach side,Benchmarks Fuzzing,$(side)/Package.swift $(side)/Sources)
# Seconds `make fuzz` spends on each parser.
FUZZ_SECONDS ?= 20
FUZZING := --package-path Fuzzing -c release --sanitize fuzzer

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages:
	@scripts/install-packages

build: packages ## Build the lab in release
	@$(SWIFT) build $(RELEASE)

run: build ## Run every scenario of the catalogue and show the result
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/lab" run Scenarios

test: packages ## Run all tests
	@$(SWIFT) build --build-tests
	@$(SWIFT) test --skip-build

bench: packages ## Measure the protocol against raw OpenSSL (docs/benchmarks.md)
	@$(SWIFT) run --package-path Benchmarks -c release benchmarks

fuzz: packages ## Search every parser for broken rules, FUZZ_SECONDS=20 each
	@$(SWIFT) build $(FUZZING)
	@scripts/fuzz "$$($(SWIFT) build $(FUZZING) --show-bin-path)/fuzz" $(FUZZ_SECONDS)

lint: ## Check the format of every Swift file
	@$(SWIFT) format lint --strict --recursive $(SWIFT_SOURCES)

format: ## Format every Swift file
	@$(SWIFT) format --in-place --recursive $(SWIFT_SOURCES)

clean: ## Remove everything that was built or recorded
	@rm -rf .build .lab Benchmarks/.build Fuzzing/.build
